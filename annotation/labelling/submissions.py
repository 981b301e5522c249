"""Taking in what an annotator sends: answers, skips, undos. Nothing acknowledged is ever lost or counted twice.

A submission is kept word for word and never changed; it is its own entry in the log, so no audit event repeats it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from psycopg.types.json import Jsonb

from accounts.doors import at_door
from accounts.models import User
from accounts.prepared_statements import run
from accounts.refusals import Conflict, Refused
from annotation.assignment.open_queue import free_slots, regain_slot
from annotation.assignment.participation import UNKNOWN_VISIT, Participation, Visit, fetch_participation
from annotation.assignment.rejudging import IS_ASKED_AGAIN, give_back_place, replace_former
from annotation.assignment.rules import can_label, check_can_label
from annotation.labelling.answers import Answer, AnswerInput, ChangedElsewhere, Invalid, Receipt, check_answers
from annotation.labelling.extras import Extras, check_extras, has_same_extras, store_extras, stored_extras
from annotation.labelling.units_ahead import fill_up
from annotation.models import Asked, AssignmentState, SubmissionKind, SubmissionOutcome

# `+ 0`: the id finds the row. An index on the annotator would read all that they have done (open_queue.NEVER_HAD).
LOCATE = f"""
SELECT a.id, a.item_id, a.queue_id, a.state, a.slot, a.repeat,
  last.uuid AS base, last.kind, last.answers, last.reasons, last.reason, last.note, last.flagged, last.device,
  last.received_at, dup.assignment_id AS dup, dup.kind AS dup_kind, dup.outcome AS dup_outcome,
  dup.answers AS dup_answers, dup.reasons AS dup_reasons, dup.reason AS dup_reason, dup.note AS dup_note,
  dup.flagged AS dup_flagged, dup.received_at AS dup_received_at,
  a.repeat >= 10 OR {IS_ASKED_AGAIN} AS is_former
FROM annotation_assignment a
LEFT JOIN LATERAL (
  SELECT * FROM annotation_submission s WHERE s.assignment_id = a.id AND s.outcome = 'counted'
  ORDER BY s.id DESC LIMIT 1
) last ON true
LEFT JOIN annotation_submission dup ON dup.uuid = %(uuid)s
WHERE a.id = %(assignment)s AND a.annotator_id + 0 = %(annotator)s
FOR NO KEY UPDATE OF a
"""
USED_UUID = gettext_lazy(
    "This submission's id has been used for something else. Nothing was stored; send it under a new id."
)
LEVELS_CHANGED = gettext_lazy("The levels of this campaign have just been changed. Nothing was stored.")
RETURNED = (AssignmentState.SKIPPED, AssignmentState.WITHDRAWN)  # without a slot: it may be somebody else's by now

# A uuid that somebody else has used in the meantime stores nothing and returns nothing.
INSERT = """
INSERT INTO annotation_submission (uuid, assignment_id, kind, outcome, answers, reasons, reason, note, flagged,
  guideline_id, active_ms, away_ms, device, client_at, received_at)
VALUES (%(uuid)s, %(assignment)s, %(kind)s, %(outcome)s, %(answers)s, %(reasons)s, %(reason)s, %(note)s, %(flagged)s,
  (SELECT g.id FROM annotation_guideline g WHERE g.campaign_id = %(campaign)s AND g.version = %(guideline)s),
  %(active_ms)s, %(away_ms)s, %(device)s, %(client_at)s, %(at)s)
ON CONFLICT (uuid) DO NOTHING RETURNING id
"""
ANSWERED = f"""
WITH stored AS ({INSERT}), judged AS (
  INSERT INTO annotation_judgment (assignment_id, criterion_id, value, reason, submission_id)
  SELECT %(assignment)s, v.criterion, v.value, v.reason, stored.id
  FROM stored,
    unnest(%(criteria)s::bigint[], %(values)s::smallint[], %(grounds)s::text[]) AS v(criterion, value, reason)
  ON CONFLICT (assignment_id, criterion_id)
  DO UPDATE SET value = EXCLUDED.value, reason = EXCLUDED.reason, submission_id = EXCLUDED.submission_id
)
UPDATE annotation_assignment a SET state = 'done', lease_expires_at = NULL, held_by = NULL,
  finished_at = CASE WHEN a.state = 'done' THEN a.finished_at ELSE %(at)s END
FROM stored WHERE a.id = %(assignment)s RETURNING a.id
"""
SKIPPED = f"""
WITH stored AS ({INSERT}), removed AS (
  DELETE FROM annotation_judgment WHERE assignment_id = %(assignment)s
)
UPDATE annotation_assignment a SET state = 'skipped', slot = NULL, finished_at = %(at)s, lease_expires_at = NULL,
  held_by = NULL
