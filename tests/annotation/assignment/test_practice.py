"""In practice everybody gets every item, also who joins later, and what they answer becomes no result."""

import pytest

from adjudication.questions.rating import rubric_campaigns
from adjudication.releases.recipe import released_campaigns
from annotation.assignment.annotators import add_members, remove_annotator
from annotation.campaigns.progress import fetch_progress
from annotation.labelling.units_ahead import begin_visit
from annotation.models import Assignment
from corpus.models import Role
from tests.annotation.gold.known_worlds import make_practice
from tests.factories.annotation import AT, add_person, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


def test_everybody_gets_every_item_in_their_own_order_when_it_opens_or_when_they_come() -> None:
    made = make_material()
    campaign = make_practice(made, "training")
    orders = [
        list(one.assignments.order_by("position").values_list("item", flat=True)) for one in campaign.annotators.all()
    ]
    assert [sorted(order) for order in orders] == [sorted(orders[0])] * 3
    assert len(orders[0]) == 4
    assert len({tuple(order) for order in orders}) > 1
    dee = add_person(made, "dee", Role.ANNOTATOR)
    add_members(campaign=campaign, users=[dee], by=None, at=AT)
    for _ in range(2):
        _, units, _ = begin_visit(collection="teas", campaign=campaign.slug, browser="", by=dee, at=AT)
        assert len(units) == 4
    campaign.refresh_from_db()
    assert (campaign.overlap, Assignment.objects.filter(item__campaign=campaign).count()) == (4, 16)
    assert (fetch_progress(campaign, AT).needed, fetch_progress(campaign, AT).unassigned) == (16, 0)


def test_who_is_brought_back_gets_again_what_was_taken_back() -> None:
    campaign = make_practice(make_material(), "training")
    ana = annotator(campaign, "ana")
    give_labels(ana, [2])
    remove_annotator(annotator=ana, by=None, at=AT)
    add_members(campaign=campaign, users=[ana.user], by=None, at=AT)  # type: ignore[list-item]
    _, units, _ = begin_visit(collection="teas", campaign=campaign.slug, browser="", by=ana.user, at=AT)  # type: ignore[arg-type]
    assert len(units) == 3
    assert set(ana.assignments.values_list("state", flat=True)) == {"done", "pending"}
    assert (fetch_progress(campaign, AT).needed, fetch_progress(campaign, AT).judgments) == (12, 1)


def test_practice_is_in_no_release_and_no_question_set() -> None:
    made = make_material()
    main = make_campaign(made)
    campaign = make_practice(made, "training")
    rubric = make_campaign(made, name="Rubric", kind="rubric", items=False)
    give_labels(annotator(campaign, "ana"), [2])
    type(main).objects.filter(pk=main.pk).update(state="open")
    assert released_campaigns(made.collection) == [main]
    assert rubric_campaigns(made.collection) == [rubric]
    type(rubric).objects.filter(pk=rubric.pk).update(purpose="training")
    assert rubric_campaigns(made.collection) == []
