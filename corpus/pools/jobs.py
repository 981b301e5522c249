"""The job that builds pools."""

from django.urls import reverse

from accounts import jobs
from accounts.counting import counted
from accounts.queues import Queue
from corpus.collections.jobs import CollectionJob
from corpus.models import PoolRun
from corpus.pools.building import build_pools


class PoolJob(CollectionJob[PoolRun]):
    """Building the pools of a collection."""

    model = PoolRun
    queue = Queue.HEAVY
    doing = "Building the pools"
    did = "Pools built"
    onward = "See the pools"
    purpose = "A pool holds the documents of a topic that people will judge."
    cancel_verb = "cancel_pools"
    tab = "pools"

    def work(self, job: PoolRun, progress: jobs.Progress) -> None:
        build_pools(job, progress)

    def outcome(self, job: PoolRun) -> str:
        pairs, topics = counted(job.pairs, "document"), counted(job.topics, "topic")
        return f"{pairs} pooled for {topics}: {job.added:,} added, {job.removed:,} removed."

    def page(self, job: PoolRun) -> str:
        return reverse("pool_list", args=[job.collection.slug])
