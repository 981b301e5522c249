"""The jobs of this room."""

from django.urls import reverse

from accounts import jobs
from accounts.job_kinds import Waiting
from accounts.models import User
from accounts.refusals import NotAllowed
from corpus.collections.jobs import CollectionJob
from corpus.documents.indexing import _fill, _merge, indexed
from corpus.models import Indexing, Membership


class IndexingJob(CollectionJob[Indexing]):
    """Making the documents of a collection searchable."""

    model = Indexing
    title = "Indexing for search"
    counted = "documents searchable"
    tab = "documents"

    def work(self, job: Indexing, progress: jobs.Progress) -> None:
        """Enter all documents of the collection that have no entry yet."""
        collection = job.collection_id
        while True:
            done, total = indexed(collection)
            progress.report(done, total, "entering documents")
            if done >= total:
                break
            after: str | None = ""
            entered = 0
            while after is not None:
                count, after = _fill(collection, after)
                entered += count
                progress.report(done + entered, total, "entering documents")
            if not entered:
                raise Waiting("waiting for documents that another job enters")
        _merge()

    def may_cancel(self, member: Membership) -> bool:  # noqa: ARG002
        return False

    def check_can_cancel(self, job: Indexing, by: User | None) -> None:  # noqa: ARG002
        raise NotAllowed("Indexing cannot be cancelled: search would miss documents.")

    def page(self, job: Indexing) -> str:
        return reverse("document_list", args=[job.collection.slug])
