"""Documents from files into the database: exact counts, all or nothing, whatever the files hold."""

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from accounts import jobs
from accounts.models import AuditEvent, JobState
from accounts.refusals import Refused
from corpus.documents import storing as loading
from corpus.imports.errors import group_errors
from corpus.loading import line_batches as reading
from corpus.models import Collection, Document, Indexing, Role, SearchEntry
from engines.formats.records import DocumentRecord
from tests.corpus.documents.tea_documents import POT, TEA, stored
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.factories.accounts import MembershipFactory
from tests.factories.corpus import DocumentFactory, ImportRunFactory

ODD = {"id": "tea-3", "title": "Tab\there", "abstract": "line\nline\rline", "colour": {"deep": [1, 2.5, None, "ü"]}}


class TestCounts:
    @pytest.mark.slow
    def test_new_changed_and_equal_documents_are_distinguished(self, collection: Collection, tmp_path: Path) -> None:
        first = import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT, ODD]))
        assert (first.state, counts(first)) == (JobState.DONE, (3, 0, 0, 0))
        again = import_files(collection, jsonl(tmp_path / "b.jsonl", [TEA, {**POT, "title": "On teapots"}, ODD]))
        assert counts(again) == (0, 1, 2, 0)
        assert stored(collection)["tea-2"]["title"] == "On teapots"

    def test_values_arrive_as_they_were_written(self, collection: Collection, tmp_path: Path) -> None:
        import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT, ODD]))
        found = stored(collection)
        assert found["tea-1"]["keywords"] == ["leaf", "pot"]
        assert found["tea-2"]["authors"] == ['A "Pot" Smith', "B\\C"]
        assert found["tea-2"]["abstract"] == "Clay \\ and “iron”."
        assert found["tea-3"]["extra"] == {"colour": {"deep": [1, 2.5, None, "ü"]}}

    def test_a_dry_run_counts_the_same_and_writes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT]))
        path = jsonl(tmp_path / "b.jsonl", [TEA, {**POT, "year": 1999}, ODD, ODD])
        before = stored(collection)
        dry = import_files(collection, path, dry_run=True)
        assert stored(collection) == before
        real = import_files(collection, path)
        assert counts(dry) == counts(real) == (1, 1, 1, 1)
        assert dry.errors == real.errors

    def test_of_several_records_with_one_docno_the_first_counts(self, collection: Collection, tmp_path: Path) -> None:
        run = import_files(
            collection, jsonl(tmp_path / "a.jsonl", [TEA]), jsonl(tmp_path / "b.jsonl", [{**TEA, "title": "Late"}, POT])
        )
        assert counts(run) == (2, 0, 0, 1)
        assert run.skips == {"a record whose id came earlier in this import": 1}
        assert stored(collection)["tea-1"]["title"] == "On tea"

    def test_counts_stay_exact_over_many_batches(
        self, collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "BATCH_ROWS", 7)
        rows = [{"id": f"d{i}", "title": f"Title {i}"} for i in range(100)]
        import_files(collection, jsonl(tmp_path / "a.jsonl", rows[:40]))
        changed = [{**row, "title": "New"} for row in rows[:10]]
        run = import_files(
            collection, jsonl(tmp_path / "b.jsonl", changed + rows[10:]), jsonl(tmp_path / "c.jsonl", rows[:5])
        )
        assert counts(run) == (60, 10, 30, 5)

    def test_documents_of_other_collections_are_not_touched(self, collection: Collection, tmp_path: Path) -> None:
        other = DocumentFactory(docno="tea-1", title="Elsewhere")
        assert counts(import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]))) == (1, 0, 0, 0)
        other.refresh_from_db()
        assert other.title == "Elsewhere"

    def test_excluded_documents_are_left_out(self, collection: Collection, tmp_path: Path) -> None:
        run = import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT]), exclude=["tea-1"])
        assert counts(run) == (1, 0, 0, 1)
        assert list(stored(collection)) == ["tea-2"]

    def test_the_transaction_is_left_as_it_was(self, collection: Collection, tmp_path: Path) -> None:
        """Keys are checked at its end again, and the planner may do what it likes."""
        import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]))
        with connection.cursor() as cursor:
            cursor.execute("SHOW enable_seqscan")
            assert cursor.fetchone() == ("on",)
            cursor.execute("SAVEPOINT here")
            cursor.execute(
                "INSERT INTO corpus_citation (citing_id, cited_id) SELECT id, id + 1000000 FROM corpus_document"
            )  # no error yet
            cursor.execute("ROLLBACK TO SAVEPOINT here")

    def test_filters_are_options(self, collection: Collection, tmp_path: Path, capsys: Any) -> None:
        rows = [{"docno": f"d{year}", "title": "Tea", "year": year, "venue": "ACL"} for year in range(2000, 2010)]
        path = jsonl(tmp_path / "a.jsonl", rows)
        (tmp_path / "only.txt").write_text("d2003\nd2004\nd2009\n")
        asked = ("--year-from", "2001", "--year-to", "2008", "--venues", "acl", "--only", str(tmp_path / "only.txt"))
        call_command("import_documents", "tea", str(path), *asked, "--json")
        assert list(stored(collection)) == ["d2003", "d2004"]
        assert json.loads(capsys.readouterr().out)["skipped"] == 8
        for wrong, reason in (
            (("--year-from", "new"), "Enter a whole number"),
            (("--year-from", "9", "--year-to", "8"), "No year is from 9 to 8"),
        ):
            with pytest.raises(CommandError, match=reason):
                call_command("import_documents", "tea", str(path), *wrong)

    def test_imports_are_in_the_audit_log(self, collection: Collection, tmp_path: Path) -> None:
        import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]))
        asked, done = AuditEvent.objects.filter(scope="tea").order_by("pk")
        assert (asked.verb, done.verb) == ("request_import", "import_documents")
        assert done.data["created"] == 1
        assert len(done.data["files"][0]["sha256"]) == 64


