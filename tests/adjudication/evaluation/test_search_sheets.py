"""Search sheets: sampled by a seed, safe in spreadsheets, and read back as a run whose ranks are those written down."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from corpus.models import Collection, Document, ImportRun, RetrievalRun
from tests.factories.accounts import CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def tea(tmp_path: Path) -> Collection:
    """50 inline and 45 author questions, specific but for a tenth; question n is answered by document n."""
    collection = CollectionFactory(slug="tea")
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"D{n}", title=f"On tea, part {n}") for n in range(95)
    )
    rows = [
        {
            "query": f"=Which paper measures tea number {n}?",
            "query_set": "inline_acl" if n < 50 else "manual_acl",
            "specificity": 0 if n % 10 == 0 else 1,
            "quality": 2,
            "docnos": [f"D{n}"],
        }
        for n in range(95)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("import_topics", "tea", str(file))
    return collection


def sheet(path: Path, *words: str) -> list[dict[str, str]]:
    call_command("search_sheet", "tea", "write", str(path), *words)
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_forty_and_forty_are_drawn_by_the_seed(tea: Collection, tmp_path: Path) -> None:
    rows = sheet(tmp_path / "a.csv")
    by_origin = {each: {row["topic"] for row in rows if row["origin"] == each} for each in ("inline", "author")}
    assert [len(found) for found in by_origin.values()] == [40, 40]
    assert len(rows) == 400
    assert [row["rank"] for row in rows[:5]] == ["1", "2", "3", "4", "5"]
    assert all(row["question"].startswith("'=") for row in rows), "a spreadsheet would run it"
    assert rows == sheet(tmp_path / "b.csv") != sheet(tmp_path / "c.csv", "--seed", "2")
    few = sheet(tmp_path / "d.csv", "--questions", "500", "--results", "1")
    assert len(few) == 45 + 40, "broad questions are left out"


def test_a_filled_sheet_is_a_run_and_makes_the_table(
    tea: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: of two inline questions one is found at rank 1, one at rank 6; of two author ones one, by its title."""
    path = tmp_path / "sheet.csv"
    rows = sheet(path, "--questions", "2", "--results", "6")
    inline = list(dict.fromkeys(row["topic"] for row in rows if row["origin"] == "inline"))
    author = list(dict.fromkeys(row["topic"] for row in rows if row["origin"] == "author"))
    answer = {topic.number: topic.targets.get().document for topic in tea.topics.filter(number__in=inline + author)}
    for row in rows:
        match (row["topic"], row["rank"]):
            case (topic, "1") if topic == inline[0]:
                row["docno"] = answer[topic].docno
            case (topic, "6") if topic == inline[1]:
                row["docno"] = answer[topic].docno
            case (topic, "1") if topic == author[0]:
                row["title"] = "A paper that the collection does not have"
            case (topic, "3") if topic == author[0]:
                row["title"] = answer[topic].title.upper().replace(",", ":")
    write(path, rows)
    capsys.readouterr()
    call_command("search_sheet", "tea", "read", str(path), "--name", "engine", "--json")
    assert json.loads(capsys.readouterr().out) == {"run": "engine", "topics": 4, "outside": 1, "unanswered": 1}
    run = RetrievalRun.objects.get(name="engine")
    found = {each.topic.number: each.docnos for each in run.rankings.select_related("topic")}
    assert found[author[0]][2] == answer[author[0]].docno
    assert (len(found[inline[1]]), len(found[author[0]]), len(found[author[1]])) == (6, 3, 1)
    call_command("evaluate", "tea", "--run", "engine", "--preset", "litsearch-7", "--resamples", "1000", "--json")
    table = json.loads(capsys.readouterr().out)["table"]
    assert [cell["text"] for cell in table["rows"][0]["cells"]] == ["50.0", "50.0"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, "has no result yet"),
        ({"docno": "D1", "topic": "nothing"}, "line 2: the collection has no topic nothing"),
        ({"docno": "D1", "rank": "first"}, "line 2: the rank “first” is no number"),
        ({"title": "Twice"}, "2 documents have this title"),
        ({"docno": "D1", "rank": "2"}, "two results at rank 2"),
    ],
)
def test_what_is_wrong_is_said_by_line(tea: Collection, tmp_path: Path, change: dict[str, str], reason: str) -> None:
    for docno in ("T1", "T2"):
        Document.objects.create(collection=tea, docno=docno, title="Twice")
    path = tmp_path / "sheet.csv"
    rows = sheet(path, "--questions", "1", "--results", "2")
    rows[0].update(change)
    if change.get("rank") == "2":
        rows[1]["docno"] = "D2"
    write(path, rows)
    with pytest.raises(CommandError, match=reason):
        call_command("search_sheet", "tea", "read", str(path), "--name", "engine")
    assert not ImportRun.objects.filter(kind="runs").exists()


def test_by_page(tea: Collection, client: Client, tmp_path: Path) -> None:
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    where = reverse("search_sheet", args=["tea"])
    assert where in client.get(reverse("evaluation_list", args=["tea"])).text
    assert "1. Download the sheet" in client.get(where).text
    assert client.get(reverse("search_sheet_file", args=["tea"]), {"questions": "0"}).status_code == 422
    asked: dict[str, Any] = {"questions": 1, "results": 1, "seed": 1}
    sent = client.get(reverse("search_sheet_file", args=["tea"]), asked)
    text = b"".join(sent.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2
    empty = client.post(where, {"name": "engine", "file": SimpleUploadedFile("s.csv", text.encode())})
    assert (empty.status_code, "has no result yet" in empty.text) == (422, True)
    rows[0]["docno"] = "D1"
    write(tmp_path / "s.csv", rows)
    file = SimpleUploadedFile("s.csv", (tmp_path / "s.csv").read_bytes())
    assert client.post(where, {"name": "engine", "file": file}).status_code == 302
    jobs.carry_out(ImportRun.objects.get(kind="runs"))
    assert RetrievalRun.objects.get(name="engine").rankings.count() == 2


def test_by_rest(tea: Collection, client: Client, tmp_path: Path) -> None:
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    where = reverse("api_search_sheet", args=["tea"])
    assert client.get(where, {"results": "0"}).status_code == 400
    answer = client.get(where, {"questions": 2})
    (tmp_path / "rest.csv").write_bytes(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    sheet(tmp_path / "command.csv", "--questions", "2")
    assert (tmp_path / "rest.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "rest.csv").read_text())))
    filled = reverse("api_filled_sheet", args=["tea"])
    for docno, status in (("", 422), ("D1", 202)):
        rows[0]["docno"] = docno
        write(tmp_path / "filled.csv", rows)
        file = SimpleUploadedFile("s.csv", (tmp_path / "filled.csv").read_bytes())
        answer = client.post(filled, {"name": "engine", "file": file})
        assert answer.status_code == status
    counts = {"run": "engine", "topics": 4, "outside": 0, "unanswered": 3}
    assert answer.json() == counts | {"import_id": ImportRun.objects.get(kind="runs").pk}
