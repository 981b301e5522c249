"""No answer to an annotator depends on whether an item is in an audit sample: no page, endpoint, export, write or mail.

Two worlds: the annotator's item was drawn, or it was not. They ask every address in both, and what comes back must be
the same. Ids of assignments and the order in which they come: here, too.
"""

import pytest

from adjudication.models import AuditItem
from annotation.models import Assignment, AssignmentState
from corpus.models import Role
from tests.access_walk import path_of
from tests.access_world import World, make_world
from tests.adjudication.machine_audits.audit_worlds import machine_world
from tests.test_sealed_labels_are_unseen import LINES, MAIL, answers_given

pytestmark = pytest.mark.django_db


def tell(world: World, value: int) -> None:
    """1: the item is in the sample of an audit; 0: none is."""
    if not value:
        AuditItem.objects.all().delete()


@pytest.mark.slow
@pytest.mark.parametrize("state", [AssignmentState.PENDING, AssignmentState.SKIPPED])
def test_no_answer_to_an_annotator_tells_an_audit(state: str) -> None:
    world = make_world()
    Assignment.objects.filter(pk=world.assignment.pk).update(state=state, slot=None if state == "skipped" else 1)
    for line in LINES:
        path_of(line, world)
    first, second = (answers_given(world, value, tell, Role.ANNOTATOR) for value in (0, 1))
    assert [place for place, text in first.items() if second[place] != text] == []
    assert "to judge" in first[MAIL]
    assert len(first) > 150
    assert {text[:3] for place, text in first.items() if "machine_audit" in place[0]} == {"403"}


def test_an_item_of_a_sample_is_given_out_like_any_other() -> None:
    """The rows of a plan that gives out the sample have nothing that those of a plan of all items lack."""
    world = machine_world(topics=2, documents=40)
    world.draw(size=40)
    rows = Assignment.objects.filter(annotator__kind="human").values(
        "state", "slot", "repeat", "queue", "held_by", "sent_back_at", "imported_in"
    )
    assert [dict(row) for row in rows.distinct().order_by()] == [
        {
            "state": "pending",
            "slot": 1,
            "repeat": 0,
            "queue": None,
            "held_by": None,
            "sent_back_at": None,
            "imported_in": None,
        }
    ]
