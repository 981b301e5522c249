"""Questions of annotators: those that wait for a manager, and what one annotator may see of them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from accounts.models import User
from annotation.assignment.participation import fetch_participation
from annotation.campaigns.unjudged import items_hidden_from
from annotation.kind import Kind
from annotation.models import Assignment, AssignmentState, Audience, Campaign, Inquiry
from corpus.models import Role

NAMED_BY = ("item__topic", "item__aspect", "item__document", "item__paper")  # what names an item
MOST = 200  # questions and answers of one campaign that an annotator is shown, the newest


@dataclass(frozen=True, slots=True)
class Note:
    """A question and its answer as one annotator sees them: their own, or an answer that all may see.

    Of an answer to somebody else `text` is empty: what they asked, and that it was they, stays between them and the
    managers.
    """

    uuid: str
    text: str
    asked_at: datetime
    answer: str
    answered_at: datetime | None
    is_mine: bool
    is_new: bool
    topic: str | None  # number
    aspect: str | None
    docno: str | None
    paper: str | None  # key
    name: str
    whole_topic: bool = field(metadata={"help": "belongs next to every item of the topic"})
    href: str  # where the annotator finds the item, "" where they have none


@dataclass(frozen=True, slots=True)
class WorkPage:
    """Where the items of a campaign are judged: its kind, and the short names of its collection and itself."""

    kind: Kind
    collection: str
    campaign: str

    def address(self, assignment: int) -> str:
        """Where the annotator finds the item of one of their assignments."""
        where = [self.collection, self.campaign]
        if self.kind.item_screen:
            return reverse(self.kind.item_screen, args=[*where, assignment])
        return f"{reverse(self.kind.screen, args=where)}?item={assignment}"


def notes_for(annotator: int, campaign: int, page: WorkPage) -> list[Note]:
    """What the annotator asked and what was answered to all in the campaign, newest first. One query."""
    mine = Q(annotator=annotator)
    shown = Inquiry.objects.filter(mine | ~Q(audience=Audience.ASKER), campaign=campaign).select_related(*NAMED_BY)
    own = Assignment.objects.filter(item=OuterRef("item"), annotator=annotator).exclude(state=AssignmentState.OPEN)
    found = shown.annotate(assignment=Subquery(own.order_by("repeat").values("pk")[:1])).order_by("-asked_at", "-pk")
    return [_note(inquiry, annotator, page) for inquiry in found[:MOST]]


def own_notes(*, collection: str, campaign: str, user: User) -> dict[str, Any]:
    """{"asked": notes} of the annotator, for scripts and programs. Errors: those of `fetch_participation`."""
    found = fetch_participation(collection=collection, campaign=campaign, user=user, any_kind=True)
    notes = notes_for(found.annotator, found.campaign, WorkPage(found.kind, collection, campaign))
    return {"asked": [asdict(note) for note in notes]}


def _note(inquiry: Any, annotator: int, page: WorkPage) -> Note:
    item, is_mine = inquiry.item, inquiry.annotator_id == annotator
    return Note(
        uuid=str(inquiry.uuid),
        text=inquiry.text if is_mine else "",
        asked_at=inquiry.asked_at,
        answer=inquiry.answer,
        answered_at=inquiry.answered_at,
        is_mine=is_mine,
        is_new=is_mine and inquiry.answered_at is not None and inquiry.seen_at is None,
        topic=item.topic.number if item.topic else None,
        aspect=item.aspect.text if item.aspect else None,
        docno=item.document.docno if item.document else None,
        paper=item.paper.key if item.paper else None,
        name=name_of(item),
        whole_topic=inquiry.audience == Audience.TOPIC,
        href=page.address(inquiry.assignment) if inquiry.assignment else "",
    )


def name_of(item: Any) -> str:
    """What people call an item: the title of its document or paper, else the topic's text."""
    if item.paper:
        return str(item.paper)
    if item.document:
        return str(item.document.title or item.document.docno)
    return str(item.topic.text)


def of_unit(notes: Iterable[Note], unit: dict[str, Any] | None) -> list[Note]:
    """Those that belong next to a unit of the labelling screen: about one of its cells, or about its whole topic."""
    if unit is None:
        return []
    docno = (unit.get("document") or {}).get("docno")
    aspects = {cell.get("aspect") for cell in unit["cells"]}
    topic = unit["topic"]["number"]
    return [
        note
        for note in notes
        if note.topic == topic and (note.whole_topic or (note.docno == docno and note.aspect in aspects))
    ]


# --- managers --------------------------------------------------------------------------------------------------------


def inquiries_of(campaign: Campaign, user: User) -> QuerySet[Inquiry]:
    """The questions of a campaign that a manager may read, oldest first; see `hidden_from`."""
    shown = Inquiry.objects.filter(campaign=campaign).exclude(pk__in=hidden_from(user, campaign.pk).values("pk"))
    return shown.select_related(*NAMED_BY, "annotator", "answered_by").order_by("asked_at", "pk")


def hidden_from(user: User, campaign: int) -> QuerySet[Inquiry]:
    """Questions about items that the person still has to judge, in this campaign or another: judge first (ADR 11)."""
    inquiries = Inquiry.objects.filter(campaign=campaign)
    items = items_hidden_from(user).filter(pk__in=inquiries.values("item"))
    return inquiries.filter(item__in=items.values("pk"))


@dataclass(frozen=True, slots=True)
class InquiryCount:
    """A campaign with `count` questions: to be answered, or answered to the person."""

    campaign: Campaign
    count: int

    @property
    def text(self) -> str:
        what = (
            "1 question from annotators waits" if self.count == 1 else f"{self.count:,} questions from annotators wait"
        )
        return f"{what} for an answer."


def open_inquiries(user: User) -> list[InquiryCount]:
    """Campaigns that the person manages with questions that wait for an answer, those that they may read. Two queries,
    one where no question waits.

    None of archived collections, where nothing can be answered.
    """
    managed = Q(collection__memberships__user=user, collection__memberships__role=Role.MANAGER)
    campaigns = Campaign.objects.filter(managed, collection__archived_at=None).filter(
        Exists(Inquiry.objects.filter(campaign=OuterRef("pk"), answered_at=None))
    )
    if not (pks := list(campaigns.values_list("pk", flat=True))):
        return []  # to put the next query together takes as long as the rest of the first page
    waits = Q(inquiries__answered_at=None, inquiries__isnull=False)
    hidden = items_hidden_from(user).filter(pk__in=Inquiry.objects.filter(answered_at=None).values("item"))
    counted = Campaign.objects.filter(pk__in=pks).annotate(
        waiting=Count("inquiries", filter=waits & ~Q(inquiries__item__in=hidden.values("pk")), distinct=True)
    )
    found = counted.filter(waiting__gt=0).select_related("collection").order_by("name", "pk")
    return [InquiryCount(campaign, campaign.waiting) for campaign in found]


def new_answers(user: User, *, since: datetime | None = None, until: datetime | None = None) -> list[InquiryCount]:
    """Campaigns with answers to the person's own questions that they have not seen, given after `since`. One query."""
    own = Q(inquiries__annotator__user=user, inquiries__answered_at__isnull=False, inquiries__seen_at=None)
    if since is not None:
        own &= Q(inquiries__answered_at__gt=since)
    if until is not None:
        own &= Q(inquiries__answered_at__lte=until)
    found = Campaign.objects.filter(own, collection__memberships__user=user).select_related("collection")
    counted = found.annotate(answers=Count("inquiries", distinct=True)).order_by("name", "pk")
    return [InquiryCount(campaign, campaign.answers) for campaign in counted]
