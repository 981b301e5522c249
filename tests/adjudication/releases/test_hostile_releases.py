"""What strangers and accidents do to releases: names in every place, hostile texts, touched copies, other workers."""

import gzip
import io
import json
import os
import re
import shutil
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pyarrow import parquet

from accounts import jobs
from accounts.files.storage import files
from accounts.models import JobClaim, JobState, User
from accounts.refusals import Refused
from adjudication.evaluation.presets.standing import inputs_of
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.labels.inputs import read_inputs
from adjudication.models import AgreementRun, Evaluation, Release, Verdict
from adjudication.releases import writing
from adjudication.releases.archive import archive_of
from adjudication.releases.people import pseudonyms
from adjudication.releases.releases import open_release, request_release, state_facts
from adjudication.releases.verifying import verify_release
from corpus.collections.people import add_member, remove_member
from corpus.models import PoolEntry, PoolSource, Role
from corpus.topics.topics import delete_topic
from tests.adjudication.releases.releasing import files_of, folder_of, freeze, text
from tests.factories.accounts import UserFactory
from tests.factories.adjudication import Built

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

STATED = {
    "creators": "Nadia Nemo <0000-0002-1825-0097>",
    "contact": "nadia@nemo.org",
    "publisher": "Institute of Nemology",
    "url": "https://nemo.org/data",
    "recruitment": "Nadia asked colleagues at the Institute of Nemology.",
    "dataReleaseMaintenancePlan": "Report errors to nadia@nemo.org or at https://nemo.org/data.",
}


def name_everything(built: Built, who: str) -> None:
    """The name of a judge, and those of the makers, wherever people can type one."""
    collection, campaign, criterion = built.collection, built.campaign, built.criterion
    manager = built.people["manager"]
    state_facts(collection=collection, answers=STATED, by=manager, at=timezone.now())
    campaign.name, campaign.slug = f"Round of {who}", f"{who}-round"
    criterion.label, criterion.question = f"Relevance to {who}", f"Would {who} read it?"
    collection.title, collection.description = f"Tea of {who}", f"By {who} of the Institute of Nemology."
    for level in criterion.levels.all():
        level.label, level.definition, level.example = f"{level.label} to {who}", f"as {who} says", f"{who}’s"
        level.save()
    robot = built.annotators["Robot, run 1"]
    robot.name, robot.model = f"Robot of {who}", f"llm-{who}"
    run = collection.retrieval_runs.get()
    run.name = f"{who}_bm25"
    for each in (campaign, criterion, collection, robot, run):
        each.save()
    Verdict.objects.update(comment=f"{who} was right.")
    campaign.guidelines.create(version=2, body="Ask Nadia Nemo, nadia@nemo.org.", created_at=timezone.now())
    entry = PoolEntry.objects.create(topic=built.items[0].topic, document=built.items[0].document)
    PoolSource.objects.create(entry=entry, method=f"{who}_bm25", rank=1)
    report = {"subsets": [{"runs": {f"{who}_bm25": {"map": {"value": 0.5}}}}]}
    asked = EvaluationSpec(f"annotator:{who}", (f"{who}_bm25",))
    done = {"state": JobState.DONE, "requested_at": timezone.now(), "finished_at": timezone.now()}
    results = {"report": report, "inputs": inputs_of(collection, asked)}
    Evaluation.objects.create(collection=collection, parameters=asked.as_json(), results=results, **done)
    measured = AgreementRun.objects.create(campaign=campaign, inputs_hash=read_inputs(campaign).digest, **done)
    figure = {"criterion": "relevance", "statistic": "accuracy", "scope": "pair", "value": 0.5}
    measured.results.create(annotators=["Somebody Renamed", who], **figure)


def texts_in(path: str, content: bytes) -> Iterator[str]:
    """All that can be read in a file: as it is, unpacked, and in what its format says about it."""
    yield path
    yield content.decode(errors="replace")
    if path.endswith(".parquet"):
        table = parquet.ParquetFile(io.BytesIO(content))
        yield f"{table.metadata} {table.metadata.metadata} {table.schema_arrow.metadata} {table.schema_arrow}"
        yield json.dumps(table.read().to_pylist(), ensure_ascii=False)
    elif zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive.comment.decode(errors="replace")
            for entry in archive.infolist():
                yield f"{entry.comment!r} {entry.extra!r}"
                yield from texts_in(entry.filename, archive.read(entry))
    elif path.endswith(".gz"):
        yield from texts_in(path.removesuffix(".gz"), gzip.decompress(content))


