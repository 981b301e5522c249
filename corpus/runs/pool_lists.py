"""Explicit pools from files: `topic docno` in each line, or TREC qrels, whose iteration and value are not read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from accounts.jobs import Progress
from corpus.formats.lines import read_lines
from corpus.formats.members import open_members
from corpus.formats.records import MAX_TOPIC_LENGTH, Problem, id_problem
from corpus.models import ImportRun
from corpus.models.pools import LISTED
from corpus.runs.background import in_background
from corpus.runs.copying import copy_text, encode_line
from corpus.runs.reading import Odometer, batches, sources_of
from corpus.runs.tally import ERRORS_KEPT, REPEATED, Tally

STAGE = """
DROP TABLE IF EXISTS pg_temp.import_pool;
CREATE TEMP TABLE import_pool (n bigint, file text, line bigint, topic text, docno text) ON COMMIT DROP;
"""
# Each pair once, with the ids of what it names.
FOUND = """
WITH found AS (
  SELECT DISTINCT ON (r.topic, r.docno) r.*, t.id AS topic_id, d.id AS document_id
  FROM import_pool r
  LEFT JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = r.topic
  LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = r.docno
  ORDER BY r.topic, r.docno, r.n
)
"""
PROBLEMS = (
    FOUND
    + """
SELECT file, line, topic, docno, topic_id IS NULL, count(*) OVER () FROM found
WHERE topic_id IS NULL OR document_id IS NULL ORDER BY n LIMIT %(most)s
"""
)
COUNT = (
    FOUND
    + """
SELECT count(*) FILTER (WHERE s.id IS NULL), count(*) FILTER (WHERE s.id IS NOT NULL),
  (SELECT count(*) FROM import_pool) - (SELECT count(*) FROM found)
FROM found f
LEFT JOIN corpus_poolentry e ON e.topic_id = f.topic_id AND e.document_id = f.document_id
LEFT JOIN corpus_poolsource s ON s.entry_id = e.id AND s.method = %(method)s
WHERE f.topic_id IS NOT NULL AND f.document_id IS NOT NULL
"""
)
WRITE_ENTRIES = (
    FOUND
    + """
INSERT INTO corpus_poolentry (topic_id, document_id)
SELECT topic_id, document_id FROM found WHERE topic_id IS NOT NULL AND document_id IS NOT NULL ORDER BY n
ON CONFLICT DO NOTHING
"""
)
WRITE_SOURCES = (
    FOUND
    + """
INSERT INTO corpus_poolsource (entry_id, method)
SELECT e.id, %(method)s FROM found f
JOIN corpus_poolentry e ON e.topic_id = f.topic_id AND e.document_id = f.document_id
ON CONFLICT DO NOTHING
"""
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of a pool list."""

    topic: str
    docno: str
    file: str
    line: int


def load_pool_list(run: ImportRun, progress: Progress, tally: Tally) -> None:
    """Read the job's files into the pools; the caller holds the transaction. Pairs are counted."""
    odometer = Odometer()
    with connection.cursor() as cursor:
        cursor.execute(STAGE)
        with in_background(batches(_pairs(run, odometer), _line, odometer)) as found:
            for batch in found:
                tally.add_problems(batch.problems)
                with cursor.copy("COPY import_pool FROM STDIN") as copy:
                    copy.write(batch.data)
                progress.report(min(batch.bytes_read, run.total), run.total, "reading pairs")
        values: dict[str, Any] = {"collection": run.collection_id, "method": LISTED, "most": ERRORS_KEPT}
        cursor.execute(PROBLEMS, values)
        _report(cursor.fetchall(), tally)
        cursor.execute(COUNT, values)
        tally.created, tally.unchanged, repeated = cursor.fetchone()
        if repeated:
            tally.skips[REPEATED] += repeated
        if not run.dry_run:
            cursor.execute(WRITE_ENTRIES, values)
            cursor.execute(WRITE_SOURCES, values)


def _pairs(run: ImportRun, odometer: Odometer) -> Iterator[Pair | Problem]:
    for source in sources_of(run):
        for member in open_members(source.path, name=source.name, watch=odometer.add):
            for line, text in read_lines(member.stream, member.name):
                fields = text.split()
                if fields and not text.startswith("#"):
                    yield _pair(fields, member.name, line)


def _pair(fields: list[str], file: str, line: int) -> Pair | Problem:
    if len(fields) not in (2, 4):
        return Problem(file, line, f"has {len(fields)} fields; topic and docno are wanted, or the four of TREC qrels")
    topic, docno = fields[0], fields[2] if len(fields) == 4 else fields[1]
    reason = id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno)
    return Problem(file, line, reason) if reason else Pair(topic, docno, file, line)


def _line(n: int, pair: Pair) -> bytes:
    return encode_line((str(n), copy_text(pair.file), str(pair.line), copy_text(pair.topic), copy_text(pair.docno)))


def _report(rows: list[tuple[str, int, str, str, bool, int]], tally: Tally) -> None:
    """Count the pairs that name what is not there; `rows` holds the first of them, each with the count of all."""
    for file, line, topic, docno, no_topic, _ in rows:
        what = f"topic {topic}" if no_topic else f"document {docno}"
        tally.add_problems([Problem(file, line, f"{what} is not in the collection")])
    if rows:
        tally.error_count += rows[0][5] - len(rows)
