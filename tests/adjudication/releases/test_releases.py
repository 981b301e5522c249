"""A release is whole, checked, described, without names, and made again byte for byte."""

import io
import json
import re
import warnings
import zipfile
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.files.storage import files
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from adjudication.agreement.standing import exact_standings
from adjudication.evaluation.presets.standing import inputs_of
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Evaluation, Release, VoteRun
from adjudication.releases import sentences
from adjudication.releases.campaigns import campaign_facts
from adjudication.releases.data import week_of
from adjudication.releases.explaining import explain
from adjudication.releases.facts import gather
from adjudication.releases.people import pseudonyms
from adjudication.releases.recipe import make_recipe
from adjudication.releases.releases import request_release, state_facts
from adjudication.releases.sentences import label_conditions
from adjudication.releases.statement import QUESTIONS
from adjudication.releases.verifying import verify_release
from annotation.campaigns.lifecycle import delete_campaign
from annotation.models import Assignment, Judgment, Submission
from corpus.collections.backup import backup_pieces
from corpus.collections.collections import request_removal
from corpus.imports.requests import undo_import
from corpus.pools.requests import delete_run
from corpus.topics.topics import delete_topic
from tests.adjudication.releases.releasing import (
    NAMED_AND_DATED,
    PEOPLE,
    check_files,
    files_of,
    folder_of,
    freeze,
    text,
)
from tests.factories.adjudication import AT, Built
from tests.factories.corpus import ImportRunFactory, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_the_folder_holds_what_was_judged(release: Release) -> None:
    assert (
        text(release, "campaigns/main/relevance.query.qrels")
        == "7 0 doc-a 1\n7 0 doc-b 3\n12 0 doc-b 0\n12 0 doc-c 2\n"
    )
    assert " Robot,_run_1 " in text(release, "campaigns/main/relevance.aspect.annotators.qrels")
    assert text(release, "beir/main/qrels/test.tsv").splitlines()[1] == "7\tdoc-a\t1"
    assert text(release, "runs/bm25.run").splitlines()[0].startswith("7 Q0 doc-")
    labels = [json.loads(line) for line in text(release, "campaigns/main/judgments.jsonl").splitlines()]
    assert len(labels) == 24
    assert {"topic", "docno", "annotator", "value", "week"} <= labels[0].keys()
    verdicts = [json.loads(line) for line in text(release, "campaigns/main/verdicts.jsonl").splitlines()]
    assert set(verdicts[0]["votes"]) == {one["annotator"] for one in labels if not one["machine"]}
    assert {"probability", "probability_week"} <= verdicts[0].keys()
    counted_at = VoteRun.objects.latest("pk").finished_at
    assert counted_at is not None
    assert verdicts[0]["probability_week"] == week_of(counted_at.isoformat())
    manifest = json.loads(text(release, "manifest.json"))
    entry = next(one for one in manifest["files"] if one["path"] == "campaigns/main/judgments.jsonl")
    assert entry["rows"] == 24
    check_files(folder_of(release, anonymous=False))
    assert not list(Path(settings.FILE_UPLOAD_TEMP_DIR).glob("release-*"))


@pytest.mark.parametrize(("kind", "week"), [("answer", "2026-W05"), ("import", "2031-W01")])
def test_weeks_are_the_servers_and_those_of_files_alone_the_files(built: Built, kind: str, week: str) -> None:
    """A browser's clock may be wrong. `lines.jsonl` and `judgments.jsonl` say the same."""
    received, browsers = datetime(2026, 2, 1, 23, tzinfo=UTC), datetime(2030, 12, 30, 1, tzinfo=UTC)
    for judgment in Judgment.objects.select_related("submission"):
        sent = judgment.submission
        sent.pk, sent.uuid, sent.kind, sent.received_at, sent.client_at = None, uuid4(), kind, received, browsers
        sent.save()
        judgment.submission = sent
        judgment.save()
    release = freeze(built, force="Labels came later than votes.")
    labels = [json.loads(line) for line in text(release, "campaigns/main/judgments.jsonl").splitlines()]
    lines = [json.loads(line) for line in text(release, "lines.jsonl").splitlines()]
    assert {one["week"] for one in labels} == {one["week"] for line in lines for one in line["labels"]} == {week}


