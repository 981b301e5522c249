"""Ways round the freeze of a cycle: another prompt under the same name or by other levels, and further looks."""

import pytest

from accounts.refusals import Refused
from adjudication.cycles.steps import choose_test_set, freeze_machine, run_frozen_machine
from adjudication.cycles.tuning import dev_table
from annotation.machines.recipes import MachineOptions
from annotation.machines.requests import request_machine_runs
from annotation.models import Campaign, Level, MachineKind, MachineRun
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, tuned
from tests.factories.annotation import Material
from tests.factories.machines import ask, carry_out, make_prompt, stubbed
from tests.stubs.chat import Call

pytestmark = pytest.mark.django_db


def reword_levels(campaign: Campaign) -> None:
    """As a manager may before anybody has judged."""
    Level.objects.filter(criterion__campaign=campaign).update(definition="Say 2 whenever in doubt.")


def one(call: Call) -> str:
    return "Answer: 1"


@pytest.mark.slow
def test_a_prompt_that_quotes_the_levels_is_frozen_with_their_words(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev, runs=1)
    test, fresh = judged(made, "Test", "test", at=LATER), judged(made, "Fresh", "test", at=LATER)
    reword_levels(test)
    with stubbed(one):
        run = carry_out(ask(made, dev)[0])
        freeze_machine(cycle=cycle, by=by, at=LATER, key=run.recipe_hash)
        with pytest.raises(Refused, match="words its levels differently from Dev"):
            choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
        cycle = choose_test_set(cycle=cycle, by=by, at=LATER, test=fresh)
        reword_levels(fresh)
        with pytest.raises(Refused, match="words its levels differently from Dev"):
            run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=fresh, send=False)
        with pytest.raises(Refused, match="has frozen another machine"):  # by the page of machines
            ask(made, fresh, prompt=run.prompt)
    assert MachineRun.objects.count() == 1


@pytest.mark.slow
def test_the_levels_are_looked_at_where_the_test_set_came_first(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    cycle, test = began(made, dev), judged(made, "Test", "test", at=LATER)
    reword_levels(test)
    choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)
    plain = make_prompt(made, name="Without", body="{aspect} {abstract} End with “Answer:” and a number.")
    with stubbed(one):
        quoting, free = carry_out(ask(made, dev)[0]), carry_out(ask(made, dev, prompt=plain)[0])
    assert "levels" not in free.recipe, "as it was before levels were a part of the hash"
    with pytest.raises(Refused, match="words its levels differently from Dev"):
        freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=quoting.recipe_hash)
    assert freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=free.recipe_hash).frozen_prompt == plain


@pytest.mark.slow
def test_a_newer_version_of_the_frozen_prompt_is_another_machine(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    cycle, test = began(made, dev, runs=1), judged(made, "Test", "test", at=LATER)
    with stubbed(one):
        run = carry_out(ask(made, dev)[0])
        freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=run.recipe_hash)
        cycle = choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)
        better = make_prompt(made, body="{aspect}\n{abstract}\n{levels}\nEnd with “Answer:” and a number. Be kind.")
        assert (better.name, better.version) == ("Plain", 2)
        with pytest.raises(Refused, match="has frozen another machine"):
            ask(made, test, prompt=better)
        (frozen,) = run_frozen_machine(cycle=cycle, by=made.manager, at=LATER, campaign=test, send=False)
        assert frozen.prompt == run.prompt


@pytest.mark.slow
def test_the_frozen_machine_runs_as_often_as_was_fixed_and_no_oftener(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    cycle, test = began(made, dev, runs=2), judged(made, "Test", "test", at=LATER)
    freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=tuned(made, dev))
    choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)

    def run(times: int) -> list[MachineRun]:
        options = MachineOptions(kind=MachineKind.LEXICAL, runs=times)
        return request_machine_runs(campaign=test, by=made.manager, at=LATER, options=options, send=False)

    with pytest.raises(Refused, match="a second look at the test set"):
        run(3)
    assert len(run(2)) == 2
    with pytest.raises(Refused, match="has run 2 times"):
        run(1)


def test_a_machine_without_readable_answers_is_reported_and_not_frozen(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    cycle = began(made, dev)
    machine = dev.annotators.create(name="gpt", kind="machine", created_at=LATER)
    for item in dev.items.all()[:3]:
        machine.unparsed_answers.create(item=item, criterion=dev.criteria.get(), received_at=LATER)
    (candidate,) = dev_table(dev, "relevance").candidates
    assert (candidate.source, candidate.annotators, candidate.counts.invalid) == ("imported", 1, 3)
    with pytest.raises(Refused, match="gpt has given no label yet"):
        freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=candidate.key)