class TestBadInput:
    def test_bad_records_are_reported_by_file_and_line(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text(f'{json.dumps(TEA)}\nnot json\n{{"id": "has blank", "title": "t"}}\n{json.dumps(POT)}\n')
        run = import_files(collection, path)
        assert run.state == JobState.DONE
        assert counts(run) == (2, 0, 0, 2)
        assert [(error["file"], error["line"]) for error in run.errors] == [("a.jsonl", 2), ("a.jsonl", 3)]
        assert all(error["reason"] for error in run.errors)

    @pytest.mark.slow
    def test_a_broken_file_changes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]))
        before = stored(collection)
        whole = "".join(json.dumps({"id": f"d{i}", "title": f"Title {i}"}) + "\n" for i in range(2_000)).encode()
        cut = tmp_path / "cut.jsonl.gz"
        cut.write_bytes(gzip.compress(whole)[:-200])
        run = import_files(collection, jsonl(tmp_path / "b.jsonl", [{**TEA, "title": "New"}]), cut)
        assert run.state == JobState.FAILED
        assert "cut.jsonl.gz" in run.reason
        assert counts(run) == (0, 0, 0, 1)
        assert run.errors[0]["file"] == "cut.jsonl.gz"
        assert stored(collection) == before

    def test_a_binary_file_is_refused(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "picture.jsonl"
        path.write_bytes(json.dumps(TEA).encode() + b"\n\x89PNG\0\0\0")
        run = import_files(collection, path, format="jsonl")
        assert run.state == JobState.FAILED
        assert "picture.jsonl, line 2" in run.reason
        assert not stored(collection)

    def test_a_file_without_one_readable_record_is_refused(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("{}\n{}\n")
        run = import_files(collection, path, format="jsonl")
        assert run.state == JobState.FAILED
        assert run.reason.startswith("Nothing was imported: all 2 records were refused. a.jsonl, line 1:")

    @pytest.mark.parametrize(
        "row",
        [
            {"id": "bad", "title": "nul \0 here"},
            {"id": "bad", "title": "x", "more": {"deep": ["\0"]}},
            {"id": "bad", "title": "half \ud800"},
            {"id": "bad", "title": "x", "score": float("nan")},
            {"id": "bad", "title": "x", "doi": "10/" + "x" * 400},
            {"id": "b" * 400, "title": "x"},
        ],
    )
    def test_what_cannot_be_stored_is_a_bad_record(
        self, collection: Collection, tmp_path: Path, row: dict[str, Any]
    ) -> None:
        run = import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, row, POT]))
        assert (run.state, counts(run)) == (JobState.DONE, (2, 0, 0, 1))
        assert run.errors[0]["line"] == 2

    def test_only_the_first_ten_thousand_errors_are_kept(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text(json.dumps(TEA) + "\n" + "broken\n" * 10_500)
        run = import_files(collection, path, format="jsonl")
        assert (len(run.errors), run.error_count, run.skipped) == (10_000, 10_500, 10_500)

    def test_equal_errors_are_counted_and_offered_as_a_file_in_line_order(
        self, collection: Collection, tmp_path: Path, client: Client
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("broken\n" * 4000 + json.dumps(TEA) + "\n" + '{"id": "b", "title": "never closed\n')
        run = import_files(collection, path, format="jsonl")
        assert [error["line"] for error in run.errors] == [*range(1, 4001), 4002]
        groups = group_errors(run.errors)
        assert [group.count for group in groups] == [4000, 1]
        assert (groups[0].places[-1], groups[0].more) == (("a.jsonl", 5), 3995)
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        page = client.get(reverse("import_detail", args=[collection.slug, run.pk])).text
        assert "4,001 problems" in page
        assert "and 3,995 more" in page
        assert page.count("<tr>") < 10
        answer = client.get(reverse("import_errors", args=[collection.slug, run.pk]))
        rows = b"".join(answer.streaming_content).decode().splitlines()
        assert len(rows) == 4002
        assert rows[0] == "file,line,reason,came in anyway"
        assert rows[4000].startswith("a.jsonl,4000,is not JSON")
        assert "at at" not in rows[-1]

    def test_texts_of_any_length_are_stored_and_searched_as_far_as_goes(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        words = " ".join(
            f"{a}{b}-{c}{d}" for a in "日月火水木" for b in range(60) for c in "金土星空海" for d in range(60)
        )
        assert len(words) > 500_000
        run = import_files(
            collection, jsonl(tmp_path / "a.jsonl", [{"id": "long", "title": "leaf " * 9_000, "abstract": words}])
        )
        assert (run.state, run.created) == (JobState.DONE, 1)
        jobs.carry_out(Indexing.objects.get())
        assert SearchEntry.objects.filter(vector="leaf").count() == 1
        assert Document.objects.get(docno="long").abstract == words


class TestFiles:
    def test_archives_of_many_files(self, collection: Collection, tmp_path: Path) -> None:
        bibtex = "@article{key%d, title = {On {T}ea}, abstract = {100%% of $5}, year = {2001}}\n"
        with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
            for number in range(3):
                data = (bibtex % number).encode()
                info = tarfile.TarInfo(f"deep/{number}.bib")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
            packed.writestr("docs.jsonl", json.dumps(TEA))
        run = import_files(collection, tmp_path / "a.tar.xz", tmp_path / "b.zip")
        assert counts(run) == (4, 0, 0, 0)
        assert stored(collection)["key1"]["abstract"] == "100% of $5"

    def test_unknown_formats_are_refused(self, collection: Collection, tmp_path: Path) -> None:
        with pytest.raises(Refused, match="Unknown format “marc”"):
            import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]), format="marc")

    def test_progress_reaches_the_end(self, collection: Collection, tmp_path: Path) -> None:
        path = jsonl(tmp_path / "a.jsonl", [TEA, POT])
        run = import_files(collection, path)
        assert run.done == run.total == path.stat().st_size


