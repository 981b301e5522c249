"""The job that builds pools."""

from django.urls import reverse

from accounts import jobs
from corpus.collections.jobs import CollectionJob
from corpus.models import PoolRun
from corpus.pools.building import build_pools


class PoolJob(CollectionJob[PoolRun]):
    """Building the pools of a collection."""

    model = PoolRun
    title = "Building of pools"
    cancel_verb = "cancel_pools"
    tab = "pools"

    def work(self, job: PoolRun, progress: jobs.Progress) -> None:
        build_pools(job, progress)

    def page(self, job: PoolRun) -> str:
        return reverse("pool_list", args=[job.collection.slug])