def test_nobodys_name_is_in_any_file_of_the_anonymous_variant(built: Built) -> None:
    state_facts(
        collection=built.collection,
        answers={
            "creators": "Nadia Nemo <0000-0002-1825-0097>",
            "contact": "nadia@nemo.org",
            "publisher": "Nemo University",
        },
        by=built.people["manager"],
        at=timezone.now(),
    )
    judge = built.people["xerxes"]
    judge.name = "Quintus Barnabas"
    judge.save()
    body = "Ask ZEBULON or quintus_barnabas when unsure; Barnabas knows. Mark each barnabasite."
    built.campaign.guidelines.create(version=2, body=body, created_at=timezone.now())
    spec = EvaluationSpec("annotator:yolanda", ("bm25",))
    Evaluation.objects.create(
        collection=built.collection,
        state=JobState.DONE,
        requested_at=timezone.now(),
        parameters=spec.as_json(),
        results={
            "report": {"gold_label": "Labels of yolanda", "subsets": []},
            "inputs": inputs_of(built.collection, spec),
        },
    )
    release = freeze(built)
    assert text(release, "campaigns/main/guideline-v2.md").endswith(" knows. Mark each barnabasite.\n")
    assert json.loads(text(release, "evaluations.json"))[0]["report"]["gold_label"].startswith("Labels of A")
    known = {
        *PEOPLE,
        "quintus",
        "barnabas ",
        "nadia",
        "nemo",
        built.collection.slug + "-",
        *(user.email for user in built.people.values()),
    }
    for path, content in files_of(folder_of(release, anonymous=True)).items():
        found = [name for name in known if name.encode() in content.lower()]
        assert not found, (path, found)
    named = files_of(folder_of(release, anonymous=False))
    assert b"Nadia Nemo" in named["CITATION.cff"]
    for path, content in named.items():
        assert not [name for name in PEOPLE if name.encode() in content.lower()], path


def test_two_releases_of_an_unchanged_collection_differ_in_name_and_date_alone(built: Built, release: Release) -> None:
    one, two = (files_of(folder_of(each, anonymous=False)) for each in (release, freeze(built, "v2")))
    differing = {path for path in one if one[path] != two[path]}
    assert one.keys() == two.keys()
    assert differing <= NAMED_AND_DATED
    assert "No data changed since v1." in two["CHANGELOG.md"].decode()
    for path in ("README.md", "DATASHEET.md", "CITATION.cff", "datacite.json"):
        changed = one[path].replace(b"v1", b"v2").replace(b"1.0.0", b"2.0.0")
        assert changed == two[path], path


class TestCheckList:
    def test_a_late_vote_and_a_missing_licence_refuse_and_force_prints_its_reason(self, built: Built) -> None:
        built.collection.licence = ""
        built.collection.save()
        with pytest.raises(Refused, match="no licence"):
            freeze(built)
        with pytest.raises(CommandError, match=r"\(manage.py update_collection tea --licence LICENCE\)"):
            call_command("release", "tea", "v1")
        release = freeze(built, force="The venue's deadline is tonight.")
        card = text(release, "README.md")
        assert re.search(
            r"\n> - .*no licence.*\n>\n> It was released anyway: The venue's deadline is tonight\.\n", card
        )
        assert json.loads(text(release, "manifest.json"))["force_reason"] == "The venue's deadline is tonight."
        assert {one["code"] for one in release.findings if one["blocking"]} == {"no_licence"}

    @pytest.mark.usefixtures("release")
    def test_names_are_plain_and_used_once(self, built: Built) -> None:
        with pytest.raises(Conflict, match="already"):
            freeze(built)
        for name in ("", "a b", "../x", "new", "é"):
            with pytest.raises(Refused, match="is named by"):
                freeze(built, name)


def test_what_a_release_stands_on_stays(built: Built) -> None:
    """Topics, runs, imports, campaigns and the collection; what came after the release is free."""
    run = built.collection.retrieval_runs.get()
    imported = ImportRunFactory(collection=built.collection, state=JobState.DONE)
    fields = {"name": "Idle", "state": "closed", "seed": 1, "created_at": AT, "opened_at": AT, "closed_at": AT}
    idle = built.collection.campaigns.create(slug="idle", kind="relevance", **fields)
    alone = built.collection.topics.create(number="99", text="Nobody judged this.")
    freeze(built, force="A campaign is idle.")
    manager = built.people["manager"]
    with pytest.raises(Refused, match="Release v1 stands on this topic"):
        delete_topic(by=manager, at=timezone.now(), topic=alone)
    later = built.collection.topics.create(number="100", text="Came later.")
    delete_topic(by=manager, at=timezone.now(), topic=later)
    now = {"by": manager, "at": timezone.now()}
    delete_run(run=make_run(built.collection, "later", {"7": ["doc-a"]}), **now)
    with pytest.raises(Refused, match="Release v1 stands on this retrieval run"):
        delete_run(run=run, **now)
    with pytest.raises(Refused, match="Release v1 stands on this import"):
        undo_import(run=imported, **now)
    with pytest.raises(Refused, match="Release v1 stands on this campaign"):
        delete_campaign(campaign=idle, **now)
    built.collection.archived_at = timezone.now()
    built.collection.save()
    with pytest.raises(Refused, match="Release v1 stands on this collection"):
        request_removal(collection=built.collection, confirm=built.collection.slug, **now)