FROM stored WHERE a.id = %(assignment)s RETURNING a.id
"""
UNDONE = f"""
WITH stored AS ({INSERT}), removed AS (
  DELETE FROM annotation_judgment WHERE assignment_id = %(assignment)s
)
UPDATE annotation_assignment a SET state = 'pending', finished_at = NULL,
  lease_expires_at = CASE WHEN a.queue_id IS NULL THEN NULL ELSE %(lease)s END
FROM stored WHERE a.id = %(assignment)s RETURNING a.id
"""


@transaction.atomic
def submit(
    *,
    collection: str,
    campaign: str,
    inputs: Sequence[AnswerInput],
    by: User,
    at: datetime,
    have: Sequence[Sequence[int]] | None = None,
    visit: Visit = UNKNOWN_VISIT,
) -> Answer:
    """Store what one annotator sends, each submission separately, and hand out the units that come next.

    `have` are the units the sender holds still (units_ahead.py), in that `visit`; None deals nothing. A submission that
    comes after its slot has gone to somebody else is stored with outcome not-counted. Refusals stand among the results
    (NotNow, Invalid, ChangedElsewhere, Conflict for a uuid used for something else, Refused for an assignment that is
    not the sender's); nothing of a refused submission is stored.
    Errors: those of `fetch_participation`.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, visit=visit)
    if len(inputs) == 1:
        results = [_receive(participation, inputs[0], at)]
        transaction.set_rollback(isinstance(results[0], Refused))
    else:
        results = [_receive_apart(participation, each, at) for each in inputs]
    if have is None or any(isinstance(result, Refused) for result in results) or not can_label(participation):
        return Answer(participation, results, [])
    # A client that sends again has not got the first answer, nor the units that came with it.
    again = any(isinstance(result, Receipt) and result.repeated for result in results)
    return Answer(participation, results, fill_up(participation, have, at=at, look_back=again))


def _receive_apart(participation: Participation, entry: AnswerInput, at: datetime) -> Receipt | Refused:
    """In a savepoint, so that what is refused takes nothing of the others with it."""
    with transaction.atomic():
        result = _receive(participation, entry, at)
        transaction.set_rollback(isinstance(result, Refused))
    return result


def _receive(participation: Participation, entry: AnswerInput, at: datetime) -> Receipt | Refused:
    try:
        return _store(participation, entry, at)
    except Refused as refusal:
        return refusal


def _store(participation: Participation, entry: AnswerInput, at: datetime) -> Receipt:
    rows = run(LOCATE, {"assignment": entry.assignment, "annotator": participation.annotator, "uuid": entry.uuid})
    if not rows:
        advice = at_door(page=_("Reload the page to see your items."), rest=_("Request the next items to see yours."))
        raise Refused(_("This item is not assigned to you in this campaign. {advice}").format(advice=advice).rstrip())
    row = rows[0]
    if row.dup is not None:
        return _repeat(entry, row)
    check_can_label(participation)
    if row.is_former:
        return _keep_former(participation, entry, row, at)
    if entry.base != row.base:
        raise ChangedElsewhere(_version(row))
    return STORE[entry.kind](participation, entry, row, at)


def _repeat(entry: AnswerInput, row: Any) -> Receipt:
    """The receipt of the first time; sending again stores nothing."""
    stored = AnswerInput(
        uuid=entry.uuid,
        assignment=row.dup,
        kind=row.dup_kind,
        answers=json.loads(row.dup_answers),
        reasons=json.loads(row.dup_reasons),
        reason=row.dup_reason,
        note=row.dup_note,
        flagged=row.dup_flagged,
    )
    if stored.content != entry.content or not has_same_extras(entry):
        raise Conflict(USED_UUID)
    return Receipt(entry.uuid, entry.assignment, row.dup_outcome, row.state, row.dup_received_at, repeated=True)


def _answer(participation: Participation, entry: AnswerInput, row: Any, at: datetime) -> Receipt:
    check_answers(participation.scales, entry.answers, entry.reasons)
    extras = check_extras(participation, entry)
    if row.state in RETURNED and not _regain(participation, row):
        return _with_extras(_keep(participation, entry, row, at), extras)
    keys = [scale for scale in participation.scales if scale.key in entry.answers]
    judged = {
        "criteria": [scale.id for scale in keys],
        "values": [entry.answers[scale.key] for scale in keys],
        "grounds": [entry.reasons.get(scale.key, "") for scale in keys],
    }
    try:
        receipt = _write(
            ANSWERED, participation=participation, entry=entry, at=at, state=AssignmentState.DONE, more=judged
        )
    except IntegrityError as error:  # the caller rolls back what is refused
        if "judgment_value_on_scale" not in str(error):
            raise
        advice = at_door(
            page=_("Reload the page to judge by the new ones."), rest=_("Read the campaign to see the new ones.")
        )
        raise Conflict(f"{LEVELS_CHANGED} {advice}".rstrip()) from error
    if row.repeat == Asked.REJUDGE:
        replace_former(assignment=row.id, item=row.item_id, annotator=participation.annotator)
    return _with_extras(receipt, extras)


