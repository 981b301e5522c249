"""Plans that are previewed, and written only if nothing has changed meanwhile."""

from collections import Counter
from functools import partial

import pytest
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, Refused
from annotation.assignment.annotators import pause_annotator, update_annotator
from annotation.assignment.assignments import confirm_assignment, request_assignment
from annotation.assignment.workload import Workload
from annotation.models import Assignment, AssignmentRun, Item, Strategy
from tests.annotation.assignment.test_assignments import assign, check_slots, confirmed, judges, previewed
from tests.databases import at_once
from tests.factories.annotation import AT, annotator, make_campaign, make_material
from tests.processes import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


def test_a_confirmed_plan_is_exactly_the_one_previewed(made):
    campaign = make_campaign(made)
    preview = previewed(campaign, overlap=2, seed=99)
    assert preview.state == JobState.DONE
    assert not Assignment.objects.exists()
    job = confirmed(preview)
    assert (job.state, job.summary) == (JobState.DONE, preview.summary)
    assert Counter(Assignment.objects.values_list("annotator__name", flat=True)) == preview.summary["annotators"]
    assert AuditEvent.objects.get(verb="assign_items").data["seed"] == 99


@pytest.mark.parametrize(
    "change",
    [
        lambda campaign, made: update_annotator(annotator=annotator(campaign, "ana"), by=None, at=AT, weight=3.0),
        lambda campaign, made: pause_annotator(annotator=annotator(campaign, "ana"), by=None, at=AT),
        lambda campaign, made: Item.objects.filter(pk=campaign.items.first().pk).update(extra_overlap=1),
        lambda campaign, made: assign(campaign),
    ],
    ids=["weight", "pause", "another judge wanted", "assigned meanwhile"],
)
def test_a_preview_of_what_has_changed_is_not_written(made, change):
    campaign = make_campaign(made)
    preview = previewed(campaign)
    change(campaign, made)
    before = Assignment.objects.count()
    job = confirmed(preview)
    assert job.state == JobState.FAILED
    assert "changed since the preview" in job.reason
    assert Assignment.objects.count() == before


@pytest.mark.parametrize("strategy", Strategy.values)
def test_the_inputs_of_a_plan_are_hashed_once(made, monkeypatch, strategy):
    """They are some hundred megabytes of a large campaign."""
    hashed, digest = [], Workload.digest
    monkeypatch.setattr(Workload, "digest", lambda *given: hashed.append(given) or digest(*given))
    preview = previewed(make_campaign(made), strategy=strategy)
    assert (preview.state, len(hashed)) == (JobState.DONE, 1)


def test_only_a_finished_preview_is_confirmed(made):
    campaign = make_campaign(made)
    preview = request_assignment(campaign=campaign, by=None, at=AT)
    with pytest.raises(Refused, match="Only a finished preview"):
        confirm_assignment(preview=preview, by=None, at=AT)
    job = confirmed(previewed(campaign))
    with pytest.raises(Refused, match="Only a finished preview"):
        confirm_assignment(preview=job, by=None, at=AT)


def test_a_preview_that_cannot_be_planned_ends_with_the_reason(made):
    preview = previewed(make_campaign(made), overlap=5)
    assert (preview.state, preview.summary) == (JobState.FAILED, {})
    assert "5 different annotators" in preview.reason


def test_writing_twice_writes_once(made):
    job = confirmed(previewed(make_campaign(made)))
    AssignmentRun.objects.filter(pk=job.pk).update(state=JobState.RUNNING)
    jobs.carry_out(job)
    assert Assignment.objects.count() == 48


def test_an_assignment_that_calls_itself_cancelled_has_written_nothing(made, monkeypatch):
    class CancelledLate(jobs.Progress):
        def report(self, done, total=None, step=""):
            if step == "written":
                AssignmentRun.objects.update(cancel_requested_at=AT)
            super().report(done, total, step)

    preview = previewed(make_campaign(made))
    monkeypatch.setattr(jobs, "Progress", CancelledLate)
    job = confirmed(preview)
    assert (job.state, job.summary) == (JobState.CANCELLED, {})
    assert not Assignment.objects.exists()


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_real_worker_plans_and_writes(celery_worker, made):
    campaign = make_campaign(made)

    def done(job):
        wait_for(lambda: AssignmentRun.objects.get(pk=job.pk).is_final, what=str(job))
        return AssignmentRun.objects.get(pk=job.pk)

    preview = done(request_assignment(campaign=campaign, by=made.manager, at=AT))
    job = done(confirm_assignment(preview=preview, by=made.manager, at=AT))
    assert (job.state, job.summary) == (JobState.DONE, preview.summary)
    assert Assignment.objects.count() == 48


@pytest.mark.django_db(transaction=True)
def test_two_plans_at_once_give_each_item_its_judges_once(made):
    campaign = make_campaign(made)
    outcomes = at_once(*[partial(assign, campaign)] * 4)
    assert sorted(0 if isinstance(each, Conflict) else each.judgments for each in outcomes) == [0, 0, 0, 48]
    assert {len(names) for names in judges(campaign).values()} == {2}
    check_slots(campaign)


@pytest.mark.parametrize(("people", "is_folded"), [(("ana",), True), (("ana", "ben"), False)])
def test_who_works_alone_is_asked_no_more_than_needed(client, people, is_folded):
    made = make_material(annotators=people)
    campaign = make_campaign(made, overlap=1)
    client.force_login(made.manager)
    page = client.get(reverse("assignment_plan", args=[made.collection.slug, campaign.slug])).text
    assert ("<summary>Other settings: repeats, known answers, seed</summary>" in page) == is_folded
    assert 'name="repeat_percent"' in page
