"""The example package in `tests/example_plugin`, really installed: what it brings works like ours, and can go away."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.urls import reverse

from accounts.api_schema import DescriptionGenerator
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.exporting.registry import EXPORTERS
from adjudication.models import Evaluation, ExportPrefixes, Verdict
from engines.stats.policies import TIE_POLICIES
from tests.adjudication.evaluation.evaluating import make_run
from tests.adjudication.evaluation.roads import carried_out
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # a package is built and installed first
SOURCE = Path(__file__).parents[2] / "example_plugin"
LINES = "1;d;2\n2;e;1\n"
API = "/api/collections/tea/exports/pairs/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the package."""
    work = tmp_path_factory.mktemp("plugin")
    shutil.copytree(SOURCE, work / "source", ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", str(work / "site"), str(work / "source")]
    subprocess.run(pip, check=True, env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
    return work / "site"


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(DescriptionGenerator, "cached", None)  # of a test without the package
    for registry in (EXPORTERS, TIE_POLICIES, PRESETS):
        registry.reload()
    yield
    monkeypatch.undo()
    for registry in (EXPORTERS, TIE_POLICIES, PRESETS):
        registry.reload()


@pytest.fixture
def built() -> Built:
    found = build_campaign([[2, 2], [1, 1]], people=("ana", "ben"), triples=[("1", "A", "d"), ("2", "B", "e")])
    vote(found)
    return found


@pytest.mark.slow
def test_it_works_on_page_command_and_api(built: Built, installed: None, client, tmp_path: Path) -> None:
    assert EXPORTERS.broken == []
    client.force_login(built.people["manager"])
    page = client.get(reverse("export_list", args=["tea"]), {"separator": "semicolon"}).text
    assert "Pairs with values" in page
    assert '<option value="semicolon" selected>' in page
    chosen = {"separator": "semicolon"}
    sent = client.get(reverse("export_download", args=["tea", "pairs"]), chosen)
    assert b"".join(sent.streaming_content).decode() == LINES
    assert sent["Content-Disposition"] == 'attachment; filename="tea-main.pairs.txt"'

    assert b"".join(client.get(API, chosen).streaming_content).decode() == LINES
    assert client.get(API, {"separator": "comma"}).status_code == 422
    listed = client.get("/api/collections/tea/exports/").json()
    assert {"name": "pairs", "label": "Pairs with values"} in listed
    described = json.loads(client.get("/api/schema/", HTTP_ACCEPT="application/vnd.oai.openapi+json").content)
    parameters = described["paths"]["/api/collections/{slug}/exports/{name}/"]["get"]["parameters"]
    (separator,) = [each for each in parameters if each["name"] == "separator"]
    assert set(separator["schema"]["enum"]) == {"tab", "semicolon"}

    out = tmp_path / "pairs.txt"
    call_command("export", "tea", "--format", "pairs", "--separator", "semicolon", "--out", str(out))
    assert out.read_text() == LINES


def test_its_rule_for_ties_works_on_page_command_and_api(
    installed: None, client, capsys: pytest.CaptureFixture[str]
) -> None:
    tied = build_campaign([[0, 2], [1, 1]], people=("ana", "ben"))
    client.force_login(tied.people["manager"])
    assert "mean of all votes" in client.get(reverse("adjudication_screen", args=["tea", "main"])).text
    assert "rounded half up" in client.get(reverse("statistics_help")).text
    call_command("adjudicate", "tea", "main", ties="mean", json=True)
    assert json.loads(capsys.readouterr().out)["tie_resolved"] == 1
    assert list(Verdict.objects.order_by("item_id").values_list("value", flat=True)) == [1, 1]
    votes = client.get("/api/collections/tea/campaigns/main/votes/").json()["results"]
    assert [each["ties"] for each in votes] == ["mean"]
    asked = client.post("/api/collections/tea/campaigns/main/votes/", {"ties": "mean"}, "application/json")
    assert (asked.status_code, asked.json()["ties"]) == (202, "mean")


def test_its_table_of_a_paper_works_on_page_command_and_api(
    built: Built, installed: None, client, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(built.collection, "bm25", {"1": {"d": 1.0}, "2": {"e": 1.0}})
    client.force_login(built.people["manager"])
    assert "First hits" in client.get(reverse("evaluation_create", args=["tea"])).text
    asked = {"preset": "first-hits", "runs": ["bm25"], "resamples": 1000}
    sent = client.post("/api/collections/tea/evaluations/", asked, "application/json")
    assert sent.status_code == 202, sent.content
    job = carried_out(Evaluation.objects.get())
    call_command("evaluate", "tea", "--preset", "first-hits", "--run", "bm25", "--resamples", "1000", "--json")
    assert json.loads(capsys.readouterr().out) == job.results["report"]
    assert job.results["table"]["columns"] == [["first"]]
    unknown = client.post("/api/collections/tea/evaluations/", {**asked, "preset": "x"}, "application/json")
    assert (unknown.status_code, "Unknown preset “x”. There is litsearch-3" in unknown.json()["detail"]) == (422, True)


def test_who_has_to_judge_may_not_take_it(built: Built, installed: None, client) -> None:
    client.force_login(built.people["ana"])
    assert client.get(API).status_code == 403
    assert client.get(reverse("export_download", args=["tea", "pairs"])).status_code == 403


def test_without_the_package_its_name_is_kept_and_shown(built: Built, client) -> None:
    ExportPrefixes.objects.create(collection=built.collection, campaign=built.campaign, kind="pairs", query="q")
    client.force_login(built.people["manager"])
    page = client.get(reverse("export_list", args=["tea"]))
    assert "pairs (not installed): its settings for this collection are kept." in page.text
    assert client.get(API).status_code == 422
    assert ExportPrefixes.objects.filter(kind="pairs").exists()


@pytest.mark.slow
def test_a_broken_package_is_reported_and_breaks_nothing(
    built: Built, client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "teas-1.2.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: teas\nVersion: 1.2\n")
    (folder / "entry_points.txt").write_text("[litmus.exporters]\npot = no_such_module:POT\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    EXPORTERS.reload()
    try:
        client.force_login(built.people["manager"])
        reason = "“pot” (litmus.exporters) of the package teas 1.2 cannot be used: ModuleNotFoundError"
        assert reason in client.get(reverse("export_list", args=["tea"])).text
        # The checks of the command `check --deploy`; some of the others complain of the settings of tests.
        assert any(reason in each.msg for each in run_checks(include_deployment_checks=True))
    finally:
        monkeypatch.undo()
        EXPORTERS.reload()
