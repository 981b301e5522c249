"""Qrels that were imported: one set a name, a gold on page, command and REST alike; hidden from who still judges."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent
from adjudication.evaluation.golds.qrels import in_collection
from adjudication.evaluation.golds.registry import offered_golds, read_gold
from adjudication.models import Evaluation, ImportedQrels, ImportedQrelsTopic
from annotation.models import Assignment
from corpus.models import ImportRun
from tests.factories.adjudication import Built
from tests.factories.corpus import TopicFactory
from tests.shared import shared_path

pytestmark = pytest.mark.django_db

LINES = "1 0 d1 2\n1 0 d2 0\n2 0 d3 1\n2 0 elsewhere 1\n"


def bring(path: Path, text: str, *options: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    path.write_text(text)
    call_command("import_qrels", "tea", str(path), *options, "--json")
    return dict(json.loads(capsys.readouterr().out))


def counts(found: dict[str, Any]) -> tuple[int, int, int, int]:
    return found["created"], found["updated"], found["unchanged"], found["skipped"]


@pytest.mark.slow
def test_topics_are_found_in_one_statement(built: Built, django_assert_num_queries: Any) -> None:
    numbers = list(built.collection.topics.values_list("number", flat=True))
    assert len(numbers) > 1
    with django_assert_num_queries(1):
        own, lacking, unit = in_collection(built.collection, {number: {"d1": 1} for number in [*numbers, "99"]})
    assert (sorted(own), lacking, unit) == (sorted(numbers), ["99"], "query")


@pytest.mark.slow
def test_importing_again_replaces(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.qrels.txt"
    tried = bring(path, LINES, "--dry-run", capsys=capsys)
    assert (counts(tried), ImportedQrels.objects.exists()) == ((4, 0, 0, 0), False)
    found = bring(path, LINES + "99 0 d1 1\n", capsys=capsys)
    assert (counts(found), found["qrels"]) == ((5, 0, 0, 0), "own")
    assert [error["reason"] for error in found["errors"]] == [
        "1 topic is not in the collection, such as 99; evaluations leave them out",
        "1 document is not in the collection, such as elsewhere; its judgments count, because runs may rank it",
    ]
    assert counts(bring(path, LINES + "99 0 d1 1\n", capsys=capsys)) == (0, 0, 5, 0)
    text = "1 0 d1 1\n1 0 d1 2\n1 0 d4 1\n1 0 d5 many\n"
    changed = bring(path, text, "--partial", capsys=capsys)
    assert counts(changed) == (1, 5, 0, 2), (
        "one new, one other grade, four gone; a second grade and a wrong one skipped"
    )
    assert "d1 has the grades 1 and 2 for topic 1; the first one counts" in changed["errors"][0]["reason"]
    assert list(ImportedQrelsTopic.objects.values_list("number", "docnos", "grades")) == [("1", ["d1", "d4"], [1, 1])]
    beir = bring(tmp_path / "test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t2\n", "--name", "beir", capsys=capsys)
    assert (counts(beir), beir["qrels"]) == ((1, 0, 0, 0), "beir")
    assert read_gold(built.collection, "qrels:beir").gold.gain.tolist() == [2]
    bring(tmp_path / "parts.txt", "1.2 0 d1 1\n", capsys=capsys)
    parts = read_gold(built.collection, "qrels:parts")
    assert (parts.unit, parts.gold.topics) == ("aspect", ("1.2",))


def test_numbers_as_released_are_those_of_one_level(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Contexts of one level had numbers that others here have: all of a file belong to one of them."""
    for number in ("1", "2", "99"):
        TopicFactory(collection=built.collection, number=f"s-{number}", prefix="s-")
    bring(tmp_path / "sentences.txt", "1 0 d1 1\n2 0 d1 1\n99 0 d1 1\n", capsys=capsys)
    assert read_gold(built.collection, "qrels:sentences").gold.topics == ("s-1", "s-2", "s-99")
    bring(tmp_path / "whole.txt", "1 0 d1 1\n2 0 d1 1\n", capsys=capsys)
    assert read_gold(built.collection, "qrels:whole").gold.topics == ("1", "2")


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        (
            "97 0 d1 1\n98 0 d1 1\n1 0 d1 1\n",
            (),
            r"2 of its 3 topics are not in the collection, such as 97\.",
        ),
        (
            "1 0 d1 1\n1 0 d2\n1 0 d3 1\n",
            (),
            r"line 2: has 3 fields.* one row cannot be taken in, .*leave it out with --partial",
        ),
        ("1 0 d1 1\n1 0 d1 2\n", (), "line 2: d1 has the grades 1 and 2 for topic 1.* leave it out"),
        ("99 0 d1 1\n", (), "none of its topics, such as 99, is here: perhaps they belong to another collection"),
        (LINES, ("--name", "a;b"), "without semicolons"),
        ("1 Q0 d1 1 2.5 tag\n", (), "holds no qrels: it looks like a file of runs"),
        ("1 0 d1 high\n", (), r"own.qrels, line 1: the value 'high' is not a whole number"),
        ("1 0 d1 high\n", ("--partial",), "holds no judgment"),
        ("# nothing\n", (), "its format is not recognised"),
    ],
)
def test_what_cannot_be_qrels(built: Built, tmp_path: Path, text: str, options: tuple[str, ...], why: str) -> None:
    (tmp_path / "own.qrels").write_text(text)
    with pytest.raises(CommandError, match=why):
        call_command("import_qrels", "tea", str(tmp_path / "own.qrels"), *options)
    assert not ImportedQrels.objects.exists()