class TestCommand:
    def test_it_prints_one_json_object_and_a_summary(
        self, collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text(json.dumps(TEA) + "\nbroken\n" + "{}\n" * 12)
        call_command("import_documents", "tea", str(path), as_json=True)
        printed = capsys.readouterr()
        result = json.loads(printed.out)
        assert {key: result[key] for key in ("created", "updated", "unchanged", "skipped")} == {
            "created": 1,
            "updated": 0,
            "unchanged": 0,
            "skipped": 13,
        }
        assert (result["errors"][0]["file"], result["errors"][0]["line"]) == ("a.jsonl", 2)
        assert "1 created, 0 updated, 0 unchanged, 13 skipped" in printed.err
        assert "a.jsonl, line 2:" in printed.err
        assert printed.err.count("\n") < 6  # equal errors stand together
        assert "  12 times: " in printed.err
        assert "; a.jsonl, line 7 and 7 more)" in printed.err

    def test_a_refused_import_says_why_in_json_too(
        self, collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"{}\n\0")
        with pytest.raises(CommandError) as refused:
            call_command("import_documents", "tea", str(path), "--format", "jsonl", as_json=True)
        assert refused.value.returncode == 1
        result = json.loads(capsys.readouterr().out)
        assert result["created"] == 0
        assert result["errors"][-1]["line"] == 2

    def test_a_missing_file_and_a_missing_collection_are_refused(self, collection: Collection, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="There is no file"):
            call_command("import_documents", "tea", str(tmp_path / "nothing.jsonl"))
        with pytest.raises(CommandError, match="create_collection coffee"):
            call_command("import_documents", "coffee", str(tmp_path))

    def test_exclusions_come_from_a_file(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "out.txt").write_text("tea-1\n\n")
        path = jsonl(tmp_path / "a.jsonl", [TEA, POT])
        call_command("import_documents", "tea", str(path), exclude=tmp_path / "out.txt")
        assert list(stored(collection)) == ["tea-2"]


texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


class TestAnyText(HypothesisTestCase):
    """Whatever a reader may yield arrives in the database letter by letter."""

    @pytest.mark.slow
    @settings(max_examples=40)
    @given(
        title=texts,
        abstract=texts,
        keywords=st.lists(texts, max_size=3),
        extra=st.dictionaries(texts, values, max_size=3),
    )
    def test_any_text_survives_copy(
        self, title: str, abstract: str, keywords: list[str], extra: dict[str, Any]
    ) -> None:
        run = ImportRunFactory()
        collection = run.collection
        record = DocumentRecord(
            "d1", title, abstract, tuple(keywords), (), abstract, 2001, "", title, extra, "any.jsonl", 1
        )
        with transaction.atomic(), loading._staging():
            merged = loading._merge_batch(run, loading.document_line(0, record))
            again = loading._merge_batch(run, loading.document_line(1, _renamed(record, "d2")))
        assert (merged[0], again[0]) == (1, 1)
        document = Document.objects.get(collection=collection, docno="d1")
        assert (document.title, document.abstract, document.keywords) == (title, abstract, keywords)
        assert (document.extra, document.url) == (extra, title)


def _renamed(record: DocumentRecord, docno: str) -> DocumentRecord:
    from dataclasses import replace

    return replace(record, docno=docno)
