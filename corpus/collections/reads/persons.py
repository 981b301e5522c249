"""The people of this Litmus, for its staff."""

from django.db.models import Count, F, Q, QuerySet

from accounts.models import User

ERASED = "@erased.invalid"  # how the address of an erased person ends


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
