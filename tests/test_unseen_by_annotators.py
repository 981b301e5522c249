"""Annotators learn neither which items are hidden gold or in an audit sample, nor, while they judge again, what they
gave before: from no page, endpoint, export, write or mail.

Two worlds differ in what is hidden only. The annotator asks in both for what they may open, and what comes back must be
the same, but the report on their own data, which the law gives them. What refuses them is asked once, in two worlds
that differ in all that is hidden. Orders and ids: tests/annotation/assignment/test_hidden_gold.py.
"""

import pytest

from adjudication.models import AuditItem
from annotation.models import Asked, Assignment, AssignmentState, Campaign, KnownAnswer
from corpus.models import Role
from tests.access_table import ROLES
from tests.access_walk import path_of
from tests.access_world import World, make_world
from tests.factories.accounts import AT
from tests.test_sealed_labels_are_unseen import LINES, MAIL, answers_given, judge

REFUSED = [line for line in LINES if line.expected[ROLES.index("annotator")] == "403"]
OPEN = [line for line in LINES if line not in REFUSED]


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    world = make_world()
    for line in LINES:
        path_of(line, world)  # what it makes first is of both worlds
    return world


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    return shared_world


def is_asked_apart(world: World, value: int) -> None:
    """1: the item is a check of the annotator and in the sample of an audit; 0: it is theirs to judge, no answer is
    known and there is no audit."""
    if value:
        Assignment.objects.filter(pk=world.assignment.pk).update(repeat=Asked.CHECK, slot=None)
        KnownAnswer.objects.update(explanation="Tea is known.")
    else:
        KnownAnswer.objects.all().delete()
        AuditItem.objects.all().delete()


def has_all(world: World, value: int) -> None:
    """1: the item was judged, is a check and in the sample of an audit; 0: nothing of this."""
    is_asked_apart(world, value)
    if value:
        Assignment.objects.filter(pk=world.assignment.pk).update(state=AssignmentState.DONE, finished_at=AT)
        judge(world, 2)


@pytest.mark.slow
@pytest.mark.parametrize("state", [AssignmentState.PENDING, AssignmentState.SKIPPED])
def test_no_answer_tells_gold_or_an_audit(world: World, state: str) -> None:
    Assignment.objects.filter(pk=world.assignment.pk).update(state=state, slot=None if state == "skipped" else 1)
    first, second = (answers_given(world, value, is_asked_apart, Role.ANNOTATOR, OPEN) for value in (0, 1))
    assert [place for place, text in first.items() if second[place] != text] == []
    assert "to judge" in first[MAIL]
    assert len(first) > 50
    assert not [place for place, text in second.items() if "Tea is known" in text]


@pytest.mark.slow
@pytest.mark.parametrize("shown", [False, True])
def test_no_answer_tells_what_is_judged_again(world: World, shown: bool) -> None:
    """Where the campaign shows former answers, two places do."""
    former = {"state": AssignmentState.DONE, "finished_at": AT, "slot": 1}
    Assignment.objects.filter(pk=world.assignment.pk).update(**former)
    annotator = world.assignment.annotator
    Assignment.objects.create(item=world.assignment.item, annotator=annotator, state="pending", repeat=Asked.REJUDGE)
    Campaign.objects.filter(pk=world.campaign.pk).update(shows_former=shown)
    first, second = (answers_given(world, value, judge, Role.ANNOTATOR, OPEN) for value in (0, 2))
    different = {place[0] for place, text in first.items() if second[place] != text}
    assert "1 item to judge" in first[MAIL]
    assert different == ({"label_history", "api_judgments"} if shown else set())


@pytest.mark.slow
def test_no_refusal_tells_what_is_hidden(world: World) -> None:
    first, second = (answers_given(world, value, has_all, Role.ANNOTATOR, REFUSED) for value in (0, 1))
    del first[MAIL]
    assert [place for place, text in first.items() if second[place] != text] == []
    assert {text[:3] for text in first.values()} == {"403"}
    assert {"gold_detail", "api_known_answers", "machine_audit_detail"} <= {place[0] for place in first}
    assert len(first) > 250
