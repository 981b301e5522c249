"""BEIR: `corpus.jsonl`, `queries.jsonl` and a table of qrels (formats.md 5)."""

from engines.formats import jsonl_documents, jsonl_topics
from engines.formats.comments import is_comment
from engines.formats.jsonl_documents import read_jsonl_documents, write_beir_corpus
from engines.formats.jsonl_topics import read_jsonl_topics, write_beir_queries
from engines.formats.layouts import KEPT, Layout
from engines.formats.pool_lists import read_pool_list
from engines.formats.qrels import (
    FIELDS,
    delimiter_of,
    header_places,
    is_value,
    read_beir_qrels,
    write_beir_qrels,
)
from engines.formats.registry import Certainty, Format, Head, Shape
from engines.formats.tables import cells_of

RECORDS = ("documents", "topics")
_NO_ITERATION = (["0"], ["Q0"])  # else it may be an annotator


def _is_table(head: Head) -> bool:
    """Whether the first line is a header of qrels other than those of TREC, whose four columns may be separated by
    blanks."""
    rows = [line for line in head.lines if not is_comment(line)]
    if not rows:
        return False
    mark = delimiter_of(rows[0])
    places = header_places(rows[0].replace('"', "").split(mark or None))
    return places is not None and not (len(rows[0].split()) == places.width == 4 and places.iteration is not None)


def _are_rows(head: Head) -> bool:
    """Whether all lines are qrels of three columns, separated by tabs; or of three or four, by commas or semicolons."""
    lines = [line for line in head.lines if not is_comment(line)]
    mark = delimiter_of(lines[0]) if lines else ""
    rows = [cells_of(line, mark) for line in lines] if mark else []
    return bool(rows) and all(
        _is_row(row) or (mark != "\t" and row[1:2] in _NO_ITERATION and _is_row([row[0], *row[2:]])) for row in rows
    )


def _are_damaged_rows(head: Head) -> bool:
    """Damaged qrels are read, so that their bad rows are reported by line; blanks may separate the columns."""
    return 2 * sum(map(_is_row, head.rows)) >= max(len(head.rows), 1)


def _is_row(row: list[str]) -> bool:
    return len(row) == 3 and is_value(row[2].strip()) and not any(len(cell.split()) != 1 for cell in row)


_QRELS = Layout(
    "query-id\tcorpus-id\tscore\n1\t10.1145/1\t2\n",
    FIELDS,
    "Tabs, commas or spaces separate the columns. The header may be left out; with it, columns may be in any order,"
    " and others are not read. Lines that begin with # are comments.",
)

BEIR = Format(
    name="beir",
    label="BEIR",
    help="corpus.jsonl and queries.jsonl with _id, title and text; qrels as a table with the columns query-id, "
    "corpus-id and score.",
    reads={
        "documents": read_jsonl_documents,
        "topics": read_jsonl_topics,
        "pool": read_pool_list,
        "qrels": read_beir_qrels,
    },
    writes={"documents": write_beir_corpus, "topics": write_beir_queries, "qrels": write_beir_qrels},
    shapes=(
        Shape("beir-qrels", ("pool", "qrels"), _is_table),
        Shape("beir-qrels", ("pool", "qrels"), _are_rows, Certainty.LIKELY),
        Shape("beir-qrels", ("pool", "qrels"), _are_damaged_rows, Certainty.IF_REQUESTED),
        Shape(
            "beir-corpus", RECORDS, lambda head: head.has_keys({"_id", "title"}, {"_id", "abstract"}), Certainty.LIKELY
        ),
        Shape("beir-queries", RECORDS, lambda head: head.has_keys({"_id", "text"}), Certainty.LIKELY),
    ),
    layouts={
        "documents": Layout(
            '{"_id": "10.1145/1", "title": "Hearing of owls", "text": "Owls hear well."}\n'
            '{"_id": "10.1145/2", "title": "Wings of moths", "text": "Moths are quiet."}\n',
            jsonl_documents.LAYOUT.fields,
            KEPT,
        ),
        "topics": Layout(
            '{"_id": "1", "text": "How do owls hear?"}\n{"_id": "2", "text": "Why are moths quiet?"}\n',
            jsonl_topics.LAYOUT.fields,
            KEPT,
        ),
        "pool": _QRELS,
        "qrels": _QRELS,
    },
)
