"""While people judge again, no answer of Litmus tells them what they gave before: no page, endpoint, write or mail.

Two worlds differ in the former answer only. The annotator asks every address in both, and what comes back must be the
same, but the report on their own data, which the law gives them. Where the campaign shows former answers, it differs.
"""

import pytest

from annotation.models import Asked, Assignment, AssignmentState, Campaign
from corpus.models import Role
from tests.access_walk import path_of
from tests.access_world import make_world
from tests.factories.accounts import AT
from tests.test_sealed_labels_are_unseen import LINES, MAIL, answers_given, judge

pytestmark = pytest.mark.django_db


@pytest.mark.slow
@pytest.mark.parametrize("shown", [False, True])
def test_no_answer_tells_what_is_judged_again(shown: bool) -> None:
    world = make_world()
    former = {"state": AssignmentState.DONE, "finished_at": AT, "slot": 1}
    Assignment.objects.filter(pk=world.assignment.pk).update(**former)
    annotator = world.assignment.annotator
    Assignment.objects.create(item=world.assignment.item, annotator=annotator, state="pending", repeat=Asked.REJUDGE)
    Campaign.objects.filter(pk=world.campaign.pk).update(shows_former=shown)
    for line in LINES:
        path_of(line, world)
    first, second = (answers_given(world, value, judge, Role.ANNOTATOR) for value in (0, 2))
    different = {place[0] for place, text in first.items() if second[place] != text}
    assert "1 item to judge" in first[MAIL]
    assert len(first) > 150
    assert different == ({"label_history", "api_judgments"} if shown else set())