def _with_extras(receipt: Receipt, extras: Extras | None) -> Receipt:
    if extras is not None:
        store_extras(receipt.uuid, extras)
    return receipt


def _regain(participation: Participation, row: Any) -> bool:
    """Whether the annotator may answer what they had given back. A repeat or a check of a plan holds no slot, so nobody
    else can have taken it."""
    if row.repeat and not row.queue_id:
        return True
    return regain_slot(
        assignment=row.id, item=row.item_id, annotator=participation.annotator, from_queue=bool(row.queue_id)
    )


def _skip(participation: Participation, entry: AnswerInput, row: Any, at: datetime) -> Receipt:
    if not entry.reason.strip():
        raise Invalid("reason", _("Say in a few words why you skip this item."))
    if row.state == AssignmentState.WITHDRAWN:
        return _keep(participation, entry, row, at)
    if row.slot is not None or (row.repeat and row.state not in RETURNED):
        give_back_place(assignment=row.id, item=row.item_id, annotator=participation.annotator)
        free_slots([row.id], state=AssignmentState.SKIPPED)
    return _write(SKIPPED, participation=participation, entry=entry, at=at, state=AssignmentState.SKIPPED)


def _undo(participation: Participation, entry: AnswerInput, row: Any, at: datetime) -> Receipt:
    if row.state == AssignmentState.PENDING:
        raise Conflict(_("There is nothing to undo: this item has no answer yet."))
    if row.state in RETURNED and not _regain(participation, row):
        raise Conflict(_("This cannot be undone: somebody else has taken the item in the meantime."))
    give_back_place(assignment=row.id, item=row.item_id, annotator=participation.annotator)
    more = {"lease": at + participation.lease}
    return _write(UNDONE, participation=participation, entry=entry, at=at, state=AssignmentState.PENDING, more=more)


STORE: dict[str, Callable[[Participation, AnswerInput, Any, datetime], Receipt]] = {
    SubmissionKind.ANSWER: _answer,
    SubmissionKind.SKIP: _skip,
    SubmissionKind.UNDO: _undo,
}


def _keep_former(participation: Participation, entry: AnswerInput, row: Any, at: datetime) -> Receipt:
    """What was judged again, or is about to be, changes no more: the answer that was asked for last counts."""
    if entry.kind == SubmissionKind.UNDO:
        raise Conflict(_("This cannot be undone: you are asked about the item again, or have judged it again."))
    return _keep(participation, entry, row, at)


def _keep(participation: Participation, entry: AnswerInput, row: Any, at: datetime) -> Receipt:
    """Store what came too late, for the record only: it changes no judgment."""
    return _write(
        INSERT, participation=participation, entry=entry, at=at, state=row.state, outcome=SubmissionOutcome.NOT_COUNTED
    )


def _write(
    sql: str,
    *,
    participation: Participation,
    entry: AnswerInput,
    at: datetime,
    state: str,
    outcome: str = SubmissionOutcome.COUNTED,
    more: Mapping[str, object] | None = None,
) -> Receipt:
    stored = run(
        sql,
        {
            "uuid": entry.uuid,
            "assignment": entry.assignment,
            "kind": str(entry.kind),
            "outcome": str(outcome),
            "answers": Jsonb(dict(entry.answers)),
            "reasons": Jsonb(dict(entry.reasons)),
            "reason": entry.reason.strip(),
            "note": entry.note,
            "flagged": entry.flagged,
            "campaign": participation.campaign,
            "guideline": entry.guideline,
            "active_ms": entry.active_ms,
            "away_ms": entry.away_ms,
            "device": entry.device,
            "client_at": entry.client_at,
            "at": at,
            **(more or {}),
        },
    )
    if not stored:
        raise Conflict(USED_UUID)
    return Receipt(entry.uuid, entry.assignment, outcome, state, at)


def _version(row: Any) -> dict[str, Any] | None:
    """The assignment's current submission as its annotator may see it, or None while there is none."""
    if row.base is None:
        return None
    rewrite, found = stored_extras(row.base)
    return {
        "uuid": row.base,
        "kind": row.kind,
        "answers": json.loads(row.answers),
        "reasons": json.loads(row.reasons),
        "reason": row.reason,
        "note": row.note,
        "flagged": row.flagged,
        "rewrite": rewrite,
        "found": [{"docno": docno, "title": ""} for docno in found],
        "device": row.device,
        "received_at": row.received_at,
    }
