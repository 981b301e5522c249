"""What this app shows on pages of apps below it: decisions that wait, and how far a collection is."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils import timezone

from accounts.job_kinds import kind_of
from accounts.models import User
from accounts.requests import Request
from accounts.slots import Card
from adjudication.guide.guide import Guide, guides_of, has_outrun
from adjudication.labels.rules import can_adjudicate
from adjudication.procedure import waiting_for
from adjudication.verdicts.dashboard import CampaignRow, fetch_material, fetch_rows, fetch_running
from annotation.models import ReplyValue
from corpus.collections.rules import can_oversee
from corpus.models import Membership, Topic

STYLES = ("css/adjudication.css",)


def home_cards(user: User, _memberships: Iterable[Membership]) -> Iterator[Card]:
    """Campaigns with verdicts that wait for the person's decision."""
    waiting = waiting_for(user)
    if waiting:
        yield Card(20, "adjudication/_waiting.html", {"waiting": waiting}, has_main_button=True)


def overview_cards(_request: Request, membership: Membership) -> Iterator[Card]:
    """Material, what runs, and a row for each campaign; everything else about one is on its own pages."""
    if not can_oversee(membership):
        return
    collection = membership.collection
    running = [(kind_of(job), job) for job in fetch_running(collection)]
    yield _overview(20, "_material", material=fetch_material(collection))
    yield _overview(30, "_running", running=running)
    yield _overview(40, "_campaign_rows", campaigns=_campaigns(membership))


def _campaigns(membership: Membership) -> list[tuple[CampaignRow, Guide]]:
    """Each campaign with what comes next; read again where a job has ended meanwhile, of which nothing would tell."""
    for _ in range(2):
        began = timezone.now()
        rows = fetch_rows(membership, began)
        found = list(zip(rows, guides_of(membership, rows), strict=True))
        if not has_outrun(membership.collection, began):
            break
    return found


def topic_cards(membership: Membership, topic: Topic) -> Iterator[Card]:
    """The way from a topic to its judged documents and why each has its value, for who may read that."""
    if can_oversee(membership):
        yield Card(10, "adjudication/_why.html", {"number": topic.number})


def reply_cards(membership: Membership, stated: ReplyValue) -> Iterator[Card]:
    """A button that puts the item of an unparsed machine answer on the adjudication screen."""
    if can_adjudicate(membership):
        context = {"item": stated.reply.item_id, "criterion": stated.criterion, "class": "quiet"}
        yield Card(10, "adjudication/cycles/_open_item.html", context)


def help_cards() -> Iterator[Card]:
    """The keys of the adjudication screen."""
    yield Card(10, "adjudication/_help_keys.html")


def _overview(place: int, name: str, **context: Any) -> Card:
    return Card(place, f"adjudication/{name}.html", context, STYLES)
