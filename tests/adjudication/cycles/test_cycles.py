"""Anno-GPT: every step needs the one before, test labels stay sealed until a machine is frozen, test sets are fresh."""

import itertools
import math
import random
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from scipy import stats

from accounts import jobs
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.agreement.actions import request_agreement, request_vote
from adjudication.cycles.actions import (
    choose_test_set,
    decide_cycle,
    freeze_machine,
    request_test,
    run_frozen_machine,
    start_cycle,
)
from adjudication.cycles.reads.cycles import count_tests
from adjudication.cycles.reads.trials import Trial, fetch_trial
from adjudication.cycles.reads.tuning import dev_table
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from annotation.assignment.actions.annotators import add_name
from annotation.assignment.actions.assignments import assign_items
from annotation.campaigns.actions.campaigns import delete_campaign, open_campaign, update_campaign
from annotation.campaigns.actions.items import build_items
from annotation.campaigns.reads.overrides import overrides_in
from annotation.machines.actions.machines import request_machine_runs
from annotation.machines.actions.recipes import Wish
from annotation.models import AnnoCycle, Campaign, Judgment, MachineKind
from tests.factories.annotation import AT, Material, annotator, give_labels, make_campaign, make_material
from tests.factories.machines import ask, carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LATER = AT + timedelta(days=1)
NAMES = ("ana", "ben", "cai")


@pytest.fixture
def made() -> Material:
    return make_material(topics=4, documents=12)


def judged(made: Material, name: str, split: str, *, sample: int = 24, at: Any = AT, labels: bool = True) -> Campaign:
    """An open held-out campaign that three people have judged, each in a way of their own."""
    campaign = make_campaign(made, name=name, split=split, overlap=3, items=False)
    build_items(campaign=campaign, by=made.manager, at=AT, sample=sample, stratified=True)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    for place, judge in enumerate(NAMES if labels else ()):
        person = annotator(campaign, judge)
        give_labels(person, [(number + (number % 5 == place)) % 3 for number in range(sample)], at=at)
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


def trial_of(cycle: AnnoCycle) -> Trial | None:
    cycle = AnnoCycle.objects.select_related("dev", "test").get(pk=cycle.pk)
    return fetch_trial(cycle, count_tests(cycle))


def test_the_whole_way_to_annotating_everything(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev)
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=LATER)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    with pytest.raises(Refused, match="Freeze a machine"):
        run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test)
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    assert (cycle.frozen_hash, cycle.frozen_source, cycle.seen_before) == (key, "lexical", 0)
    with pytest.raises(Refused, match="0 of 2 times"):
        request_test(cycle=cycle, by=by, at=LATER)
    runs = run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test, send=False)
    assert [run.run_number for run in runs] == [1, 2]
    with pytest.raises(Refused, match="still at work"):
        request_test(cycle=cycle, by=by, at=LATER)
    for run in runs:
        carry_out(run)
    jobs.carry_out(request_vote(campaign=test, by=by, at=LATER, send=False))
    with pytest.raises(Refused, match="missing or older"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="It looks good.")
    computed = request_test(cycle=cycle, by=by, at=LATER, send=False)
    assert computed.parameters["margin"] == 0.1
    jobs.carry_out(computed)
    trial = trial_of(cycle)
    assert trial is not None
    assert trial.is_current
    assert [row.label for row in trial.rows] == ["Macro F1", "Agreement", "Spearman’s ρ"]
    assert all(row.people and row.machine and row.outcome for row in trial.rows)
    assert trial.rows[1].verdict is not None
    main = make_campaign(made)
    with pytest.raises(Refused, match="after the decision"):
        run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=main)
    assert not trial.is_passed
    with pytest.raises(Refused, match="±10 points, as fixed before the cycle, is not shown for Macro F1"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="It looks good.")
    cycle = decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason=" No time. ", override=True)
    assert (cycle.reason, len(cycle.evidence), cycle.test_passed) == ("No time.", 3, False)
    assert cycle.is_override
    (whole,) = run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=main, send=False)
    assert carry_out(whole).recipe_hash == key
    assert whole.replies.count() == main.items.count() == 96
    with pytest.raises(Conflict, match="was decided"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="stop", reason="No.")


