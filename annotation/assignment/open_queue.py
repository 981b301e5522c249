"""The open queue: free slots are taken in order under a lease, given back, and taken again by annotators who were late.

Every statement that takes a slot locks its row with SKIP LOCKED, so that nobody waits for anybody, and every slot is
held once by the unique constraint on (item, slot). What frees a slot keeps the assignment it was freed from (answers
may hang on it) and puts a fresh open row in its place.

`held_by` of a leased assignment names the browsers in which its annotator has it in hand, each with the number of its
newest visit ({"1f0c…": 7}), so that leaving in one browser takes nothing from another. Leases that were dealt without
a browser ("") are never ended by leaving, only by their time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.prepared_statements import run
from annotation.assignment.participation import Participation, Visit

# Units that one annotator has under lease at most: they are withheld from everybody else. Many last for a while
# without a network; they are given while more slots are open than all annotators together could hold.
QUEUE_AHEAD = 3
QUEUE_AHEAD_WHILE_PLENTY = 25
MOST_EXPIRED_AT_ONCE = 500
MOST_BROWSERS = 8  # that can hold one lease; beyond them the oldest visit is forgotten

# Who has acted on an item's votes does not judge it, whatever slot of it is free. "+ 0" and OFFSET 0 make PostgreSQL
# look up the one item in hand: as long as it does not know how much a person has judged today, it may else read all
# that they have ever been given, for each answer again.
UNSEEN = """NOT EXISTS (SELECT FROM annotation_votesseen seen
                    JOIN annotation_annotator me ON me.user_id = seen.user_id + 0
                    WHERE seen.item_id = {item} AND me.id = {annotator} OFFSET 0)"""
NEVER_HAD = """NOT EXISTS (SELECT FROM annotation_assignment mine
                    WHERE mine.item_id = {item} AND mine.annotator_id + 0 = %(annotator)s OFFSET 0)"""
ROOM = """
SELECT CASE WHEN %(by_document)s THEN (
    SELECT count(DISTINCT (i.topic_id, i.document_id))
    FROM annotation_assignment p JOIN annotation_item i ON i.id = p.item_id
    WHERE p.annotator_id = %(annotator)s AND p.state = 'pending' AND p.queue_id = %(campaign)s
  ) ELSE (
    SELECT count(DISTINCT p.item_id) FROM annotation_assignment p
    WHERE p.annotator_id = %(annotator)s AND p.state = 'pending' AND p.queue_id = %(campaign)s
  ) END AS held,
  CASE WHEN EXISTS (
    SELECT FROM annotation_assignment o WHERE o.queue_id = %(campaign)s AND o.state = 'open'
    OFFSET %(many)s * (SELECT count(*) FROM annotation_annotator one
                       WHERE one.campaign_id = %(campaign)s AND one.state = 'active' AND one.user_id IS NOT NULL)
  ) THEN %(many)s ELSE %(few)s END AS most
"""
# That the visit holds a row of `a`; a newer visit of the same browser stays noted when an older one comes late.
MARK = "jsonb_build_object(%(browser)s::text, %(visit)s::int)"
IS_MARKED = "coalesce((a.held_by ->> %(browser)s::text)::int >= %(visit)s, false)"
NEEDS_RENEWAL = f"(a.lease_expires_at < %(renew)s OR NOT {IS_MARKED})"
MARKED = f"""CASE WHEN {IS_MARKED} THEN a.held_by ELSE (
    SELECT jsonb_object_agg(mark.key, mark.value) FROM (
      SELECT each.* FROM jsonb_each(coalesce(a.held_by, '{{}}') || {MARK}) each
      ORDER BY each.key = %(browser)s::text DESC, each.value::int DESC LIMIT {MOST_BROWSERS}
    ) mark
  ) END"""
RENEWED = f"""held_by = {MARKED},
    lease_expires_at = CASE WHEN a.lease_expires_at < %(renew)s THEN %(lease)s ELSE a.lease_expires_at END"""
# The state is a condition of the statement that writes the row: somebody else may end its lease in the same moment, and
# PostgreSQL checks only these conditions again for a row that has changed.
RENEW = f"""
UPDATE annotation_assignment a SET {RENEWED}
WHERE a.id = ANY(%(have)s) AND a.annotator_id = %(annotator)s AND a.state = 'pending' AND a.queue_id IS NOT NULL
  AND {NEEDS_RENEWAL}
