"""Collections by person or short name, their members and invitations, and everyone with an account."""

from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Lower

from accounts.models import User
from accounts.refusals import Refused
from corpus.models import Collection, CollectionAddress, InvitedRole, Membership, Role

ROLE_WORDS = {
    Role.MANAGER: "import material, define campaigns, invite people, export, and see everything",
    Role.ADJUDICATOR: "see all labels and decide where judges disagree",
    Role.ANNOTATOR: "judge assigned items, and see nobody else's labels",
    Role.VIEWER: "see labels, agreement and pools, and change nothing",
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
    raise Refused(f"There is no collection {slug}. Make it first: manage.py create_collection {slug} --title …")


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
