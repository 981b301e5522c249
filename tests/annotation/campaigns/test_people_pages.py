"""The pages of a campaign's people: who judges, and what is assigned to them."""

import re

import pytest

from accounts import jobs
from annotation.models import Annotator, Assignment, AssignmentRun
from corpus.models import Role
from tests.annotation.campaigns.pages import client_of, opened, text_of, url
from tests.factories.annotation import add_person, annotator, give_labels, make_campaign

pytestmark = pytest.mark.django_db


def test_members_and_names_are_added(made):
    campaign = make_campaign(made, annotators=False, items=False)
    client = client_of(made)
    assert "Nobody judges here yet" in text_of(client.get(url("annotator_list")))
    client.post(url("annotator_create"), {"users": [made.people["ana"].pk, made.people["ada"].pk]})
    assert sorted(campaign.annotators.values_list("name", flat=True)) == ["Ada", "Ana"]
    assert client.post(url("annotator_create"), {"users": [made.people["vic"].pk]}).status_code == 422
    assert "Choose at least one person" in text_of(client.post(url("annotator_create"), {}))
    client.post(url("annotator_name"), {"name": "gpt", "kind": "machine", "model": "m-1"})
    answer = client.post(url("annotator_name"), {"name": "gpt", "kind": "machine"})
    assert answer.status_code == 422
    assert "already" in text_of(answer)
    page = text_of(client.get(url("annotator_list")))
    assert "machine" in page
    assert "Cai" in page


def test_an_annotator_is_changed_paused_and_removed(made):
    campaign = opened(made)
    ana = annotator(campaign, "ana")
    give_labels(ana, [1, 1])
    client = client_of(made)
    client.post(url("annotator_edit", ana.pk), {"name": "Ana B", "weight": "0.5", "capacity": ""})
    ana.refresh_from_db()
    assert (ana.name, ana.weight, ana.capacity) == ("Ana B", 0.5, None)
    assert client.post(url("annotator_edit", ana.pk), {"name": "Ben", "weight": 1}).status_code == 422
    assert client.post(url("annotator_edit", ana.pk), {"name": "Ana", "weight": 0}).status_code == 422
    client.post(url("annotator_state", ana.pk), {"change": "pause"})
    assert Annotator.objects.get(pk=ana.pk).state == "paused"
    page = text_of(client.post(url("annotator_state", ana.pk), {"change": "remove"}, follow=True))
    assert "14 items are free for others" in page
    assert "was removed from this campaign" in text_of(
        client.post(url("annotator_state", ana.pk), {"change": "pause"}, follow=True)
    )
    client.post(url("annotator_state", ana.pk), {"change": "resume"})
    assert Annotator.objects.get(pk=ana.pk).state == "active"
    client.post(url("annotator_state", ana.pk), {"change": "nonsense"})
    assert Annotator.objects.get(pk=ana.pk).state == "active"


@pytest.mark.slow
def test_items_are_handed_over_and_taken_back(made):
    campaign = opened(made)
    dan = add_person(made, "dan", Role.ANNOTATOR)
    client = client_of(made)
    client.post(url("annotator_create"), {"users": [dan.pk]})
    ana, dan = annotator(campaign, "ana"), annotator(campaign, "dan")
    page = text_of(client.post(url("annotator_hand_over", ana.pk), {"target": dan.pk, "most": 6}, follow=True))
    assert "6 items went to Dan" in page
    assert client.post(url("annotator_hand_over", ana.pk), {"target": ana.pk}).status_code == 422
    page = text_of(client.post(url("annotator_release", ana.pk), {"most": 4}, follow=True))
    assert "Withdrew 4 items" in page
    assert client.post(url("annotator_release", ana.pk), {"most": "x"}).status_code == 422
    assert ana.assignments.filter(state="pending").count() == 6
    page = text_of(client.post(url("annotator_release", ana.pk), {"most": 1}, follow=True))
    assert "Withdrew 1 item from Ana. It is free for others." in page


def test_another_campaigns_annotator_is_not_found(made):
    campaign = make_campaign(made, items=False)
    other = make_campaign(made, name="Other", items=False)
    client = client_of(made)
    assert client.get(url("annotator_edit", annotator(other, "ana").pk)).status_code == 404
    assert client.get(url("annotator_edit", annotator(campaign, "ana").pk)).status_code == 200


@pytest.mark.slow
def test_a_plan_is_previewed_and_confirmed(made):
    make_campaign(made)
    client = client_of(made)
    assert "Ana" in text_of(client.get(url("assignment_plan")))
    answer = client.post(url("assignment_plan"), {"overlap": 2, "strategy": "planned", "seed": 3})
    preview = AssignmentRun.objects.get()
    assert answer.url == url("assignment_detail", preview.pk)
    waiting = text_of(client.get(answer.url))
    assert "data-reload-when-finished" in waiting
    jobs.carry_out(preview)
    page = text_of(client.get(answer.url))
    assert "Nothing is assigned yet" in page
    assert len(re.findall(r'<td class="num">\s*8\s*</td>', page)) == 6
    confirmed = client.post(url("assignment_confirm", preview.pk))
    job = AssignmentRun.objects.get(dry_run=False)
    assert confirmed.url == url("assignment_detail", job.pk)
    jobs.carry_out(job)
    assert "The items are assigned" in text_of(client.get(confirmed.url))
    assert "A plan was written after this preview" in text_of(client.get(answer.url))
    assert Assignment.objects.count() == 48
    assert "Earlier plans" in text_of(client.get(url("assignment_plan")))


def test_a_plan_that_cannot_be_says_why(made):
    make_campaign(made)
    client = client_of(made)
    client.post(url("assignment_plan"), {"overlap": 9, "strategy": "planned", "seed": 3})
    preview = AssignmentRun.objects.get()
    jobs.carry_out(preview)
    assert "9 different annotators, but only 3" in text_of(client.get(url("assignment_detail", preview.pk)))
    page = text_of(client.post(url("assignment_confirm", preview.pk), follow=True))
    assert "Only a finished preview" in page
    assert client.post(url("assignment_plan"), {"overlap": 99}).status_code == 422


def test_the_running_job_is_a_fragment_that_can_be_cancelled(made):
    make_campaign(made)
    client = client_of(made)
    client.post(url("assignment_plan"), {"overlap": 2, "strategy": "queue", "seed": 3})
    run = AssignmentRun.objects.get()
    fragment = text_of(client.get(f"/jobs/assignments/{run.pk}/", headers={"HX-Request": "true"}))
    assert fragment.strip().startswith("<section")
    client.post(f"/jobs/assignments/{run.pk}/cancellation/")
    assert AssignmentRun.objects.get().state == "cancelled"
