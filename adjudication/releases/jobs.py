"""The job that writes a release."""

from contextlib import closing

from django.urls import reverse

from accounts.job_kinds import Progress
from accounts.models import User
from accounts.queues import Queue
from adjudication.models import Release
from adjudication.releases.rules import check_can_read_release
from adjudication.releases.writing import SnapshotProgress, remove_parts, write_release
from corpus.collections.jobs import CollectionJob
from corpus.collections.rules import check_manager
from corpus.models import Membership


class ReleaseJob(CollectionJob[Release]):
    """Freezing a version of a collection."""

    model = Release
    queue = Queue.HEAVY
    doing = "Writing release"
    did = "Release written:"
    onward = "See the release"
    purpose = "A release is a version of the collection whose files never change."
    counted = "written"
    in_bytes = True
    cancel_verb = "cancel_release"
    tab = "releases"
    begins_at = "release_create"

    def work(self, job: Release, progress: Progress) -> None:
        with closing(SnapshotProgress(job, progress.claim)) as outside:
            write_release(job, outside)

    def subject(self, job: Release) -> str:
        return f"“{job.name}”"

    def check_can_cancel(self, job: Release, by: User | None) -> None:
        check_manager(job.collection, by)

    def page(self, job: Release) -> str:
        if not job.is_frozen:  # it has no page yet
            return reverse("release_list", args=[job.collection.slug])
        return reverse("release_detail", args=[job.collection.slug, job.name])

    def check_can_see(self, job: Release, membership: Membership) -> None:  # noqa: ARG002 - as all kinds are asked
        check_can_read_release(membership)

    def clean_up(self, pk: int) -> None:
        """Remove half-written files, also after a crash."""
        found = Release.objects.filter(pk=pk).first()
        if found is not None and found.state != "running":
            remove_parts(found)
