"""Collections: a person's own, or by short name."""

from django.db.models import QuerySet

from accounts.models import User
from accounts.refusals import Refused
from corpus.models import Collection, CollectionAddress, Membership


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
        raise Refused(f"The collection {slug} was deleted. Its short name is not given out again.")
    raise Refused(f"There is no collection {slug}. Make it first: manage.py create_collection {slug} --title …")
