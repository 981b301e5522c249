"""The figures of an audit: they cover what is true of all items, follow the labels, and say what they leave out."""

import io
import json
from collections import Counter

import numpy as np
import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from adjudication.machine_audits.reading import read_people
from adjudication.machine_audits.report import find, plan_size, read_evidence
from adjudication.machine_audits.tables import elsewhere_of, rows_of, sentences_of
from adjudication.models import MachineAudit, Verdict
from adjudication.verdicts.corrections import correct_machine_label, undo_correction
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Assignment, AssignmentState, Campaign, Judgment, Strategy
from tests.adjudication.machine_audits.audit_worlds import World, machine_world
from tests.factories.corpus import make_run

pytestmark = pytest.mark.django_db


def shares(world: World) -> list[float]:
    counts = Counter(world.truth.values())
    return [counts[grade] / len(world.truth) for grade in range(3)]


def run_of(world: World, name: str, key: object, depth: int = 20) -> None:
    """A run that ranks each topic's documents by `key` of what people would say."""
    ranked: dict[str, list[str]] = {}
    items = sorted(world.built.items, key=lambda item: key(world.truth[item.pk], item.pk))  # type: ignore[operator]
    for item in items:
        ranked.setdefault(item.topic.number, []).append(item.document.docno)
    make_run(world.built.collection, name, {topic: docnos[:depth] for topic, docnos in ranked.items()})


def test_figures_correct_the_machine_and_are_no_wider_than_those_of_people_alone() -> None:
    world = machine_world()
    audit = world.audit()
    found = find(audit)
    assert found.notes == ("120 of the 120 drawn items are judged.",)
    rows = {row.name: row for row in rows_of(found)}
    assert list(rows)[:4] == [
        "Grade 0 not relevant",
        "Grade 1 partly relevant",
        "Grade 2 relevant",
        "Grade 1 or higher",
    ]
    for grade, truth in enumerate(shares(world)):
        one = list(rows.values())[grade].figure
        assert one.corrected.ci is not None
        assert one.corrected.ci.low < truth < one.corrected.ci.high
        assert one.width_ratio is not None
        assert one.width_ratio < 1.02
    assert rows["Mean grade"].figure.corrected.n_items == 120
    matrix = found.report.matrix
    assert sum(row.n_pairs for row in matrix) == 600
    assert sum(row.n_labels for row in matrix) == 120


def test_intervals_cover_what_is_true_over_seeds_and_the_planner_is_right() -> None:
    """20 samples of one collection, through the whole road; 1,000 simulations are in tests/engines."""
    world = machine_world(topics=12, documents=80, seed=5)
    truth, hits, widths = shares(world), [], []
    for seed in range(20):
        with transaction.atomic():
            audit = world.audit(150, seed=seed)
            found = find(audit).report.levels
            pilot = read_evidence(audit)
            transaction.set_rollback(True)
        bounds = [each.corrected.ci for each in found]
        hits += [ci.low <= value <= ci.high for ci, value in zip(bounds, truth, strict=True) if ci]
        widths.append(max((ci.high - ci.low) / 2 for ci in bounds if ci))
    assert len(hits) == 60
    assert np.mean(hits) >= 0.9
    needed = plan_size(pilot, float(np.mean(widths)))
    assert needed == pytest.approx(150, rel=0.2)


