"""A committee goes through the gate of Anno-GPT as any machine does, and takes its members along."""

import pytest

from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.cycles.steps import choose_test_set, decide_cycle, freeze_machine, request_test, run_frozen_machine
from adjudication.cycles.tuning import dev_table
from adjudication.labels.inputs import labels_of, read_inputs
from annotation.machines.committees import request_committee, with_members
from annotation.models import Judgment
from engines.stats.report import Options, measure_agreement
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, measured, trial_of
from tests.factories.annotation import AT, Material, make_campaign
from tests.factories.machines import ask, carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SCALES = ((0.3, 0.9), (0.5, 0.8), (0.6, 0.7))


def test_a_committee_is_frozen_tested_and_annotates_with_its_members(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    cycle = began(made, dev, runs=2)
    members = [carry_out(ask(made, dev, kind="lexical", thresholds=each)[0]) for each in SCALES]
    tried = request_committee(campaign=dev, by=made.manager, at=AT, members=members, rule="median", send=False)
    carry_out(tried)
    assert [one.source for one in dev_table(dev, "relevance").candidates].count("committee") == 1
    freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=tried.recipe_hash)
    test = judged(made, "Test", "test", at=LATER)
    choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)
    with pytest.raises(Refused, match="only that machine may run"):
        ask(made, test, kind="lexical", thresholds=SCALES[0])  # a member alone is another machine
    runs = run_frozen_machine(cycle=cycle, by=made.manager, at=LATER, send=False)
    for each in with_members(runs):
        carry_out(each)
    assert [run.recipe_hash for run in runs] == [tried.recipe_hash] * 2
    assert not set(runs[0].members.all()) & set(runs[1].members.all())
    mixed = [*runs[0].members.order_by("pk")[:2], *runs[1].members.order_by("pk")[2:]]
    with pytest.raises(Refused, match="number of runs"):  # a third look at the test set
        request_committee(campaign=test, by=made.manager, at=LATER, members=mixed, rule="median")
    measured(request_test(cycle=cycle, by=made.manager, at=LATER, send=False))
    trial = trial_of(cycle)
    assert trial is not None
    assert trial.machine == tried.annotator.model
    assert (trial.n_runs, trial.counts.answered, len(trial.rows) > 0) == (2, 48, True)
    decide_cycle(cycle=cycle, by=made.manager, at=LATER, outcome="annotate", reason="For the rest.", override=True)
    main = make_campaign(made, name="Main")
    [run] = run_frozen_machine(cycle=cycle, by=made.manager, at=LATER, campaign=main, send=False)
    for each in with_members([run]):
        carry_out(each)
    run.refresh_from_db()
    assert run.state == JobState.DONE
    assert Judgment.objects.filter(assignment__annotator=run.annotator).count() == main.items.count()


def test_a_committee_counts_for_its_members_in_figures_over_everybody(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    members = [carry_out(ask(made, dev, kind="lexical", thresholds=each)[0]) for each in SCALES]
    before = read_inputs(dev)
    criterion, options = dev.criteria.get(), Options(seed=1, statistics=("accuracy", "alpha_ordinal"), pairs=False)
    alone = measure_agreement(labels_of(criterion, before)[1], options)
    carry_out(request_committee(campaign=dev, by=made.manager, at=AT, members=members, rule="median", send=False))
    together = measure_agreement(labels_of(criterion, read_inputs(dev))[1], options)
    for statistic, scope in (("accuracy", "mean"), ("alpha_ordinal", "all")):
        assert together.find(statistic, scope).estimate == alone.find(statistic, scope).estimate
    assert together.find("accuracy", "block", "GH", model="Committee of 3, median").estimate is not None
