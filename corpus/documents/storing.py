"""Documents into the database: COPY into a staging table batch by batch, and one statement that merges each batch.

Everything happens in one transaction: a broken file or a cancelled job leaves nothing behind. A thread reads and
decodes while the connection of the job inserts. Files of more than SEARCHABLE_AT_ONCE bytes leave the full-text search
to a separate job (corpus/documents/indexing.py), which costs many times what the rows do.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from django.db import connection
from django.utils import timezone

from accounts import jobs
from accounts.jobs import Progress
from corpus.documents.indexing import indexed_later
from corpus.imports.limits import DocumentRoom
from corpus.loading.constraints import checked_at_once
from corpus.loading.copying import NULL, copy_array, copy_json, copy_text, encode_line
from corpus.loading.counts import REPEATED, ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.models import ImportRun, Indexing
from engines.formats.documents import DocumentFilter, read_documents
from engines.formats.records import DocumentRecord

FIELDS = ("title", "abstract", "keywords", "authors", "venue", "year", "doi", "url", "extra")
LONGEST_DOI = 300
LONGEST_FULL_TEXT = 20_000_000  # characters
SEARCHABLE_AT_ONCE = 1_000_000  # bytes of files whose documents are entered into the search in the same transaction
MOST_YEAR = 9999

STAGE = """
DROP TABLE IF EXISTS pg_temp.import_batch, pg_temp.import_seen;
CREATE TEMP TABLE import_batch (
  n integer, docno text, title text, abstract text, keywords text[], authors text[],
  venue text, year smallint, doi text, url text, extra jsonb, full_text text, full_words integer
) ON COMMIT DROP;
CREATE TEMP TABLE import_seen (docno text PRIMARY KEY, n integer) ON COMMIT DROP;
"""

_NAMES = ", ".join(FIELDS)
_THEIRS = ", ".join(f"d.{name}" for name in FIELDS)
_OURS = ", ".join(f"b.{name}" for name in FIELDS)

# `firsts`: an import takes the first of several records with the same docno.
# OFFSET 0 keeps the look-up a look-up: without it the planner may read all documents for each batch.
COMPARE = f"""
firsts AS (
  INSERT INTO import_seen SELECT docno, n FROM import_batch ORDER BY n ON CONFLICT DO NOTHING RETURNING n
), compared AS (
  SELECT b.*, d.id AS old, d.id IS NOT NULL AND (
    ({_THEIRS}) IS DISTINCT FROM ({_OURS}) OR coalesce(f.text, '') <> b.full_text) IS TRUE AS differs
  FROM import_batch b JOIN firsts USING (n)
  LEFT JOIN LATERAL (
    SELECT * FROM corpus_document WHERE collection_id = %(collection)s AND docno = b.docno OFFSET 0
  ) d ON true
  LEFT JOIN LATERAL (
    SELECT text FROM corpus_fulltext WHERE document_id = d.id AND b.full_text IS NOT NULL OFFSET 0
  ) f ON true
)"""
# Former values are kept, so that the import can be undone. A record without a full text leaves that of its document.
WRITE = f"""
replaced AS (
  INSERT INTO corpus_replacedrecord (import_run_id, row_id, before)
  SELECT %(run)s, d.id, to_jsonb(d) - '{{id,collection_id,docno,imported_in_id}}'::text[]
    || CASE WHEN c.full_text IS NULL THEN '{{}}' ELSE jsonb_build_object(
      'full_text', (SELECT text FROM corpus_fulltext WHERE document_id = d.id)) END
  FROM compared c JOIN corpus_document d ON d.id = c.old WHERE c.differs
), written AS (
  INSERT INTO corpus_document (collection_id, docno, imported_in_id, {_NAMES})
  SELECT %(collection)s, docno, %(run)s, {_NAMES} FROM compared WHERE old IS NULL OR differs ORDER BY n
  ON CONFLICT (collection_id, docno) DO UPDATE SET ({_NAMES}) = ({", ".join(f"excluded.{name}" for name in FIELDS)})
  RETURNING id, docno
), without_text AS (
  DELETE FROM corpus_fulltext WHERE document_id IN (SELECT old FROM compared WHERE differs AND full_text = '')
), with_text AS (
  INSERT INTO corpus_fulltext (document_id, text, words)
  SELECT w.id, c.full_text, c.full_words FROM written w JOIN compared c USING (docno) WHERE c.full_text <> ''
  ON CONFLICT (document_id) DO UPDATE SET (text, words) = (excluded.text, excluded.words)
)"""
COUNT = """
SELECT count(*) FILTER (WHERE old IS NULL), count(*) FILTER (WHERE differs),
  count(*) FILTER (WHERE old IS NOT NULL AND NOT differs)
