"""Decisions by hand, taken and withdrawn, and votes accepted in bulk. Votes themselves are never changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Greatest, Now

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from adjudication.labels.ballots import current_votes, fingerprint, machine_values
from adjudication.labels.counts import newest_count
from adjudication.labels.labels import scale_of
from adjudication.labels.queue import acceptable
from adjudication.labels.rules import (
    check_adjudicator,
    check_can_decide,
    check_not_own_item,
    decides_own,
    fetch_role,
    is_alone,
)
from adjudication.models import Cause, MachineCorrection, Method, OwnDecider, Unknown, Verdict
from adjudication.verdicts.announcing import announce_changed
from adjudication.verdicts.extra_judges import note_item_seen
from adjudication.verdicts.votes import settle, share_equal
from annotation.models import Campaign, Criterion, Item, Level
from corpus.collections.rules import check_manager


@transaction.atomic
def decide_verdict(
    *,
    verdict: Verdict,
    value: int,
    by: User,
    at: datetime,
    cause: str = "",
    comment: str = "",
    override: bool = False,
    seen: datetime | None = None,
    basis: str = "",
) -> Verdict:
    """Give the item this value by hand. It wins over every vote until somebody withdraws it.

    A comment is needed when nobody voted for the value. `seen` is when the verdict was decided as the person saw it
    (None: not yet), `basis` the fingerprint of the votes they saw ("": not given); if somebody has decided or voted
    since, Conflict. `override` lets a manager decide an item they judged.
    """
    verdict = _locked(verdict)
    check_can_decide(verdict.item.campaign.collection, verdict.item_id, by, override=override)
    override = override or decides_own(verdict.item_id, by)
    if verdict.decided_at != seen:
        raise Conflict("Someone else decided this item while you had it open. Their decision is shown here.")
    votes = current_votes(verdict.item_id, verdict.criterion_id, verdict.vote_run)
    if basis and basis != fingerprint(votes):
        raise Conflict(
            "The votes changed while you were looking at this item. The current votes are shown here: look again."
        )
    _check_decision(verdict, value, cause, comment, votes)
    was, verdict.value, verdict.method = verdict.value, value, Method.BY_HAND
    verdict.decided_by, verdict.decided_at, verdict.reopened_at = by, at, None
    verdict.cause, verdict.comment = cause, comment.strip()
    _store(verdict, was, votes, at)
    note_item_seen(verdict.item_id, by, at)
    _record(verdict, by, at, "decide_verdict", value=value, cause=cause, override=override)
    return verdict


@transaction.atomic
def withdraw_decision(
    *, verdict: Verdict, by: User, at: datetime, override: bool = False, seen: datetime | None = None
) -> Verdict:
    """Take a decision or an acceptance back: the item is what the vote makes of it again.

    `override` lets a manager do it to an item they judged; to undo a decision of one's own needs none. `seen` is when
    the decision was taken that the person means (None: whichever stands now); Conflict if another one stands now.
    """
    verdict = _locked(verdict)
    collection = verdict.item.campaign.collection
    if verdict.decided_by_id == by.pk:
        check_adjudicator(collection, by)
    else:
        check_can_decide(collection, verdict.item_id, by, override=override)
    if verdict.decided_at is None:
        raise Conflict("This item is not decided, so there is nothing to undo.")
    if seen is not None and verdict.decided_at != seen:
        raise Conflict(
            "Another decision has been made since, so this one is out of date. The current decision is shown."
        )
    was = verdict.value
    votes = current_votes(verdict.item_id, verdict.criterion_id, verdict.vote_run)
    verdict.value, verdict.method = None, Method.UNRESOLVED
    if votes and verdict.vote_run:
        scale = scale_of(verdict.criterion)
        verdict.value, verdict.method = settle(votes, scale, verdict.vote_run)
    verdict.decided_by = verdict.decided_at = verdict.reopened_at = None
    verdict.cause = verdict.comment = ""
    _store(verdict, was, votes, at)
    note_item_seen(verdict.item_id, by, at)
    _record(verdict, by, at, "withdraw_decision", was=was, override=override)
    return verdict


@transaction.atomic
def open_verdict(*, item: Item, criterion: Criterion, by: User, at: datetime) -> Verdict:
    """The item's verdict, to be decided by hand or sent back; made without a value where no count has found a vote.

    So an item can be decided where a machine's answer could not be parsed. A count that finds votes takes over.
    """
    campaign = locked_campaign(criterion.campaign)
    check_adjudicator(campaign.collection, by)
    if item.campaign_id != campaign.pk:
        raise Refused("The item belongs to another campaign.")
    verdict, made = Verdict.objects.get_or_create(
        item=item, criterion=criterion, defaults={"method": Method.UNRESOLVED, "vote_run": newest_count(campaign.pk)}
    )
    if made:
        _record(verdict, by, at, "open_item")
    return verdict


@transaction.atomic
def open_own_item(*, verdict: Verdict, by: User, at: datetime) -> None:
    """A manager looks at the votes on an item they judged, decided upon or not: one of the few reads that are logged.

    Errors: NotAllowed for everybody but managers.
    """
    membership = fetch_role(verdict.item.campaign.collection, by)
    check_not_own_item(verdict.item_id, membership, override=True)
    note_item_seen(verdict.item_id, by, at)
    _record(verdict, by, at, "open_own_item")


@transaction.atomic
def decide_own_items(*, campaign: Campaign, by: User, at: datetime) -> None:
    """Let a manager who is alone decide what they judged themselves, without being asked at each item; it is logged.

    Errors: NotAllowed for all but managers, Refused where somebody else could decide.
    """
    campaign = locked_campaign(campaign)
    check_manager(campaign.collection, by)
    if not is_alone(fetch_role(campaign.collection, by)):
        raise Refused("Somebody else in this collection may decide: leave the items that you judged to them.")
    _, is_new = OwnDecider.objects.get_or_create(campaign=campaign, user=by, defaults={"at": at})
    if is_new:
        record_event(by=by, at=at, verb="decide_own_items", target=campaign, scope=campaign.collection)


ACCEPTABLE = {
    Method.UNANIMOUS.value: "unanimous votes",
    Method.SINGLE.value: "single labels",
    Method.MAJORITY.value: "majorities",
}
CHOOSE = "Choose unanimous votes, single labels, majorities, or several of these."


@transaction.atomic
def accept_votes(
    *,
    criterion: Criterion,
    methods: list[str],
    expected: int,
    by: User,
    at: datetime,
    topic: int | None = None,
    value: int | None = None,
) -> int:
    """Accept every vote of these methods not yet reviewed (of this topic, with this value); returns how many.

    `expected` is the number the person was shown: another number now is a Conflict, and nothing is accepted. Items
    they judged themselves, items waiting for another judge and items whose votes have changed since they were counted
    are left out.
    """
    campaign = locked_campaign(criterion.campaign)
    check_adjudicator(campaign.collection, by)
    check_methods(methods)
    chosen = acceptable(criterion, methods, user=by, topic=topic, value=value).select_for_update(of=("self",))
    ids = list(chosen.values_list("pk", flat=True))
    if len(ids) != expected:
        raise Conflict(f"There are {len(ids):,} such items now, not {expected:,}: check the preview again.")
    count = Verdict.objects.filter(pk__in=ids).update(decided_by=by, decided_at=at, reopened_at=None)
    facts = {"criterion": criterion.key, "methods": sorted(methods), "accepted": count, "topic": topic, "value": value}
    record_event(by=by, at=at, verb="accept_votes", target=campaign, scope=campaign.collection, **facts)
    return count


def check_methods(methods: Sequence[str]) -> None:
    """Errors: Refused for none, and for those that no vote is accepted by in bulk."""
    if not methods or not set(methods) <= set(ACCEPTABLE):
        raise Refused(CHOOSE)


@transaction.atomic
def undo_acceptance(*, campaign: Campaign, accepted_at: datetime, by: User, at: datetime) -> int:
    """Take back what the person accepted in bulk at that moment; what has changed since stays. Returns how many."""
    campaign = locked_campaign(campaign)
    check_adjudicator(campaign.collection, by)
    count = accepted_together(campaign, by, accepted_at).update(decided_by=None, decided_at=None)
    if not count:
        raise Conflict("Everything accepted then has changed since, so there is nothing to undo.")
    facts = {"accepted_at": accepted_at.isoformat(), "undone": count}
    record_event(by=by, at=at, verb="undo_acceptance", target=campaign, scope=campaign.collection, **facts)
    return count


def accepted_together(campaign: Campaign, by: User | None, at: datetime) -> QuerySet[Verdict]:
    """What the person accepted in bulk at that moment and still stands so."""
    rows = Verdict.objects.filter(criterion__campaign=campaign, decided_by=by, decided_at=at)
    return rows.exclude(method=Method.BY_HAND)


_HOLD = """
SELECT FROM annotation_campaign c JOIN annotation_item i ON i.campaign_id = c.id WHERE i.id = %s FOR KEY SHARE OF c
"""


def locked_campaign(campaign: Campaign) -> Campaign:
    """Locked as counting the votes does it: who writes many verdicts goes one after the other."""
    rows = Campaign.objects.select_related("collection").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=campaign.pk)


def _locked(verdict: Verdict) -> Verdict:
    """The verdict as it is now, locked. Who computes from verdicts waits until this is stored (see agreement/jobs)."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [verdict.item_id])
    rows = Verdict.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("item__campaign__collection", "criterion", "vote_run").get(pk=verdict.pk)


