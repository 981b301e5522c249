"""What this app shows on pages below it: the person's own work, and where a document is judged."""

from collections.abc import Iterable, Iterator

from accounts.models import User
from accounts.requests import Request
from accounts.slots import Card
from annotation.campaigns.home import Work, work_of
from annotation.consent.consents import can_withdraw_from
from annotation.inquiries.inquiries import new_answers, open_inquiries
from annotation.models import Campaign
from corpus.collections.rules import can_oversee
from corpus.models import Collection, Document, Membership, Role


def home_cards(user: User, memberships: Iterable[Membership]) -> Iterator[Card]:
    """Campaigns with something to judge and those where nothing is left; annotators see when there are none. Questions
    that wait for the person, and answers to theirs."""
    found = work_of(user)
    work = [each for each in found if each.left and not each.paused]
    rest = [each for each in found if not each.left or each.paused]
    if work:
        yield Card(10, "annotation/_home_work.html", {"work": work}, has_main_button=True)
    elif rest or any(each.role == Role.ANNOTATOR for each in memberships):
        yield Card(10, "annotation/_home_idle.html", {"rest": rest, "managed": _managed(rest, memberships)})
    if waiting := open_inquiries(user):
        yield Card(20, "annotation/inquiries/_waiting.html", {"waiting": waiting})
    if answered := new_answers(user):
        yield Card(25, "annotation/inquiries/_answered.html", {"answered": answered})
    if rest:
        yield Card(40, "annotation/_home_rest.html", {"rest": rest})


def profile_cards(user: User) -> Iterator[Card]:
    """What the person can withdraw from, also where they are no longer a member."""
    if collections := list(can_withdraw_from(user)):
        yield Card(5, "annotation/consent/_own_consents.html", {"collections": collections})


def _managed(work: Iterable[Work], memberships: Iterable[Membership]) -> list[Collection]:
    """The collections of this work that the person manages, each once."""
    managed = {each.collection_id for each in memberships if each.role == Role.MANAGER}
    found = {each.campaign.collection_id: each.campaign.collection for each in work}
    return [collection for pk, collection in found.items() if pk in managed]


def overview_cards(_request: Request, membership: Membership) -> Iterator[Card]:
    """The person's own work in the collection."""
    mine = [each for each in work_of(membership.user) if each.campaign.collection_id == membership.collection_id]
    if mine:
        yield Card(10, "annotation/_my_work.html", {"mine": mine})
    elif not can_oversee(membership):
        yield Card(10, "annotation/_no_work.html")


def document_cards(membership: Membership, document: Document) -> Iterator[Card]:
    """The campaigns that have items of the document, for who may see what it is judged for."""
    if can_oversee(membership):
        campaigns = Campaign.objects.filter(items__document=document).distinct().order_by("name", "pk")
        yield Card(10, "annotation/_document_campaigns.html", {"campaigns": campaigns})
