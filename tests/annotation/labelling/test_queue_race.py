"""One open queue, many windows: people judge, skip, leave, come back and are removed at the same moment."""

import random
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from accounts.refusals import Refused
from annotation.assignment.assignments import release_assignments
from annotation.labelling.submissions import submit
from annotation.labelling.units_ahead import begin_visit, end_visit, take_units
from annotation.models import Assignment, AssignmentState, Judgment, Order, Strategy
from tests.databases import at_once, second_of
from tests.factories.adjudication import Built
from tests.factories.labelling import build_work, given, skip

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = ("ana", "ben", "cai", "dan")
OVERLAP = 2
ROUNDS = 12


class Race:
    """Threads with separate connections: two windows of each person, and a manager who takes work off ana."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
        self.counted: Counter[int] = Counter()  # assignment → answers acknowledged as counted

    def judge(self, person: str, seed: int) -> None:
        """Visits: the first units, the rest, some answers (each asking for the next units), and leaving."""
        rng, who = random.Random(seed), {**self.where, "by": self.built.people[person]}
        for _ in range(ROUNDS):
            _, hand, visit = begin_visit(**who, browser=rng.choice(["laptop", "phone"]), at=self.now(rng))
            assert visit is not None
            hand += take_units(**who, have=hand, at=self.now(rng), look_back=True, visit=visit)[1]
            for _ in range(rng.randrange(5)):
                if hand:
                    unit = hand.pop(0)
                    hand += self.answer({**who, "visit": visit}, unit, hand, rng)
            end_visit(**who, visit=visit, seen=hand[:1], at=self.now(rng))

    def answer(self, who: dict, unit: list[int], have: list[list[int]], rng: random.Random) -> list[list[int]]:
        sent = [skip(each) if rng.random() < 0.1 else given(each, 1) for each in unit]
        answer = submit(**who, inputs=sent, have=have, at=self.now(rng))
        for one, result in zip(sent, answer.results, strict=True):
            if not isinstance(result, Refused) and (result.outcome, one.kind) == ("counted", "answer"):
                self.counted[one.assignment] += 1
        return answer.units

    def now(self, rng: random.Random):
        """Now and then an hour later, so that leases end while they are held."""
        return timezone.now() + timedelta(minutes=90 if rng.random() < 0.2 else 0)

    def take_off(self) -> None:
        for _ in range(ROUNDS):
            release_assignments(
                annotator=self.built.annotators["ana"], by=self.built.people["manager"], at=timezone.now()
            )

    def run(self) -> None:
        works = [self.take_off]
        works += [lambda one=one, s=s: self.judge(one, s) for s, one in enumerate(PEOPLE * 2)]
        assert at_once(*works) == [None] * len(works)


@pytest.mark.slow
@pytest.mark.parametrize("order", [Order.BY_ASPECT, Order.BY_DOCUMENT])
def test_leaving_and_coming_back_at_once_loses_no_slot_and_fills_none_twice(order):
    triples = [("1", f"Aspect {n}", f"doc{document:02}") for document in range(40) for n in range(2)]
    built = build_work(strategy=Strategy.QUEUE, order=order, triples=triples, people=PEOPLE, overlap=OVERLAP)
    race = Race(built)
    race.run()
    slots = Assignment.objects.filter(slot__isnull=False)
    expected = sorted((item.pk, slot) for item in built.items for slot in range(1, OVERLAP + 1))
    assert sorted(slots.values_list("item", "slot")) == expected
    assert set(slots.values_list("state", flat=True)) <= {"open", "pending", "done"}
    assert not slots.filter(state=AssignmentState.OPEN, annotator__isnull=False).exists()
    assert not slots.exclude(state=AssignmentState.OPEN).filter(annotator=None).exists()
    assert race.counted, "somebody judged something"
    assert sorted(Judgment.objects.values_list("assignment", flat=True)) == sorted(race.counted)
    assert set(slots.filter(state=AssignmentState.DONE).values_list("pk", flat=True)) == set(race.counted)


def test_a_lease_that_somebody_else_ends_is_not_prolonged():
    """The one who judges asks to prolong a lease in the moment in which another annotator, who has nothing, ends it."""
    built = build_work(strategy=Strategy.QUEUE, items=3, people=PEOPLE[:2], overlap=1)
    where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
    ana, ben = ({**where, "by": built.people[name]} for name in PEOPLE[:2])
    began = timezone.now()
    _, hand, visit = begin_visit(**ana, browser="laptop", at=began)
    hand += take_units(**ana, have=hand, at=began, visit=visit)[1]
    assert len(hand) == 3
    late = began + timedelta(minutes=built.campaign.lease_minutes + 1)
    said = second_of(partial(take_units, **ben, at=late), partial(take_units, **ana, have=hand, at=late, visit=visit))
    assert not isinstance(said, BaseException)
    ended = Assignment.objects.filter(annotator=built.annotators["ana"])
    assert set(ended.values_list("state", "slot", "held_by")) == {("withdrawn", None, None)}
