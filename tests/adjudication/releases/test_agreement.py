"""Agreement in a release: that of people, machines apart, each by name."""

import json
from pathlib import Path

import pytest

from adjudication.models import AgreementRun
from adjudication.releases.reads.agreement import agreement_sentences
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.releases.releasing import freeze, text
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DESCRIBING = ("README.md", "DATASHEET.md", "REVIEWERS.md")


def judged(machines: bool = True, people: int = 3, ties: bool = True) -> Built:
    """Thirty items by people, and by two machines of which one says 0 to everything."""
    noisy = noisy_labels(30, 4) if ties else [[k % 3, k % 3, (k // 3) % 3, 1] for k in range(30)]
    labels = [row[:people] + ([0, row[3]] if machines else []) for row in noisy]
    names = [("zero, run 1", "zero", 1), ("gpt, run 1", "gpt", 1)] if machines else []
    built = build_campaign(labels, topics=10, people=("zebulon", "yolanda", "xerxes")[:people], machines=names)
    built.collection.licence = "CC BY 4.0"
    built.collection.save()
    vote(built, ties="lowest", min_votes=1)
    return built


def printed(run: AgreementRun, statistic: str, scope: str, block: str = "") -> str:
    value = run.results.get(statistic=statistic, scope=scope, block=block).value
    return f"{value:.3f}"


def test_card_datasheet_appendix_and_croissant_print_people_and_machines_apart(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.TEX_PROGRAM = tmp_path, ""
    built = judged()
    run = agree(built)
    release = freeze(built)
    croissant = json.loads(text(release, "croissant.json"))
    shown = {path: text(release, path) for path in DESCRIBING}
    shown["croissant.json"] = croissant["rai:dataAnnotationAnalysis"][0] + croissant["rai:dataManipulationProtocol"]
    people = f"Among people (relevance): Agreement {printed(run, 'accuracy', 'block', 'HH')} ["
    mixed = {printed(run, "accuracy", "mean"), printed(run, "alpha_ordinal", "all")}
    apart = {printed(run, "accuracy", "block", "HH"), printed(run, "alpha_ordinal", "block", "HH")}
    assert not mixed & apart
    for path, found in shown.items():
        assert people in found, path
        assert printed(run, "alpha_ordinal", "block", "HH") in found, path
        assert "The machine gpt (relevance): with people Agreement " in found, path
        assert "The machine zero (relevance): " in found, path
        assert "90 labels of people and 60 of machines" in found, path
        assert not [value for value in mixed if value in found], path


def test_one_rule_for_ties_is_printed(settings, tmp_path: Path) -> None:
    """Nothing is tied, so a count by another rule changes no verdict, and the figures stay those of today."""
    settings.MEDIA_ROOT, settings.TEX_PROGRAM = tmp_path, ""
    built = judged(ties=False)
    agree(built)
    vote(built, ties="highest")
    release = freeze(built)
    for path in DESCRIBING:
        found = text(release, path)
        assert found.count("ties: ") == found.count("ties: highest of the tied") == 1, path


def test_people_alone_need_no_word_of_machines() -> None:
    (first, second) = agreement_sentences(agree(judged(machines=False)))
    assert first.startswith("Among people (relevance): Agreement 0.")
    assert "90 labels; " in second
    assert "machine" not in first + second


def test_one_person_with_a_machine_has_no_agreement_of_people() -> None:
    first, *_ = agreement_sentences(agree(judged(people=1)))
    assert first == "Among people (relevance): undefined, fewer than two annotators have judged."
