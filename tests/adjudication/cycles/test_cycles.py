"""Anno-GPT: every step needs the one before, test labels stay sealed until a machine is frozen, test sets are fresh."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from lxml import html

from accounts import jobs
from accounts.caches import volatile
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.cycles.cycles import count_tests
from adjudication.cycles.steps import (
    choose_test_set,
    decide_cycle,
    freeze_machine,
    request_test,
    run_frozen_machine,
    start_cycle,
)
from adjudication.cycles.trials import decided_on
from adjudication.cycles.tuning import TRIED, dev_table
from adjudication.labels.inputs import labels_of, read_inputs
from adjudication.releases.data import Writer
from adjudication.releases.folder import Folder
from adjudication.releases.people import pseudonyms
from adjudication.releases.recipe import make_recipe
from annotation.assignment.annotators import add_name
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import delete_campaign, update_campaign
from annotation.campaigns.overrides import overrides_in
from annotation.models import AnnoCycle, Annotator, Assignment, Campaign, Judgment, Submission
from engines.stats.reasons import Reason
from engines.stats.report import Options, measure_agreement
from engines.stats.results import CODE_VERSION
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, measured, trial_of, tuned
from tests.factories.annotation import AT, Material, annotator, give_labels, make_campaign
from tests.factories.machines import ask, carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_agreement_by_hand_takes_the_margin_of_the_cycle(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    assert request_agreement(campaign=dev, by=made.manager, at=LATER, send=False).parameters["margin"] is None
    cycle, key = began(made, dev), tuned(made, dev)
    asked = [request_agreement(campaign=dev, by=made.manager, at=LATER, send=False)]
    asked.append(request_agreement(campaign=dev, by=made.manager, at=LATER, send=False, margin=0.2))
    freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=key)
    test = judged(made, "Test", "test", at=LATER)
    choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)
    asked.append(request_agreement(campaign=test, by=made.manager, at=LATER, send=False))
    assert [run.parameters["margin"] for run in asked] == [0.1, 0.2, 0.1]


def test_nobody_freezes_or_decides_by_figures_that_they_may_not_see_yet(made: Material) -> None:
    """Judge first (ADR 11): the manager is among the judges of the development set and has something left there."""
    dev = judged(made, "Dev", "dev")
    cycle, key = began(made, dev), tuned(made, dev)
    own = annotator(dev, "ana")
    Annotator.objects.filter(pk=own.pk).update(user=made.manager)
    left = own.assignments.first()
    assert left is not None
    Assignment.objects.filter(pk=left.pk).update(state="pending", finished_at=None)
    steps = (
        lambda: freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=key),
        lambda: decide_cycle(cycle=cycle, by=made.manager, at=LATER, outcome="stop", reason="Enough."),
    )
    for step in steps:
        with pytest.raises(NotAllowed, match="still have items to judge in Dev"):
            step()
    Assignment.objects.filter(pk=left.pk).update(state="done", finished_at=LATER)
    for step in steps:
        step()


def evidence_of_release(cycle: AnnoCycle, tmp_path: Path) -> str:
    """What a release would say of which labels the figures of the decision are."""
    recipe = make_recipe(cycle.collection)
    writer = Writer(recipe, pseudonyms(cycle.collection, "key"), Folder(tmp_path / "unused"))
    return str(writer._cycle(cycle)["evidence_of"])


def loud_in(made: Material) -> list[str]:
    """The buttons of the cycle's page that stand out."""
    client = Client()
    client.force_login(made.manager)
    page = html.fromstring(client.get("/c/teas/anno-gpt/1/").text)
    return [each.text_content().strip() for each in page.xpath("//main//*[contains(@class, 'button primary')]")]


def test_a_cycle_offers_what_can_be_done_and_points_to_what_comes_next(made: Material) -> None:
    """One button stands out, and before the test the decision has one choice; another is refused, with the reason."""
    dev = make_campaign(made, name="Dev", split="dev", overlap=3, items=False)
    began(made, dev)
    assert loud_in(made) == ["Draw its sample"]
    build_items(campaign=dev, by=made.manager, at=AT, sample=6)
    assert loud_in(made) == ["Let a machine judge Dev"]
    client, decide = Client(), "/c/teas/anno-gpt/1/decision/"
    client.force_login(made.manager)
    assert "Cycle 1 is at step 1 of 6: people judge the development set." in client.get("/c/teas/anno-gpt/").text
    refused = client.post(decide, {"outcome": "annotate", "override": "on", "reason": "It looks good."})
    assert (refused.status_code, "are missing or older" in refused.text) == (422, True)
    for page in (refused, client.get("/c/teas/anno-gpt/1/")):
        offered = html.fromstring(page.text).xpath("//form[contains(@action, 'decision')]//input[@type!='hidden']")
        assert [each.get("value") for each in offered] == ["stop"]
        assert "before anything was tried" not in page.text
    assert client.post(decide, {"outcome": "stop", "reason": "Enough."}).status_code == 302
    assert loud_in(made) == []
    assert "at step" not in client.get("/c/teas/anno-gpt/").text