def test_while_people_judge_and_where_they_do_not_the_figures_say_so() -> None:
    world = machine_world()
    for item in world.built.items[:50]:
        world.built.label(item, "ana", world.truth[item.pk])
    audit = MachineAudit.objects.get(pk=world.draw().id)
    none = find(audit)
    assert none.notes[:2] == ("0 of the 120 drawn items are judged.", "Waiting for people: 120 items.")
    assert none.report.levels[0].corrected.value is None
    assert "too few labels by people" in rows_of(none)[0].corrected
    world.judge(audit, most=100)
    left = Assignment.objects.filter(state=AssignmentState.PENDING)
    for one in left[:5]:
        Assignment.objects.filter(pk=one.pk).update(state=AssignmentState.SKIPPED, slot=None)
    outside = next(item for item in world.built.items[50:] if not audit.sample.filter(item=item).exists())
    world.built.label(outside, "ana", 2)
    tied = audit.sample.filter(item__assignments__state="done", item__assignments__annotator__name="ana").first()
    assert tied is not None
    world.built.label(tied.item, "ben", (world.truth[tied.item_id] + 1) % 3)
    found = find(audit)
    assert found.evidence.standing.judged == 99
    text = " ".join(found.notes)
    assert "Waiting for people: 15 items." in text
    assert "people differ and nobody has decided: 1 item." in text
    assert "Skipped or returned: 5 items." in text
    assert "50 further items before the sample was drawn" in text
    assert "1 further item since. No figure uses these labels" in text
    assert found.report.levels[0].corrected.ci is not None


def test_labels_that_no_longer_count_or_have_changed_are_said() -> None:
    world = machine_world(topics=4, documents=40)
    for item in world.built.items[:40]:
        world.built.label(item, "ana", world.truth[item.pk])
    audit = world.audit(60)
    done = Assignment.objects.filter(state="done", item__in=world.built.items[:40])
    gone = done.filter(annotator=world.built.annotators["ana"])[:3]
    Judgment.objects.filter(assignment__in=list(gone)).delete()
    Assignment.objects.filter(pk__in=[one.pk for one in gone]).update(state="withdrawn", slot=None)
    first = audit.sample.first()
    assert first is not None
    of_machine = Judgment.objects.filter(assignment__annotator=audit.machine, assignment__item=first.item_id)
    of_machine.update(value=(first.value + 1) % 3)
    text = " ".join(find(audit).notes)
    assert "40 further items before the sample was drawn" in text
    assert "3 of these labels no longer count. The others stand for them." in text
    assert "The machine's label of 1 drawn item has changed since." in text


def test_a_decision_counts_but_not_one_that_was_made_in_sight_of_the_machine() -> None:
    world = machine_world(topics=2, documents=40)
    audit = MachineAudit.objects.get(pk=world.draw(30).id)
    world.judge(audit, most=10)
    manager = world.built.people["manager"]
    judged, waiting = (audit.sample.filter(item__assignments__state=state) for state in ("done", "pending"))
    bot = Judgment.objects.filter(assignment__annotator__kind="machine")
    done = judged.filter(item__assignments__annotator__kind="human", item__assignments__state="done")[0].item_id
    for item in (done, waiting[0].item_id):
        label = bot.get(assignment__item=item)
        value = (world.truth[item] + 1) % 3
        correct_machine_label(campaign=world.built.campaign, label=label.pk, value=value, by=manager, at=timezone.now())
    items, values, _ = read_people(world.built.criterion)
    assert dict(zip(items.tolist(), values.tolist(), strict=True)) == {
        item: world.truth[item] for item in items.tolist()
    }
    assert read_evidence(audit).standing.judged == 10
    verdict = Verdict.objects.get(item=done)
    undo_correction(
        campaign=world.built.campaign, label=bot.get(assignment__item=done).pk, by=manager, at=timezone.now()
    )
    decide_verdict(verdict=Verdict.objects.get(pk=verdict.pk), value=2, by=manager, at=timezone.now(), comment="It is.")
    items, values, _ = read_people(world.built.criterion)
    assert dict(zip(items.tolist(), values.tolist(), strict=True))[done] == 2


def test_grades_without_an_order_have_shares_alone() -> None:
    world = machine_world(topics=4, documents=40)
    run_of(world, "best", lambda truth, _: -truth)
    world.built.criterion.scale = "nominal"
    world.built.criterion.save()
    found = find(world.audit(60))
    assert [row.name[:7] for row in rows_of(found)] == ["Grade 0", "Grade 1", "Grade 2"]
    assert [name[:7] for name, _ in elsewhere_of(found)] == ["Grade 0", "Grade 1", "Grade 2"]
    assert not found.report.measures


