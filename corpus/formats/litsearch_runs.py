"""Runs as LitSearch writes them: a question's row in JSON with `retrieved`, docnos best first (formats.md 2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, BinaryIO

from corpus.formats.json_fields import FieldError, take_id
from corpus.formats.jsonl import read_objects
from corpus.formats.records import BrokenFile, Problem, RunRow, id_problem
from corpus.formats.trec_runs import BadRow

RETRIEVED = "retrieved"


def read_litsearch_run(stream: BinaryIO, file: str) -> Iterator[RunRow | BadRow | Problem]:
    """Yield a row for each retrieved document; scores fall from the list's length to 1, as no others are there.

    A question is named by its `number`, else by its row, from 0; the run by the name of its file. Errors: BrokenFile
    for a document that occurs twice in a list.
    """
    tag = "".join(PurePath(file).name.partition(".")[0].split()) or "run"
    for row, found in enumerate(read_objects(stream, file)):
        if isinstance(found, Problem):
            yield found
            continue
        line, item = found
        topic = str(row)
        try:
            topic = take_id(item, ("number",)) if item.get("number") is not None else topic
            docnos = _docnos(item)
        except FieldError as error:
            yield BadRow(file, line, str(error), topic)
            continue
        if len(set(docnos)) < len(docnos):
            twice = next(docno for place, docno in enumerate(docnos) if docno in docnos[:place])
            raise BrokenFile(file, line, f"document {twice} is ranked twice for question {topic}")
        for rank, docno in enumerate(docnos, 1):
            yield RunRow(topic, docno, rank, float(len(docnos) - rank + 1), tag, file, line)


def _docnos(item: dict[str, Any]) -> list[str]:
    found = item.get(RETRIEVED)
    if not isinstance(found, list):
        raise FieldError(f"`{RETRIEVED}` is no list of documents")
    docnos = []
    for each in found:
        if isinstance(each, bool) or not isinstance(each, str | int):
            raise FieldError(f"`{RETRIEVED}` holds {str(each)[:40]!r}, which is no id of a document")
        docnos.append(str(each))
    if reason := next((reason for docno in docnos if (reason := id_problem(docno))), ""):
        raise FieldError(reason)
    return docnos
