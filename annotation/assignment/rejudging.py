"""Judging again what a changed guideline touches: the same people are asked, and the newer answer counts.

What is asked again is a separate assignment (`Asked.REJUDGE`) without a slot. The former judgment counts until it is
answered. Then both change places: the newer one has `repeat` 0 and the slot, the former one FORMER times the round. Who
undoes or skips the newer one gives the place back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from accounts.audit import record_event
from accounts.counting import counted
from accounts.models import User
from accounts.prepared_statements import run
from accounts.refusals import NotAllowed, Refused
from accounts.sql import execute
from annotation.assignment.open_queue import UNSEEN
from annotation.campaigns.rules import check_not_closed, fetch_managed
from annotation.campaigns.unjudged import names_left_in
from annotation.models import Asked, Assignment, AssignmentState, Campaign, Guideline
from corpus.models import Topic

# That the person of `a`, which is answered, is asked about its item again and has not answered yet.
IS_ASKED_AGAIN = """a.repeat < 2 AND a.state <> 'pending' AND EXISTS (SELECT FROM annotation_assignment again
  WHERE again.item_id = a.item_id AND again.annotator_id = a.annotator_id AND again.repeat = 3
    AND again.state = 'pending')"""
# What the person of `a` sees of their own answers: none that was replaced, and none that they are giving again, but
# where the campaign shows it.
IN_SIGHT = f"""a.repeat < 10 AND NOT ({IS_ASKED_AGAIN}
  AND NOT (SELECT c.shows_former FROM annotation_campaign c JOIN annotation_item i ON i.campaign_id = c.id
           WHERE i.id = a.item_id))"""
# A judgment counts as one by an earlier version also where it is not known by which. Whom nobody can ask stays as it
# is: machines, people without an account or no longer active, and those who have seen the item's votes.
TOUCHED = f"""
SELECT a.id, a.item_id, a.annotator_id, who.kind = 'human' AND who.state = 'active' AND who.user_id IS NOT NULL
  AND {UNSEEN.format(item="a.item_id", annotator="a.annotator_id")} AS can
FROM annotation_assignment a
JOIN annotation_item i ON i.id = a.item_id
JOIN annotation_annotator who ON who.id = a.annotator_id
JOIN LATERAL (
  SELECT s.guideline_id FROM annotation_submission s WHERE s.assignment_id = a.id AND s.outcome = 'counted'
  ORDER BY s.id DESC LIMIT 1
) last ON true
LEFT JOIN annotation_guideline g ON g.id = last.guideline_id
WHERE i.campaign_id = %(campaign)s AND a.repeat = 0 AND a.state = 'done' AND coalesce(g.version, 0) < %(before)s
  AND (%(topics)s::bigint[] IS NULL OR i.topic_id = ANY(%(topics)s))
  AND EXISTS (
    SELECT FROM annotation_judgment j WHERE j.assignment_id = a.id
      AND (%(criterion)s::bigint IS NULL OR j.criterion_id = %(criterion)s)
      AND (%(grades)s::smallint[] IS NULL OR j.value = ANY(%(grades)s))
      AND (NOT %(disagreeing)s OR EXISTS (
        SELECT FROM annotation_judgment k JOIN annotation_assignment b ON b.id = k.assignment_id
        WHERE b.item_id = a.item_id AND b.repeat = 0 AND b.state = 'done' AND k.criterion_id = j.criterion_id
          AND k.value <> j.value)))
  AND NOT EXISTS (
    SELECT FROM annotation_assignment again
    WHERE again.item_id = a.item_id AND again.annotator_id = a.annotator_id AND again.repeat = 3
      AND (again.state = 'pending' OR again.state = 'skipped' AND again.finished_at >= %(since)s))
"""
# At the end of each person's order, in the order in which they had them, so that what is shown together stays so.
ASK = f"""
WITH touched AS ({TOUCHED})
INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position)
SELECT t.item_id, t.annotator_id, 'pending', NULL, 3,
  (SELECT max(all_.position) FROM annotation_assignment all_ WHERE all_.annotator_id = t.annotator_id)
    + row_number() OVER (PARTITION BY t.annotator_id ORDER BY a.position, a.id)
