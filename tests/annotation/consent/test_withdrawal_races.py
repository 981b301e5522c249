"""A person is erased while they withdraw, or while an answer of theirs is on its way, over real connections."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts import jobs
from accounts.models import User
from accounts.refusals import Refused
from annotation.consent.consents import Withdrawal
from annotation.models import Annotator, Judgment
from corpus.collections.persons import request_person_erasure
from corpus.models import PersonErasure
from tests.annotation.consent.test_consents import agree, ask, withdraw
from tests.databases import second_of
from tests.factories.accounts import UserFactory
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import assignment_of, build_work, given, send_one

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def built() -> Built:
    """Ana has agreed, and judged one item."""
    found = build_work()
    ask(found, after="leave-out")
    agree(found)
    send_one(found, "ana", given(assignment_of(found, "ana"), 2))
    return found


def request(built: Built, labels: str) -> PersonErasure:
    ana = User.objects.get(pk=built.people["ana"].pk)
    asked = {"user": ana, "confirm": ana.email, "keep_labels": labels == "kept", "send": False}
    return request_person_erasure(by=UserFactory(is_staff=True), at=AT + timedelta(hours=2), **asked)  # type: ignore[arg-type]


def answer(built: Built) -> Any:
    return send_one(built, "ana", given(assignment_of(built, "ana", 1), 1))


def erased(run: PersonErasure) -> Callable[[], str]:
    """How carrying it out ends."""

    def carry_out() -> str:
        jobs.carry_out(run)
        return PersonErasure.objects.get(pk=run.pk).state

    return carry_out


@pytest.mark.parametrize("labels", ["kept", "excluded"])
@pytest.mark.parametrize("what", [withdraw, answer])
def test_who_is_erased_while_they_act_is_erased_whole(built: Built, what: Any, labels: str) -> None:
    run = second_of(lambda: what(built), lambda: request(built, labels))
    assert isinstance(run, PersonErasure)
    assert erased(run)() == "done"
    [ana] = Annotator.objects.filter(user=built.people["ana"])
    assert (ana.name, ana.state) == (f"Person {built.people['ana'].pk}", "removed")
    left = 0 if labels == "excluded" or what is withdraw else 2
    assert Judgment.objects.filter(assignment__annotator=ana).count() == left
    assert not ana.assignments.filter(state="pending").exists()


def test_an_answer_that_waits_for_an_erasure_is_not_stored(built: Built) -> None:
    assert isinstance(second_of(lambda: request(built, "excluded"), lambda: answer(built)), Refused)
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize("labels", ["kept", "excluded"])
def test_a_withdrawal_that_waits_for_an_erasure(built: Built, labels: str) -> None:
    said = second_of(lambda: request(built, labels), lambda: withdraw(built))
    assert isinstance(said, Withdrawal)
    assert not Judgment.objects.exists(), "withdrawn with labels left out, whatever the erasure keeps"
    assert erased(PersonErasure.objects.get())() == "done"
