"""Known answers of a campaign, and what the campaign is for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.campaigns.campaigns import has_submissions, record_change
from annotation.campaigns.rules import check_is_draft, check_not_closed, check_within, fetch_managed
from annotation.kind import Judged
from annotation.models import Campaign, Criterion, Item, KnownAnswer, Purpose, Strategy
from corpus.models import Aspect, Document, Topic
from engines.definitions.settings import PASS_MARK

ABOUT = ("item__topic", "item__aspect", "item__document")  # what a graded item is


@dataclass(frozen=True, slots=True)
class Stored:
    """A known answer, and whether it is "created", "updated" or "unchanged"."""

    known: KnownAnswer
    fate: str


@transaction.atomic
def set_known_answer(
    *,
    campaign: Campaign,
    topic: str,
    value: int,
    aspect: str = "",
    docno: str = "",
    criterion: str = "",
    explanation: str = "",
    by: User | None,
    at: datetime,
) -> KnownAnswer:
    """Say what is right about an item, which becomes one of the campaign if it is none, or say something else.

    Errors: NotAllowed for others than managers; Refused for a closed campaign and for what is not in the collection.
    """
    campaign = fetch_for_known_answers(campaign, by)
    stored = store_known_answer(
        campaign, topic=topic, aspect=aspect, docno=docno, criterion=criterion, value=value, text=explanation, at=at
    )
    record_change(campaign, by, at, "set_known_answer", topic=topic, aspect=aspect, docno=docno)
    return stored.known


def fetch_for_known_answers(campaign: Campaign, by: User | None) -> Campaign:
    """The campaign, after checking that it takes known answers from this person. Errors: NotAllowed, Refused."""
    campaign = fetch_managed(campaign, by)
    check_not_closed(campaign)
    check_is_graded(campaign)
    return campaign


def check_is_graded(campaign: Campaign) -> None:
    """Errors: Refused where the campaign's items get no grades that could be known."""
    if campaign.kind_object.no_criteria:
        raise Refused(f"Campaigns of the kind {campaign.kind_object} give no grades, so they have no known answers.")


def store_known_answer(
    campaign: Campaign,
    *,
    topic: str,
    aspect: str,
    docno: str,
    criterion: str,
    value: int | str,
    text: str,
    at: datetime,
) -> Stored:
    """Store one known answer of a campaign that may take it. Errors: Refused for what is not there."""
    level = _level(campaign, criterion, value)
    item = _item(campaign, topic, aspect, docno)
    same = clashing(campaign).filter(item__topic=item.topic_id, item__aspect=item.aspect_id)
    for other in same.filter(item__document=item.document_id).values_list("campaign__name", flat=True)[:1]:
        raise Refused(_clash(campaign.for_what, other))
    values: dict[str, Any] = {"value": level[1], "explanation": text.strip()}
    known, created = KnownAnswer.objects.get_or_create(
        item=item, criterion=level[0], defaults={**values, "campaign": campaign, "changed_at": at}
    )
    if created:
        return Stored(known, "created")
    if all(getattr(known, name) == new for name, new in values.items()):
        return Stored(known, "unchanged")
    known.value, known.explanation, known.changed_at = level[1], values["explanation"], at
    known.save(update_fields=["value", "explanation", "changed_at"])
    return Stored(known, "updated")


def clashing(campaign: Campaign) -> QuerySet[KnownAnswer]:
    """Known answers of other campaigns that nobody may find in this one too: what a training shows is recognised as
    hidden gold."""
    other = {Purpose.JUDGING: Purpose.TRAINING, Purpose.TRAINING: Purpose.JUDGING}.get(campaign.for_what)
    rows = KnownAnswer.objects.filter(campaign__collection=campaign.collection_id, campaign__purpose=other or "")
    return rows.exclude(campaign=campaign.pk)


def _clash(purpose: Purpose, other: str) -> str:
    if purpose.gives_feedback:
        return (
            f"Its item is hidden gold in “{other}”, and people would know it again after a training. Choose another, or"
            " remove the known answer there."
        )
    return (
        f"Its item has a known answer of the training “{other}”, which shows it: people would know it again as hidden"
        " gold. Choose another, or set the purpose of this campaign first if it is not judging."
    )


