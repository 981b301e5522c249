"""The base of all jobs of a collection, and the jobs that erase a person and delete a collection."""

from typing import Any, ClassVar

from django.db.models import Model
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts import jobs
from accounts.audit import Scope
from accounts.counting import counted
from accounts.job_kinds import J, JobKind
from accounts.models import User
from accounts.queues import Queue
from corpus.collections.erasures import erase_person
from corpus.collections.removals import remove_collection
from corpus.collections.rules import can_manage, check_can_manage, check_can_oversee, check_manager, fetch_membership
from corpus.models import (
    Collection,
    CollectionRemoval,
    Membership,
    PersonErasure,
)


class CollectionJob(JobKind[J]):
    """Those who oversee the collection see its jobs, managers cancel them; outsiders get 404."""

    base = "corpus/collection_base.html"
    tab: ClassVar[str]  # of the collection, the one that its page stands under
    is_for_managers: ClassVar[bool] = False  # others do not see it
    related: ClassVar[tuple[str, ...]] = ("collection",)  # the way from the job to its collection, and what words need
    begins_at: ClassVar[str] = ""  # the page where it is started, where that is not the page of its results

    @property
    def way_to_collection(self) -> str:
        return self.related[0]

    def collection_of(self, job: J) -> Collection:
        """The collection it belongs to."""
        found = job
        for name in self.way_to_collection.split("__"):
            found = getattr(found, name)
        return found  # type: ignore[return-value]

    def where(self, job: J) -> list[str]:
        """The beginning of the path of the pages of its collection, or campaign."""
        return [self.collection_of(job).slug]

    def retry(self, job: J, member: Membership) -> str:
        """For those who may cancel it."""
        if not self.may_cancel(member) or self.collection_of(job).archived_at:
            return ""
        return self.start(job)

    def start(self, job: J) -> str:
        """The address of the page where such a job is started."""
        return reverse(self.begins_at, args=self.where(job)) if self.begins_at else self.page(job)

    def fetch(self, pk: int, user: User) -> tuple[J, Membership]:
        job = get_object_or_404(self.model._default_manager.select_related(*self.related, "requested_by"), pk=pk)
        membership = fetch_membership(user, self.collection_of(job).slug)
        self.check_can_see(job, membership)
        return job, membership

    def check_can_see(self, job: J, membership: Membership) -> None:  # noqa: ARG002 - for subclasses
        """Raise NotAllowed for members who may not see the job."""
        check_can_manage(membership) if self.is_for_managers else check_can_oversee(membership)

    def may_cancel(self, member: Membership) -> bool:
        return can_manage(member)

    def check_can_cancel(self, job: J, by: User | None) -> None:
        check_manager(self.collection_of(job), by)

    def audited(self, job: J) -> tuple[Model, Scope | None, dict[str, Any]]:
        return job, self.collection_of(job), {}

    def context(self, job: J, member: Membership) -> dict[str, Any]:  # noqa: ARG002 - for subclasses
        return {"collection": member.collection, "membership": member, "tab": self.tab}


class ErasureJob(JobKind[PersonErasure]):
    """All of it or nothing, in one transaction. Staff see it; nobody can stop it."""

    model = PersonErasure
    queue = Queue.HEAVY
    doing = "Erasing the account of"
    did = "Account erased:"
    purpose = "The name and the address of the person are replaced by a pseudonym everywhere. This cannot be cancelled."
    counted = "steps"
    onward = "See the erased account"

    def work(self, job: PersonErasure, progress: jobs.Progress) -> None:
        erase_person(job, progress)

    def fetch(self, pk: int, user: User) -> tuple[PersonErasure, None]:
        if not user.is_staff:
            raise Http404
        return get_object_or_404(PersonErasure, pk=pk), None

    def page(self, job: PersonErasure) -> str:
        return reverse("person_detail", args=[job.person_id])

    def subject(self, job: PersonErasure) -> str:
        return str(job.person)

    def outcome(self, job: PersonErasure) -> str:
        return f"The judgments of this person are {'kept' if job.keep_labels else 'excluded'}."


class RemovalJob(JobKind[CollectionRemoval]):
    """Deleting a collection, all of it or nothing: only the person who asked sees it, and nobody can stop it."""

    model = CollectionRemoval
    queue = Queue.HEAVY
    doing = "Deleting the collection"
    did = "Collection deleted:"
    purpose = "Everything in the collection is deleted; its audit log is kept. This cannot be cancelled."
    counted = "steps"
    onward = "See its audit log"

    def work(self, job: CollectionRemoval, progress: jobs.Progress) -> None:
        remove_collection(job, progress)

    def page(self, job: CollectionRemoval) -> str:
        return reverse("collection_removal", args=[job.pk])

    def subject(self, job: CollectionRemoval) -> str:
        return f"“{job.title}”"

    def outcome(self, job: CollectionRemoval) -> str:
        gone = counted(sum(job.counts.values()), "record")
        return f"{gone} deleted. Only the audit log is left."