@pytest.mark.slow
def test_more_judgments_than_memory_should_hold_are_refused(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudication.evaluation.importer.MOST_JUDGMENTS", 2)
    (tmp_path / "own.qrels").write_text("7 0 a 1\n7 0 b 1\n7 0 c 1\n")
    with pytest.raises(CommandError, match=r"line 3: qrels of more than 2 judgments are not imported"):
        call_command("import_qrels", "tea", str(tmp_path / "own.qrels"))


def test_those_of_a_page_are_measured_against(client: Client, built: Built) -> None:
    client.force_login(built.people["manager"])
    sent = {"uploads": SimpleUploadedFile("own.qrels", LINES.encode()), "format": "auto", "name": ""}
    assert client.post(reverse("import_create", args=["tea", "qrels"]), sent).status_code == 302
    jobs.carry_out(ImportRun.objects.get())
    assert ("qrels:own", "Qrels own") in offered_golds(built.collection)
    assert "Qrels own" in client.get(reverse("evaluation_create", args=["tea"])).content.decode()
    asked = {"gold": "qrels:own", "runs": ["good", "half"], "measures": ["AP", "R@5", "nDCG@10"]}
    answer = client.post("/api/collections/tea/evaluations/", asked, content_type="application/json")
    jobs.carry_out(Evaluation.objects.get(pk=answer.json()["id"]))
    report = client.get(f"/api/collections/tea/evaluations/{answer.json()['id']}/").json()["result"]
    assert report["gold_label"] == "qrels own"
    assert report["subsets"][0]["n_topics"] == 2
    gone = client.post(
        "/api/collections/tea/evaluations/", {**asked, "gold": "qrels:x"}, content_type="application/json"
    )
    assert gone.status_code == 422, gone.json()
    assert "There are no qrels “x”. There are: own." in gone.json()["detail"]


def test_who_still_judges_sees_nothing_measured_with_them(client: Client, built: Built, tmp_path: Path) -> None:
    (tmp_path / "own.qrels").write_text(LINES)
    call_command("import_qrels", "tea", str(tmp_path / "own.qrels"))
    job = Evaluation.objects.create(
        collection=built.collection,
        requested_at=built.campaign.created_at,
        parameters={"gold": "qrels:own", "runs": ["good"], "measures": ["AP"], "resamples": 1000},
    )
    jobs.carry_out(job)
    client.force_login(built.people["viewer"])
    address = reverse("evaluation_detail", args=["tea", job.pk])
    assert client.get(address).status_code == 200
    built.annotators["ana"].user = built.people["viewer"]
    built.annotators["ana"].save()
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[0]).update(state="pending")
    assert client.get(address).status_code == 403
    assert client.get(f"/api/collections/tea/evaluations/{job.pk}/").status_code == 403


def test_managers_delete_them(client: Client, built: Built, tmp_path: Path) -> None:
    (tmp_path / "own.qrels").write_text(LINES)
    call_command("import_qrels", "tea", str(tmp_path / "own.qrels"))
    client.force_login(built.people["manager"])
    assert "own" in client.get(reverse("evaluation_list", args=["tea"])).content.decode()
    address = reverse("qrels_delete", args=["tea", ImportedQrels.objects.get().pk])
    assert client.post(address).status_code == 302
    assert not ImportedQrels.objects.exists()
    assert AuditEvent.objects.filter(verb="delete_qrels").count() == 1
    assert client.post(address).status_code == 404


