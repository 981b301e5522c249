"""Making and describing collections."""

from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict
from corpus.models import Collection, Membership, Role
from corpus.permissions import check_can_create_collections, check_can_manage


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
        raise Conflict(f"There is a collection with the short name “{slug}” already. Choose another.") from error
    record_event(by=by, at=at, verb="create_collection", target=collection, scope=slug, title=title)
    first = manager or by
    if first is not None:
        Membership.objects.create(collection=collection, user=first, role=Role.MANAGER, created_at=at)
        record_event(by=by, at=at, verb="add_member", target=first, scope=slug, role=Role.MANAGER.value)
    return collection


@transaction.atomic
def update_collection(
    *, by: User, at: datetime, membership: Membership, title: str, description: str, licence: str
) -> Collection:
    """Describe the collection anew. Its slug is in addresses and exports, so it stays."""
    check_can_manage(membership)
    collection = Collection.objects.select_for_update().get(pk=membership.collection_id)
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
        scope=collection.slug,
        before=before,
        after=changed,
    )
    return collection
