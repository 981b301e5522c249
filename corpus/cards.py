"""Cards of this app on the first page and the profile."""

from collections.abc import Iterable, Iterator

from accounts.models import User
from accounts.slots import Card
from corpus.models import Membership
from corpus.topics.reviews import reviews_waiting


def home_cards(user: User, _memberships: Iterable[Membership]) -> Iterator[Card]:
    """The queries that wait for the person's review."""
    if reviews := reviews_waiting(user):
        yield Card(30, "corpus/_reviews_waiting.html", {"reviews": reviews})


def profile_cards(_user: User) -> Iterator[Card]:
    """The person's data, to be downloaded or erased."""
    yield Card(10, "corpus/_own_data.html")