def test_a_plan_counts_what_people_had_labelled_before() -> None:
    """These labels add no uncertainty, so that fewer items are left to draw than without them."""
    world = machine_world(topics=6, documents=60)
    first = read_evidence(world.audit(90))
    second = read_evidence(world.audit(90, seed=9))
    assert (first.standing.taken, second.standing.taken) == (0, 90)
    assert 0 < plan_size(second, 0.04) < plan_size(first, 0.04)


def test_runs_are_measured_and_their_order_is_judged() -> None:
    world = machine_world()
    run_of(world, "best", lambda truth, _: -truth)
    run_of(world, "worst", lambda truth, _: truth)
    run_of(world, "twin", lambda truth, pk: (-truth, -pk))
    audit = world.audit(240)
    rows = {row.name: row for row in rows_of(find(audit))}
    truth = {name: true_dcg(world, name) for name in ("best", "worst", "twin")}
    for name, value in truth.items():
        ci = rows[f"DCG@10 of {name}"].figure.corrected.ci
        assert ci is not None
        assert ci.low <= value <= ci.high
    assert rows["P@10 of worst"].figure.corrected.value == pytest.approx(0, abs=0.1)
    assert rows["nDCG@10 of best"].figure.is_approximate
    by_precision, by_dcg, *_ = sentences_of(find(audit, ["best", "worst"]))
    assert by_precision.startswith("By P@10, the order best > worst that the machine's labels give holds")
    assert "holds" in by_dcg
    assert "is not decided" in sentences_of(find(audit, ["best", "twin"]))[1]


def true_dcg(world: World, name: str) -> float:
    run = world.built.collection.retrieval_runs.get(name=name)
    said = {(item.topic_id, item.document.docno): world.truth[item.pk] for item in world.built.items}
    discounts = 1 / np.log2(np.arange(2, 12))
    tops = ((ranking.topic_id, ranking.docnos[:10]) for ranking in run.rankings.all())
    return float(np.mean([discounts @ [said[topic, docno] for docno in docnos] for topic, docnos in tops]))


def test_page_file_rest_and_command_say_the_same(client: Client) -> None:
    world = machine_world()
    run_of(world, "best", lambda truth, _: -truth)
    audit = world.audit()
    client.force_login(world.built.people["viewer"])
    where = ["tea", "main", audit.pk]
    page = client.get(reverse("machine_audit_detail", args=where), {"half_width": "4"}).text
    asked = {"half_width": "4", "run": "best"}
    shown = client.get(reverse("api_machine_audit", args=where), asked).json()
    assert f"About <strong>{shown['needed']:,}</strong> judged items" in page
    first = find(audit).report.levels[0].corrected
    assert shown["levels"][0]["corrected"]["value"] == first.value
    assert f"{100 * (first.value or 0):.1f}%" in page
    assert len(shown["elsewhere"]) == 4
    assert "For topics like these" in page
    file = b"".join(client.get(reverse("machine_audit_file", args=where)).streaming_content).decode()  # type: ignore[attr-defined]
    assert f"Grade 0 not relevant,{first_machine(shown)},{first.value}" in file
    printed = io.StringIO()
    call_command("machine_audit", "tea", "main", "--half-width", "4", "--run", "best", "--json", stdout=printed)
    said = json.loads(printed.getvalue())
    assert {**said, "counted_at": ""} == {**shown, "counted_at": ""}
    assert client.get(reverse("machine_audit_detail", args=where), {"depth": "0"}).status_code == 404


def first_machine(shown: dict[str, object]) -> object:
    return shown["levels"][0]["machine"]  # type: ignore[index]


def test_while_items_wait_the_report_says_what_order_they_come_in() -> None:
    world = machine_world()
    audit = MachineAudit.objects.get(pk=world.draw().id)
    world.judge(audit, 60)

    def said() -> str:
        audit.campaign.refresh_from_db()
        return " ".join(read_evidence(audit).standing.notes)

    assert "Here people judge one question after another. Until all are judged, intervals may be too narrow" in said()
    Campaign.objects.update(strategy=Strategy.QUEUE)
    assert "too narrow" not in said()
    world.judge(audit)
    assert "too narrow" not in said()
