"""Files that people have and Litmus does not read: each says what it is and what to do instead."""

import gzip
from pathlib import Path

import pytest

from engines.formats.reading import read_path
from engines.formats.records import BrokenFile

LINE = '{"docno": "1", "title": "Owls"}\n'


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", b"<html><body><table><tr><td>id</td></tr></table></body></html>", "is an HTML page"),
        ("a.jsonl", b"<!DOCTYPE html>\n<html><title>404</title></html>", "is an HTML page"),
        ("a.xls", b'<html xmlns:x="urn:x"><table></table></html>', "is an HTML page"),
        ("a.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "is an old Excel or Word file; save it as .xlsx or CSV"),
        ("a.jsonl.gz", gzip.compress(gzip.compress(LINE.encode(), mtime=0), mtime=0), "is compressed twice"),
        ("a.enw", b"%0 Journal Article\n%T Owls\n", "EndNote's own format; export the records as RIS"),
        ("a.xml", b"<?xml version='1.0'?><xml><records><record/></records></xml>", "is EndNote's XML"),
        ("a.xml", b"<!DOCTYPE x>\n<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>", "is PubMed's XML"),
        ("a.xml", b"<modsCollection><mods/></modsCollection>", "is MODS"),
    ],
)
def test_what_it_is_and_what_to_do(name: str, content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BrokenFile, match=reason):
        list(read_path("documents", tmp_path / name))


@pytest.mark.parametrize(
    ("carried", "content", "hint"),
    [
        ("topics", "1 owl hearing\n2 moth wings\n", "one topic per line: its number, a tab, its text"),
        ("runs", "qid,docid,rank,score\n1,d1,1,2.5\n", "six columns with spaces between and no header"),
    ],
)
def test_what_is_not_recognised_says_what_to_write(carried: str, content: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(BrokenFile, match=hint):
        list(read_path(carried, tmp_path / "a.txt"))