def test_backups_hold_the_files_and_a_release_without_them_says_so(
    built: Built, release: Release, client: Client
) -> None:
    with zipfile.ZipFile(io.BytesIO(b"".join(backup_pieces(built.collection)))) as archive:
        for variant in ("named", "anonymous"):
            for path, content in files_of(Path(files.path(release.place)) / variant).items():
                assert archive.read(f"files/{release.place}/{variant}/{path}") == content
    files.remove_folder(release.place)  # as after a restore of the database alone
    client.force_login(built.people["manager"])
    for name, more in (("release_detail", ()), ("release_archive", ()), ("release_file", ("LICENSE",))):
        answer = client.get(reverse(name, args=[built.collection.slug, "v1", *more]))
        assert answer.status_code == 422, name
        assert "are not on this server" in answer.content.decode()
    assert explain(built.collection, "7", "doc-b")["lines"][0]["changed"] is None
    assert "is not known" in text(freeze(built, "v2"), "CHANGELOG.md")


def test_a_job_that_fails_half_way_leaves_nothing_and_can_be_resumed(built: Built, monkeypatch) -> None:
    from adjudication.releases import writing as module

    release = request_release(
        collection=built.collection, name="v1", by=built.people["manager"], at=timezone.now(), send=False
    )

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "_describe", killed)
        with closing(module.SnapshotProgress(release)) as progress, pytest.raises(KeyboardInterrupt):
            module.write_release(release, progress)
    assert not files.exists(module._place(release, 1))
    (module.part_of(release) / "named").mkdir(parents=True)
    (module.part_of(release) / "named" / "left.txt").write_text("of an attempt that was killed")
    jobs.carry_out(release)
    release.refresh_from_db()
    assert release.is_frozen
    assert verify_release(folder_of(release, anonymous=False)).remade is True


