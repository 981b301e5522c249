"""TREC runs into the database: rows are copied to a staging table and become one array of docnos for each topic.

The order is trec_eval's: score falling, ties by docno falling in bytes; the rank column is not read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.jobs import Progress
from corpus.formats.records import BrokenFile, Problem, RunRow
from corpus.formats.runs import read_runs
from corpus.models import ImportRun, RetrievalRun
from corpus.models.pools import RESERVED_METHODS
from corpus.runs.background import in_background
from corpus.runs.copying import copy_text, encode_line
from corpus.runs.reading import Batch, Odometer, batches, sources_of
from corpus.runs.tally import Tally

LONGEST_NAME = 100

STAGE = """
DROP TABLE IF EXISTS pg_temp.import_ranked;
CREATE TEMP TABLE import_ranked (file text, topic text, docno text, score float8, line bigint) ON COMMIT DROP;
"""
UNKNOWN_TOPICS = """
SELECT r.file, r.topic, min(r.line), count(*) FROM import_ranked r
WHERE NOT EXISTS (SELECT FROM corpus_topic t WHERE t.collection_id = %(collection)s AND t.number = r.topic)
GROUP BY 1, 2 ORDER BY 1, 3
"""
UNKNOWN_DOCUMENTS = """
SELECT file, (array_agg(docno ORDER BY line))[1], min(line), count(DISTINCT docno) FROM import_ranked r
WHERE NOT EXISTS (SELECT FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno = r.docno)
GROUP BY 1 ORDER BY 1
"""
RANKED = """
WITH wanted AS (
  SELECT t.id AS topic_id, array_agg(r.docno::text ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS docnos,
    array_agg(r.score ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS scores
  FROM import_ranked r JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = r.topic
  WHERE r.file = %(file)s GROUP BY t.id
), compared AS (
  SELECT w.*, k.id AS old, k.id IS NOT NULL AND (k.docnos, k.scores) IS DISTINCT FROM (w.docnos, w.scores) AS differs
  FROM wanted w LEFT JOIN corpus_ranking k ON k.run_id = %(run)s AND k.topic_id = w.topic_id
)
"""
WRITE = """
, gone AS (
  DELETE FROM corpus_ranking WHERE run_id = %(run)s AND topic_id NOT IN (SELECT topic_id FROM wanted)
), written AS (
  INSERT INTO corpus_ranking (run_id, topic_id, docnos, scores)
  SELECT %(run)s, topic_id, docnos, scores FROM compared WHERE old IS NULL OR differs
  ON CONFLICT (run_id, topic_id) DO UPDATE SET docnos = excluded.docnos, scores = excluded.scores
)
"""
COUNT = """
SELECT count(*) FILTER (WHERE old IS NULL), count(*) FILTER (WHERE differs),
  count(*) FILTER (WHERE old IS NOT NULL AND NOT differs), coalesce(sum(cardinality(docnos)), 0)
FROM compared
"""


@dataclass
class Seen:
    """The tags that the reading thread has met, by file; the last line's counts, as in trec_eval."""

    tags: dict[str, str] = field(default_factory=dict)


def load_runs(run: ImportRun, progress: Progress, tally: Tally) -> None:
    """Read the job's files into one retrieval run each; the caller holds the transaction. Rankings are counted."""
    odometer, seen = Odometer(), Seen()
    with connection.cursor() as cursor:
        cursor.execute(STAGE)
    with in_background(batches(_rows(run, odometer, seen), _line, odometer)) as found:
        for batch in found:
            _copy(batch, tally)
            progress.report(min(batch.bytes_read, run.total), run.total, "reading runs")
    tally.add_problems(_unknown_topics(run))
    tally.add_notes(_unknown_documents(run))
    for file, name in _names(run, seen.tags).items():
        progress.report(run.total, run.total, f"ordering {name}")
        _write(run, file, name, tally)


def _rows(run: ImportRun, odometer: Odometer, seen: Seen) -> Iterator[RunRow | Problem]:
    for source in sources_of(run):
        for item in read_runs(source.path, name=source.name, watch=odometer.add):
            if isinstance(item, RunRow):
                seen.tags[item.file] = item.tag
            yield item


def _line(_: int, row: RunRow) -> bytes:
    return encode_line((copy_text(row.file), row.topic, copy_text(row.docno), repr(row.score), str(row.line)))


def _copy(batch: Batch, tally: Tally) -> None:
    tally.add_problems(batch.problems)
    with connection.cursor() as cursor, cursor.copy("COPY import_ranked FROM STDIN") as copy:
        copy.write(batch.data)


def _names(run: ImportRun, tags: dict[str, str]) -> dict[str, str]:
    """The name of each file's run: the one asked for, else its tag. Errors: BrokenFile when two are the same."""
    asked = str(run.parameters.get("name", ""))
    if asked and len(tags) > 1:
        raise BrokenFile(next(iter(tags)), 0, "a name fits one run only, and several files were given")
    names: dict[str, str] = {}
    for file, tag in tags.items():
        name = (asked or tag)[:LONGEST_NAME]
        if name in RESERVED_METHODS:
            raise BrokenFile(file, 0, f"its run is called {name}, which Litmus itself uses; give it another name")
        twin = next((other for other, taken in names.items() if taken == name), None)
        if twin:
            raise BrokenFile(file, 0, f"its run is called {name} as that of {twin}; import them one by one with a name")
        names[file] = name
    return names


def _unknown_topics(run: ImportRun) -> list[Problem]:
    reason = "topic {} is not in the collection, so its ranking of {:,} documents was left out"
    return [
        Problem(file, line, reason.format(topic, count)) for file, topic, line, count in _query(UNKNOWN_TOPICS, run)
    ]


def _unknown_documents(run: ImportRun) -> list[Problem]:
    reason = (
        "{:,} of its documents are not in the collection, the first is {}: they keep their ranks but cannot be pooled"
    )
    return [
        Problem(file, line, reason.format(count, docno)) for file, docno, line, count in _query(UNKNOWN_DOCUMENTS, run)
    ]


def _query(statement: str, run: ImportRun) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"collection": run.collection_id})
        return list(cursor.fetchall())


def _write(run: ImportRun, file: str, name: str, tally: Tally) -> None:
    """Make the rankings of the run of this name those of the file."""
    known = RetrievalRun.objects.filter(collection=run.collection_id, name=name).first()
    values: dict[str, Any] = {"collection": run.collection_id, "file": file, "run": known.pk if known else None}
    statement = RANKED + COUNT
    if not run.dry_run:
        known = known or RetrievalRun(collection_id=run.collection_id, name=name)
        known.created_at = known.created_at or timezone.now()
        known.parameters = {**known.parameters, "file": file}
        known.save()
        values["run"] = known.pk
        statement = RANKED + WRITE + COUNT
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        created, updated, unchanged, rows = cursor.fetchone()
    tally.created += created
    tally.updated += updated
    tally.unchanged += unchanged
    run.parameters.setdefault("runs", {})[name] = {"file": file, "topics": created + updated + unchanged, "rows": rows}
