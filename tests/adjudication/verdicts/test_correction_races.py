"""Corrections of machine labels at the same moment as decisions, over real connections: the first one counts, and
what is listed as corrected is what the verdict says."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.refusals import Conflict, Refused
from adjudication.models import MachineCorrection, Verdict
from adjudication.verdicts.corrections import correct_machine_label, undo_correction
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from annotation.models import Judgment
from tests.adjudication.verdicts.test_votes import vote
from tests.databases import second_of
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def built() -> Built:
    """A person said 0 of an item, a machine 1, and the votes are counted."""
    found = build_campaign([[0, 1]], people=("ana",), machines=[("gpt", "gpt", 1)])
    vote(found)
    return found


def correct(built: Built, by: str, value: int) -> Callable[[], Any]:
    label = Judgment.objects.get(assignment__annotator=built.annotators["gpt"])
    who = built.people[by]
    return lambda: correct_machine_label(
        campaign=built.campaign, label=label.pk, value=value, by=who, at=timezone.now()
    )


def undo(built: Built, by: str) -> Callable[[], Any]:
    label = Judgment.objects.get(assignment__annotator=built.annotators["gpt"])
    who = built.people[by]
    return lambda: undo_correction(campaign=built.campaign, label=label.pk, by=who, at=timezone.now())


def decide(built: Built, by: str, value: int) -> Callable[[], Any]:
    """On the adjudication screen, where the verdict is shown as it is now."""
    verdict = Verdict.objects.get()
    seen = verdict.decided_at
    return lambda: decide_verdict(
        verdict=verdict, value=value, by=built.people[by], at=timezone.now(), seen=seen, comment="Read it."
    )


def withdraw(built: Built, by: str) -> Callable[[], Any]:
    return lambda: withdraw_decision(verdict=Verdict.objects.get(), by=built.people[by], at=timezone.now())


def stands() -> list[tuple[int, int]]:
    """(what the verdict says, what the correction that stands says)"""
    standing = MachineCorrection.objects.filter(undone_at=None).values_list("value", flat=True)
    verdict = Verdict.objects.get()
    if found := list(standing):
        assert MachineCorrection.objects.get(undone_at=None).given_at == verdict.decided_at
    return [(verdict.value or 0, value) for value in found]


def test_two_people_who_correct_at_once(built: Built) -> None:
    said = second_of(correct(built, "manager", 2), correct(built, "adjudicator", 1))
    assert isinstance(said, Conflict)
    assert stands() == [(2, 2)]


def test_one_person_who_corrects_twice_at_once(built: Built) -> None:
    said = second_of(correct(built, "manager", 2), correct(built, "manager", 1))
    assert isinstance(said, MachineCorrection)
    assert stands() == [(1, 1)]


def test_a_correction_and_a_decision_on_the_screen(built: Built) -> None:
    assert isinstance(second_of(correct(built, "manager", 2), decide(built, "adjudicator", 1)), Conflict)
    assert stands() == [(2, 2)]


def test_a_decision_on_the_screen_and_a_correction(built: Built) -> None:
    assert isinstance(second_of(decide(built, "adjudicator", 1), correct(built, "manager", 2)), Conflict)
    assert (Verdict.objects.get().value, stands()) == (1, [])


@pytest.mark.parametrize("first", [undo, withdraw])
@pytest.mark.parametrize("second", [undo, withdraw])
def test_what_is_undone_twice_at_once(built: Built, first: Any, second: Any) -> None:
    correct(built, "manager", 2)()
    said = second_of(first(built, "manager"), second(built, "adjudicator"))
    assert isinstance(said, Refused | Conflict)
    assert (Verdict.objects.get().value, stands()) == (0, [])


def test_an_undo_takes_back_no_decision_that_came_meanwhile(built: Built) -> None:
    correct(built, "manager", 2)()
    said = second_of(decide(built, "adjudicator", 1), undo(built, "manager"))
    assert isinstance(said, Refused | Conflict)
    assert (Verdict.objects.get().value, stands()) == (1, [])


def test_a_correction_waits_for_a_count_of_votes(built: Built) -> None:
    said = second_of(lambda: vote(built), correct(built, "manager", 2))
    assert isinstance(said, MachineCorrection)
    assert stands() == [(2, 2)]