@transaction.atomic
def remove_known_answer(*, known_answer: KnownAnswer, by: User | None, at: datetime) -> Campaign:
    """Forget what is right about an item. The item and the answers to it stay; nobody is measured by them any more."""
    campaign = fetch_managed(known_answer.campaign, by)
    item = known_answer.item
    facts = {"topic": item.topic and item.topic.number, "docno": item.document and item.document.docno}
    known_answer.delete()
    record_change(campaign, by, at, "remove_known_answer", **facts)
    return campaign


@transaction.atomic
def set_purpose(
    *, campaign: Campaign, purpose: str, pass_mark: int | None = None, by: User | None, at: datetime
) -> Campaign:
    """Say what the campaign is for, and the share of known answers (in percent) to get right.

    Errors: Refused once it is open, and for another pass mark of a qualification once somebody has answered.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    wanted = Purpose(purpose)
    if wanted != campaign.for_what:
        check_is_draft(campaign)
        check_is_graded(campaign)
    _check_mark(campaign, wanted, pass_mark)
    campaign.purpose, campaign.pass_mark = wanted, pass_mark
    known = set(campaign.known_answers.values_list(*ABOUT))
    for *item, other in clashing(campaign).values_list(*ABOUT, "campaign__name"):
        if tuple(item) in known:
            raise Refused(_clash(wanted, other))
    if wanted.is_practice:
        campaign.strategy = Strategy.PLANNED
    campaign.save(update_fields=["purpose", "pass_mark", "strategy"])
    record_change(campaign, by, at, "set_purpose", purpose=str(wanted), pass_mark=pass_mark)
    return campaign


def _check_mark(campaign: Campaign, purpose: Purpose, mark: int | None) -> None:
    check_within(PASS_MARK, mark)
    if purpose.has_to_be_passed and mark is None:
        raise Refused("A qualification needs a pass mark, so that people know it before they begin.")
    if purpose.gives_feedback and mark is not None:
        raise Refused("A training has no pass mark. Leave it empty.")
    if purpose.has_to_be_passed and mark != campaign.pass_mark and has_submissions(campaign):
        raise Refused("Somebody has already answered, so the pass mark can no longer change.")


def _level(campaign: Campaign, key: str, value: int | str) -> tuple[Criterion, int]:
    criteria = {each.key: each for each in campaign.criteria.prefetch_related("levels")}
    if not key and len(criteria) > 1:
        raise Refused(f"Name the criterion: one of {', '.join(criteria)}.")
    criterion = criteria.get(key) if key else next(iter(criteria.values()), None)
    if criterion is None:
        raise Refused(f"The campaign has no criterion “{key}”; it has {', '.join(criteria)}.")
    on_scale = {str(level.value): level.value for level in criterion.levels.all()}
    if str(value) not in on_scale:
        raise Refused(f"The value {value} is not on the scale of {criterion.key} ({', '.join(on_scale)}).")
    return criterion, on_scale[str(value)]


def _item(campaign: Campaign, number: str, text: str, docno: str) -> Item:
    """The item of the campaign, made if it is not there. Errors: Refused."""
    topic = Topic.objects.filter(collection=campaign.collection_id, number=number).first()
    if topic is None:
        raise Refused(f"Topic {number} is not in the collection.")
    judges_documents = campaign.kind_object.judges == Judged.DOCUMENTS
    if judges_documents != bool(docno):
        raise Refused(
            "Name the document: this campaign judges documents."
            if judges_documents
            else "Name no document: this campaign rates questions without documents."
        )
    document = Document.objects.filter(collection=campaign.collection_id, docno=docno).first() if docno else None
    if docno and document is None:
        raise Refused(f"Document {docno} is not in the collection.")
    aspect = Aspect.objects.filter(topic=topic, text=text).first() if text else None
    if text and aspect is None:
        raise Refused(f"Topic {number} has no aspect “{text[:80]}”.")
    if judges_documents and not text and topic.nodes.exists():
        raise Refused(f"Name the aspect: topic {number} is judged aspect by aspect.")
    where: dict[str, Any] = {"topic": topic, "aspect": aspect, "document": document, "paper": None}
    try:
        with transaction.atomic():
            return Item.objects.get_or_create(campaign=campaign, **where, defaults={"split": campaign.split})[0]
    except IntegrityError as error:
        raise Conflict("Another development or test campaign has this item, so it cannot be added here.") from error