"""
# The next free slot after the given position whose item this annotator has never had. Units under lease are counted
# here, so that no client can collect more of them than allowed; its leases are renewed when less than half is left.
# What shares topic and document is one unit in the order by document.
TAKE = f"""
WITH renewed AS ({RENEW}), room AS ({ROOM}), free AS (
  SELECT a.id, a.position FROM annotation_assignment a
  WHERE a.queue_id = %(campaign)s AND a.state = 'open' AND a.position > %(after)s
    AND (SELECT room.held < room.most FROM room)
    AND {NEVER_HAD.format(item="a.item_id")}
    AND {UNSEEN.format(item="a.item_id", annotator="%(annotator)s")}
  ORDER BY a.position LIMIT 1 FOR UPDATE OF a SKIP LOCKED
), taken AS (
  UPDATE annotation_assignment a
  SET state = 'pending', annotator_id = %(annotator)s, lease_expires_at = %(lease)s, held_by = {MARK}
  FROM free WHERE a.id = free.id
), moved AS (
  UPDATE annotation_annotator SET queue_position = free.position FROM free WHERE annotation_annotator.id = %(annotator)s
)
SELECT room.held, room.most, free.id, free.position FROM room LEFT JOIN free ON true
"""
# The free slots of the other items that share topic and document with the one just taken (order by document).
TAKE_GROUP = f"""
WITH free AS (
  SELECT one.id FROM annotation_assignment lead
  JOIN annotation_item led ON led.id = lead.item_id
  JOIN annotation_item i ON i.document_id = led.document_id AND i.topic_id = led.topic_id
    AND i.campaign_id = led.campaign_id AND i.id <> led.id
  CROSS JOIN LATERAL (
    SELECT a.id FROM annotation_assignment a WHERE a.item_id = i.id AND a.state = 'open' AND a.repeat = lead.repeat
    ORDER BY a.slot LIMIT 1 FOR UPDATE SKIP LOCKED
  ) one
  WHERE lead.id = %(lead)s AND {NEVER_HAD.format(item="i.id")}
    AND {UNSEEN.format(item="i.id", annotator="%(annotator)s")}
)
UPDATE annotation_assignment a
SET state = 'pending', annotator_id = %(annotator)s, lease_expires_at = %(lease)s, held_by = {MARK}
FROM free WHERE a.id = free.id RETURNING a.id, a.position
"""
# Leases that end: the assignment stays with its annotator, for an answer that comes late, and its slot is free again.
END_LEASES = """
stale AS (
  SELECT a.id, a.item_id, a.queue_id, a.slot, a.repeat, a.position FROM annotation_assignment a
  WHERE a.queue_id = %(campaign)s AND a.state = 'pending' AND {}
  ORDER BY a.lease_expires_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
), lapsed AS (
  UPDATE annotation_assignment a SET state = 'withdrawn', slot = NULL, lease_expires_at = %(at)s, held_by = NULL
  FROM stale WHERE a.id = stale.id RETURNING a.id
)
INSERT INTO annotation_assignment (item_id, queue_id, state, slot, repeat, position)
SELECT s.item_id, s.queue_id, 'open', s.slot, s.repeat, s.position FROM stale s JOIN lapsed USING (id)
RETURNING id
"""
EXPIRE = "WITH" + END_LEASES.format("a.lease_expires_at < %(at)s AND a.annotator_id <> %(annotator)s")
# What this browser holds by this visit (or by one before it, which crashed) and its annotator has not looked at there.
HELD_HERE = """a.annotator_id = %(annotator)s AND a.id <> ALL(%(seen)s)
    AND (a.held_by ->> %(browser)s::text)::int <= %(visit)s"""
HELD_ELSEWHERE = "a.held_by - %(browser)s::text <> '{}'::jsonb"
# Where another browser of the same annotator holds it too, it stays leased.
LEAVE = f"""
WITH kept AS (
  UPDATE annotation_assignment a SET held_by = a.held_by - %(browser)s::text
  WHERE a.queue_id = %(campaign)s AND a.state = 'pending' AND {HELD_HERE} AND {HELD_ELSEWHERE}
),""" + END_LEASES.format(
    f"""{HELD_HERE} AND NOT ({HELD_ELSEWHERE})
    AND NOT EXISTS (SELECT FROM annotation_submission s WHERE s.assignment_id = a.id)"""
)
# A visit that begins has in hand what the same browser had before it: on a reload, and after a crash.
BEGIN_VISIT = """
WITH me AS (
  UPDATE annotation_annotator SET visit = visit + 1 WHERE id = %(annotator)s RETURNING visit
), taken_over AS (
  UPDATE annotation_assignment a SET held_by = a.held_by || jsonb_build_object(%(browser)s::text, me.visit) FROM me
  WHERE a.annotator_id = %(annotator)s AND a.state = 'pending' AND a.queue_id = %(campaign)s
    AND a.held_by ? %(browser)s::text
)
SELECT visit FROM me
"""
# A slot given back by somebody who skips or is taken off, or a check: the assignment is left without it, a fresh row
# holds it.
FREE = """
WITH held AS (
  SELECT id, item_id, queue_id, slot, repeat, position FROM annotation_assignment
  WHERE id = ANY(%(ids)s) AND queue_id IS NOT NULL AND (slot IS NOT NULL OR repeat > 0) FOR NO KEY UPDATE
), left_over AS (
  UPDATE annotation_assignment a SET slot = NULL, state = %(state)s, lease_expires_at = NULL, held_by = NULL
  FROM held WHERE a.id = held.id RETURNING a.id
)
INSERT INTO annotation_assignment (item_id, queue_id, state, slot, repeat, position)
SELECT h.item_id, h.queue_id, 'open', h.slot, h.repeat, h.position FROM held h JOIN left_over USING (id)
RETURNING id
"""
# Leases of mine that ended while nobody else took the slot: as many units of them as are wanted, in the queue's order.
REVIVE = f"""
WITH lapsed AS (
  SELECT a.id, a.item_id, a.repeat, a.position, min(a.position) OVER (
      PARTITION BY CASE WHEN %(by_document)s THEN ARRAY[i.topic_id, i.document_id] ELSE ARRAY[a.id] END) AS first
  FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id
  WHERE a.annotator_id = %(annotator)s AND a.queue_id = %(campaign)s AND a.state = 'withdrawn'
    AND a.lease_expires_at IS NOT NULL AND {UNSEEN.format(item="a.item_id", annotator="a.annotator_id")}
    AND EXISTS (
      SELECT FROM annotation_assignment o WHERE o.item_id = a.item_id AND o.state = 'open' AND o.repeat = a.repeat)
), ranked AS (
  SELECT id, item_id, repeat, position, dense_rank() OVER (ORDER BY first) AS place FROM lapsed
), mine AS (
  SELECT ranked.id, ranked.position, free.id AS open, free.slot FROM ranked
  CROSS JOIN LATERAL (
    SELECT o.id, o.slot FROM annotation_assignment o
    WHERE o.item_id = ranked.item_id AND o.state = 'open' AND o.repeat = ranked.repeat
    ORDER BY o.slot LIMIT 1 FOR UPDATE SKIP LOCKED
  ) free
  WHERE ranked.place <= %(most)s
), taken AS (
  DELETE FROM annotation_assignment a USING mine WHERE a.id = mine.open RETURNING a.id
)
SELECT mine.id, mine.slot FROM mine JOIN taken ON taken.id = mine.open ORDER BY mine.position
"""
REVIVED = f"""
UPDATE annotation_assignment a
SET state = 'pending', slot = mine.slot, lease_expires_at = %(lease)s, held_by = {MARK}
FROM unnest(%(ids)s::bigint[], %(slots)s::smallint[]) AS mine(id, slot) WHERE a.id = mine.id
"""
REGAIN_FROM_QUEUE = f"""
WITH free AS (
  SELECT id FROM annotation_assignment
  WHERE item_id = %(item)s AND state = 'open'
    AND repeat = (SELECT mine.repeat FROM annotation_assignment mine WHERE mine.id = %(id)s)
    AND {UNSEEN.format(item="%(item)s", annotator="%(annotator)s")}
  ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM annotation_assignment a USING free WHERE a.id = free.id RETURNING a.slot
)
UPDATE annotation_assignment a SET slot = taken.slot, state = 'pending' FROM taken WHERE a.id = %(id)s RETURNING a.slot
"""
LOCK_ITEM = "SELECT id FROM annotation_item WHERE id = %(item)s FOR NO KEY UPDATE"
REGAIN_FROM_PLAN = f"""
UPDATE annotation_assignment a SET slot = free.n, state = 'pending' FROM (
  SELECT n FROM annotation_item i JOIN annotation_campaign c ON c.id = i.campaign_id
  CROSS JOIN generate_series(1, c.overlap + i.extra_overlap) n
  WHERE i.id = %(item)s
    AND NOT EXISTS (SELECT FROM annotation_assignment other WHERE other.item_id = i.id AND other.slot = n)
  ORDER BY n LIMIT 1
) free WHERE a.id = %(id)s AND {UNSEEN.format(item="a.item_id", annotator="a.annotator_id")} RETURNING a.slot
"""


@dataclass(frozen=True, slots=True)
class Place:
    """An assignment just leased, and where it stands in the queue. `is_last`: no more may be leased now."""

    assignment: int
    position: int
    is_last: bool


def room_of(participation: Participation) -> int:
    """How many units more the annotator may have under lease now."""
    row = run(ROOM, _parameters(participation))[0]
    return max(0, row.most - row.held)


def take_free_slot(participation: Participation, *, after: int, have: Sequence[int], at: datetime) -> Place | None:
    """Lease the next item after this position of the queue, or else from its start; None when none is free, or when
    the annotator has as many under lease as one may have.

    `have` are the assignments the client says it holds already.
    """
    place, is_full = _take(participation, after, have, at)
    return place if place or is_full else _take(participation, -1, have, at)[0]


def take_lapsed_slot(participation: Participation, *, at: datetime) -> Place | None:
    """Lease an item whose lease another annotator let run out; None when there is none."""
    return _take(participation, -1, (), at)[0] if _expire_leases(participation, at) else None


def revive_leases(participation: Participation, *, units: int, at: datetime) -> list[int]:
    """Lease again what the annotator's own ended leases leave free, up to so many units; the ids, in order."""
    rows = run(REVIVE, _parameters(participation, most=units))
    if rows:
        ids, slots = [row.id for row in rows], [row.slot for row in rows]
        run(REVIVED, _parameters(participation, at, ids=ids, slots=slots))
    return [row.id for row in rows]