FROM touched t JOIN annotation_assignment a ON a.id = t.id WHERE t.can
ON CONFLICT (item_id, annotator_id, repeat) WHERE annotator_id IS NOT NULL
DO UPDATE SET state = 'pending', position = EXCLUDED.position, finished_at = NULL
"""
COUNTS = f"""
SELECT count(DISTINCT item_id) FILTER (WHERE can), count(*) FILTER (WHERE can),
  count(DISTINCT annotator_id) FILTER (WHERE can), count(*) FILTER (WHERE NOT can) FROM ({TOUCHED}) touched
"""
MAKE_ROOM = """
WITH before AS (
  SELECT id, slot, queue_id, position FROM annotation_assignment
  WHERE item_id = %(item)s AND annotator_id = %(annotator)s AND repeat = 0
), moved AS (
  UPDATE annotation_assignment a SET slot = NULL, queue_id = NULL, repeat = a.repeat + 10 * (
    SELECT 1 + max(each.repeat) / 10 FROM annotation_assignment each
    WHERE each.item_id = %(item)s AND each.annotator_id = %(annotator)s)
  WHERE a.item_id = %(item)s AND a.annotator_id = %(annotator)s AND a.repeat < 2 AND a.state = 'done'
)
SELECT slot, queue_id, position FROM before
"""
TAKE_PLACE = """
UPDATE annotation_assignment SET repeat = %(repeat)s, slot = %(slot)s::smallint, queue_id = %(queue)s::bigint,
  position = %(position)s
WHERE id = %(id)s
"""
# A hidden repeat that was asked since keeps its place.
GIVE_BACK = """
WITH newest AS (
  SELECT max(f.repeat) / 10 AS round FROM annotation_assignment f
  WHERE f.item_id = %(item)s AND f.annotator_id = %(annotator)s AND f.repeat >= 10
)
UPDATE annotation_assignment a SET repeat = a.repeat %% 10,
  slot = CASE WHEN a.repeat %% 10 = 0 THEN %(slot)s::smallint END,
  queue_id = CASE WHEN a.repeat %% 10 = 0 THEN %(queue)s::bigint END
FROM newest
WHERE a.item_id = %(item)s AND a.annotator_id = %(annotator)s AND a.repeat >= 10 AND a.repeat / 10 = newest.round
  AND NOT EXISTS (SELECT FROM annotation_assignment other WHERE other.item_id = a.item_id
    AND other.annotator_id = a.annotator_id AND other.repeat = a.repeat %% 10)
"""
IS_SECOND = """
SELECT a.slot, a.queue_id, a.position FROM annotation_assignment a
WHERE a.id = %(id)s AND a.repeat = 0 AND a.state = 'done' AND EXISTS (
  SELECT FROM annotation_assignment f
  WHERE f.item_id = a.item_id AND f.annotator_id = a.annotator_id AND f.repeat >= 10)
"""
PROGRESS = """
SELECT who.id, who.name, count(*) FILTER (WHERE a.repeat = 3 AND a.state = 'pending'),
  count(*) FILTER (WHERE a.repeat >= 10),
  count(*) FILTER (WHERE a.repeat >= 10 AND EXISTS (
    SELECT FROM annotation_assignment n JOIN annotation_judgment new ON new.assignment_id = n.id
    JOIN annotation_judgment old ON old.assignment_id = a.id AND old.criterion_id = new.criterion_id
    WHERE n.item_id = a.item_id AND n.annotator_id = a.annotator_id AND old.value <> new.value
      AND n.repeat = coalesce((
        SELECT min(f.repeat) FROM annotation_assignment f WHERE f.item_id = a.item_id
          AND f.annotator_id = a.annotator_id AND f.repeat %% 10 = 0 AND f.repeat > a.repeat), 0))),
  count(*) FILTER (WHERE a.repeat = 3 AND a.state = 'skipped')