def test_samples_show_the_numbers_that_would_be_stored(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TopicFactory(collection=built.collection, number="051")
    options = ("--match", "zeros", "--partial", "--dry-run")
    found = bring(tmp_path / "own.qrels", "51 0 A1 1\n52 0 A2 0\n", *options, capsys=capsys)
    assert [sample["fields"][0] for sample in found["samples"]] == [["topic", "051"]]


@pytest.mark.parametrize("way", ["command", "page", "rest"])
def test_topics_numbered_otherwise_are_noticed_offered_and_matched(
    client: Client, built: Built, tmp_path: Path, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in ("051", "052"):
        TopicFactory(collection=built.collection, number=number)
    offer = "51 and 52 match 051 and 052 without leading zeros"
    path, text = tmp_path / "own.qrels", "51 0 A1 1\n52 0 A2 0\n"
    path.write_text(text)
    client.force_login(built.people["manager"])
    if way == "command":
        with pytest.raises(CommandError, match=rf"{offer}\. Import again with --match set to zeros"):
            call_command("import_qrels", "tea", str(path))
    elif way == "rest":
        sent = {"kind": "qrels", "files": SimpleUploadedFile("own.qrels", text.encode())}
        answer = client.post("/api/collections/tea/imports/", sent)
        jobs.carry_out(ImportRun.objects.get())
        reason = client.get(f"/api/collections/tea/imports/{answer.json()['id']}/").json()["reason"]
        assert f"{offer}. Import again with match set to zeros." in reason
    else:
        sent = {"uploads": SimpleUploadedFile("own.qrels", text.encode()), "dry_run": "on"}
        client.post(reverse("import_create", args=["tea", "qrels"]), sent)
        jobs.carry_out(ImportRun.objects.get())
        page = client.get(reverse("import_detail", args=["tea", ImportRun.objects.get().pk])).content.decode()
        assert page.count(offer) == 1
        words = "Import again with “Topic numbers” set to “Match without leading zeros, such as 51 and 051”"
        assert words in page
        assert "Import them with topics matched" in page
        assert ImportRun.objects.get().samples[0]["fields"] == [
            *(["topic", "51"], ["iteration", "0"], ["docno", "A1"], ["value", "1"])
        ]
    assert not ImportedQrels.objects.exists()
    if way == "command":
        assert bring(path, text, "--match", "zeros", capsys=capsys)["remarks"][-1].startswith("Topics were matched: 51")
    elif way == "rest":
        sent |= {"files": SimpleUploadedFile("own.qrels", text.encode()), "match": "zeros"}
        client.post("/api/collections/tea/imports/", sent)
    else:
        run = ImportRun.objects.get()
        client.post(reverse("import_follow", args=["tea", run.pk]), {"match": "digits"})
        assert ImportRun.objects.count() == 1, "it was not offered"
        client.post(reverse("import_follow", args=["tea", run.pk]), {"match": "zeros"})
    if way != "command":
        jobs.carry_out(ImportRun.objects.latest("pk"))
    assert list(ImportedQrelsTopic.objects.values_list("number", "docnos").order_by("number")) == [
        ("051", ["A1"]),
        ("052", ["A2"]),
    ]


def test_nothing_is_stored_for_a_number_that_could_be_a_topic_written_otherwise(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TopicFactory(collection=built.collection, number="051")
    path, text = tmp_path / "own.qrels", "1 0 A1 1\n2 0 A1 1\n51 0 A1 1\n"
    path.write_text(text)
    with pytest.raises(CommandError, match=r"1 of its 3 topics is not .* such as 51\..*51 matches 051 without leading"):
        call_command("import_qrels", "tea", str(path))
    assert not ImportedQrels.objects.exists()
    assert counts(bring(path, text, "--partial", capsys=capsys)) == (2, 0, 0, 1)
    assert counts(bring(path, text, "--match", "zeros", capsys=capsys)) == (1, 0, 2, 0)


def test_topics_that_are_left_out_are_counted(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = bring(tmp_path / "own.qrels", "97 0 d1 1\n98 0 d1 1\n1 0 d1 1\n", "--partial", capsys=capsys)
    assert counts(found) == (1, 0, 0, 2)
    assert found["skips"] == {"a judgment of a topic that is not in the collection": 2}
    assert [each.number for each in ImportedQrelsTopic.objects.all()] == ["1"]


@pytest.mark.shared
def test_small_real_qrels_give_what_their_readme_says(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("qrels-comments.qrels", "qrels-beir-one-point-zero.tsv"):
        call_command("import_qrels", "tea", str(shared_path("data", "real-inputs", name)), "--name", name[:8], "--json")
        assert json.loads(capsys.readouterr().out)["created"] == 2
    rows = ImportedQrelsTopic.objects.order_by("pk").values_list("number", "docnos", "grades")
    assert list(rows) == [("1", ["184", "29"], [1, 0]), ("1", ["184", "29"], [1, 1])]


@pytest.mark.shared
def test_topics_051_with_qrels_of_51(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    topics, qrels = (str(shared_path("data", "real-inputs", name)) for name in ("topics-051.txt", "qrels-51.qrels"))
    call_command("import_topics", "tea", topics)
    with pytest.raises(CommandError, match="51 and 52 match 051 and 052 without leading zeros"):
        call_command("import_qrels", "tea", qrels)
    assert not ImportedQrelsTopic.objects.exists()
    call_command("import_qrels", "tea", qrels, "--match", "zeros")
    assert set(ImportedQrelsTopic.objects.values_list("number", flat=True)) == {"051", "052"}
