"""Asking about an item, answering, and noting that an answer was seen."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.audit import record_event
from accounts.doors import at_door
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.assignment.participation import fetch_participation
from annotation.assignment.rules import check_can_label
from annotation.campaigns.rules import check_within, fetch_managed
from annotation.inquiries.rules import check_can_read
from annotation.models import Assignment, Audience, Campaign, Inquiry
from engines.definitions.settings import ANSWER, INQUIRY

MOST_OPEN = 100  # questions of one annotator that wait for an answer


@transaction.atomic
def ask_managers(
    *, collection: str, campaign: str, assignment: int, uuid: UUID, text: str, by: User, at: datetime
) -> Inquiry:
    """Keep a question about the item of one of the annotator's own assignments; the same uuid again changes nothing.

    Errors: those of `fetch_participation`; NotNow where they cannot judge now; Refused for an empty or endless text,
    for somebody else's item and for too many open questions; Conflict for a uuid that says something else already.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, any_kind=True)
    check_can_label(participation)
    text = _clean(text)
    check_within(INQUIRY, text)
    own = Assignment.objects.filter(pk=assignment, annotator=participation.annotator)
    item = own.values_list("item", flat=True).first()
    if item is None:
        raise Refused(_("This item is not assigned to you, so you cannot ask about it."))
    sent = Inquiry.objects.filter(uuid=uuid).first()
    if sent is not None:
        return _same(sent, participation.annotator, item, text)
    mine = Inquiry.objects.filter(annotator=participation.annotator, answered_at=None)
    if mine.count() >= MOST_OPEN:
        raise Refused(_("You have {most} unanswered questions. Wait until some are answered.").format(most=MOST_OPEN))
    inquiry = Inquiry.objects.create(
        uuid=uuid,
        campaign_id=participation.campaign,
        item_id=item,
        annotator_id=participation.annotator,
        text=text,
        asked_at=at,
    )
    target = Campaign.objects.select_related("collection").get(pk=participation.campaign)
    record_event(by=by, at=at, verb="ask_managers", target=target, scope=target.collection, question=inquiry.pk)
    return inquiry


def _same(sent: Inquiry, annotator: int, item: int, text: str) -> Inquiry:
    if (sent.annotator_id, sent.item_id, sent.text) != (annotator, item, text):
        again = at_door(page=_("Reload the page and ask again."), rest=_("Ask again with a new one."))
        raise Conflict(_("Another question has this identifier already. {again}").format(again=again).rstrip())
    return sent


@transaction.atomic
def answer_inquiry(*, campaign: Campaign, inquiry: int, answer: str, audience: str, by: User, at: datetime) -> Inquiry:
    """Answer a question, or change the answer; `audience` (Audience) is who sees it.

    Errors: Http404 for a question of another campaign; NotAllowed for others than managers and about an item that the
    manager still has to judge; Conflict while the collection is archived; Refused for an empty or endless text, and
    for an answer about a topic where the item has none.
    """
    campaign = fetch_managed(campaign, by)
    found = Inquiry.objects.select_for_update().select_related("item").filter(campaign=campaign, pk=inquiry).first()
    if found is None:
        raise Http404
    check_can_read(found, by)
    answer = _clean(answer)
    check_within(ANSWER, answer)
    if audience not in Audience.values:
        raise Refused(_("An answer is for one of {known}.").format(known=", ".join(Audience.values)))
    if audience == Audience.TOPIC and found.item.topic_id is None:
        raise Refused(_("This item has no topic. Show the answer next to the item instead."))
    if (found.answer, found.audience) == (answer, audience):
        return found
    if found.answer != answer:
        found.seen_at = None
        found.answered_at = at
        found.answered_by = by
    found.answer, found.audience = answer, audience
    found.save(update_fields=["answer", "audience", "answered_at", "answered_by", "seen_at"])
    facts = {"question": found.pk, "audience": str(audience)}
    record_event(by=by, at=at, verb="answer_question", target=campaign, scope=campaign.collection, **facts)
    return found


def note_answers_seen(
    *, collection: str, campaign: str, by: User, at: datetime, only: Sequence[UUID] | None = None
) -> int:
    """The annotator has seen the answers to their own questions: all, or `only` these. Returns how many were new.

    Errors: those of `fetch_participation`.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, any_kind=True)
    new = Inquiry.objects.filter(annotator=participation.annotator, answered_at__isnull=False, seen_at=None)
    if only is not None:
        new = new.filter(uuid__in=only)
    return new.update(seen_at=at)


def _clean(text: str) -> str:
    """The text with uniform line ends and nothing around it. Errors: Refused for what cannot be stored."""
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise Refused(_("The text contains characters that cannot be stored."))
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
