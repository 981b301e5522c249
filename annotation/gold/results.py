"""How people answer what is known: a statistic of a campaign, by person and over time.

An answer is a finished first judgment of an item with known answers, or a check of one; answers to hidden repeats are
none. It is right where every known criterion has the known value. In training the first answer of each item counts,
because the known one is shown after it (after a withdrawal of consent, the first one since); elsewhere the one that
counts now.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from accounts.counting import counted, percent, share_in_percent
from accounts.models import User
from accounts.sql import execute
from annotation.campaigns.unjudged import names_left_in
from annotation.models import Annotator, AnnotatorKind, Assignment, Campaign, KnownAnswer, Purpose
from corpus.models import Collection, Role
from engines.stats.proportions import Proportion, proportion

# One row for each finished assignment: annotator, item, whether it was right (null: skipped), when it was finished.
ANSWERS = """
SELECT a.annotator_id, a.item_id, CASE WHEN a.state = 'done' THEN (
    SELECT bool_and((given.answers ->> c.key)::int IS NOT DISTINCT FROM k.value)
    FROM annotation_knownanswer k JOIN annotation_criterion c ON c.id = k.criterion_id WHERE k.item_id = a.item_id
  ) END, (a.finished_at AT TIME ZONE %(zone)s)::date
FROM annotation_assignment a
LEFT JOIN LATERAL (
  SELECT s.answers FROM annotation_submission s
  WHERE s.assignment_id = a.id AND s.outcome = 'counted' AND s.kind IN ('answer', 'import') AND NOT EXISTS (
    SELECT FROM annotation_submission out_ WHERE out_.assignment_id = a.id AND out_.id > s.id
      AND out_.device = 'withdrawal')
  ORDER BY CASE WHEN %(first)s THEN s.id ELSE -s.id END LIMIT 1
) given ON true
WHERE a.item_id IN (SELECT k.item_id FROM annotation_knownanswer k WHERE k.campaign_id = %(campaign)s)
  AND a.state IN ('done', 'skipped') AND a.repeat IN (0, 2)
ORDER BY a.annotator_id, a.item_id, a.repeat
"""
# What people have still to do of it.
LEFT = """
SELECT a.annotator_id, count(*) FROM annotation_assignment a
WHERE a.item_id IN (SELECT k.item_id FROM annotation_knownanswer k WHERE k.campaign_id = %(campaign)s)
  AND a.state = 'pending' AND a.repeat IN (0, 2) GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Week:
    """The answers of one person in the week that begins on this Monday."""

    begins: date
    share: Proportion


@dataclass(frozen=True, slots=True)
class PersonResult:
    """One annotator. `share` is of what they answered; in a qualification of all that was asked, skipped ones too.

    `asked` and `skipped` count items that are finished, `left` those still to do. `below`: whether they are below the
    pass mark; None while that is not known (nothing answered, a qualification under way) or where there is none.
    """

    annotator: Annotator
    asked: int
    skipped: int
    left: int
    share: Proportion
    weeks: tuple[Week, ...]
    below: bool | None

    @property
    def is_machine(self) -> bool:
        return self.annotator.kind == AnnotatorKind.MACHINE

    @property
    def verdict(self) -> str:
        """`below` in a word."""
        return {None: "", True: "below the pass mark", False: "not below it"}[self.below]


@dataclass(frozen=True, slots=True)
class GoldResults:
    """Everybody who finished or has something to do of what is known, by name, people first; and by item id."""

    campaign: Campaign
    people: tuple[PersonResult, ...]
    items: dict[int, Proportion]

    @property
    def below(self) -> tuple[PersonResult, ...]:
        """Who is below the pass mark."""
        return tuple(one for one in self.people if one.below)

    @property
    def sentence(self) -> str:
        """The share of all people together without names, as a release states it; "" for no answer."""
        people = [one for one in self.people if not one.is_machine and one.share.n]
        if not people:
            return ""
        hits, n = sum(one.share.hits for one in people), sum(one.share.n for one in people)
        shares = sorted(one.share.hits / one.share.n for one in people)
        by, lowest, highest = counted(len(people), "person", "people"), *map(share_in_percent, (shares[0], shares[-1]))
        return (
            f"{hits:,} of {counted(n, 'answer')} by {by} to items with a known answer were right"
            f" ({share_in_percent(hits / n)}; by person {lowest} to {highest})."
            " These items were not marked as such."
        )


