"""What can be done with a run that is there: deleted, by page and REST. Making and importing runs is in pages, api and
commands."""

from django.urls import reverse

from accounts.operations import Operation, Rest
from corpus.collections.api.base import RemovedSerializer
from corpus.collections.places import thing_in_collection
from corpus.collections.rules import MANAGE
from corpus.pools.requests import RemovedRun, delete_run


def _report(found: RemovedRun) -> str:
    documents = "1 document" if found.removed == 1 else f"{found.removed:,} documents"
    return f"The run {found.name} is deleted. {documents} left the pools with it."


DELETE_RUN = Operation(
    rest=Rest("runs_delete", RemovedSerializer, status=200),
    action=delete_run,
    place=thing_in_collection(
        "run", lambda of: of.retrieval_runs.select_related("collection"), "runs", "run_list", key="pk"
    ),
    roles=MANAGE,
    about=(
        "Delete a run, and the documents that only it added to pools. A run whose documents are judged in campaigns"
        " cannot be deleted."
    ),
    title="Delete a run",
    button="Delete this run",
    report=_report,
    goes_to=lambda found: reverse("run_list", args=[found.collection.slug]),
    shows=lambda found: {"removed": found.removed},
)
