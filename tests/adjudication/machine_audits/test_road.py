"""The whole road: machine labels come from a file, a sample goes to people, they answer, the figures follow."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Judgment
from tests.adjudication.machine_audits.audit_worlds import World, machine_world
from tests.factories.adjudication import build_campaign
from tests.factories.annotation import give_labels

pytestmark = pytest.mark.django_db


def run(*words: str) -> dict[str, object]:
    printed = io.StringIO()
    call_command(*words, "--json", stdout=printed, stderr=io.StringIO())
    return json.loads(printed.getvalue())


def test_from_a_file_of_machine_labels_to_corrected_figures(tmp_path: Path) -> None:
    world, said = labels_in_a_file(tmp_path / "bot.qrels")
    imported = run("import_judgments", "tea", "main", str(tmp_path / "bot.qrels"), "--annotator", "bot", "--machine")
    assert imported["created"] == 400
    drawn = run("draw_audit_sample", "tea", "main", "--size", "90", "--seed", "5")
    assert drawn["size"] == 90
    assert run("machine_audit", "tea", "main")["standing"]["judged"] == 0  # type: ignore[index]
    for judge in world.built.campaign.annotators.filter(kind="human"):
        pending = judge.assignments.filter(state="pending").order_by("position", "pk")
        give_labels(judge, [world.truth[item] for item in pending.values_list("item", flat=True)])
    shown = run("machine_audit", "tea", "main")
    assert shown["standing"]["judged"] == 90  # type: ignore[index]
    truth, machine = Counter(world.truth.values()), Counter(said)
    for grade, figure in enumerate(shown["levels"]):  # type: ignore[arg-type]
        ci = figure["corrected"]["ci"]
        assert ci["low"] <= truth[grade] / 400 <= ci["high"]
        assert figure["machine"] == pytest.approx(machine[grade] / 400)


def labels_in_a_file(path: Path) -> tuple[World, list[int]]:
    """A campaign that no machine has labelled, and a file of what one says of its items."""
    made = machine_world(topics=5, documents=80, slug="other")
    labels = Judgment.objects.filter(assignment__annotator__kind="machine").order_by("assignment__item")
    said, truth = list(labels.values_list("value", flat=True)), list(made.truth.values())
    triples = [(item.topic.number, None, item.document.docno) for item in made.built.items]
    path.write_text("".join(f"{t} 0 {d} {value}\n" for (t, _, d), value in zip(triples, said, strict=True)))
    built = build_campaign(triples=triples, overlap=1)
    return World(built, {item.pk: value for item, value in zip(built.items, truth, strict=True)}), said
