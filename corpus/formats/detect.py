"""Which format a file is in, told from its first bytes and, where they leave it open, from its name."""

from __future__ import annotations

import re

from corpus.formats.jsonl import parse_object
from corpus.formats.jsonl_documents import ID_KEYS
from corpus.formats.records import BrokenFile

HEAD_BYTES = 1 << 16

_BIBTEX = re.compile(r"^\s*@\s*[A-Za-z]\w*\s*[{(]", re.MULTILINE).search
_DORIS = re.compile(r"\s*Query:\s*\d+\s*\n").match
_RUN_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+\s*").fullmatch
_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s*").fullmatch
_JUDGMENT_KEYS = frozenset({"annotator", "value"})

# The first kind of which all keys of one set are there.
_JSON_KINDS: list[tuple[str, list[set[str]]]] = [
    ("doris-mae-json", [{"Query"}, {"Corpus"}, {"Annotation"}, {"aspect_id2aspect"}, {"aspect2aspect_id"}]),
    ("jsonl-judgments", [{"annotator", "value"}]),
    ("jsonl-mentions", [{"text", "markers"}]),
    ("litsearch-queries", [{"query_set"}, {"query", "corpusids"}]),
    (
        "s2orc",
        [{"corpusid", "content"}, {"paper_id", "body_text"}, {"paper_id", "pdf_parse"}, {"paper_id", "has_pdf_parse"}],
    ),
    ("litsearch-corpus", [{"corpusid", "title", "full_paper"}, {"corpusid", "title", "citations"}]),
    ("jsonl-documents", [{"docno"}, {"id", "title", "abstract"}]),
    ("jsonl-topics", [{"number"}, {"aspects"}, {"query_id"}, {"topic"}]),
    ("beir-corpus", [{"_id", "title"}, {"_id", "abstract"}]),
    ("beir-queries", [{"_id", "text"}]),
    ("jsonl-documents", [{key} for key in ID_KEYS]),
]


def detect_format(head: bytes, file: str) -> str:
    """Return the name of the format that `head`, the beginning of a file, is in.

    One of bibtex, beir-corpus, beir-queries, jsonl-documents, jsonl-topics, jsonl-judgments, jsonl-mentions,
    litsearch-queries, litsearch-corpus, s2orc, doris-mae, doris-mae-json, trec-documents, trec-topics,
    trec-xml-topics, trec-qrels, trec-run, beir-qrels, csv-judgments, tei.

    Raises `BrokenFile` with the reason where it is none of them or cannot be told.
    """
    if not head.strip():
        raise BrokenFile(file, 0, "the file is empty")
    if head.startswith(b"PAR1"):
        return "litsearch-queries"
    if b"\0" in head:
        raise BrokenFile(file, 0, "is not a text file")
    text = head.decode("utf-8-sig", "replace").lstrip()
    found = _from_json(text) if text.startswith("{") else _from_marks(text) or _from_columns(text)
    if not found:
        raise BrokenFile(file, 0, f"its format is not recognised ({_first_words(text)}); name the format")
    return found


def _from_json(text: str) -> str:
    """Tell the kinds of JSON apart by the keys of the first object."""
    line = text.split("\n", 1)[0]
    try:
        keys = set(parse_object(line))
    except (ValueError, RecursionError):
        # A long first line is cut by the size of the head, or the object runs over lines: take what can be seen.
        keys = set(re.findall(r"\"([\w-]+)\"\s*:", text))
    return next((name for name, wanted in _JSON_KINDS if any(keys >= some for some in wanted)), "")


def _from_marks(text: str) -> str:
    """Tell formats by the marks that only they have."""
    lower = text[:4096].lower()
    if re.search(r"^<doc>\s*$", lower, re.MULTILINE):
        return "trec-documents"
    if re.search(r"<tei[\s>]", lower):
        return "tei"
    if re.search(r"^<top>", lower, re.MULTILINE):
        return "trec-topics"
    if re.search(r"<topics\b[^>]*>\s*(?:<!--.*?-->\s*)*<topic\b", lower, re.DOTALL):
        return "trec-xml-topics"
    if _DORIS(text):
        return "doris-mae"
    return "bibtex" if _BIBTEX(text) else ""


def _from_columns(text: str) -> str:
    """Tell tables by their first line, with all complete lines at hand in agreement."""
    lines = text.split("\n")
    first = lines[0].rstrip("\r")
    columns = {name.strip().strip('"').lower() for name in re.split(r"[,;\t]", first)}
    if columns >= _JUDGMENT_KEYS:
        return "csv-judgments"
    if first.split("\t")[:3] == ["query-id", "corpus-id", "score"]:
        return "beir-qrels"
    sample = [line for line in (lines[:-1] if len(lines) > 1 else lines)[:20] if line.strip()]
    if all(map(_RUN_LINE, sample)):
        return "trec-run"
    return "trec-qrels" if all(map(_QRELS_LINE, sample)) else ""


def _first_words(text: str) -> str:
    words = " ".join(text[:200].split())[:60]
    return f"it begins with “{words}”"
