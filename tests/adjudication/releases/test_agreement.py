"""Agreement in a release: that of people, machines apart, each by name."""

import json
from pathlib import Path

import pytest

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.agreement.standing import fetch_standing
from adjudication.models import AgreementRun
from adjudication.releases.agreement import agreement_sentences
from adjudication.releases.checks import check_list
from adjudication.releases.recipe import make_recipe
from adjudication.releases.releases import request_release
from annotation.models import Judgment
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.releases.releasing import folder_of, freeze, text
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ROBOT = [("robot, run 1", "robot", 1)]
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
    settings.MEDIA_ROOT = tmp_path
    built = judged()
    run = agree(built)
    release = freeze(built)
    croissant = json.loads(text(release, "croissant.json"))
    shown = {path: text(release, path) for path in DESCRIBING}
    shown["croissant.json"] = croissant["rai:dataAnnotationAnalysis"][0] + croissant["rai:dataManipulationProtocol"]
    people = f"Among people (relevance): Agreement {printed(run, 'accuracy', 'block', 'HH')} ["
    (agreed,) = [one for one in json.loads(text(release, "manifest.json"))["files"] if "agreement" in one["path"]]
    assert agreed["about"].endswith("the scopes mean and all have machines among them.")
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
    settings.MEDIA_ROOT = tmp_path
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
    assert first.endswith(" (30 items; agreement and Cohen’s κ are means over 3 pairs).")
    assert "90 labels; " in second
    assert "machine" not in first + second


def test_items_with_one_label_are_not_counted_as_compared() -> None:
    built = judged(people=2, machines=False)
    Judgment.objects.filter(assignment__item=built.items[0]).first().delete()
    first, second = agreement_sentences(agree(built))
    assert first.endswith(" (29 items).")
    assert second.startswith("30 items, 59 labels")


def test_one_person_with_a_machine_has_no_agreement_of_people() -> None:
    first, *_ = agreement_sentences(agree(judged(people=1)))
    assert first == "Among people (relevance): undefined, fewer than two annotators have judged."


@pytest.mark.parametrize("items", [30, 6])  # of which 6 are too few for intervals
def test_a_machine_that_voted_alone_is_not_praised_for_agreeing_with_itself(items: int) -> None:
    built = build_campaign([[k % 3, k % 3, k % 2] for k in range(items)], people=("ana", "ben"), machines=ROBOT)
    vote(built, voters="machines")
    (machine,) = [one for one in agreement_sentences(agree(built)) if one.startswith("The machine robot")]
    assert "; with the verdict, on which it alone voted, Agreement 1.000" in machine


class TestStale:
    """Figures of other labels than the released ones are never printed: the check list blocks."""

    @pytest.fixture
    def built(self, settings, tmp_path: Path) -> Built:
        settings.MEDIA_ROOT = tmp_path
        found = judged(machines=False)
        agree(found)
        return found

    def test_the_check_list_blocks(self, built: Built) -> None:
        add_judge(built)
        vote(built, ties="lowest", min_votes=1)
        with pytest.raises(Refused, match=r"agreement was computed before 10 newer judgments. Compute it again"):
            freeze(built)
        agree(built)
        assert "Agreement was not computed" not in text(freeze(built), "README.md")

    def test_a_release_in_spite_of_it_prints_no_such_figure(self, built: Built) -> None:
        add_judge(built)
        release = freeze(built, force="The deadline is tonight.")
        for path in DESCRIBING:
            found = text(release, path)
            assert "Agreement is not printed: it was computed before 10 newer judgments." in found, path
            assert ", before 10 newer judgments." in found, path  # the votes too
            assert "Among people" not in found, path
        assert not (folder_of(release, anonymous=False) / "campaigns/main/agreement.jsonl").exists()
        left_out = json.loads(text(release, "manifest.json"))["left_out"]
        assert left_out["campaigns/main/agreement.jsonl"] == "Agreement was computed before 10 newer judgments."
        probability = left_out["campaigns/main/verdicts.jsonl (probability)"]
        assert probability == "The votes were counted before 10 newer judgments."
        assert '"probability"' not in text(release, "campaigns/main/verdicts.jsonl")

    def test_what_no_count_of_changes_sees_blocks_by_the_hash(self, built: Built) -> None:
        """Labels that went without a trace, and a machine that has no figures."""
        Judgment.objects.filter(assignment__item=built.items[0]).delete()
        assert not fetch_standing(built.campaign).is_stale
        found = [one.text for one in check_list(make_recipe(built.collection)) if one.blocking]
        assert "Main round: agreement was computed before other changes of labels" in " ".join(found)
        assert "ther changes of the labels came after the votes were counted" in " ".join(found)

    def test_who_only_joined_changes_nothing(self, built: Built) -> None:
        built.campaign.annotators.create(name="wanda", created_at=AT)
        assert not any(one.blocking for one in check_list(make_recipe(built.collection)))

    def test_labels_that_arrive_between_asking_and_freezing_refuse_it(self, built: Built) -> None:
        release = request_release(collection=built.collection, name="v1", by=None, at=AT, send=False)
        add_judge(built)
        jobs.carry_out(release)
        release.refresh_from_db()
        assert release.state == JobState.FAILED
        assert "has changed since the release was asked for" in release.reason
        assert "agreement was computed before 10 newer judgments" in release.reason


def add_judge(built: Built) -> None:
    """A fourth person, who says the same of everything."""
    built.annotators["wanda"] = built.campaign.annotators.create(name="wanda", created_at=AT)
    for item in built.items[:10]:
        built.label(item, "wanda", 0)
