"""Collections: a person's own, or by short name."""

from django.db.models import QuerySet

from accounts.models import User
from accounts.refusals import Refused
from corpus.models import Collection, Membership


def memberships_of(user: User) -> QuerySet[Membership]:
    """The person's memberships with their collections, by title."""
    return Membership.objects.filter(user=user).select_related("collection").order_by("collection__title", "pk")


def collection_with(slug: str) -> Collection:
    """The collection of this short name, for commands; raises Refused saying how to make it."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        raise Refused(f"There is no collection {slug}. Make it first: manage.py create_collection {slug} --title …")
    return collection