def test_names_are_found_wherever_they_hide() -> None:
    """The search of the next test sees into what a file packs."""
    packed, table = io.BytesIO(), io.BytesIO()
    parquet.write_table(pa.table({"who": ["zebulon"] * 100}).replace_schema_metadata({"by": "nadia"}), table)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b.parquet", table.getvalue())
        archive.comment = b"nemo"
    for path, content in (("x.zip", packed.getvalue()), ("x.zip.gz", gzip.compress(packed.getvalue()))):
        shown = " ".join(texts_in(path, content))
        assert [name for name in ("zebulon", "nadia", "nemo") if name not in shown] == []


def test_a_name_typed_anywhere_is_in_no_file_of_the_anonymous_variant(built: Built) -> None:
    name_everything(built, "zebulon")
    release = freeze(built)
    hidden = ("zebulon", "nadia", "nemo", "1825-0097", "somebody renamed")
    files = files_of(folder_of(release, anonymous=True))
    assert {Path(path).suffix for path in files} >= {".parquet", ".jsonl", ".md"}
    files["whole.zip"] = b"".join(archive_of(release, anonymous=True))
    found = []
    for path, content in files.items():
        for shown in map(str.lower, texts_in(path, content)):
            found += [(path, name, shown[max(0, shown.find(name) - 60) :][:120]) for name in hidden if name in shown]
    assert not found
    assert verify_release(folder_of(release, anonymous=True)).as_json()["remade"] is True
    card = text(release, "README.md")
    assert "Nadia Nemo" in card
    assert "nadia@nemo.org or at https://nemo.org/data" in card
    assert "zebulon" not in card.split("# Tea of zebulon\n")[1]  # a title is printed as its makers wrote it
    assert "leave to an adjudicator" in card  # a member of that name identifies nobody


def test_former_members_keep_their_pseudonyms_and_lose_their_names(built: Built) -> None:
    """One who judged and left, one who left before doing anything, and one who has another name since."""
    collection, manager = built.collection, built.people["manager"]
    now = {"by": manager, "at": timezone.now()}
    managing = collection.memberships.get(user=manager)
    idle = UserFactory(email="olga@example.org", name="Olga Idleness")
    add_member(collection=collection, user=idle, role=Role.ANNOTATOR, membership=managing, **now)
    first = freeze(built)
    who = pseudonyms(collection, first.pseudonym_key).names[built.annotators["xerxes"].pk]
    for user in (idle, built.people["xerxes"]):
        remove_member(membership=managing, target=collection.memberships.get(user=user), **now)
    User.objects.filter(pk=idle.pk).update(name="Somebody Else")
    body = "Ask Olga, Olga Idleness, olga@example.org, xerxes or Somebody Else."
    built.campaign.guidelines.create(version=2, body=body, created_at=timezone.now())
    second = freeze(built, "v2")
    for anonymous in (False, True):
        shown = text(second, "campaigns/main/guideline-v2.md", anonymous=anonymous).lower()
        assert not [name for name in ("olga", "idleness", "xerxes", "somebody else") if name in shown], shown
        judged = text(second, "campaigns/main/judgments.jsonl", anonymous=anonymous)
        assert judged == text(first, "campaigns/main/judgments.jsonl", anonymous=anonymous)
        assert who in judged
        for path in ("README.md", "DATASHEET.md", "REVIEWERS.md"):
            before, after = (text(one, path, anonymous=anonymous) for one in (first, second))
            people = re.findall(r"\d+ (?:people|person|annotators?)\b", before)
            assert re.findall(r"\d+ (?:people|person|annotators?)\b", after) == people, path
    assert re.search(r"\b3 people\b", text(second, "README.md"))


HOSTILE = 'A"b\\ $x^2$ </script><img src=x onerror=alert(1)> {{7*7}} | # --- \\input{/etc/passwd} 😀\x7f'