FROM annotation_assignment a JOIN annotation_annotator who ON who.id = a.annotator_id
WHERE who.campaign_id = %(campaign)s AND (a.repeat = 3 AND a.state IN ('pending', 'skipped')
  OR a.repeat >= 10 AND a.repeat %% 10 = 0 AND a.state = 'done')
GROUP BY who.id ORDER BY who.name
"""


@dataclass(frozen=True, slots=True)
class Rejudging:
    """What is asked again: judgments of so many items, of so many people. `kept` others fit too, but nobody can be
    asked: they stay as they are."""

    campaign: Campaign
    items: int
    judgments: int
    people: int
    kept: int


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One person: judgments they have still to make again, made again, of these `changed`; those they skipped."""

    annotator: int
    name: str
    pending: int
    again: int
    changed: int
    skipped: int


@transaction.atomic
def request_rejudging(
    *,
    campaign: Campaign,
    before: int | None = None,
    criterion: str = "",
    grades: Sequence[int] = (),
    topics: Sequence[str] = (),
    disagreeing: bool = False,
    shows_former: bool = False,
    by: User | None,
    at: datetime,
) -> Rejudging:
    """Ask people again about what they judged by a version of the guideline earlier than `before` (left out: than the
    newest).

    Narrowed to judgments that gave one of the `grades` (of the criterion), to `topics`, or to those from which another
    judgment of the item differs. `shows_former`: while they judge again, people see in their history what they gave.
    Errors: NotAllowed for others than managers, and for grades and differences also for managers who have items to
    judge; Refused for a closed campaign, for papers, and where nothing fits.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    check_not_closed(campaign)
    if reason := campaign.kind_object.no_repeats:
        raise Refused(reason)
    if campaign.for_what.is_practice:
        raise Refused("In training and qualification nobody judges again: the first answers are what is looked at.")
    if by is not None and (grades or disagreeing) and names_left_in([campaign.pk], by):
        raise NotAllowed("Finish judging here first. How many gave a grade, or differ, would show what others judged.")
    newest = campaign.guidelines.first()
    if newest is None or newest.version < 2:
        raise Refused("The guideline has not changed. Save its next version first.")
    named = _named(campaign, newest) | {
        "criterion": _criterion(campaign, criterion),
        "grades": list(grades) or None,
        "topics": _topics(campaign, topics),
        "disagreeing": disagreeing,
    }
    named |= {"before": min(before or newest.version, newest.version)}
    list(campaign.annotators.order_by("pk").select_for_update(no_key=True))  # before their assignments
    found = Rejudging(campaign, *execute(COUNTS, named)[0])
    if not found.judgments:
        others = f" {found.kept:,} fit, but nobody can be asked about them." if found.kept else ""
        raise Refused(f"No judgment by an earlier version of the guideline fits.{others}")
    execute(ASK, named)
    if shows_former != campaign.shows_former:
        campaign.shows_former = shows_former
        campaign.save(update_fields=["shows_former"])
    facts = {"judgments": found.judgments, "items": found.items, "version": newest.version, "criterion": criterion}
    facts |= {"grades": list(grades), "topics": list(topics), "disagreeing": disagreeing, "before": named["before"]}
    record_event(by=by, at=at, verb="request_rejudging", target=campaign, scope=campaign.collection, **facts)
    return found


def judged_earlier(campaign: Campaign) -> Rejudging | None:
    """What could be asked again, all in all; None while the guideline has not changed."""
    newest = campaign.guidelines.first()
    changed = newest is not None and newest.version > 1
    return Rejudging(campaign, *execute(COUNTS, _named(campaign, newest))[0]) if newest and changed else None


def _named(campaign: Campaign, newest: Guideline) -> dict[str, Any]:
    """The parameters of TOUCHED, for all that was judged before the newest version."""
    anything = dict.fromkeys(("criterion", "grades", "topics"))
    known = {"campaign": campaign.pk, "before": newest.version, "since": newest.created_at}
    return known | anything | {"disagreeing": False}


@transaction.atomic
def withdraw_rejudging(*, campaign: Campaign, by: User | None, at: datetime) -> Rejudging:
    """Take back what is asked again and has no answer yet: the former judgments count on. What was made again stays.

    Errors: NotAllowed, Refused where nothing waits.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    list(campaign.annotators.order_by("pk").select_for_update(no_key=True))
    waiting = Assignment.objects.filter(
        annotator__campaign=campaign, repeat=Asked.REJUDGE, state=AssignmentState.PENDING
    )
    pairs = list(waiting.values_list("item", "annotator"))
    if not pairs:
        raise Refused("Nobody is judging anything again.")
    waiting.update(state=AssignmentState.WITHDRAWN)
    items, people = (len(set(each)) for each in zip(*pairs, strict=True))
    record_event(
        by=by, at=at, verb="withdraw_rejudging", target=campaign, scope=campaign.collection, judgments=len(pairs)
    )
    return Rejudging(campaign, items, len(pairs), people, 0)


