"""Collections: found, made, described, renamed, archived (read-only), deleted; and everyone with an account."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.job_kinds import kind_of
from accounts.models import FINAL_STATES, Job, User
from accounts.refusals import Conflict, NotAllowed, Reason, Refused, taken_is_conflict
from corpus.collections.audit import hidden_labels
from corpus.collections.contents import unfinished_jobs
from corpus.collections.rules import (
    check_can_create_collections,
    check_can_delete,
    check_manager,
    check_role_of_manager,
)
from corpus.models import Collection, CollectionAddress, CollectionRemoval, Indexing, InvitedRole, Membership, Role
from engines.text.languages import ENGLISH, LANGUAGES

ROLE_WORDS = {
    Role.MANAGER: gettext_lazy("import material, define campaigns, invite people, export, and see everything"),
    Role.ADJUDICATOR: gettext_lazy("see all labels and decide where judges disagree"),
    Role.ANNOTATOR: gettext_lazy("judge assigned items, without seeing the labels of others"),
    Role.VIEWER: gettext_lazy("see labels, agreement and pools, but change nothing"),
}

NAMES = (Lower("user__name"), Lower("user__email"))
ERASED = "@erased.invalid"  # how the address of an erased person ends


def memberships_of(user: User) -> QuerySet[Membership]:
    """The person's memberships with their collections, by title; archived collections are among them."""
    return Membership.objects.filter(user=user).select_related("collection").order_by("collection__title", "pk")


def collection_with(slug: str) -> Collection:
    """The collection of this short name, for commands; raises Refused saying how to make it."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is not None:
        return collection
    owner = CollectionAddress.objects.filter(slug=slug).values("collection_id")
    renamed = Collection.objects.filter(pk__in=owner).first()
    if renamed is not None:
        raise Refused(f"The collection {slug} was renamed. Its short name is now {renamed.slug}.")
    if owner.exists():
        raise Refused(f"The collection {slug} was deleted. Its short name cannot be used again.")
    raise Refused(
        f"There is no collection {slug}. Make it first: {settings.PROGRAM} create_collection {slug} --title …"
    )


def list_members(collection: Collection, text: str = "", role: str = "") -> QuerySet[Any]:
    """The members by role and name, narrowed to a role and a part of name or address. `rank` is that of the role."""
    rank = Case(*(When(role=role, then=Value(place)) for place, role in enumerate(Role)), default=Value(len(Role)))
    members = Membership.objects.filter(collection=collection).select_related("user", "collection").annotate(rank=rank)
    if text:
        members = members.filter(Q(user__name__icontains=text) | Q(user__email__icontains=text))
    if role:
        members = members.filter(role=role)
    return members.order_by("rank", *NAMES, "pk")


def count_managers(collection: Collection) -> int:
    return Membership.objects.filter(collection=collection, role=Role.MANAGER).count()


def open_invitations(collection: Collection) -> QuerySet[InvitedRole]:
    """Neither accepted nor revoked, newest first; expired ones too, because they can be sent again."""
    waiting = InvitedRole.objects.filter(
        collection=collection, invitation__accepted_at__isnull=True, invitation__revoked_at__isnull=True
    )
    return waiting.select_related("invitation__invited_by").order_by("-invitation__created_at", "-pk")


def pseudonym_of(person: User) -> tuple[str, str]:
    """The name and the address that replace theirs."""
    return f"Person {person.pk}", f"person-{person.pk}{ERASED}"


def is_erased(person: User) -> bool:
    """Whether their name and address have been replaced."""
    return person.email.endswith(ERASED)


def people(*, text: str = "", requests: bool = False) -> QuerySet[User]:
    """Everyone with an account, requests for erasure first; `text` is a part of a name or an address."""
    found = User.objects.select_related("erasure_request").annotate(collections=Count("memberships"))
    if text:
        found = found.filter(Q(name__icontains=text) | Q(email__icontains=text))
    if requests:
        found = found.filter(erasure_request__isnull=False)
    return found.order_by(F("erasure_request__requested_at").asc(nulls_last=True), "email")


WhyCannotArchive = Callable[[Collection], list[Reason]]  # what must end before the collection is archived
# One sentence for both cases: people who are not members must not learn which collections exist.
SLUG_TAKEN = "The short name “{slug}” is or was that of another collection. Choose another."


@transaction.atomic
def create_collection(
    *,
    by: User | None,
    at: datetime,
    slug: str,
    title: str,
    description: str = "",
    licence: str = "",
    language: str = ENGLISH,
    manager: User | None = None,
) -> Collection:
    """A new collection. The person who makes it becomes its manager; on the command line (`by` None) `manager` does."""
    if by is not None:
        check_can_create_collections(by)
    _check_language(language)
    with taken_is_conflict(SLUG_TAKEN.format(slug=slug)):
        collection = Collection.objects.create(
            slug=slug, title=title, description=description, licence=licence, language=language, created_at=at
        )
    facts = {"title": title, "language": language}
    record_event(by=by, at=at, verb="create_collection", target=collection, scope=collection, **facts)
    first = manager or by
    if first is not None:
        Membership.objects.create(collection=collection, user=first, role=Role.MANAGER, created_at=at)
        record_event(by=by, at=at, verb="add_member", target=first, scope=collection, role=Role.MANAGER.value)
    return collection


@transaction.atomic
def update_collection(*, by: User | None, at: datetime, collection: Collection, **fields: str) -> Collection:
    """Change any of title, description, licence and language; `rename_collection` changes the slug.

    With another language, documents are entered into the search again, by a job.
    """
    collection = Collection.objects.select_for_update().get(pk=collection.pk)
    check_manager(collection, by)
    changed = {field: value for field, value in fields.items() if getattr(collection, field) != value}
    if not changed:
        return collection
    if "language" in changed:
        _check_language(changed["language"])
        if collection.documents.exists():
            jobs.new_job(Indexing, by=by, at=at, collection=collection)
    before = {field: getattr(collection, field) for field in changed}
    for field, value in changed.items():
        setattr(collection, field, value)
    collection.save(update_fields=list(changed))
    facts = {"before": before, "after": changed}
    record_event(by=by, at=at, verb="update_collection", target=collection, scope=collection, **facts)
    return collection


def _check_language(code: str) -> None:
    if code not in LANGUAGES:
        known = ", ".join(f"{each.code} ({each.name})" for each in LANGUAGES.values())
        raise Refused(f"There is no language “{code[:20]}”. There are {known}.")


@transaction.atomic
def rename_collection(*, by: User | None, at: datetime, collection: Collection, slug: str) -> Collection:
    """Give the collection another slug. The former one leads here for ever and is never given to another collection."""
    check_manager(collection, by)
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise Refused(f"“{slug}” cannot be a short name: use letters, digits, hyphens and underscores.") from error
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    before = found.slug
    if slug == before:
        return found
    found.slug = slug
    with taken_is_conflict(SLUG_TAKEN.format(slug=slug)):
        found.save(update_fields=["slug"])
    record_event(by=by, at=at, verb="rename_collection", target=found, scope=found, before=before, after=slug)
    return found


def why_not_archived(collection: Collection) -> list[Reason]:
    """What must end before the collection can be archived, each with the page where; [] for nothing."""
    why_cannot_archive: dict[str, WhyCannotArchive] = extensions("why_cannot_archive")
    reasons = [reason for reasons_of in why_cannot_archive.values() for reason in reasons_of(collection)]
    return reasons + [_why_job_is_in_the_way(job) for job in unfinished_jobs(collection)]


def _why_job_is_in_the_way(job: Job) -> Reason:
    kind = kind_of(job)
    way = "Wait for it, or cancel it" if kind.cancel_verb else "Wait for it"
    return Reason(f"The job “{job}” is not finished. {way}.", f"Go to job “{job}”", address=kind.address(job))


@transaction.atomic
def archive_collection(*, by: User | None, at: datetime, collection: Collection) -> Collection:
    """Make the collection read-only. Refused while campaigns are open or jobs are not finished."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if found.archived_at:
        raise Conflict(f"{found} is archived already.")
    if reasons := why_not_archived(found):
        raise Refused(" ".join([f"{found} cannot be archived yet.", *reasons]))
    found.archived_at = at
    found.save(update_fields=["archived_at"])
    record_event(by=by, at=at, verb="archive_collection", target=found, scope=found)
    return found


