"""Runs requested or continued at the same moment, over real connections: each is one run, and is asked for once."""

import pytest
from django.db import IntegrityError

from accounts.models import JobState
from accounts.refusals import Conflict
from annotation.machines.requests import continue_machine_run
from annotation.models import Campaign, MachineRun, RunCriterion
from tests.databases import second_of
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.machines import ask

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def own(transactional_db: None) -> tuple[Material, Campaign]:
    """Committed, so that two connections see them."""
    made = make_material(topics=2, documents=2)
    return made, make_campaign(made)


def test_two_requests_at_once_are_two_runs_of_the_machine(made: Material, campaign: Campaign) -> None:
    second_of(lambda: ask(made, campaign, kind="lexical"), lambda: ask(made, campaign, kind="lexical"))
    runs = MachineRun.objects.order_by("pk")
    assert list(runs.values_list("run_number", "annotator__run_number")) == [(1, 1), (2, 2)]
    assert len({run.annotator_id for run in runs}) == 2


def test_who_continues_a_run_that_somebody_else_continues_xx(made: Material, campaign: Campaign) -> None:
    [run] = ask(made, campaign, kind="lexical")
    MachineRun.objects.update(state=JobState.CANCELLED, finished_at=AT)

    def again() -> object:
        return continue_machine_run(run=run, by=made.manager, at=AT, send=False)

    assert isinstance(second_of(again, again), Conflict)


def test_the_database_holds_each_run_once(made: Material, campaign: Campaign) -> None:
    one, other = ask(made, campaign, kind="lexical", runs=2)
    links = RunCriterion.objects
    same = {"recipe_hash": one.recipe_hash, "run_number": 1}
    with pytest.raises(IntegrityError, match="machine_run_once"):
        links.filter(run=other).update(**same)
    with pytest.raises(IntegrityError, match="run_criterion_is_its_runs"):
        links.filter(run=other).update(run_number=3)
