"""Documents into the database: COPY into a staging table batch by batch, then one statement that merges the batch.

Everything happens in one transaction: a broken file or a cancelled job leaves nothing behind.
"""

from dataclasses import astuple, dataclass

from django.db import connection

from corpus.runs.copying import NULL, copy_array, copy_json, copy_text, encode_line
from corpus.formats.records import DocumentRecord

FIELDS = ("title", "abstract", "keywords", "authors", "venue", "year", "doi", "url", "extra")
LONGEST_DOI = 300
MOST_YEAR = 9999

STAGE = """
CREATE TEMP TABLE import_batch (
  n integer, docno text, title text, abstract text, keywords text[], authors text[],
  venue text, year smallint, doi text, url text, extra jsonb
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
  SELECT b.*, d.id AS old, d.id IS NOT NULL AND ({_THEIRS}) IS DISTINCT FROM ({_OURS}) AS differs
  FROM import_batch b JOIN firsts USING (n)
  LEFT JOIN LATERAL (
    SELECT * FROM corpus_document WHERE collection_id = %(collection)s AND docno = b.docno OFFSET 0
  ) d ON true
)"""
WRITE = f"""
written AS (
  INSERT INTO corpus_document (collection_id, docno, {_NAMES})
  SELECT %(collection)s, docno, {_NAMES} FROM compared WHERE old IS NULL OR differs ORDER BY n
  ON CONFLICT (collection_id, docno) DO UPDATE SET ({_NAMES}) = ({", ".join(f"excluded.{name}" for name in FIELDS)})
)"""
COUNT = """
SELECT count(*) FILTER (WHERE old IS NULL), count(*) FILTER (WHERE differs),
  count(*) FILTER (WHERE old IS NOT NULL AND NOT differs)
FROM compared
"""


@dataclass(frozen=True)
class Merged:
    """What became of a batch: rows created, updated, found unchanged."""

    created: int
    updated: int
    unchanged: int


def document_line(n: int, record: DocumentRecord) -> bytes:
    """The record as a line for COPY into the staging table. Errors: ValueError with what cannot be stored."""
    if len(record.doi) > LONGEST_DOI:
        raise ValueError(f"a DOI of {len(record.doi)} characters (at most {LONGEST_DOI})")
    if record.year is not None and not 0 <= record.year <= MOST_YEAR:
        raise ValueError(f"the year {record.year}")
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
        )
    )


def prepare_staging() -> None:
    with connection.cursor() as cursor:
        cursor.execute(STAGE)


def merge_batch(collection_id: int, data: bytes, *, dry_run: bool) -> Merged:
    """Copy the lines into the staging table and merge them into the documents (only compare them in a dry run)."""
    statement = f"WITH {COMPARE}{COUNT}" if dry_run else f"WITH {COMPARE}, {WRITE}{COUNT}"
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE import_batch")
        with cursor.copy("COPY import_batch FROM STDIN") as copy:
            copy.write(data)
        cursor.execute(statement, {"collection": collection_id})
        return Merged(*cursor.fetchone())
