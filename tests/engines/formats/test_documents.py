import gzip
import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pybtex.database
import pytest

from engines.formats.archives import open_files
from engines.formats.bibtex import read_entries
from engines.formats.documents import DocumentFilter, read_documents
from engines.formats.records import BrokenFile, DocumentRecord, Problem, Skip
from tests.engines.formats.reading import records, said_nothing
from tests.shared import shared_path

BIBTEX = "@article{k1, title = {T}}\n@article{k2, title = {T}}\n"
JSONL = '{"docno": "d1", "title": "T"}\n{"docno": "d2", "title": "T"}\n{"docno": "d1", "title": "again"}\n'
BEIR = '{"_id": "b1", "title": "T", "text": "x"}\n'
TREC = "<DOC>\n<DOCNO>t1</DOCNO>\n<TEXT>\nx\n</TEXT>\n</DOC>\n"


@pytest.mark.parametrize(
    ("content", "format_", "docnos"),
    [(BIBTEX, "bibtex", ["k1", "k2"]), (BEIR, "beir", ["b1"]), (TREC, "trec", ["t1"]), (BEIR, "jsonl", ["b1"])],
)
def test_formats_are_named_or_detected(tmp_path: Path, content: str, format_: str, docnos: list[str]) -> None:
    path = tmp_path / "upload"
    path.write_text(content)
    for choice in (format_, "auto"):
        assert [item.docno for item in records(read_documents(path, choice))] == docnos


def test_a_docno_that_occurs_again_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(JSONL)
    found = list(read_documents(path, name="mine.jsonl"))
    assert [item.docno for item in found if isinstance(item, DocumentRecord)] == ["d1", "d2"]
    assert found[2] == Problem("mine.jsonl", 3, "docno d1 appears more than once in this file; the first one counts")


def test_excluded_documents_are_skips(tmp_path: Path) -> None:
    path = tmp_path / "a.bib"
    path.write_text(BIBTEX)
    skip, record = said_nothing(read_documents(path, criteria=DocumentFilter(exclude={"k1"})))
    assert skip == Skip("a.bib", 1, "a document on the list of exclusions", "k1")
    assert isinstance(record, DocumentRecord)


@pytest.mark.parametrize(
    ("criteria", "docnos"),
    [
        (DocumentFilter(), ["1", "2", "3", "4"]),
        (DocumentFilter(only={"2", "9"}), ["2"]),
        (DocumentFilter(only={"1", "2"}, exclude={"2"}), ["1"]),
        (DocumentFilter(year_from=2001), ["2", "3"]),
        (DocumentFilter(year_to=2001), ["1", "2"]),
        (DocumentFilter(year_from=2001, year_to=2001), ["2"]),
        (DocumentFilter(venues=("sigir", "ACL")), ["1", "2"]),
        (DocumentFilter(year_to=2000, venues=("acl",)), []),
    ],
)
def test_filters_let_wanted_documents_pass(tmp_path: Path, criteria: DocumentFilter, docnos: list[str]) -> None:
    path = tmp_path / "a.jsonl"
    known = [("1", 2000, "SIGIR Forum"), ("2", 2001, "Findings of ACL"), ("3", 2002, ""), ("4", None, "")]
    rows = [{"docno": docno, "title": "Tea", "year": year, "venue": venue} for docno, year, venue in known]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(read_documents(path, criteria=criteria))
    assert [item.docno for item in found if isinstance(item, DocumentRecord)] == docnos
    assert sum(isinstance(item, Skip) for item in found) == 4 - len(docnos)


def test_archives_may_hold_several_formats_and_other_files(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.bib", BIBTEX)
        archive.writestr("README", "how to read this")
        archive.writestr("two.jsonl.gz", gzip.compress(JSONL.encode()))
        archive.writestr("qrels.txt", "1 0 d1 1\n")
    found = list(read_documents(path))
    assert [item.docno for item in found if isinstance(item, DocumentRecord)] == ["k1", "k2", "d1", "d2"]
    reasons = [(item.file, item.reason) for item in found if isinstance(item, Problem)]
    assert reasons[0][0] == "all.zip/README"
    assert "not recognised" in reasons[0][1]
    assert reasons[2] == (
        "all.zip/qrels.txt",
        "holds no documents: it looks like a file of judgments, pool lists or qrels (TREC qrels)",
    )


def test_a_file_that_holds_no_documents_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("1 0 d1 1\n")
    with pytest.raises(BrokenFile, match="holds no documents: it looks like a file of judgments"):
        list(read_documents(path))


def test_an_unknown_format_is_an_error_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown format 'word'; known are auto, bibtex"):
        list(read_documents(tmp_path / "x", "word"))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    def peak(times: int) -> int:
        path = tmp_path / f"{times}.bib"
        entry = "@article{{k{0},\ntitle = {{T{0}}},\nabstract = {{" + "word " * 200 + "}}\n}}\n"
        path.write_text("".join(entry.format(n) for n in range(times)))
        tracemalloc.start()
        assert sum(isinstance(item, DocumentRecord) for item in read_documents(path)) == times
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(8_000) < peak(2_000) + 3_000_000


@pytest.mark.slow
@pytest.mark.shared
def test_pybtex_reads_the_same_fields() -> None:
    members = open_files(shared_path("data", "acm-cr", "collection.tar.xz"))
    member = next(member for member in members if member.name.endswith("cikm-1996.bib"))
    content = member.stream.read()
    theirs = pybtex.database.parse_bytes(content, "bibtex").entries
    ours = records(read_entries(io.BytesIO(content), member.name))
    assert [entry.key for entry in ours] == list(theirs)
    for entry in ours:
        other = {name.lower(): value for name, value in theirs[entry.key].fields.items() if name.lower() != "month"}
        folded = {name: " ".join(value.split()) for name, value in entry.fields.items()}
        assert {name: value for name, value in folded.items() if name not in ("author", "month")} == other