def test_hostile_texts_stay_texts(built: Built, client: Client) -> None:
    collection, manager = built.collection, built.people["manager"]
    collection.title, collection.licence = HOSTILE, f"CC\nBY: {HOSTILE}"
    collection.description = f"---\nx: y\n---\n{HOSTILE}"
    collection.save()
    state_facts(collection=collection, answers={"creators": 'Eve "x" \\b{a}'}, by=manager, at=timezone.now())
    release = freeze(built)
    head = yaml.safe_load(text(release, "README.md").split("\n---\n")[0].removeprefix("---\n"))
    assert head["pretty_name"] == HOSTILE.replace("\x7f", " ")
    assert yaml.safe_load(text(release, "CITATION.cff"))["authors"] == [{"name": 'Eve "x" \\b{a}'}]
    assert json.loads(text(release, "datacite.json"))["titles"][0]["title"] == HOSTILE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mlcroissant's own dependencies
        import mlcroissant as mlc

        issues = mlc.Dataset(jsonld=folder_of(release, anonymous=False) / "croissant.json").metadata.ctx.issues
        assert not issues.errors | issues.warnings
    built.campaign.state, built.campaign.closed_at = "closed", timezone.now()
    built.campaign.save()
    open_release(release=release, by=manager, at=timezone.now())
    page = client.get(reverse("public_release", args=[collection.slug, "v1"])).content.decode()
    assert "<img src=x" not in page
    assert ">None<" not in page


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("creators", "Eve <javascript:alert(1)>"),
        ("creators", "Ada Lovelace <0000-0002-1825-0098>"),
        ("creators", "<0000-0002-1825-0097>"),
        ("url", "javascript:alert(1)"),
        ("languages", 'en "de'),
        ("description", "turned \u202eround"),
    ],
)
def test_answers_that_others_read_as_data_have_their_form(built: Built, key: str, wrong: str) -> None:
    with pytest.raises(Refused):
        state_facts(collection=built.collection, answers={key: wrong}, by=built.people["manager"], at=timezone.now())


def test_every_kind_of_touch_is_found_and_named(built: Built, release: Release, tmp_path: Path) -> None:
    built.collection.topics.create(number="99", text="So that nothing is made again here.")
    folder = tmp_path / "copy"
    shutil.copytree(folder_of(release, anonymous=True), folder)
    licence, elsewhere = folder / "LICENSE", tmp_path / "elsewhere"
    elsewhere.write_bytes(licence.read_bytes())
    for make in (
        lambda: licence.symlink_to(elsewhere),  # of equal content: it may change tomorrow
        lambda: licence.symlink_to(licence),
        lambda: os.mkfifo(licence),
    ):
        licence.unlink()
        make()
        assert verify_release(folder).changed == ["LICENSE"]
    licence.unlink()
    licence.mkdir()
    assert verify_release(folder).missing == ["LICENSE"]
    licence.rmdir()
    elsewhere.rename(licence)
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    assert verify_release(folder).extra == ["linked", "pipe"]
    (folder / "linked").unlink()
    (folder / "pipe").unlink()
    assert verify_release(folder).is_ok
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "date": "1999-01-01"}))
    assert "not that of release v1" in verify_release(folder).other  # also of an anonymous copy


@pytest.mark.parametrize("content", ["[" * 100_000, "{}", "[]", '{"files": [{"path": "../../x", "sha256": "0"}]}'])
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(Refused, match="is not the manifest of a release"):
        verify_release(tmp_path)


def test_who_joins_later_makes_a_release_not_comparable_instead_of_wrong(built: Built, release: Release) -> None:
    judge = built.people["xerxes"]
    judge.name = "Judge Calmly"  # the words of the guideline
    judge.save()
    found = verify_release(folder_of(release, anonymous=False))
    assert (found.is_ok, found.remade, found.reasons) == (True, None, ["names of people has changed."])


def test_a_worker_that_lost_its_claim_spoils_nothing(built: Built, monkeypatch) -> None:
    """It wakes up when another worker has finished: the release stays that of the other."""
    release = request_release(collection=built.collection, name="v1", by=None, at=timezone.now(), send=False)
    describe = writing._describe

    def overtaken(*given: object, **more: object) -> None:
        monkeypatch.setattr(writing, "_describe", describe)
        JobClaim.objects.all().delete()  # as if its lease had ended
        jobs.carry_out(release)
        return describe(*given, **more)

    monkeypatch.setattr(writing, "_describe", overtaken)
    jobs.carry_out(release)
    release.refresh_from_db()
    assert (release.state, release.attempts) == (JobState.DONE, 2)
    assert files.listdir("releases")[0] == [f"{release.pk}.2"]
    assert verify_release(folder_of(release, anonymous=False)).remade is True


def test_nothing_is_deleted_under_a_release_that_is_being_made(built: Built) -> None:
    request_release(collection=built.collection, name="v1", by=None, at=timezone.now(), send=False)
    topic = built.collection.topics.create(number="99", text="Nobody judged this.")
    with pytest.raises(Refused, match="Release v1 is being made of this topic"):
        delete_topic(by=built.people["manager"], at=timezone.now(), topic=topic)
