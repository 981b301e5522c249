"""What an annotator has in hand: the unit at work and a few ahead, so that nobody waits and a short cut in the
network stops nobody.

A unit is what is shown at once: one assignment, or in the order by document all of the annotator's assignments of
one topic and document. Having a unit in hand is not having seen it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.prepared_statements import run
from annotation.assignment.open_queue import (
    leave_units,
    note_visit,
    renew_leases,
    revive_leases,
    room_of,
    take_free_slot,
    take_group,
    take_lapsed_slot,
)
from annotation.assignment.participation import UNKNOWN_VISIT, Participation, Visit, fetch_participation
from annotation.assignment.practice import give_practice
from annotation.assignment.rules import can_label
from annotation.labelling.answers import Units

AHEAD_AT_MOST = 25  # units: they last for a journey without a network. An open queue gives fewer when few are left
FIRST_AHEAD = 6  # of them with the page, which has to be quick; the script asks for the rest

PENDING = """
SELECT a.id FROM annotation_assignment a
WHERE a.annotator_id = %(annotator)s AND a.state = 'pending' AND a.id <> ALL(%(have)s) {}
ORDER BY a.position LIMIT %(need)s
"""
FROM_START = PENDING.format("")
# Goes on after what is in hand, so as not to read again past everything that was done before it.
AHEAD = PENDING.format(
    "AND a.position >= (SELECT max(held.position) FROM annotation_assignment held WHERE held.id = ANY(%(have)s))"
)
GROUP = """
SELECT a.id FROM annotation_assignment lead
JOIN annotation_item led ON led.id = lead.item_id
JOIN annotation_item i ON i.document_id = led.document_id AND i.topic_id = led.topic_id
  AND i.campaign_id = led.campaign_id
JOIN annotation_assignment a ON a.item_id = i.id AND a.annotator_id = lead.annotator_id AND a.repeat = lead.repeat
  AND a.state = 'pending'
WHERE lead.id = %(lead)s ORDER BY a.position, a.id
"""


@transaction.atomic
def take_units(
    *,
    collection: str,
    campaign: str,
    have: Sequence[Sequence[int]] = (),
    by: User,
    at: datetime,
    most: int = AHEAD_AT_MOST,
    look_back: bool = False,
    visit: Visit = UNKNOWN_VISIT,
) -> tuple[Participation, Units]:
    """The participation, and the units that complete those held in advance: lists of ids of assignments, or [].

    `have` are the units the client holds. They are completed to `most` units. In an open queue this leases them, fewer
    where not plenty are left, and gives leases that ran out to annotators who would otherwise have nothing; `look_back`
    as for `fill_up`.
    Errors: those of `fetch_participation`.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, visit=visit)
    return participation, _deal(participation, have, at=at, look_back=look_back, most=most)


def _deal(
    participation: Participation, have: Sequence[Sequence[int]], *, at: datetime, look_back: bool, most: int
) -> Units:
    if not can_label(participation):
        return []
    if participation.purpose.is_practice and not have:
        give_practice(participation.campaign)
    units = fill_up(participation, have, at=at, look_back=look_back, most=most)
    if not units and not have and participation.is_queue:
        lapsed = take_lapsed_slot(participation, at=at)
        units = [_queue_unit(participation, lapsed.assignment, at)] if lapsed else []
    return units


@transaction.atomic
def begin_visit(
    *, collection: str, campaign: str, browser: str, by: User, at: datetime
) -> tuple[Participation, Units, Visit | None]:
    """For a page being opened: the participation, the first units, and this visit to an open queue (None in a plan).

    With its visit the page gives back on leaving what was not looked at. A page that is loaded again takes over what
    the one it replaces holds, before that one says that it leaves: the older visit then holds nothing any longer.
    Another browser of the same annotator keeps what it has.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True)
    visit = None
    if participation.is_queue:
        visit = note_visit(participation, browser)
        participation = replace(participation, visit=visit)
    return participation, _deal(participation, (), at=at, look_back=False, most=FIRST_AHEAD), visit


@transaction.atomic
def end_visit(
    *, collection: str, campaign: str, visit: Visit, seen: Sequence[Sequence[int]], by: User, at: datetime
) -> int:
    """Release what only this visit holds, except units seen; returns how many assignments of an open queue.

    Errors: those of `fetch_participation`.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, visit=visit)
    return leave_units(participation, seen=_flat(seen), at=at) if participation.is_queue else 0


def fill_up(
    participation: Participation,
    have: Sequence[Sequence[int]],
    *,
    at: datetime,
    look_back: bool = False,
    most: int = AHEAD_AT_MOST,
) -> Units:
    """The next units of a participation that is locked and open, without looking for leases that ran out.

    `look_back`: deal first what is leased to the annotator already or was given back by them, as is done when nothing
    is in hand.
    """
    if not participation.is_queue:
        return _pending_units(participation, have, most)
    units: Units = []
    if look_back or not have:  # an answer that got lost, or a new page: what is leased already comes first
        units = _leased_units(participation, have, most, at)
    after = participation.queue_position
    while len(have) + len(units) < most:
        place = take_free_slot(participation, after=after, have=[*_flat(have), *_flat(units)], at=at)
        if place is None:
            break
        units.append(_queue_unit(participation, place.assignment, at))
        if place.is_last:
            break
        after = place.position
    return units


def _leased_units(participation: Participation, have: Sequence[Sequence[int]], most: int, at: datetime) -> Units:
    """What the annotator has under lease and not in hand, and what an earlier visit gave back unseen."""
    units = _pending_units(participation, have, most)
    lacking = min(most - len(have) - len(units), room_of(participation))
    if lacking > 0 and revive_leases(participation, units=lacking, at=at):
        units = _pending_units(participation, have, most)
    renew_leases(participation, _flat(units), at=at)
    return units


def _pending_units(participation: Participation, have: Sequence[Sequence[int]], size: int) -> Units:
    """Pending units that fill the hand up to `size`: those after what is held, then those before it."""
    units: Units = []
    for sql in (AHEAD, FROM_START) if have else (FROM_START,):
        need = size - len(have) - len(units)
        if need > 0:
            held = [*_flat(have), *_flat(units)]
            units += (
                _groups(participation, sql, held, need)
                if participation.by_document
                else _singles(participation, sql, held, need)
            )
    return units


def _singles(participation: Participation, sql: str, held: list[int], need: int) -> Units:
    return [[row.id] for row in run(sql, {"annotator": participation.annotator, "have": held, "need": need})]


def _groups(participation: Participation, sql: str, held: list[int], need: int) -> Units:
    units: Units = []
    while len(units) < need:
        lead = _singles(participation, sql, [*held, *_flat(units)], 1)
        if not lead:
            break
        group = [row.id for row in run(GROUP, {"lead": lead[0][0]})]
        units.append([id_ for id_ in group if id_ not in held])
    return units


def _queue_unit(participation: Participation, lead: int, at: datetime) -> list[int]:
    return [lead, *take_group(participation, lead, at=at)] if participation.by_document else [lead]


def _flat(units: Sequence[Sequence[int]]) -> list[int]:
    return [id_ for unit in units for id_ in unit]
