"""Anno-GPT's gate: a test as it was fixed before the cycle, or an override that goes with the machine's labels."""

import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from accounts import jobs
from accounts.models import AuditEvent
from accounts.refusals import Refused
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.cycles.steps import (
    choose_test_set,
    decide_cycle,
    freeze_machine,
    request_test,
    run_frozen_machine,
    start_cycle,
)
from adjudication.exporting.findings import find
from adjudication.exporting.options import make_options
from annotation.campaigns.overrides import overrides_in
from annotation.imports.operations import IMPORT_JUDGMENTS
from annotation.models import AnnoCycle, Campaign, Judgment
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, measured, trial_of, tuned
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.machines import ask, carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

REASON = "The deadline is tomorrow."
OVERRIDE = "without a passed test. Anno-GPT cycle 1 asked for equivalence within ±5 points."


def test_only_figures_as_fixed_before_the_cycle_pass_the_test() -> None:
    made = make_material(topics=24, documents=3)
    by, dev = made.manager, judged(made, "Dev", "dev", sample=12)
    wanted = {"dev": dev, "criterion": "relevance", "margin": 0.6}
    cycle = start_cycle(collection=made.collection, by=by, at=LATER, **wanted)
    test = judged(made, "Test", "test", sample=48, at=LATER)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    key = tuned(made, dev, thresholds=(0.3, 0.6))
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key=key)
    for run in run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test, send=False):
        carry_out(run)
        for judgment in Judgment.objects.filter(assignment__annotator=run.annotator).select_related("assignment"):
            value = (judgment.assignment.item_id * run.run_number) % 3  # a third is like a person's
            Judgment.objects.filter(pk=judgment.pk).update(value=value)
    for other in (
        {"margin": 0.9},
        {"margin": 0.6, "seed": 7},
        {"margin": 0.6, "cluster": "item"},
        {"margin": 0.6, "resamples": 2000},
    ):
        jobs.carry_out(request_agreement(campaign=test, by=by, at=LATER, send=False, **other))
        trial = trial_of(cycle)
        assert trial is not None
        assert (trial.agreement, trial.is_passed) == (None, False), other
    measured(request_test(cycle=cycle, by=by, at=LATER, send=False))
    trial = trial_of(cycle)
    assert trial is not None
    assert [row.outcome for row in trial.rows] == [
        "equivalent within ±60.0 pp",
        "equivalent within ±60.0 pp",
        "equivalent within ±0.600",
    ]
    assert trial.is_passed
    main = make_campaign(made)
    with pytest.raises(Refused, match="has not decided about it yet"):  # by the page of machines
        ask(made, main, kind="lexical", thresholds=(0.3, 0.6))
    page = client_of(made).get("/c/teas/anno-gpt/1/").content.decode()
    assert "The test is passed" in page
    assert "Override the test" not in page
    cycle = decide_cycle(cycle=cycle, by=by, at=LATER, outcome="annotate", reason="It holds.", override=True)
    assert (cycle.test_passed, cycle.is_override) == (True, False)
    assert overrides_in(test) == []
    assert not AuditEvent.objects.filter(verb="override_test").exists()


def client_of(made: Material, person: str = "mia") -> Client:
    client = Client()
    client.force_login(made.people[person])
    return client


@pytest.fixture
def made() -> Material:
    return make_material(topics=4, documents=3)


def overridden(made: Material) -> Campaign:
    """A machine whose test was overridden has judged the main round, as three people have; all of them vote."""
    dev, test = (
        make_campaign(made, name=name, split=split, items=False) for name, split in (("Dev", "dev"), ("T", "test"))
    )
    main = judged(made, "Main round", "main")
    run = carry_out(ask(made, main, kind="lexical")[0])
    AnnoCycle.objects.create(
        collection=made.collection,
        number=1,
        criterion="relevance",
        dev=dev,
        test=test,
        test_chosen_at=AT,
        margin=0.05,
        created_by=made.manager,
        created_at=AT,
        frozen_source="lexical",
        frozen_name=run.annotator.model,
        frozen_hash=run.recipe_hash,
        frozen_at=AT,
        outcome="annotate",
        is_override=True,
        test_passed=False,
        reason=REASON,
        evidence=[{"label": "Macro F1", "people": "73.3%", "machine": "30.0%", "outcome": "nothing can be said"}],
        decided_by=made.manager,
        decided_at=LATER,
    )
    jobs.carry_out(request_agreement(campaign=main, by=made.manager, at=LATER, send=False))
    jobs.carry_out(request_vote(campaign=main, by=made.manager, at=LATER, voters="all", ties="median", send=False))
    return main