def note_visit(participation: Participation, browser: str) -> Visit:
    """Number a visit that begins in this browser, and let it have what earlier visits in the same browser held."""
    return Visit(browser, run(BEGIN_VISIT, _parameters(participation) | {"browser": browser})[0].visit)


def leave_units(participation: Participation, *, seen: Sequence[int], at: datetime) -> int:
    """End the leases that the participation's visit alone holds, but those on these assignments and where something was
    answered; how many. A visit that is not the newest of its browser holds nothing any longer, and an unknown one
    nothing at all."""
    if not participation.visit.browser:
        return 0
    return len(run(LEAVE, _parameters(participation, at, seen=list(seen), most=MOST_EXPIRED_AT_ONCE)))


def take_group(participation: Participation, lead: int, *, at: datetime) -> list[int]:
    """Lease what else is free of the lead's topic and document; the ids of these assignments, in the queue's order."""
    rows = run(TAKE_GROUP, _parameters(participation, at, lead=lead))
    return [row.id for row in sorted(rows, key=lambda row: row.position)]


def renew_leases(participation: Participation, ids: Sequence[int], *, at: datetime) -> None:
    """Prolong the annotator's leases on these assignments where less than half is left, and note that the visit has
    them in hand."""
    run(RENEW, _parameters(participation, at, have=list(ids)))


