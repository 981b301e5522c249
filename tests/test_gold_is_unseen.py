"""No answer to an annotator depends on whether an item is hidden gold: no page, endpoint, write or mail.

Two worlds: the annotator has an item to judge, or has it as a check whose answer is known. They ask every address in
both, and what comes back must be the same. Orders and ids: tests/annotation/assignment/test_hidden_gold.py.
"""

import pytest

from annotation.models import Asked, Assignment, AssignmentState, KnownAnswer
from corpus.models import Role
from tests.access_walk import path_of
from tests.access_world import World, make_world
from tests.test_sealed_labels_are_unseen import LINES, MAIL, answers_given

pytestmark = pytest.mark.django_db


def tell(world: World, value: int) -> None:
    """1: the item is a check of the annotator; 0: it is theirs to judge, and no answer is known."""
    if value:
        Assignment.objects.filter(pk=world.assignment.pk).update(repeat=Asked.CHECK, slot=None)
        KnownAnswer.objects.update(explanation="Tea is known.")
    else:
        KnownAnswer.objects.all().delete()


@pytest.mark.slow
@pytest.mark.parametrize("state", [AssignmentState.PENDING, AssignmentState.SKIPPED])
def test_no_answer_to_an_annotator_tells_gold(state: str) -> None:
    world = make_world()
    Assignment.objects.filter(pk=world.assignment.pk).update(state=state, slot=None if state == "skipped" else 1)
    for line in LINES:
        path_of(line, world)
    first, second = (answers_given(world, value, tell, Role.ANNOTATOR) for value in (0, 1))
    different = [place for place, text in first.items() if second[place] != text]
    assert [place for place in different if "known-answers" not in place[2] and "gold" not in place[2]] == []
    assert all(first[place][:3] == second[place][:3] == "403" for place in different)
    assert "to judge" in first[MAIL]
    assert len(first) > 150
    assert not [place for place, text in second.items() if "Tea is known" in text]
