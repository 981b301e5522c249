"""Importing pool lists: pairs of topic and docno, each with the method of the list as its provenance."""

from typing import Any

from django.db import connection

from accounts.jobs import Progress
from accounts.refusals import Refused
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ERRORS_KEPT, REPEATED, ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.loading.topic_numbers import renumber
from corpus.models import ImportRun
from corpus.models.pools import LISTED, RESERVED_METHODS
from corpus.pools.building import lock_pools
from engines.formats.pool_lists import PoolRow
from engines.formats.reading import read_pool_lists
from engines.formats.records import Problem

LONGEST_METHOD = 100

STAGE = """
DROP TABLE IF EXISTS pg_temp.import_pair, pg_temp.import_found;
CREATE TEMP TABLE import_pair (n bigint, file text, line bigint, topic text, docno text) ON COMMIT DROP;
"""
# Each pair once, with the ids of its topic, its document, its entry in the pool and its source by this method.
FIND = """
CREATE TEMP TABLE import_found ON COMMIT DROP AS
SELECT p.*, t.id AS topic_id, d.id AS document_id, e.id AS entry_id, s.id AS source_id
FROM (SELECT DISTINCT ON (topic, docno) * FROM import_pair ORDER BY topic, docno, n) p
LEFT JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = p.topic
LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = p.docno
LEFT JOIN corpus_poolentry e ON e.topic_id = t.id AND e.document_id = d.id
LEFT JOIN corpus_poolsource s ON s.entry_id = e.id AND s.method = %(method)s
"""
PROBLEMS = """
SELECT file, line, topic, docno, topic_id IS NULL, count(*) OVER () FROM import_found
WHERE topic_id IS NULL OR document_id IS NULL ORDER BY n LIMIT %(most)s
"""
COUNT = """
SELECT count(*) FILTER (WHERE entry_id IS NULL), count(*) FILTER (WHERE entry_id IS NOT NULL AND source_id IS NULL),
  count(source_id), (SELECT count(*) FROM import_pair) - (SELECT count(*) FROM import_found)
FROM import_found WHERE topic_id IS NOT NULL AND document_id IS NOT NULL
"""
WRITE = """
WITH entries AS (
  INSERT INTO corpus_poolentry (topic_id, document_id)
  SELECT topic_id, document_id FROM import_found
  WHERE topic_id IS NOT NULL AND document_id IS NOT NULL AND entry_id IS NULL ORDER BY n
  RETURNING id
)
INSERT INTO corpus_poolsource (entry_id, method)
SELECT id, %(method)s FROM entries
UNION ALL
SELECT entry_id, %(method)s FROM import_found WHERE entry_id IS NOT NULL AND source_id IS NULL
"""


def load_pool_list(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into the pools; the caller holds the transaction. Pairs are counted.

    The job's parameter `method` names the list in the provenance. Errors: BrokenFile, Refused for the name, Waiting.
    """
    method = _method(run)
    lock_pools(run.collection_id)
    with connection.cursor() as cursor:
        cursor.execute(STAGE)
        for batch in read_batches(run, read_pool_lists, _line, progress, counts):
            with cursor.copy("COPY import_pair FROM STDIN") as copy:
                copy.write(batch.data)
        renumber("import_pair", run, counts)
        progress.report(run.total, run.total, "writing the pools")
        values: dict[str, Any] = {"collection": run.collection_id, "method": method, "most": ERRORS_KEPT}
        cursor.execute(FIND, values)
        cursor.execute(PROBLEMS, values)
        _add_problems(cursor.fetchall(), counts)
        cursor.execute(COUNT)
        counts.created, counts.updated, counts.unchanged, repeated = cursor.fetchone()
        if repeated:
            counts.skips[REPEATED] += repeated
        if not run.dry_run:
            cursor.execute(WRITE, values)


def _method(run: ImportRun) -> str:
    """The name of the list in the provenance. Errors: Refused where that name has another meaning."""
    method = str(run.parameters.get("method") or LISTED)
    if len(method) > LONGEST_METHOD or not method.isprintable():
        raise Refused(f"A list's method has at most {LONGEST_METHOD} characters, all of them printable.")
    if method in RESERVED_METHODS - {LISTED} or run.collection.retrieval_runs.filter(name=method).exists():
        raise Refused(f"“{method}” is already used in pools. Give the list another method.")
    return method


def _line(n: int, row: PoolRow) -> bytes:
    return encode_line((str(n), copy_text(row.file), str(row.line), copy_text(row.topic), copy_text(row.docno)))


def _add_problems(rows: list[tuple[str, int, str, str, bool, int]], counts: ImportCounts) -> None:
    """Count pairs with an unknown topic or document; `rows` holds the first of them, each with the count of all."""
    for file, line, topic, docno, lacks_topic, _ in rows:
        missing = f"topic {topic}" if lacks_topic else f"document {docno}"
        counts.add_problems([Problem(file, line, f"{missing} is not in the collection")])
    if rows:
        counts.error_count += rows[0][5] - len(rows)