def practice_sentences(collection: Collection) -> tuple[str, ...]:
    """What people did in each training and qualification in which somebody answered, without names."""
    found = Campaign.objects.filter(collection=collection).exclude(purpose=Purpose.JUDGING).order_by("pk")
    return tuple(filter(None, (_practised(gold_results(campaign)) for campaign in found)))


def _practised(results: GoldResults) -> str:
    """In a sentence; "" where nobody answered."""
    people, campaign = [one for one in results.people if one.asked], results.campaign
    if not people:
        return ""
    part = f"{campaign.purpose.capitalize()} “{campaign}”: {counted(len(people), 'person', 'people')} took part"
    if not campaign.for_what.has_to_be_passed:
        return f"{part} and saw the known answer after each answer."
    passed = sum(one.below is False for one in people)
    return f"{part}, and {passed:,} reached the pass mark of {percent(campaign.pass_mark)}, which was set beforehand."


def gold_results(campaign: Campaign) -> GoldResults:
    """The results up to now. Three queries."""
    purpose = campaign.for_what
    named = {"campaign": campaign.pk, "first": purpose.gives_feedback, "zone": settings.TIME_ZONE}
    rows: dict[int, list[Any]] = {}
    for row in execute(ANSWERS, named):
        rows.setdefault(row[0], []).append(row)
    left = dict(execute(LEFT, {"campaign": campaign.pk}))
    who = campaign.annotators.filter(pk__in={*rows, *left}).select_related("user").order_by("kind", "name")
    people = tuple(_person(campaign, one, rows.get(one.pk, []), left.get(one.pk, 0)) for one in who)
    return GoldResults(campaign, people, _by_item(row for each in rows.values() for row in each))


def items_answered_wrong(campaign: Campaign, annotator: int) -> list[int]:
    """Items with a known answer that this annotator answered otherwise."""
    named = {"campaign": campaign.pk, "first": campaign.for_what.gives_feedback, "zone": settings.TIME_ZONE}
    return [item for who, item, right, _ in execute(ANSWERS, named) if who == annotator and right is False]


def _person(campaign: Campaign, annotator: Annotator, rows: Sequence[Any], left: int) -> PersonResult:
    answered = [row for row in rows if row[2] is not None]
    hits, asked = sum(row[2] for row in answered), len(rows)
    qualifies = campaign.for_what.has_to_be_passed
    share = proportion(hits, asked if qualifies else len(answered))
    return PersonResult(
        annotator,
        asked=asked,
        skipped=asked - len(answered),
        left=left,
        share=share,
        weeks=_weeks(answered),
        below=_is_below(campaign.pass_mark, share, left, point=qualifies),
    )


def _is_below(mark: int | None, share: Proportion, left: int, *, point: bool) -> bool | None:
    """A qualification is decided by the share itself once all is answered; elsewhere the whole interval must be below
    the mark, so that few answers accuse nobody."""
    if mark is None or share.value is None or share.high is None or (point and left):
        return None
    return share.hits * 100 < mark * share.n if point else share.high * 100 < mark


def _weeks(answered: Iterable[Any]) -> tuple[Week, ...]:
    asked, hits = Counter[date](), Counter[date]()
    for *_, right, day in answered:
        begins = day - timedelta(days=day.weekday())
        asked[begins] += 1
        hits[begins] += right
    return tuple(Week(begins, proportion(hits[begins], asked[begins])) for begins in sorted(asked))


def _by_item(rows: Iterable[Any]) -> dict[int, Proportion]:
    """How many of those who answered an item were right: few, and the known answer may be the wrong one."""
    asked, hits = Counter[int](), Counter[int]()
    for _, item, right, _ in rows:
        if right is not None:
            asked[item] += 1
            hits[item] += right
    return {item: proportion(hits[item], n) for item, n in asked.items()}


def below_since(user: User, since: datetime) -> Iterator[GoldResults]:
    """Results of campaigns that the person manages in which somebody is below the pass mark, if anything was answered
    after `since`. None of campaigns whose labels stay hidden from them. One query where there are no such campaigns.
    """
    managed = Q(collection__memberships__user=user, collection__memberships__role=Role.MANAGER)
    marked = Campaign.objects.filter(managed, pass_mark__isnull=False, collection__archived_at=None)
    known = KnownAnswer.objects.filter(item=OuterRef("item"))
    done = Assignment.objects.filter(annotator__campaign=OuterRef("pk"), finished_at__gt=since)
    answered = done.filter(Exists(known))
    for campaign in marked.filter(Exists(answered)).select_related("collection").order_by("name", "pk"):
        if not names_left_in([campaign.pk], user) and (results := gold_results(campaign)).below:
            yield results
