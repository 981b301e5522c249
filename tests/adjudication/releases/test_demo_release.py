"""The demo becomes a release by pages alone, and by one command. It is in the middle of its work: its main round is
being judged, so both need the reason that the release prints."""

import html
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState, User
from adjudication.models import Release, VoteRun
from adjudication.releases.checks import check_list
from adjudication.releases.recipe import make_recipe
from adjudication.releases.verifying import verify_release
from annotation.models import Submission
from corpus.models import Collection
from tests.adjudication.releases.releasing import check_croissant, check_explained, check_files, files_of
from tests.adjudication.releases.test_loaders import RetrievalLoader

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(600)]
REASON = "The main round goes on; this release is for trying it."


@pytest.fixture(scope="module")
def loaded(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the demo are, which is loaded once for both."""
    files = tmp_path_factory.mktemp("media")
    with override_settings(MEDIA_ROOT=files):
        call_command("load_demo", "--json", stdout=(said := io.StringIO()), stderr=(shown := io.StringIO()))
    printed = json.loads(said.getvalue())
    assert (printed["collection"], printed["loaded"]) == ("demo", True)
    assert all(each["email"] in shown.getvalue() for each in printed["accounts"])
    return files


@pytest.fixture
def demo(loaded: Path, db: None, settings) -> Collection:
    settings.MEDIA_ROOT = loaded
    return Collection.objects.get(slug="demo")


def check_whole(folder: Path) -> None:
    found = verify_release(folder)
    assert (found.is_ok, found.remade) == (True, True), found
    corpus, queries, qrels, _ = RetrievalLoader(folder).load()
    assert queries
    assert set(qrels) == set(queries)
    assert {docno for each in qrels.values() for docno in each} <= set(corpus)


def test_by_pages_alone(demo: Collection, client: Client, tmp_path: Path) -> None:
    client.force_login(User.objects.get(email="maria@litmus.example"))
    new = "/c/demo/releases/new/"
    shown = client.get(new)
    page = shown.content.decode()
    links = set(re.findall(r'href="(/c/demo/[^"#]*)"', page[page.index("<main") :]))
    named = {html.unescape(link) for link in links}
    groups = [*shown.context["blocking"], *shown.context["notes"]]
    assert all(len({(one.href, one.link) for one in group}) == 1 for group in groups)  # once, with one button
    checks = [one for group in groups for one in group]
    assert {one.link for one in checks if one.code == "no_verdicts"} == {"Count the votes"}
    assert {one.href for one in checks if one.href} <= named
    for address in sorted(named):
        assert client.get(address).status_code == 200, address
    for campaign in demo.campaigns.all():
        if any("No item has a value yet" in one.text and str(campaign) in one.text for one in checks):
            client.post(f"/c/demo/campaigns/{campaign.slug}/votes/", {})
            jobs.carry_out(VoteRun.objects.filter(campaign=campaign).latest("pk"))
    refused = client.post(new, {"name": "v1"})
    assert refused.status_code == 422
    left = [one for name in ("blocking", "notes") for group in refused.context[name] for one in group]
    assert not [one.text for one in left if "No item has a value yet" in one.text]
    assert {one.code for one in left if one.blocking} <= {"no_verdicts", "unresolved", "missing", "unjudged"}
    assert client.post(new, {"name": "v1", "force": REASON}).status_code == 302
    release = Release.objects.get()
    jobs.carry_out(release)
    release.refresh_from_db()
    assert release.state == JobState.DONE, release.reason
    assert REASON in client.get("/c/demo/releases/v1/").content.decode()
    archive = tmp_path / "demo.zip"
    archive.write_bytes(b"".join(client.get("/c/demo/releases/v1/archive/").streaming_content))  # type: ignore[arg-type]
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "copy")
    check_whole(tmp_path / "copy")


def test_by_one_command(demo: Collection, settings, tmp_path: Path, capsys) -> None:
    with pytest.raises(CommandError, match="not ready for release"):
        call_command("release", "demo", "v1", out=tmp_path / "out")
    call_command("release", "demo", "v1", out=tmp_path / "out", force=REASON, as_json=True)
    assert json.loads(capsys.readouterr().out)["force_reason"] == REASON
    assert demo.releases.get().requested_at <= timezone.now()
    check_whole(tmp_path / "out")
    check_files(tmp_path / "out")
    assert check_croissant(tmp_path / "out") == 15
    assert check_explained(tmp_path / "out") > 2000
    texts = {name: (tmp_path / "out" / name).read_text() for name in ("README.md", "DATASHEET.md")}
    for sentence in (
        "Litmus sent letters to 0 of them.",  # links were passed on by hand
        "1 kept question has a confirmed wording of an annotator",
        "2 left out (annotators differ: 1, begun: 1)",
        "76 documents have values on only some aspects of their topic",
        "documents are not judged on every aspect of their sub-query",
        "1 paper is left out: its annotators differ.",
    ):
        assert sentence in texts["README.md"], sentence
    work = "Some labels were given in Litmus, others were imported. Papers were annotated in Litmus. The release was"
    assert work in texts["DATASHEET.md"]  # the first pass was imported
    abouts = {one["path"]: one["about"] for one in json.loads((tmp_path / "out/manifest.json").read_text())["files"]}
    sums = [abouts[f"campaigns/first-pass/relevance.{level}.qrels"] for level in ("query", "sub-query")]
    assert [one.partition("summed ")[2] for one in sums] == ["over all aspects.", "over its aspects."]
    by_people = Submission.objects.filter(
        assignment__item__campaign__slug="trial-round", assignment__annotator__kind="human"
    )
    described = json.loads((tmp_path / "out" / "croissant.json").read_text())
    (judging,) = [one for one in described["prov:wasGeneratedBy"] if "Judging in campaign “Trial" in one["prov:label"]]
    last = by_people.latest("received_at").received_at  # the machine judged days later
    assert judging["prov:endedAtTime"] == last.date().isoformat()
    assert demo.description in texts["DATASHEET.md"]
    assert ", description, " not in texts["README.md"]
    published = b"\n".join(files_of(tmp_path / "out").values()).decode(errors="ignore")
    for check in check_list(make_recipe(demo)):
        assert check.fact in published
        assert not check.advice or check.advice not in published
    for screen in ("(page “", "Count the votes", "“skip”", "needs a decision", "by the policy"):
        assert screen not in published
