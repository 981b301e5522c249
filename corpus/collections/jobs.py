"""The base of all jobs of a collection."""

import shutil
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Model
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.audit import Scope, record_event
from accounts.job_kinds import J, JobKind
from accounts.locks import briefly
from accounts.models import User
from accounts.refusals import Refused
from corpus.collections.collections import is_erased
from corpus.collections.erasures import _erase
from corpus.collections.removals import _delete_rows, append_only_rows_deletable
from corpus.collections.rules import can_manage, check_can_manage, check_can_oversee, check_manager, fetch_membership
from corpus.loading.uploads import remove_uploads
from corpus.models import (
    Collection,
    CollectionRemoval,
    ImportRun,
    Membership,
    Paper,
    PersonErasure,
)


class CollectionJob(JobKind[J]):
    """Those who oversee the collection see its jobs, managers cancel them; outsiders get 404."""

    base = "corpus/collection_base.html"
    tab: ClassVar[str]  # of the collection, the one that its page stands under
    is_for_managers: ClassVar[bool] = False  # others do not see it
    related: ClassVar[tuple[str, ...]] = ("collection",)  # the way from the job to its collection, and what words need

    def collection_of(self, job: J) -> Collection:
        """The collection it belongs to."""
        found = job
        for name in self.related[0].split("__"):
            found = getattr(found, name)
        return found  # type: ignore[return-value]

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
    title = "Erasure of a person"
    counted = "steps"

    def work(self, job: PersonErasure, progress: jobs.Progress) -> None:
        with transaction.atomic():
            person = User.objects.select_for_update().get(pk=job.person_id)
            if not is_erased(person):  # else the worker was killed between its commit and its last word
                _erase(job, person, progress)

    def fetch(self, pk: int, user: User) -> tuple[PersonErasure, None]:
        if not user.is_staff:
            raise Http404
        return get_object_or_404(PersonErasure, pk=pk), None

    def page(self, job: PersonErasure) -> str:
        return reverse("person_detail", args=[job.person_id])


class RemovalJob(JobKind[CollectionRemoval]):
    """Deleting a collection, all of it or nothing: only the person who asked sees it, and nobody can stop it."""

    model = CollectionRemoval
    title = "Deletion of a collection"
    counted = "steps"

    def work(self, job: CollectionRemoval, progress: jobs.Progress) -> None:
        collection = Collection.objects.filter(pk=job.collection_id).first()
        if collection is None:
            return  # the worker was killed between its commit and its last word
        if collection.archived_at is None:
            raise Refused("The collection is no longer archived, so it was not deleted.")
        papers = list(Paper.objects.filter(collection=collection).exclude(file="").values_list("file", flat=True))
        imports = list(ImportRun.objects.filter(collection=collection).exclude(files=[]))
        with append_only_rows_deletable():
            with briefly("waiting for other work on this collection"):
                collection = Collection.objects.select_for_update().get(pk=job.collection_id)
            job.counts = _delete_rows(collection, progress)
            job.save(update_fields=["counts"])
            record_event(
                by=job.requested_by,
                at=timezone.now(),
                verb="delete_collection",
                target=collection,
                scope=collection,
                title=collection.title,
                rows=sum(job.counts.values()),
            )
        job.done = job.total
        # Only now: had the transaction failed, its files would be missing.
        for name in papers:
            default_storage.delete(name)
        for each in imports:
            remove_uploads(each)
        for place in Path(settings.INDEX_DIR).glob(f"{job.collection_id}-*"):
            shutil.rmtree(place, ignore_errors=True)

    def page(self, job: CollectionRemoval) -> str:
        return reverse("collection_removal", args=[job.pk])
