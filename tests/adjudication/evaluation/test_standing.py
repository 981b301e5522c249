"""Stored evaluations whose gold, runs or topics have changed since: every page, file and answer says so."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Reason
from adjudication.evaluation.golds import kind, verdicts
from adjudication.evaluation.golds.registry import read_gold
from adjudication.evaluation.presets.standing import CHOOSE_AGAIN, NOT_AGAIN, UNKNOWN, why_stale
from adjudication.evaluation.requests import request_evaluation
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.exporting.exporter import Finding
from adjudication.labels import staleness
from adjudication.models import Evaluation, Verdict
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Judgment
from corpus.models import PoolEntry, Topic
from tests.adjudication.evaluation.evaluating import make_run
from tests.adjudication.evaluation.roads import carried_out
from tests.adjudication.releases.releasing import folder_of, freeze, text
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db

UNREADABLE = "The gold cannot be read now: 1 newer judgment came after the votes were counted. Count again."
GOLD = "Measured before the gold changed."
SKIP = {"gold": "campaign:main;unresolved=skip"}


def measured(built: Built, *runs: str, gold: str = "campaign:main", **more: object) -> Evaluation:
    spec = EvaluationSpec(gold, runs or ("good", "half"), measures=("AP",), resamples=1000, **more)  # type: ignore[arg-type]
    wanted = {"collection": built.collection, "by": None, "at": AT, "send": False}
    job = carried_out(request_evaluation(spec=spec, **wanted))  # type: ignore[arg-type]
    assert why_stale(job) == ""
    return job


def decide(built: Built) -> None:
    """Another value for one item."""
    verdict = Verdict.objects.filter(item=built.items[0]).get()
    value = ((verdict.value or 0) + 1) % 3
    decide_verdict(verdict=verdict, value=value, by=built.people["adjudicator"], at=AT, comment="Read again.")


def label(built: Built) -> None:
    """A label that no count of votes has read."""
    built.annotators["dee"] = built.campaign.annotators.create(name="dee", created_at=AT)
    built.label(built.items[0], "dee", 0)


def replace_run(built: Built) -> None:
    built.collection.retrieval_runs.get(name="half").delete()
    make_run(built.collection, "half", {"1": {"d1": 2.0, "d2": 1.0}})


def rename_sources(built: Built) -> None:
    Topic.objects.filter(collection=built.collection, number="1").update(source="author")


def pool(built: Built) -> None:
    PoolEntry.objects.create(topic=built.items[0].topic, document=built.items[0].document)


@pytest.mark.parametrize(
    ("change", "more", "sentence"),
    [
        (decide, {}, GOLD),
        (label, {}, f"{NOT_AGAIN} {UNREADABLE}"),
        (label, SKIP, "Measured before the remarks on the gold changed."),
        (label, {"gold": "annotator:ana"}, ""),
        (replace_run, {}, "Measured before the runs changed."),
        (rename_sources, {}, ""),
        (rename_sources, {"by": ("source",)}, "Measured before the attributes of topics changed."),
        (pool, {}, ""),
        (pool, {"random": True}, "Measured before the pools changed."),
    ],
)
def test_what_has_changed_is_named(
    built: Built, change: Callable[[Built], None], more: dict[str, object], sentence: str
) -> None:
    job = measured(built, **more)
    change(built)
    assert why_stale(job) == sentence


@pytest.mark.parametrize("more", [SKIP, {"gold": "annotator:ana"}, {"gold": "campaign:main", "preset": "doris-1"}])
def test_other_words_for_the_same_make_nothing_stale(
    built: Built, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
) -> None:
    """As another version may have them: every sentence about the gold is another one."""
    label(built)
    job = measured(built, **more)
    before = read_gold(built.collection, SKIP["gold"]).notes
    fact = property(lambda self: f"In other words: {self.count} of {self.code}.", lambda *_: None)
    monkeypatch.setattr(Finding, "fact", fact, raising=False)
    monkeypatch.setattr(staleness, "newer_judgments", lambda count: f"{count} labels of later" if count else "")
    monkeypatch.setattr(verdicts, "UNJUDGED", ("Documents without a judgment are not relevant.",))
    monkeypatch.setattr(kind, "_threshold", lambda _: ["Some grades are relevant."])
    assert not set(before) & set(read_gold(built.collection, SKIP["gold"]).notes)
    assert why_stale(job) == ""


def test_a_hash_of_words_that_a_development_version_stored_says_nothing(built: Built) -> None:
    job = measured(built, **SKIP)
    del job.results["inputs"]["facts"]
    job.results["inputs"]["remarks"] = "of other words"
    assert why_stale(job) == ""
    decide(built)
    assert why_stale(job) == GOLD


def test_a_table_about_labels_is_stale_by_them(built: Built) -> None:
    job = measured(built, preset="doris-1")
    Judgment.objects.filter(assignment__item=built.items[0], assignment__annotator__name="ana").delete()
    assert why_stale(job) == "Measured before what the table is about changed."


def test_of_a_file_s_gold_nothing_is_known_but_of_the_runs(built: Built, tmp_path: Path) -> None:
    path = tmp_path / "own.qrels"
    path.write_text("1 0 d1 1\n2 0 d2 1\n")
    call_command("evaluate", "tea", "--gold", f"qrels:{path}", "--run", "half", "--measure", "AP", verbosity=0)
    job = Evaluation.objects.latest("pk")
    decide(built)
    assert why_stale(job) == ""
    replace_run(built)
    assert why_stale(job) == "Measured before the runs changed."


def test_figures_of_an_earlier_version_say_that_nothing_is_known(built: Built) -> None:
    job = measured(built)
    del job.results["inputs"]
    assert why_stale(job) == UNKNOWN


@pytest.mark.parametrize("is_of_earlier_version", [False, True])
def test_what_cannot_be_measured_again_leads_to_another_choice(
    built: Built, client: Client, is_of_earlier_version: bool
) -> None:
    job = measured(built)
    if is_of_earlier_version:
        del job.results["inputs"]
        job.save()
    label(built)
    reason = why_stale(job)
    assert isinstance(reason, Reason)
    assert reason.remedy
    assert reason == f"{NOT_AGAIN} {UNREADABLE}"
    assert reason.remedy.label == CHOOSE_AGAIN
    client.force_login(built.people["manager"])
    pages = ("evaluation_detail", "evaluation_topics", "evaluation_matrix", "run", "topic")
    for address in map(addresses(job).get, pages):
        page = client.get(address).text
        assert CHOOSE_AGAIN in page
        assert "Evaluate again" not in page
        assert page.count("Count again.") == 1
    built.collection.retrieval_runs.filter(name="half").delete()
    assert why_stale(job) == f"{NOT_AGAIN} The run “half” is no longer there. {UNREADABLE}"


def addresses(job: Evaluation) -> dict[str, str]:
    where = ["tea", job.pk]
    pages = {name: reverse(name, args=where) for name in ("evaluation_detail", "evaluation_topics")}
    pages |= {"evaluation_matrix": reverse("evaluation_matrix", args=where)}
    pages |= {"run": reverse("evaluation_run", args=where) + "?run=good"}
    pages |= {"topic": reverse("evaluation_topic", args=where) + "?topic=1"}
    files = {form: reverse("evaluation_table", args=[*where, form]) for form in ("csv", "md", "tex", "figures")}
    files |= {f"pairs.{form}": reverse("evaluation_matrix_file", args=[*where, form]) for form in ("csv", "md", "tex")}
    return pages | files | {"rest": f"/api/collections/tea/evaluations/{job.pk}/"}


@pytest.mark.slow
def test_every_page_file_and_answer_says_so_and_a_release_leaves_them_out(
    built: Built, client: Client, settings, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    client.force_login(built.people["manager"])
    job = measured(built)
    found = {name: client.get(address).content.decode() for name, address in addresses(job).items()}
    assert not [name for name, content in found.items() if GOLD in content]
    assert json.loads(found["rest"])["stale"] == ""
    force = "Only to try it."
    assert len(json.loads(text(freeze(built, "v1", force), "evaluations.json"))) == 1
    decide(built)
    found = {name: client.get(address).content.decode() for name, address in addresses(job).items()}
    assert not [name for name, content in found.items() if GOLD not in content]
    for name in ("csv", "figures", "pairs.csv"):
        assert {row["stale"] for row in csv.DictReader(io.StringIO(found[name]))} == {GOLD}, name
    assert json.loads(found["rest"])["stale"] == GOLD
    svg = client.get(reverse("evaluation_plot", args=["tea", job.pk, "svg"]))
    assert svg.status_code == 200
    release = freeze(built, "v2", force)
    assert not (folder_of(release, anonymous=False) / "evaluations.json").exists()
    assert json.loads(text(release, "manifest.json"))["left_out"][f"evaluations.json ({job.label})"] == GOLD
    vote(built)
    assert why_stale(job) == GOLD, "a decision by hand stands whatever is counted"