def _check_decision(verdict: Verdict, value: int, cause: str, comment: str, votes: list[list[int]]) -> None:
    if not Level.objects.filter(criterion=verdict.criterion_id, value=value).exists():
        raise Refused(f"{value} is not a level of {verdict.criterion}.")
    if cause and cause not in Cause.values:
        raise Refused("Choose one of the causes offered, or none.")
    if value not in {vote for _, vote in votes} and not comment.strip():
        raise Refused("Nobody voted for this value. Say in the comment why it is right.")


def _store(verdict: Verdict, was: int | None, votes: list[list[int]], at: datetime) -> None:
    """Save it with the votes it stands on, so that later ones are noticed; `was` is the value before.

    A correction of a machine's label that gave the value before stands no longer.
    """
    standing = MachineCorrection.objects.filter(item=verdict.item_id, criterion=verdict.criterion_id, undone_at=None)
    standing.update(undone_at=Greatest(Value(at), F("given_at")))  # who waited for the lock may have asked earlier
    verdict.votes, verdict.n_votes = votes, len(votes)
    verdict.probability = None
    verdict.probability_reason = Unknown.BY_HAND if verdict.method == Method.BY_HAND else Unknown.NO_COUNT
    verdict.agreement = share_equal(np.array([value for _, value in votes], dtype=np.int64))
    values = {value for _, value in votes} if verdict.value is None else {verdict.value}
    verdict.machine_differs = not machine_values(verdict.item_id, verdict.criterion_id) <= values
    verdict.save()
    if verdict.value != was:
        changed = Verdict.objects.filter(pk=verdict.pk)
        changed.update(changed_at=Now())
        announce_changed(verdict.item.campaign, changed, at=at)


def _record(verdict: Verdict, by: User, at: datetime, verb: str, **data: Any) -> None:
    campaign = verdict.item.campaign
    facts = {"campaign": campaign.slug, "item": verdict.item_id, "criterion": verdict.criterion.key, **data}
    record_event(by=by, at=at, verb=verb, target=verdict, scope=campaign.collection, **facts)
