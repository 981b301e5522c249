"""Campaigns and steps of Anno-GPT cycles for the tests."""

from datetime import timedelta
from typing import Any

from accounts import jobs
from adjudication.cycles.cycles import count_tests
from adjudication.cycles.steps import start_cycle
from adjudication.cycles.trials import Trial, fetch_trial
from adjudication.models import AgreementRun
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import AnnoCycle, Assignment, Campaign
from tests.factories.adjudication import store_answers
from tests.factories.annotation import AT, Material, annotator, make_campaign
from tests.factories.machines import ask, carry_out

LATER = AT + timedelta(days=1)
NAMES = ("ana", "ben", "cai")


def judged(made: Material, name: str, split: str, *, sample: int = 24, at: Any = AT, labels: bool = True) -> Campaign:
    """An open held-out campaign that three people have judged, each in their own way."""
    campaign = make_campaign(made, name=name, split=split, overlap=3, items=False)
    build_items(campaign=campaign, by=made.manager, at=AT, sample=sample, stratified=True)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    given = []
    for place, judge in enumerate(NAMES if labels else ()):
        todo = annotator(campaign, judge).assignments.order_by("position", "pk")
        given += [(each, (number + (number % 5 == place)) % 3) for number, each in enumerate(todo)]
    # As the labelling action leaves them, which would take a tenth of a second for each person.
    Assignment.objects.filter(pk__in=[each.pk for each, _ in given]).update(state="done", finished_at=at)
    store_answers(campaign.criteria.get(), given, at=at)
    return campaign


def tuned(made: Material, dev: Campaign, **thresholds: Any) -> str:
    """The baseline has run on the dev set; its key."""
    (run,) = ask(made, dev, kind="lexical", **thresholds)
    carry_out(run)
    return run.recipe_hash


def began(made: Material, dev: Campaign, **more: Any) -> AnnoCycle:
    return start_cycle(
        collection=made.collection, by=made.manager, at=LATER, dev=dev, criterion="relevance", margin=0.1, **more
    )


def measured(run: AgreementRun) -> AgreementRun:
    """The test that was asked for, carried out."""
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def trial_of(cycle: AnnoCycle) -> Trial | None:
    cycle = AnnoCycle.objects.select_related("dev", "test").get(pk=cycle.pk)
    return fetch_trial(cycle, count_tests(cycle))
