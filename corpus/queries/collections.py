"""A person's collections."""

from django.db.models import QuerySet

from accounts.models import User
from corpus.models import Membership


def memberships_of(user: User) -> QuerySet[Membership]:
    """The person's memberships with their collections, by title."""
    return Membership.objects.filter(user=user).select_related("collection").order_by("collection__title", "pk")
