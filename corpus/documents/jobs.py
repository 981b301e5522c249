"""The job that makes documents searchable."""

from django.urls import reverse

from accounts import jobs
from accounts.models import User
from accounts.queues import Queue
from accounts.refusals import NotAllowed
from corpus.collections.jobs import CollectionJob
from corpus.documents.indexing import enter_documents
from corpus.models import Indexing, Membership


class IndexingJob(CollectionJob[Indexing]):
    """Making the documents of a collection searchable."""

    model = Indexing
    queue = Queue.INDEX
    doing = "Making documents searchable"
    did = "Documents made searchable"
    purpose = "Until it has ended, search misses documents. It cannot be cancelled."
    counted = "documents searchable"
    onward = "See the documents"
    tab = "documents"

    def work(self, job: Indexing, progress: jobs.Progress) -> None:
        enter_documents(job.collection_id, progress)

    def may_cancel(self, member: Membership) -> bool:  # noqa: ARG002
        return False

    def check_can_cancel(self, job: Indexing, by: User | None) -> None:  # noqa: ARG002
        raise NotAllowed("Indexing cannot be cancelled: search would miss documents.")

    def page(self, job: Indexing) -> str:
        return reverse("document_list", args=[job.collection.slug])
