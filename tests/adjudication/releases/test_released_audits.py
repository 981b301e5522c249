"""Audits of machine labels in a release: in the appendix with their figures, and whole, so that a reader recomputes."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from adjudication.machine_audits.report import find
from adjudication.models import MachineAudit
from tests.adjudication.machine_audits.audit_worlds import machine_world
from tests.adjudication.releases.releasing import folder_of, freeze, text
from tests.adjudication.verdicts.test_votes import vote

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_the_appendix_says_and_the_folder_holds_what_figures_are_made_of(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    world = machine_world(topics=4, documents=40)
    for item in world.built.items[:20]:
        world.built.label(item, "ana", world.truth[item.pk])
    audit = world.audit(60)
    vote(world.built, ties="lowest", min_votes=1)
    later = MachineAudit.objects.get(pk=world.draw(30).id)
    release = freeze(world.built, force="A test.")
    level = find(audit).report.levels[0]
    shown = f"{100 * (level.corrected.value or 0):.1f}%"
    for anonymous in (False, True):
        appendix = text(release, "REVIEWERS.md", anonymous=anonymous)
        assert "## Audits of machine labels" in appendix
        assert "Labels of bot on relevance: 60 of 160 items were drawn (seed 3)" in appendix
        assert f"- Grade 0 not relevant: {shown}" in appendix
    described = json.loads(text(release, f"campaigns/main/audit-{audit.pk}.json"))
    assert (described["seed"], described["size"]) == (3, 60)
    assert described["figures"]["levels"][0]["people"]["value"] == pytest.approx(level.people.value)
    lines = [json.loads(line) for line in text(release, f"campaigns/main/audit-{audit.pk}.jsonl").splitlines()]
    assert len(lines) == 160
    assert recomputed(lines) == pytest.approx(level.people.value)
    manifest = json.loads(text(release, "manifest.json"))
    assert "still judging" in manifest["left_out"][f"campaigns/main/audit-{later.pk}.jsonl"]
    assert not (folder_of(release, anonymous=False) / f"campaigns/main/audit-{later.pk}.jsonl").exists()


def recomputed(lines: list[dict[str, object]]) -> float:
    """The share of grade 0 by people alone: what each stratum's sample says, weighted by the stratum."""
    strata = defaultdict(list)
    for line in lines:
        strata[line["stratum"]].append(line)
    total = 0.0
    for stratum, members in strata.items():
        asked = members if stratum is None else [each for each in members if each["drawn"]]
        total += len(members) * sum(each["people"] == 0 for each in asked) / len(asked)
    return total / len(lines)
