"""Judging again while others write, over real connections: one judgment of each person and item counts, never two."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Refused
from adjudication.agreement.requests import request_vote
from adjudication.models import Verdict
from annotation.assignment.rejudging import Rejudging, withdraw_rejudging
from annotation.models import Assignment, Campaign
from tests.annotation.assignment.test_rejudging import LAST, annotator, answer, ask, change, items, judged
from tests.databases import in_another_connection, second_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def campaign() -> Campaign:
    """Everybody is asked again about all four items."""
    found = judged()
    change(found)
    ask(found)
    return found


def judge_again(campaign: Campaign, value: int = 2) -> Any:
    """Ana says 2 of the first item, which she had given a 0."""
    again = Assignment.objects.get(annotator=annotator(campaign, "ana"), item=items(campaign)[0], repeat=3)
    return answer(campaign, "ana", items(campaign)[0], value, of=again)


def counted(campaign: Campaign) -> list[tuple[int | None, int]]:
    """(slot, value) of what counts of Ana on the first item."""
    mine = Assignment.objects.filter(annotator__name="Ana", item=items(campaign)[0], repeat=0, state="done")
    return list(mine.values_list("slot", "judgments__value"))


def test_an_answer_that_waits_for_the_withdrawal_of_the_request_still_counts(campaign: Campaign) -> None:
    said = second_of(lambda: withdraw_rejudging(campaign=campaign, by=None, at=LAST), lambda: judge_again(campaign))
    assert said.outcome == "counted"
    assert counted(campaign) == [(1, 2)]


def test_a_withdrawal_that_waits_for_an_answer_leaves_it_and_takes_back_the_others(campaign: Campaign) -> None:
    said = second_of(lambda: judge_again(campaign), lambda: withdraw_rejudging(campaign=campaign, by=None, at=LAST))
    assert isinstance(said, Rejudging)
    assert said.judgments == 7
    assert counted(campaign) == [(1, 2)]
    with pytest.raises(Refused, match="Nobody is judging anything again"):
        withdraw_rejudging(campaign=campaign, by=None, at=LAST)


def test_a_request_that_waits_for_another_one_asks_nobody_twice(campaign: Campaign) -> None:
    withdraw_rejudging(campaign=campaign, by=None, at=LAST)
    said = second_of(lambda: ask(campaign), lambda: ask(campaign))
    assert isinstance(said, Refused)
    assert Assignment.objects.filter(repeat=3, state="pending").count() == 8


def test_votes_that_are_counted_while_somebody_judges_again_have_one_vote_of_each(campaign: Campaign) -> None:
    def count() -> list[list[int]]:
        jobs.carry_out(request_vote(campaign=campaign, by=None, at=timezone.now(), send=False))
        return [value for _, value in Verdict.objects.get(item=items(campaign)[0]).votes]

    with transaction.atomic():
        judge_again(campaign)
        assert in_another_connection(count) == [0, 1]
    assert count() == [2, 1]