def test_the_command_writes_a_copy(built: Built, tmp_path: Path, capsys) -> None:
    call_command("release", built.collection.slug, "2024.1", out=tmp_path / "out", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["files"] > 10
    assert found["folder"] == str(tmp_path / "out")
    call_command("verify_release", str(tmp_path / "out"), as_json=True)
    assert json.loads(capsys.readouterr().out)["remade"] is True
    with pytest.raises(CommandError, match="exists already"):
        call_command("release", built.collection.slug, "v3", out=tmp_path / "out")


def test_each_campaign_has_its_paragraphs(built: Built) -> None:
    fields = {"kind": "relevance", "state": "closed", "seed": 1, "created_at": AT, "opened_at": AT, "closed_at": AT}
    copy = built.collection.campaigns.create(slug="idle", name="Idle", **fields)
    release = freeze(built, force="A campaign is idle.")
    for path in ("README.md", "REVIEWERS.md"):
        paragraphs = text(release, path).split("\n\n")
        for campaign in (built.campaign, copy):
            assert any(one.startswith(f"Campaign “{campaign.name}”") for one in paragraphs), (path, campaign)


def test_who_judged_after_a_skip_has_skipped_nothing(built: Built) -> None:
    """Of two items skipped at first, one is judged now."""
    judged, left = Assignment.objects.filter(item__campaign=built.campaign, annotator__kind="human")[:2]
    for each in (judged, left):
        Submission.objects.create(uuid=uuid4(), assignment=each, kind="skip", reason="Cut off.", received_at=AT)
    Judgment.objects.filter(assignment=left).delete()
    Assignment.objects.filter(pk=left.pk).update(state="skipped", slot=None)
    facts = campaign_facts(built.campaign, *exact_standings(built.campaign))
    assert facts.skipped == {"Cut off.": 1}


def test_that_no_value_is_missing_is_said_of_items_that_are_judged(built: Built, release: Release) -> None:
    """Papers that are annotated get no value, and a collection without a campaign has no items."""
    facts = gather(release, make_recipe(built.collection), pseudonyms(built.collection, "k"))
    (judged,) = (replace(one, without_verdict=0, skipped={}) for one in facts.campaigns)
    whole = replace(facts, recipe=replace(facts.recipe, left_out={}, notes={}), campaigns=(judged,))
    assert sentences.missing(whole) == "No item of a campaign lacks a value."
    papers = deepcopy(judged.campaign)
    papers.kind = "extraction"
    for campaigns in ((), (replace(judged, items=0),), (replace(judged, campaign=papers),)):
        assert sentences.missing(replace(whole, campaigns=campaigns)) == ""


def test_every_question_has_its_own_key() -> None:
    assert len({question.key for question in QUESTIONS}) == len(QUESTIONS)


def test_the_card_claims_nothing_that_is_not_known(built: Built) -> None:
    """Of imported labels nobody here knows how they were given, and a licence in own words has no identifier."""
    built.collection.licence = "Terms of our own"
    built.collection.save()
    release = freeze(built)
    head = yaml.safe_load(text(release, "README.md").split("---\n")[1])
    assert (head["license"], head["license_name"]) == ("other", "Terms of our own")
    assert "license" not in yaml.safe_load(text(release, "CITATION.cff"))
    assert "Terms of our own" in text(release, "LICENSE")
    assert "did not show" in json.loads(text(release, "croissant.json"))["rai:dataAnnotationProtocol"]
    (facts,) = gather(release, make_recipe(built.collection), pseudonyms(built.collection, "k")).campaigns
    assert "did not show" not in label_conditions(replace(facts, imported=facts.labels))


def test_croissant_validates_without_warnings_and_its_records_load(release: Release, caplog) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mlcroissant's own dependencies
        import mlcroissant as mlc

        dataset = mlc.Dataset(jsonld=folder_of(release, anonymous=False) / "croissant.json")
        assert not dataset.metadata.ctx.issues.errors
        assert not dataset.metadata.ctx.issues.warnings
        assert not [record for record in caplog.records if record.levelname == "WARNING" and "absl" in record.name]
        rows = list(dataset.records("main-qrels"))
        assert sorted(
            (row["main-qrels/query-id"], row["main-qrels/corpus-id"], row["main-qrels/score"]) for row in rows
        )[0] == (b"12", b"doc-b", 0)
        assert len(list(dataset.records("corpus"))) == 3
        judged = list(dataset.records("main-judgments"))
        assert len(judged) == 24
    found = json.loads(text(release, "croissant.json"))
    assert not [name for name in NEURIPS if name not in found]
    assert not [name for name in REQUIRED if not found.get(name)]


NEURIPS = (
    "rai:dataLimitations rai:dataBiases rai:personalSensitiveInformation rai:dataUseCases rai:dataSocialImpact"
    " rai:hasSyntheticData prov:wasDerivedFrom prov:wasGeneratedBy"
).split()
REQUIRED = "@context @type conformsTo name description license url creator datePublished distribution recordSet".split()


def test_what_changed_is_said_of_files_that_hold_no_values_too(built: Built, release: Release) -> None:
    """Appendices in LaTeX and PDF and pictures of screens, as earlier versions wrote them, held no data."""
    manifest = folder_of(release, anonymous=False) / "manifest.json"
    listed = json.loads(manifest.read_text())
    listed["files"] += [
        {"path": path, "sha256": "0" * 64} for path in ("REVIEWERS.tex", "DATASHEET.pdf", "campaigns/main/screen.png")
    ]
    manifest.write_text(json.dumps(listed))
    make_run(built.collection, "second", {"7": ["doc-b"]})
    changes = text(freeze(built, "v2"), "CHANGELOG.md")
    assert "Files that differ from those of v1: runs/second.run." in changes
    assert "No data changed" not in changes


@pytest.mark.usefixtures("release")
def test_the_report_between_versions_names_what_changed_and_why(built: Built) -> None:
    verdict = built.items[1].verdicts.get()
    verdict.value, verdict.comment = 2, "It steams."
    verdict.save()
    topic = built.collection.topics.get(number="12")
    topic.text = "Another question?"
    topic.save()
    changes = text(freeze(built, "v2"), "CHANGELOG.md")
    assert "Topics: 0 added, 0 removed, 1 changed (12)." in changes
    assert "doc-b, relevance: 1 → 2 (majority; votes" in changes
    assert "It steams." in changes
