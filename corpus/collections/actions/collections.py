"""Making and describing collections."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_can_create_collections, check_can_manage, check_manager, check_not_archived
from corpus.models import Collection, Membership, Role

# One sentence for both: who is no member must not learn which collections exist.
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
    manager: User | None = None,
) -> Collection:
    """A new collection. Its maker becomes its manager; on the command line (`by` None) `manager`, if there is one."""
    if by is not None:
        check_can_create_collections(by)
    try:
        with transaction.atomic():
            collection = Collection.objects.create(
                slug=slug, title=title, description=description, licence=licence, created_at=at
            )
    except IntegrityError as error:
        raise Conflict(SLUG_TAKEN.format(slug=slug)) from error
    record_event(by=by, at=at, verb="create_collection", target=collection, scope=collection, title=title)
    first = manager or by
    if first is not None:
        Membership.objects.create(collection=collection, user=first, role=Role.MANAGER, created_at=at)
        record_event(by=by, at=at, verb="add_member", target=first, scope=collection, role=Role.MANAGER.value)
    return collection


@transaction.atomic
def update_collection(
    *, by: User, at: datetime, membership: Membership, title: str, description: str, licence: str
) -> Collection:
    """Change title, description and licence; `rename_collection` changes the slug."""
    check_can_manage(membership)
    collection = Collection.objects.select_for_update().get(pk=membership.collection_id)
    check_not_archived(collection)
    new = {"title": title, "description": description, "licence": licence}
    changed = {field: value for field, value in new.items() if getattr(collection, field) != value}
    if not changed:
        return collection
    before = {field: getattr(collection, field) for field in changed}
    for field, value in changed.items():
        setattr(collection, field, value)
    collection.save(update_fields=list(changed))
    record_event(
        by=by,
        at=at,
        verb="update_collection",
        target=collection,
        scope=collection,
        before=before,
        after=changed,
    )
    return collection


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
    try:
        with transaction.atomic():
            found.save(update_fields=["slug"])
    except IntegrityError as error:
        raise Conflict(SLUG_TAKEN.format(slug=slug)) from error
    record_event(by=by, at=at, verb="rename_collection", target=found, scope=found, before=before, after=slug)
    return found
