"""Removing the demo: its collection and its people, and nothing else."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, ProtectedError

from accounts import jobs
from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import NotAllowed, NotHere, Refused
from config.demo.loading import SLUG, is_loading
from config.demo.people import EVERYBODY, MANAGER
from corpus.models import Collection, CollectionAddress, CollectionRemoval, Role


@dataclass(frozen=True)
class Removed:
    """What was removed. `kept`: demo people who also worked elsewhere; they can no longer sign in."""

    rows: int
    people: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        words = f"Demo removed: its collection with {self.rows:,} rows, and {len(self.people):,} accounts."
        if self.kept:
            words += (
                f" {', '.join(self.kept)} also worked in other collections. Their work there is kept; they can no"
                " longer sign in."
            )
        return words

    def as_json(self) -> dict[str, Any]:
        return {"rows": self.rows, "people": self.people, "kept": self.kept}


def demo_collection() -> Collection | None:
    """The collection that was made as the demo, also under another short name: the demo's manager founded it.

    A collection of one's own that happens to be called demo is not it.
    """
    was = CollectionAddress.objects.filter(slug=SLUG).values("collection_id")
    founder = {"memberships__user__email": MANAGER.email, "memberships__role": Role.MANAGER}
    return Collection.objects.filter(pk__in=was, memberships__created_at=F("created_at"), **founder).first()


def remove_demo(*, by: User | None, at: datetime) -> Removed:
    """Delete the demo collection with everything in it and the demo's accounts; the audit log stays.

    Its address is free again, so that the demo can be loaded once more. Errors: NotAllowed for all but staff, NotHere
    without a demo, Refused while it is loaded.
    """
    if by is not None and not by.is_staff:
        raise NotAllowed("Only staff, the people who run this Litmus, can remove the demo.")
    if is_loading():
        raise Refused("The demo is being loaded. Remove it once that is done.")
    with transaction.atomic():
        collection = demo_collection()
        if collection is None:
            raise NotHere("The demo is not loaded, so there is nothing to remove.")
        found = Collection.objects.select_for_update().get(pk=collection.pk)
        found.archived_at = found.archived_at or at  # from here on nothing is added
        found.save(update_fields=["archived_at"])
        run = jobs.new_job(
            CollectionRemoval, by=by, at=at, send=False, collection_id=found.pk, slug=found.slug, title=found.title
        )
        record_event(by=by, at=at, verb="remove_demo", target=run, scope=found)
    jobs.complete(run)
    CollectionAddress.objects.filter(collection_id=found.pk).delete()
    people: list[str] = []
    kept: list[str] = []
    for user in User.objects.filter(email__in=[person.email for person in EVERYBODY]).order_by("email"):
        (people if _remove_person(user, by, at) else kept).append(user.email)
    return Removed(sum(run.counts.values()), people, kept)


@transaction.atomic
def _remove_person(user: User, by: User | None, at: datetime) -> bool:
    """Delete the account; of somebody with work elsewhere take the password that everybody knows. Whether deleted."""
    record_event(by=by, at=at, verb="remove_demo_account", target=user)
    try:
        with transaction.atomic():
            if user.memberships.exists():
                raise ProtectedError("a member elsewhere", set())
            user.delete()
    except ProtectedError:
        user.is_active = False
        user.set_unusable_password()
        user.save(update_fields=["is_active", "password"])
        return False
    return True