def free_slots(ids: Sequence[int], *, state: str) -> int:
    """Leave these assignments of a queue in `state` (skipped or withdrawn) and offer their slots again; how many.

    Call it inside the transaction that has locked the annotator's row. Assignments of a plan are left alone.
    """
    return len(run(FREE, {"ids": list(ids), "state": state}))


def regain_slot(*, assignment: int, item: int, annotator: int, from_queue: bool) -> bool:
    """Give the annotator's assignment a slot of its item that is free still (or again); whether there was one."""
    named = {"id": assignment, "item": item}
    if from_queue:
        return bool(run(REGAIN_FROM_QUEUE, {**named, "annotator": annotator}))
    run(LOCK_ITEM, {"item": item})
    try:
        with transaction.atomic():
            return bool(run(REGAIN_FROM_PLAN, named))
    except IntegrityError:  # a slot that somebody who does not lock the item has just filled
        return False


def _take(participation: Participation, after: int, have: Sequence[int], at: datetime) -> tuple[Place | None, bool]:
    """What was leased, and whether the annotator has all that may be leased now."""
    row = run(TAKE, _parameters(participation, at, after=after, have=list(have)))[0]
    if row.id is None:
        return None, row.held >= row.most
    is_last = row.held + 1 >= row.most
    return Place(row.id, row.position, is_last), is_last


def _parameters(participation: Participation, at: datetime | None = None, **more: object) -> dict[str, object]:
    """What the statements above name; each takes what it needs. Without `at` there is no time in them."""
    lease = participation.lease
    return {
        "campaign": participation.campaign,
        "annotator": participation.annotator,
        "by_document": participation.by_document,
        "few": QUEUE_AHEAD,
        "many": QUEUE_AHEAD_WHILE_PLENTY,
        "browser": participation.visit.browser,
        "visit": participation.visit.number,
        **({"at": at, "lease": at + lease, "renew": at + lease / 2} if at else {}),
        **more,
    }


def _expire_leases(participation: Participation, at: datetime) -> int:
    """Give back the slots of others whose lease ran out; how many."""
    return len(run(EXPIRE, _parameters(participation, at, most=MOST_EXPIRED_AT_ONCE)))