def test_the_whole_way_to_annotating_everything(made: Material, tmp_path: Path) -> None:
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
    assert loud_in(made) == ["Let the frozen machine judge the test set"]
    runs = run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test, send=False)
    assert [run.run_number for run in runs] == [1, 2]
    with pytest.raises(Refused, match="still working"):
        request_test(cycle=cycle, by=by, at=LATER)
    for run in runs:
        carry_out(run)
    jobs.carry_out(request_vote(campaign=test, by=by, at=LATER, send=False))
    with pytest.raises(Refused, match="missing or older"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="It looks good.")
    computed = request_test(cycle=cycle, by=by, at=LATER, send=False)
    assert computed.parameters["margin"] == 0.1
    measured(computed)
    trial = trial_of(cycle)
    assert trial is not None
    assert trial.is_current
    assert [row.label for row in trial.rows] == ["Macro F1", "Agreement", "Spearman’s ρ"]
    assert all(row.people and row.machine and row.outcome for row in trial.rows)
    assert trial.rows[1].verdict is not None
    with transaction.atomic():  # a label that contradicts the figures, which are no evidence then
        label = Judgment.objects.filter(assignment__item__campaign=test, assignment__annotator__kind="human").first()
        assert label is not None
        value = (label.value + 1) % 3
        answer = {"uuid": uuid4(), "assignment": label.assignment, "kind": "answer", "received_at": LATER}
        again = Submission.objects.create(**answer, answers={"relevance": value})
        Judgment.objects.filter(pk=label.pk).update(value=value, submission=again)
        assert decide_cycle(cycle=cycle, by=by, at=LATER, outcome="stop", reason="Enough.").evidence == []
        transaction.set_rollback(True)
    main = make_campaign(made)
    with pytest.raises(Refused, match="after the decision"):
        run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=main)
    assert not trial.is_passed
    with pytest.raises(Refused, match="±10 points, as fixed before the cycle, is not shown for Macro F1"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="It looks good.")
    cycle = decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason=" No time. ", override=True)
    assert (cycle.reason, len(cycle.evidence), cycle.test_passed) == ("No time.", 3, False)
    assert cycle.is_override
    cycle.decided_at = timezone.now()
    assert decided_on(cycle) == computed
    assert evidence_of_release(cycle, tmp_path) == "the labels of this release"
    with transaction.atomic():
        Judgment.objects.filter(assignment__item__campaign=test).latest("pk").delete()
        assert evidence_of_release(cycle, tmp_path) == "the labels when it was decided"
        transaction.set_rollback(True)
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


def test_figures_that_an_earlier_version_left_in_the_cache_are_computed_again(made: Material) -> None:
    dev = judged(made, "Dev", "dev")
    tuned(made, dev)
    criterion, inputs = dev.criteria.get(key="relevance"), read_inputs(dev)
    found = measure_agreement(labels_of(criterion, inputs)[1], Options(seed=1, statistics=TRIED, pairs=False))
    assert found is not None
    pairs: Any = ((("Anna", "Ben"), Reason.NO_OVERLAP),)  # as they were before they had a class
    before = replace(found, results=tuple(replace(one, excluded_pairs=pairs) for one in found.results))
    volatile.set(f"dev-figures:{CODE_VERSION}:{criterion.pk}:{dev.seed}:{inputs.digest}", before)
    assert [one.notes for one in dev_table(dev, "relevance").among_people] == [()] * 4


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
    measured(request_test(cycle=first, by=by, at=LATER, send=False))
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
    with pytest.raises(Refused, match="Nobody has judged in"):
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
    with pytest.raises(Refused, match="still working"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key=waiting.recipe_hash)
    with pytest.raises(Refused, match="still working"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key=waiting.annotator.model)
    with pytest.raises(Refused, match=f"names several machines: .*{key[:12]}.*Give more of the key"):
        freeze_machine(cycle=cycle, by=by, at=LATER, key=waiting.annotator.model[:7])
    for text in ("", "nothing"):
        with pytest.raises(Refused, match=f"Choose one of the machines .*There is .*{waiting.recipe_hash[:12]}"):
            freeze_machine(cycle=cycle, by=by, at=LATER, key=text)
    with pytest.raises(Refused, match="Say why"):
        decide_cycle(cycle=cycle, by=by, at=LATER, outcome="stop", reason=" ")
    with pytest.raises(NotAllowed):
        decide_cycle(cycle=cycle, by=made.people["ada"], at=LATER, outcome="stop", reason="No.")


def test_campaigns_of_a_cycle_stay_in_their_split(made: Material) -> None:
    by = made.manager
    dev = make_campaign(made, name="Dev", split="dev", items=False)
    began(made, dev)
    with pytest.raises(Refused, match="is used by Anno-GPT cycle 1"):
        update_campaign(campaign=dev, by=by, at=LATER, split="main")
    with pytest.raises(Refused, match="is used by Anno-GPT cycle 1"):
        delete_campaign(campaign=dev, by=by, at=LATER)


def test_imported_machines_are_equal_citizens(made: Material, tmp_path: Any) -> None:
    from annotation.imports.operations import IMPORT_JUDGMENTS

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
        job = IMPORT_JUDGMENTS.request(campaign=campaign, by=by, at=LATER, files=[path], machine=True, send=False)
        jobs.carry_out(job)

    bring(dev)
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key="imported:other-model")
    assert (cycle.frozen_source, cycle.frozen_name) == ("imported", "other-model")
    with pytest.raises(Refused, match="Import its labels"):
        run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test)
    with pytest.raises(Refused, match="0 of 1 times"):
        request_test(cycle=cycle, by=by, at=LATER)
    bring(test)
    measured(request_test(cycle=cycle, by=by, at=LATER, send=False))
    trial = trial_of(cycle)
    assert trial is not None
    assert trial.is_current
    assert (trial.n_runs, trial.counts.answered, trial.counts.invalid) == (1, 23, 1)
    decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="Published labels hold.", override=True)
    (stated_override,) = overrides_in(test)
    assert (stated_override.machine, stated_override.annotators) == ("other-model", ("other-model",))
