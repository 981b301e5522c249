"""Full texts lie apart from documents: in and out in every format, undone, searched by BM25, read by nothing else."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus.imports.requests import undo_import
from corpus.models import Collection, Document, FullText, Ranking, RetrievalRun
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import TopicFactory

pytestmark = pytest.mark.django_db

TEA = {"docno": "7", "title": "On tea", "abstract": "Leaves.", "full_text": "Oolong  is rolled.\nThen dried."}
POT = {"docno": "9", "title": "On pots", "abstract": "Clay."}


def texts(collection: Collection) -> dict[str, tuple[str, int]]:
    found = FullText.objects.filter(document__collection=collection)
    return {docno: (text, words) for docno, text, words in found.values_list("document__docno", "text", "words")}


def test_a_file_gives_changes_takes_or_leaves_a_full_text(collection: Collection, tmp_path: Path) -> None:
    first = import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT]))
    assert counts(first) == (2, 0, 0, 0)
    assert texts(collection) == {"7": (TEA["full_text"], 5)}
    assert not Document.objects.exclude(extra={}).exists()
    record = {key: value for key, value in TEA.items() if key != "full_text"}
    silent = import_files(collection, jsonl(tmp_path / "b.jsonl", [record | {"title": "Tea"}, POT]))
    assert counts(silent) == (0, 1, 1, 0)
    assert texts(collection) == {"7": (TEA["full_text"], 5)}, "the file says nothing of full texts"
    changed = import_files(
        collection, jsonl(tmp_path / "c.jsonl", [record | {"full_text": " "}, POT | {"full_text": "Kilns"}])
    )
    assert counts(changed) == (0, 2, 0, 0)
    assert texts(collection) == {"9": ("Kilns", 1)}
    again = import_files(collection, jsonl(tmp_path / "d.jsonl", [POT | {"full_text": "Kilns"}]))
    assert counts(again) == (0, 0, 1, 0)
    for run in (changed, silent):
        undo_import(by=None, at=AT, run=run)
        assert texts(collection) == {"7": (TEA["full_text"], 5)}
    undo_import(by=None, at=AT, run=first)
    assert not Document.objects.exists()
    assert not FullText.objects.exists()


def clean(path: Path) -> None:
    rows = [{"corpusid": 7, "title": "On tea", "abstract": "Leaves.", "full_paper": TEA["full_text"]}]
    pq.write_table(pa.Table.from_pylist([*rows, {"corpusid": 9, "title": "On pots", "abstract": "Clay."}]), path)


def annotated(path: Path) -> None:
    text = f"On tea\n{TEA['full_text']}"
    content = {"text": text, "annotations": {"title": '[{"start": 0, "end": 6}]'}}
    pq.write_table(pa.Table.from_pylist([{"corpusid": 7, "externalids": {"doi": "10.1/t"}, "content": content}]), path)


def parsed(path: Path) -> None:
    body = [{"text": "Oolong is rolled."}, {"text": "Then dried."}]
    path.write_text(json.dumps({"paper_id": "7", "title": "On tea", "abstract": [], "body_text": body}) + "\n")


@pytest.mark.parametrize(
    ("write", "name", "found"),
    [
        (clean, "corpus_clean.parquet", TEA["full_text"]),
        (annotated, "corpus_s2orc.parquet", f"On tea\n{TEA['full_text']}"),
        (parsed, "s2orc.jsonl", "Oolong is rolled.\n\nThen dried."),
    ],
)
def test_litsearchs_corpora_and_s2orc_bring_them(
    collection: Collection, tmp_path: Path, write: Any, name: str, found: str
) -> None:
    write(tmp_path / name)
    call_command("import_documents", "tea", str(tmp_path / name), stderr=StringIO())
    assert {docno: text for docno, (text, _) in texts(collection).items()} == {"7": found}


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["documents", "documents-parquet", "documents-s2orc"])
def test_they_go_out_where_they_are_asked_for_and_come_in_again(
    collection: Collection, tmp_path: Path, format_: str, client: Client
) -> None:
    import_files(collection, jsonl(tmp_path / "in.jsonl", [TEA, POT]))
    other, out = CollectionFactory(slug="again"), tmp_path / f"out.{'jsonl' if format_ == 'documents' else 'parquet'}"
    call_command("export", "tea", "--format", format_, "--out", str(out), stderr=StringIO())
    call_command("import_documents", "again", str(out), stderr=StringIO())
    assert texts(other) == {}
    call_command("export", "tea", "--format", format_, "--full-texts", "--out", str(out), stderr=StringIO())
    call_command("import_documents", "again", str(out), stderr=StringIO())
    assert texts(other) == texts(collection) != {}
    client.force_login(MembershipFactory(collection=collection, role="manager").user)
    answer = client.get(reverse("export_download", args=["tea", format_]) + "?full_texts=1")
    assert b"".join(answer.streaming_content) == out.read_bytes()  # type: ignore[attr-defined]
    assert "full texts" in client.get(reverse("export_list", args=["tea"])).content.decode()
    FullText.objects.all().delete()
    assert "full texts" not in client.get(reverse("export_list", args=["tea"])).content.decode()
    with pytest.raises(CommandError, match="cannot be written with --full-texts"):
        call_command("export", "tea", "--format", "topics", "--full-texts", stderr=StringIO())


@pytest.mark.slow
def test_bm25_searches_them_by_weight_and_knows_when_they_change(
    collection: Collection, tmp_path: Path, settings: Any
) -> None:
    settings.INDEX_DIR = tmp_path / "indexes"
    import_files(collection, jsonl(tmp_path / "in.jsonl", [TEA, POT | {"full_text": "Clay of kilns"}]))
    TopicFactory(collection=collection, number="1", text="kilns clay")
    for name, fields in (("short", "title abstract"), ("full", "title abstract full-text^2")):
        call_command("make_run", "tea", name, "--recipe", "bm25", "--fields", *fields.split(), stderr=StringIO())
    scores = {name: Ranking.objects.get(run__name=name).scores[0] for name in ("short", "full")}
    assert scores["full"] > scores["short"]
    inputs = {name: RetrievalRun.objects.get(name=name).parameters["inputs"] for name in scores}
    assert inputs["full"].keys() - inputs["short"].keys() == {"full texts"}
    import_files(collection, jsonl(tmp_path / "b.jsonl", [TEA | {"full_text": "Kilns of clay, kilns of tea"}]))
    call_command("make_run", "tea", "full", "--recipe", "bm25", "--fields", *fields.split(), stderr=StringIO())
    run = RetrievalRun.objects.get(name="full")
    assert run.rankings.get().docnos == ["9", "7"], "7 was not found before"
    assert run.parameters["inputs"]["documents"] == inputs["full"]["documents"]
    assert run.parameters["inputs"]["full texts"] != inputs["full"]["full texts"]


@pytest.mark.slow
def test_lists_and_searches_do_not_touch_them(collection: Collection, tmp_path: Path, client: Client) -> None:
    import_files(collection, jsonl(tmp_path / "in.jsonl", [TEA, POT]))
    client.force_login(MembershipFactory(collection=collection, role="manager").user)
    pages = [reverse("document_list", args=["tea"]), reverse("api_documents", args=["tea"])]
    pages += [f"{pages[0]}?q=tea", f"{pages[0]}?q=oolong", f"{pages[0]}?after=7", reverse("palette") + "?q=tea"]
    pages += [reverse("api_document", args=["tea", "7"])]
    with CaptureQueriesContext(connection) as asked:
        for page in pages:
            answer = client.get(page)
            assert answer.status_code == 200, page
            assert "Oolong" not in answer.content.decode()
    assert len(asked) > len(pages)
    assert not [query["sql"] for query in asked if "fulltext" in (query["sql"] or "").lower()]


def test_a_document_says_how_long_its_full_text_is_and_shows_it_when_asked(
    collection: Collection, tmp_path: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "<b>Oolong</b> " * 1_200
    import_files(collection, jsonl(tmp_path / "in.jsonl", [TEA | {"full_text": text}, POT]))
    client.force_login(MembershipFactory(collection=collection, role="annotator").user)
    address = reverse("document_detail", args=["tea", "7"])
    page = client.get(address).content.decode()
    assert "1,200 words" in page
    assert "Oolong" not in page
    assert "&lt;b&gt;Oolong" in client.get(address + "?full-text").content.decode()
    assert "Full text" not in client.get(reverse("document_detail", args=["tea", "9"])).content.decode()
    figures = client.get(reverse("document_figures", args=["tea"])).content.decode()
    assert "Words of a full text, mean" in figures
    assert "1,200" in figures
    capsys.readouterr()
    call_command("collection_stats", "tea", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["with_full_text"], found["mean_full_text_words"]) == (1, 1200.0)