def test_the_dev_table_has_people_and_each_machine_best_first(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    tuned(made, dev)
    tuned(made, dev, thresholds=(0.01, 0.02))
    add_name(campaign=dev, name="elsewhere", kind="machine", by=None, at=AT)
    table = dev_table(dev, "relevance")
    assert table.people.are_enough
    assert len(table.among_people) == len(table.columns) == 4
    assert [one.source for one in table.candidates] == ["lexical", "lexical", "imported"]
    first, second = (one.figures[0].points["value"] for one in table.candidates[:2])
    assert first >= second
    assert table.candidates[2].figures == []


def test_test_labels_are_sealed_until_a_machine_is_frozen(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    test = judged(made, "Test", "test", at=LATER + timedelta(hours=1))
    request_agreement(campaign=test, by=by, at=LATER, send=False)  # nothing is sealed before a cycle begins
    cycle = began(made, dev)
    key = tuned(made, dev)
    pages = [f"/c/teas/campaigns/test/{end}/" for end in ("agreement", "disagreements", "adjudication")]
    pages += [f"/c/teas/campaigns/test/agreement/{end}/" for end in ("report", "sample-size")]
    api = [f"/api/collections/teas/campaigns/test/{end}/" for end in ("judgments", "agreement", "votes", "verdicts")]
    downloads = ["/c/teas/exports/judgments/?campaign=test", "/api/collections/teas/exports/judgments/?campaign=test"]
    for role in ("mia", "ada", "vic"):
        client = Client()
        client.force_login(made.people[role])
        for address in [*pages, *api, *downloads]:
            assert client.get(address).status_code == 403, address
        assert client.get("/c/teas/").status_code == 200
    ana = Client()
    ana.force_login(made.people["ana"])
    assert ana.get(api[0]).json()["results"]  # her own labels stay hers
    for asked in (
        lambda: request_agreement(campaign=test, by=None, at=LATER, send=False),
        lambda: request_vote(campaign=test, by=by, at=LATER, send=False),
        lambda: open_export(make_options(made.collection, "judgments", campaign="test")),
    ):
        with pytest.raises(NotAllowed, match="sealed until Anno-GPT cycle 1"):
            asked()
    with pytest.raises(Refused, match="has not frozen its machine"):
        ask(made, test, kind="lexical")
    freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    client.force_login(by)
    assert [client.get(address).status_code for address in [*pages[:2], *api]] == [200] * 6


@pytest.mark.parametrize(
    "command",
    [["agreement", "test"], ["adjudicate", "test"], ["sample_size", "test"], ["evaluate", "--gold", "campaign:test"]],
)
def test_no_command_reads_sealed_labels(made: Material, command: list[str]) -> None:
    began(made, judged(made, "Dev", "dev", sample=8))
    judged(made, "Test", "test", sample=8, at=LATER)
    name, *options = command
    with pytest.raises(CommandError, match="are sealed until Anno-GPT cycle 1"):
        call_command(name, "teas", *options, stderr=StringIO())


def test_of_a_sealed_campaign_no_line_is_explained_and_of_others_each(made: Material, client: Client) -> None:
    dev = judged(made, "Dev", "dev", sample=8)
    test = judged(made, "Test", "test", sample=8, at=LATER)
    began(made, dev)
    client.force_login(made.manager)
    pairs = [
        {"topic": item.topic.number, "docno": item.document.docno}
        for item in (one.items.select_related("topic", "document").first() for one in (dev, test))
        if item
    ]
    withheld = "Lines of the test campaign Test are withheld until Anno-GPT cycle 1 freezes its machine."
    others = client.get("/api/collections/teas/lines/", pairs[0]).json()
    assert {line["campaign"] for line in others["lines"]} == {"dev"}
    assert others["withheld"] == [withheld]
    assert client.get("/api/collections/teas/lines/", pairs[1]).status_code == 422
    for pair, shown in zip(pairs, ("Annotator", "can be explained"), strict=True):
        page = client.get("/c/teas/releases/lines/", pair).content.decode()
        assert withheld in page
        assert shown in page
    out = StringIO()
    call_command("explain", "teas", *pairs[0].values(), stderr=out)
    assert withheld in out.getvalue()


def test_the_seal_is_not_broken_by_guesses_or_detours(made: Material, tmp_path: Any) -> None:
    """An import does not reveal whether it guessed a sealed label; a judged test set does not become another split."""
    began(made, judged(made, "Dev", "dev"))
    test = judged(made, "Test", "test", at=LATER)
    label = Judgment.objects.filter(assignment__item__campaign=test).select_related("assignment__item__topic").first()
    assert label is not None
    item, refusals = label.assignment.item, []
    for guess in range(3):
        path = tmp_path / "guess.csv"
        row = [label.assignment.annotator.name, item.topic.number, item.aspect.text, item.document.docno, guess]
        path.write_text("annotator,topic,aspect,docno,value\n" + ",".join(map(str, row)) + "\n", "utf-8")
        out = StringIO()
        with pytest.raises(CommandError):
            call_command("import_judgments", "teas", "test", str(path), "--dry-run", "--json", stdout=out, stderr=out)
        refusals.append(re.sub(r'"seconds": [\d.]+', "", out.getvalue()))
    assert len(set(refusals)) == 1
    assert "an import only adds labels" in refusals[0]
    Campaign.objects.filter(pk=test.pk).update(state="draft")  # as one whose labels were imported before it opened
    with pytest.raises(Refused, match="no judged campaign becomes a test set or stops being one"):
        update_campaign(campaign=test, by=made.manager, at=LATER, split="main")


def test_only_the_frozen_machine_runs_on_the_test_set(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev)
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=LATER)
    freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    with pytest.raises(Refused, match="has frozen another machine"):
        ask(made, test, kind="lexical", thresholds=(0.1, 0.2))
    wish = Wish(kind=MachineKind.LEXICAL)
    assert request_machine_runs(campaign=test, by=by, at=LATER, wish=wish, send=False)[0].recipe_hash == key
    with pytest.raises(Conflict, match="frozen already"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key="another")


def test_a_new_cycle_needs_a_fresh_test_set_and_counts_the_tests(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    first = began(made, dev, runs=1)
    key = tuned(made, dev)
    test = judged(made, "Test", "test", at=LATER)
    choose_test_set(cycle=first, by=by, at=LATER, test=test)
    with pytest.raises(Conflict, match="open already"):
        began(made, dev)
    freeze_machine(cycle=first, by=by, at=LATER, key=key)
    carry_out(run_frozen_machine(cycle=first, by=by, at=LATER, campaign=test, send=False)[0])
    jobs.carry_out(request_test(cycle=first, by=by, at=LATER, send=False))
    decide_cycle(cycle=first, by=by, at=LATER, outcome="again", reason="Not yet.")
    second = began(made, dev, runs=1)
    with pytest.raises(Refused, match="needs a fresh test set"):
        choose_test_set(cycle=second, by=by, at=LATER, test=test)
    with pytest.raises(IntegrityError), transaction.atomic():  # the database holds it too
        AnnoCycle.objects.filter(pk=second.pk).update(test=test, test_chosen_at=LATER)
    fresh = judged(made, "Fresh", "test", at=LATER)
    shared = fresh.items.filter(aspect__in=test.items.values("aspect"), document__in=test.items.values("document"))
    pairs = {(item.aspect_id, item.document_id) for item in shared}
    assert not pairs & {(item.aspect_id, item.document_id) for item in test.items.all()}
    choose_test_set(cycle=second, by=by, at=LATER, test=fresh)
    assert count_tests(AnnoCycle.objects.get(pk=second.pk)) == 2
    client = Client()
    client.force_login(by)
    text = client.get("/c/teas/anno-gpt/2/").content.decode()
    assert "This is test number 2" in text
    assert "test set of an earlier cycle" in text


def test_labels_that_could_be_seen_are_reported_or_refused(made: Material) -> None:
    by, dev = made.manager, judged(made, "Dev", "dev")
    old = judged(made, "Old", "test", at=AT)
    cycle = began(made, dev, runs=1)
    key = tuned(made, dev)
    with transaction.atomic():
        assert choose_test_set(cycle=cycle, by=by, at=LATER, test=old).seen_before == 72
        transaction.set_rollback(True)
    freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    with pytest.raises(Refused, match="older than this cycle"):
        choose_test_set(cycle=cycle, by=by, at=LATER, test=old)


def test_what_does_not_fit_is_refused(made: Material) -> None:
    by = made.manager
    dev = judged(made, "Dev", "dev", labels=False)
    main = make_campaign(made)
    with pytest.raises(Refused, match="development campaign"):
        began(made, main)
    with pytest.raises(Refused, match="no criterion"):
        start_cycle(collection=made.collection, by=by, at=LATER, dev=dev, criterion="novelty")
    for wrong in ({"margin": 0.0}, {"margin": 1.5}, {"runs": 0}):
        with pytest.raises(Refused):
            start_cycle(collection=made.collection, by=by, at=LATER, dev=dev, criterion="relevance", **wrong)
    cycle = began(made, dev)
    key = tuned(made, dev)
    with pytest.raises(Refused, match="People have judged nothing"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    with pytest.raises(Refused, match="is a test campaign"):
        choose_test_set(cycle=cycle, by=by, at=LATER, test=main)
    empty = make_campaign(made, name="Empty", split="test", items=False)
    with pytest.raises(Refused, match="no items yet"):
        choose_test_set(cycle=cycle, by=by, at=LATER, test=empty)
    give_labels(annotator(dev, "ana"), [1] * 24)
    with pytest.raises(Refused, match="Choose one of the machines"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key="ab" * 32)
    (waiting,) = ask(made, dev, kind="lexical", thresholds=(0.3, 0.6))
    with pytest.raises(Refused, match="still at work"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key=waiting.recipe_hash)
    with pytest.raises(Refused, match="Say why"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="stop", reason=" ")
    with pytest.raises(NotAllowed):
        decide_cycle(cycle=cycle, by=made.people["ada"], at=LATER, outcome="stop", reason="No.")


def test_campaigns_of_a_cycle_stay_in_their_split(made: Material) -> None:
    by = made.manager
    dev = make_campaign(made, name="Dev", split="dev", items=False)
    began(made, dev)
    with pytest.raises(Refused, match="serves Anno-GPT cycle 1"):
        update_campaign(campaign=dev, by=by, at=LATER, split="main")
    with pytest.raises(Refused, match="serves Anno-GPT cycle 1"):
        delete_campaign(campaign=dev, by=by, at=LATER)


def test_imported_machines_are_equal_citizens(made: Material, tmp_path: Any) -> None:
    from annotation.imports.actions import request_judgment_import

    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev, runs=1)
    test = judged(made, "Test", "test", at=LATER)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)

    def bring(campaign: Campaign) -> None:
        lines = ["annotator,topic,aspect,docno,value"]
        for number, item in enumerate(campaign.items.select_related("topic", "aspect", "document").order_by("pk")):
            value = number % 3 if number else -1  # the first could not be read
            lines.append(f"other-model,{item.topic.number},{item.aspect.text},{item.document.docno},{value}")
        path = tmp_path / f"{campaign.slug}.csv"
        path.write_text("\n".join(lines))
        job = request_judgment_import(campaign=campaign, by=by, at=LATER, files=[path], machine=True, send=False)
        jobs.carry_out(job)

    bring(dev)
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key="imported:other-model")
    assert (cycle.frozen_source, cycle.frozen_name) == ("imported", "other-model")
    with pytest.raises(Refused, match="Import its labels"):
        run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test)
    with pytest.raises(Refused, match="0 of 1 times"):
        request_test(cycle=cycle, by=by, at=LATER)
    bring(test)
    jobs.carry_out(request_test(cycle=cycle, by=by, at=LATER, send=False))
    trial = trial_of(cycle)
    assert trial is not None
    assert trial.is_current
    assert (trial.n_runs, trial.counts.answered, trial.counts.invalid) == (1, 23, 1)
    decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="Published labels hold.", override=True)
    (stated_override,) = overrides_in(test)
    assert (stated_override.machine, stated_override.annotators) == ("other-model", ("other-model",))