FROM compared
"""


def load_documents(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files and merge them into the collection's documents; the caller holds the transaction.

    Errors: BrokenFile for a file that cannot be trusted as a whole, Cancelled when somebody stopped the job.
    """
    is_large = sum(file["size"] for file in run.files) > SEARCHABLE_AT_ONCE
    options = {name: run.parameters[name] for name in ("columns", "entry_types") if run.parameters.get(name)}
    read = partial(read_documents, criteria=_filter(run), **options)
    room = DocumentRoom.of(run.collection)
    with _staging(), indexed_later() if is_large else nullcontext():
        for batch in read_batches(run, read, document_line, progress, counts):
            if batch.lines:
                created, updated, unchanged = _merge_batch(run, batch.data)
                counts.created += created
                room.check(counts.created)
                counts.updated += updated
                counts.unchanged += unchanged
                if repeated := len(batch.lines) - created - updated - unchanged:
                    counts.skips[REPEATED] += repeated
    if is_large and not run.dry_run and counts.created + counts.updated:
        jobs.new_job(Indexing, by=run.requested_by, at=timezone.now(), collection=run.collection)


def _filter(run: ImportRun) -> DocumentFilter:
    """Which documents the job takes."""
    options = run.parameters
    return DocumentFilter(
        exclude=frozenset(options.get("exclude", ())),
        only=frozenset(options["only"]) if options.get("only") else None,
        year_from=options.get("year_from"),
        year_to=options.get("year_to"),
        venues=tuple(options.get("venues", ())),
    )


def document_line(n: int, record: DocumentRecord) -> bytes:
    """The record as a line for COPY into the staging table. Errors: ValueError with what cannot be stored."""
    if len(record.doi) > LONGEST_DOI:
        raise ValueError(f"a DOI of {len(record.doi)} characters (at most {LONGEST_DOI})")
    if record.year is not None and not 0 <= record.year <= MOST_YEAR:
        raise ValueError(f"the year {record.year}")
    full_text = record.full_text if record.full_text is None or record.full_text.strip() else ""
    if full_text and len(full_text) > LONGEST_FULL_TEXT:
        raise ValueError(f"a full text of {len(full_text):,} characters (at most {LONGEST_FULL_TEXT:,})")
    return encode_line(
        (
            str(n),
            copy_text(record.docno),
            copy_text(record.title),
            copy_text(record.abstract),
            copy_array(record.keywords),
            copy_array(record.authors),
            copy_text(record.venue),
            NULL if record.year is None else str(record.year),
            copy_text(record.doi),
            copy_text(record.url),
            copy_json(record.extra),
            NULL if full_text is None else copy_text(full_text),
            NULL if full_text is None else str(len(full_text.split())),
        )
    )


@contextmanager
def _staging() -> Iterator[None]:
    """The table into which batches are copied. Foreign keys are checked as the batches come, not all at the end."""
    with connection.cursor() as cursor, checked_at_once():
        cursor.execute(STAGE)
        cursor.execute("SET LOCAL enable_seqscan = off")  # look documents up, whatever the statistics of the moment say
        yield
        cursor.execute("SET LOCAL enable_seqscan = on")


def _merge_batch(run: ImportRun, data: bytes) -> tuple[int, int, int]:
    """Copy the lines into the staging table and merge them into the documents (only compare them in a dry run).

    The number of documents created, updated, unchanged.
    """
    statement = f"WITH {COMPARE}{COUNT}" if run.dry_run else f"WITH {COMPARE}, {WRITE}{COUNT}"
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE import_batch")
        with cursor.copy("COPY import_batch FROM STDIN") as copy:
            copy.write(data)
        cursor.execute(statement, {"collection": run.collection_id, "run": run.pk})
        created, updated, unchanged = cursor.fetchone()
    return created, updated, unchanged