@transaction.atomic
def take_backup(*, by: User, at: datetime, collection: Collection, logged: bool = True) -> None:
    """Check and log that the person takes a backup, which holds all labels. Errors: NotAllowed.

    `logged=False` is for requests that get the head of the file alone.
    """
    check_role_of_manager(collection, by)
    if reasons := [each.reason for each in hidden_labels(collection, by)]:
        raise NotAllowed(" ".join([*reasons, "A backup would show them."]))
    if logged:
        record_event(by=by, at=at, verb="download_backup", target=collection, scope=collection)


@transaction.atomic
def reopen_collection(*, by: User | None, at: datetime, collection: Collection) -> Collection:
    """Take the collection out of the archive: it can be changed again."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if not found.archived_at:
        raise Conflict(f"{found} is not archived.")
    if _is_being_deleted(found):
        raise Conflict(f"{found} is being deleted.")
    found.archived_at = None
    found.save(update_fields=["archived_at"])
    record_event(by=by, at=at, verb="reopen_collection", target=found, scope=found)
    return found


@transaction.atomic
def request_removal(
    *, by: User | None, at: datetime, collection: Collection, confirm: str, send: bool = True
) -> CollectionRemoval:
    """Ask for an archived collection to be deleted with everything in it. `confirm` must be its short name."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if not found.archived_at:
        raise Refused("Archive the collection first. Then nothing changes between its backup and its deletion.")
    if confirm.strip() != found.slug:
        raise Refused(f"Type the short name exactly as shown: {found.slug}. Nothing was deleted.")
    check_can_delete(found, found)
    if _is_being_deleted(found):
        raise Conflict(f"{found} is being deleted already.")
    fields = {"collection_id": found.pk, "slug": found.slug, "title": found.title}
    run = jobs.new_job(CollectionRemoval, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="request_collection_deletion", target=run, scope=found)
    return run


def _is_being_deleted(collection: Collection) -> bool:
    return CollectionRemoval.objects.filter(collection_id=collection.pk).exclude(state__in=FINAL_STATES).exists()