# --- the table of the test, computed again in the plainest way --------------------------------------------------------

Labels = dict[int, dict[int, int]]  # annotator: {item: value}


def accuracy(one: list[int], other: list[int]) -> float:
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one)


def macro_f1(one: list[int], other: list[int]) -> float:
    """Mean of the F1 of the classes that either of the two has used."""
    found = []
    for value in set(one) | set(other):
        both = sum(a == b == value for a, b in zip(one, other, strict=True))
        found.append(2 * both / (one.count(value) + other.count(value)))
    return sum(found) / len(found)


def spearman(one: list[int], other: list[int]) -> float:
    def ranks(values: list[int]) -> list[float]:
        ordered = sorted(values)
        return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]

    x, y = ranks(one), ranks(other)
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    shared = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return shared / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def difference(measure: Any, people: Labels, runs: Labels, items: list[int]) -> float:
    """Mean over the pairs of people minus mean over the pairs of a run and a person."""

    def mean(pairs: Any) -> float:
        values = [measure([a[item] for item in items], [b[item] for item in items]) for a, b in pairs]
        return float(sum(values) / len(values))

    return mean(itertools.combinations(people.values(), 2)) - mean(itertools.product(runs.values(), people.values()))


def test_the_table_of_the_test_by_plain_counting() -> None:
    """Difference, error and p to the last digit; the percentile interval as near as other resamples of topics come."""
    made = make_material(topics=24, documents=3)
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev)
    test = judged(made, "Test", "test", sample=72, at=LATER)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key=tuned(made, dev, thresholds=(0.3, 0.6)))
    for run in run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test, send=False):
        carry_out(run)
        # The baseline never wavers: its runs are distinguished, and a third of the labels is like a person's.
        for judgment in Judgment.objects.filter(assignment__annotator=run.annotator).select_related("assignment"):
            Judgment.objects.filter(pk=judgment.pk).update(value=(judgment.assignment.item_id * run.run_number) % 3)
    jobs.carry_out(request_vote(campaign=test, by=by, at=LATER, send=False))
    computed = request_test(cycle=cycle, by=by, at=LATER, send=False)
    jobs.carry_out(computed)
    computed.refresh_from_db()
    people, runs = labels_of(test, "human"), labels_of(test, "machine")
    by_topic: dict[int, list[int]] = {}
    for item, topic in test.items.values_list("pk", "topic"):
        by_topic.setdefault(topic, []).append(item)
    topics, rng = list(by_topic.values()), random.Random(5)
    items = chained(topics)
    assert (len(people), len(runs), len(items), len(topics)) == (3, 2, 72, 24)
    comparisons = {one["statistic"]: one for one in computed.detail["relevance"]["comparisons"]}
    for name, measure in (("accuracy", accuracy), ("macro_f1", macro_f1), ("spearman", spearman)):
        found = comparisons[name]["difference"]
        assert found["value"] == pytest.approx(difference(measure, people, runs, items), abs=1e-12)
        left_out = [difference(measure, people, runs, chained(t for t in topics if t is not one)) for one in topics]
        mean = sum(left_out) / 24
        error = math.sqrt(23 / 24 * sum((value - mean) ** 2 for value in left_out))
        assert found["se"] == pytest.approx(error, abs=1e-9)
        assert found["p"] == pytest.approx(2 * stats.t.sf(abs(found["value"]) / error, 23), abs=1e-9)
        drawn = (chained(rng.choices(topics, k=24)) for _ in range(400))
        resampled = sorted(difference(measure, people, runs, each) for each in drawn)
        (percentile,) = (each for each in found["alternatives"] if each["method"] == "percentile")
        assert percentile["low"] == pytest.approx(resampled[10], abs=0.03)
        assert percentile["high"] == pytest.approx(resampled[389], abs=0.03)


def chained(topics: Any) -> list[int]:
    return list(itertools.chain.from_iterable(topics))


def labels_of(campaign: Campaign, kind: str) -> Labels:
    found: Labels = {}
    rows = Judgment.objects.filter(assignment__item__campaign=campaign, assignment__annotator__kind=kind)
    for who, item, value in rows.values_list("assignment__annotator", "assignment__item", "value"):
        found.setdefault(who, {})[item] = value
    return found