def rejudged_by_person(campaign: Campaign) -> list[Rejudged]:
    """Everybody who was asked again and has to answer, or has answered; by name. One query."""
    return [Rejudged(*row) for row in execute(PROGRESS, {"campaign": campaign.pk})]


def rejudged_sentence(campaign: Campaign) -> str:
    """What was judged again, without names, as a release states it; "" for nothing."""
    people = [one for one in rejudged_by_person(campaign) if one.again]
    again, changed = sum(one.again for one in people), sum(one.changed for one in people)
    by = counted(len(people), "person", "people")
    return (
        f"{counted(again, 'judgment')} by {by} {'was' if again == 1 else 'were'} made again after the guideline"
        f" changed, {changed:,} with another grade; the newer ones count, the former ones are in lines.jsonl."
        if again
        else ""
    )


def replace_former(*, assignment: int, item: int, annotator: int) -> None:
    """Let this answer to what was asked again count in the place of the former one. Call it with the annotator's row
    locked, after the answer is stored."""
    place = run(MAKE_ROOM, {"item": item, "annotator": annotator})[0]
    named = {"slot": place.slot, "queue": place.queue_id, "position": place.position}
    run(TAKE_PLACE, {"id": assignment, "repeat": Asked.TO_JUDGE.value, **named})


def give_back_place(*, assignment: int, item: int, annotator: int) -> None:
    """Let the former judgment count again where this assignment, to be undone or skipped, has taken its place."""
    for place in run(IS_SECOND, {"id": assignment}):
        named = {"slot": None, "queue": None, "position": place.position}
        run(TAKE_PLACE, {"id": assignment, "repeat": Asked.REJUDGE.value, **named})
        run(GIVE_BACK, {"item": item, "annotator": annotator, "slot": place.slot, "queue": place.queue_id})


def asked_again(item: str, annotator: str) -> Exists:
    """Whether the annotator that a field of the outer row names is asked about its item again, and has not answered."""
    waiting = Assignment.objects.filter(repeat=Asked.REJUDGE, state=AssignmentState.PENDING)
    return Exists(waiting.filter(item=OuterRef(item), annotator=OuterRef(annotator)))


def _criterion(campaign: Campaign, key: str) -> int | None:
    criteria = dict(campaign.criteria.values_list("key", "pk"))
    if key and key not in criteria:
        raise Refused(f"The campaign has no criterion “{key}”; it has {', '.join(criteria)}.")
    return criteria.get(key)


def _topics(campaign: Campaign, numbers: Sequence[str]) -> list[int] | None:
    named = Topic.objects.filter(collection=campaign.collection_id, number__in=numbers)
    found = dict(named.values_list("number", "pk"))
    if unknown := [number for number in numbers if number not in found]:
        raise Refused(f"The collection has no topic {unknown[0][:80]}.")
    return list(found.values()) or None