def test_an_override_is_printed_wherever_the_labels_are_used(made: Material, tmp_path: Path) -> None:
    main = overridden(made)
    run = main.machine_runs.get()
    there = f"/c/teas/campaigns/{main.slug}/"
    api = f"/api/collections/teas/campaigns/{main.slug}/"
    addresses = [there + end for end in ("", "agreement/", "agreement/report/", "disagreements/", "judgments/")]
    addresses += [there + end for end in ("adjudication/", "relevance/", "machines/", f"machines/{run.pk}/")]
    addresses += [f"{there}agreement/report/table.{form}" for form in ("md", "tex", "csv")]
    addresses += [f"{there}agreement/runs/{main.agreement_runs.get().pk}/figures/"]
    addresses += [api + end for end in ("agreement/", "votes/", "machine-runs/", f"machine-runs/{run.pk}/")]
    addresses += [
        f"{api}relevance/{made.collection.topics.first().number}/",
        "/c/teas/exports/?campaign=main-round",
    ]
    client = client_of(made)
    assert "machine without a passed test" in client.get("/c/teas/").text
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        text = answer.content.decode()
        if address.endswith(".tex"):
            text = text.replace("$\\pm$", "±")
        assert OVERRIDE in text, address
        assert REASON in text, address
    rows = [client.get(api + end).json() for end in ("verdicts/", "judgments/", "relevance/")]
    verdicts, judgments, topics = (found["results"] if isinstance(found, dict) else found for found in rows)
    assert {tuple(row["overridden_cycles"]) for row in [*verdicts, *topics]} == {(1,)}
    assert {(row["machine"], *row["overridden_cycles"]) for row in judgments} == {(False,), (True, 1)}
    for kind in ("qrels", "verdicts", "judgments", "beir", "diversity"):
        assert "machine_override" in codes(made, kind), kind
        with zipfile.ZipFile(
            io.BytesIO(b"".join(client.get(f"/c/teas/exports/{kind}/?campaign=main-round")))
        ) as archive:
            manifest = json.loads(archive.read("manifest.json"))
        assert OVERRIDE in manifest["machine_overrides"][0], kind
        assert [each["name"] for each in manifest["files"]] == archive.namelist()[:-1]
    assert "machine_override" in codes(made, "qrels", annotators=True)
    call_command(
        "export", "teas", "--format", "qrels", "--campaign", main.slug, "--out", str(tmp_path / "q"), stderr=StringIO()
    )
    assert {path.name for path in tmp_path.iterdir()} == {"q", "q.manifest.json"}
    assert (tmp_path / "q").read_text().count("\n") == 12
    with pytest.raises(CommandError, match="a manifest goes with it"):
        call_command(
            "export", "teas", "--format", "qrels", "--campaign", main.slug, stdout=StringIO(), stderr=StringIO()
        )
    assert "Macro F1: 30.0% with people, 73.3% among people; nothing can be said." in overrides_in(main)[0].text
    for name in ("agreement", "adjudicate"):
        out, errors = StringIO(), StringIO()
        more = ["--voters", "all"] if name == "adjudicate" else ["--resamples", "1000", "--no-figures"]
        call_command(name, "teas", main.slug, *more, "--json", stdout=out, stderr=errors)
        assert json.loads(out.getvalue())["machine_overrides"][0]["reason"] == REASON
        assert REASON in errors.getvalue()


def test_another_recipe_or_name_does_not_escape_the_override(made: Material, tmp_path: Path) -> None:
    main = overridden(made)
    ask(made, main, kind="lexical")  # the machine itself may run again
    with pytest.raises(Refused, match="no cycle has frozen this machine"):
        ask(made, main, kind="lexical", thresholds=(0.31, 0.6))
    item = main.items.select_related("topic", "aspect", "document").first()
    assert item is not None
    path = tmp_path / "labels.csv"
    row = ",".join(str(part) for part in (item.topic.number, item.aspect.text, item.document.docno, 1))
    path.write_text(f"annotator,topic,aspect,docno,value\nanother-name,{row}\n")
    for criterion, created in (("relevance", 0), ("novelty", 1)):  # of another criterion, no cycle has decided
        main.criteria.update(key=criterion)
        job = IMPORT_JUDGMENTS.request(campaign=main, by=made.manager, at=LATER, files=[path], machine=True, send=False)
        jobs.carry_out(job)
        job.refresh_from_db()
        assert job.created == created, job.errors
        assert ("no cycle has frozen this machine" in str(job.errors)) == (not created)


def codes(made: Material, kind: str, **more: Any) -> list[str]:
    return [each.code for each in find(make_options(made.collection, kind, campaign="main-round", **more))]


def test_verdicts_of_people_alone_need_no_word_about_the_machine(made: Material) -> None:
    main = overridden(made)
    jobs.carry_out(request_vote(campaign=main, by=made.manager, at=LATER, send=False))
    assert "machine_override" not in codes(made, "qrels")
    assert "machine_override" in codes(made, "judgments")


def test_overriding_takes_a_tick_a_reason_and_a_manager_and_is_in_the_audit(made: Material) -> None:
    dev = judged(made, "Dev", "dev", sample=8)
    cycle = began(made, dev, runs=1)
    test = judged(made, "Test", "test", sample=8, at=LATER)
    choose_test_set(cycle=cycle, by=made.manager, at=LATER, test=test)
    freeze_machine(cycle=cycle, by=made.manager, at=LATER, key=tuned(made, dev))
    (run,) = run_frozen_machine(cycle=cycle, by=made.manager, at=LATER, campaign=test, send=False)
    carry_out(run)
    measured(request_test(cycle=cycle, by=made.manager, at=LATER, send=False))
    client, address = client_of(made), "/c/teas/anno-gpt/1/"
    page = client.get(address).content.decode()
    assert "The test is not passed: equivalence within ±10 points, as fixed before the cycle" in page
    sent = {"outcome": "annotate", "reason": REASON}
    refused = client.post(f"{address}decision/", sent)
    assert refused.status_code == 422
    assert "override the test and say why" in refused.content.decode()
    assert client.post(f"{address}decision/", {**sent, "reason": "", "override": "on"}).status_code == 422
    assert client_of(made, "ada").post(f"{address}decision/", {**sent, "override": "on"}).status_code == 403
    with pytest.raises(IntegrityError), transaction.atomic():  # the database holds it too
        AnnoCycle.objects.update(outcome="annotate", reason=REASON, decided_at=LATER)
    assert client.post(f"{address}decision/", {**sent, "override": "on"}).status_code == 302
    event = AuditEvent.objects.get(verb="override_test")
    assert (event.data["reason"], event.data["cycle"], len(event.data["table"])) == (REASON, 1, 3)
    page = client.get(address).content.decode()
    assert "annotate everything, test overridden" in page
    assert "The test was not passed" in page
