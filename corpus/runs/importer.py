"""The importer of retrieval runs."""

from collections.abc import Iterator

from corpus.imports.forms import RunImportForm
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Standing, Undoing
from corpus.models import ImportRun, PartRanking, PoolSource, Ranking, RetrievalRun
from corpus.runs.importing import load_runs


def _standing(run: ImportRun) -> Iterator[Standing]:
    """Pool entries from the runs, and runs that an earlier or a later import wrote as well."""
    names = list(run.parameters.get("runs", ()))
    pooled = PoolSource.objects.filter(entry__topic__collection=run.collection_id, method__in=names)
    yield "documents added to pools by its runs", pooled.count()
    runs = RetrievalRun.objects.filter(collection=run.collection_id, name__in=names)
    others = sum(1 for each in runs if each.imported_in_id != run.pk or each.parameters.get("import") != run.pk)
    yield "runs that another import also wrote", others


RUNS = Importer(
    name="runs",
    label="retrieval runs",
    unit="rankings",  # a run of a hundred topics is a hundred
    title="Import retrieval runs",
    about="Rankings in TREC's six columns: topic, Q0, docno, rank, score, tag, with or without lines of metadata that "
    "begin with #; or LitSearch's JSON Lines with “retrieved”. Topics, sub-queries or aspects must be here already; "
    "a run of the same name is replaced. The order is that of the scores, and of docnos "
    "falling where scores are equal, as trec_eval has it. The rank column is not read.",
    reading=at_once(load_runs),
    form=RunImportForm,
    target="run_list",
    undoing=Undoing(RetrievalRun, ((Ranking, "run"), (PartRanking, "run")), standing=_standing),
    checks="text",
    more=lambda run: {"runs": run.parameters.get("runs", {})},
)
