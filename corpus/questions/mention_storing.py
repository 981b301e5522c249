"""Citation mentions into the database: COPY into staging tables chunk by chunk, merged and linked at the end as sets.

A mention is known by its source paper and its place there. One that questions have been written from does not change.
Links are computed for the whole collection, by id, then DOI, then title; where several documents have the same DOI or
title, none is guessed.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db import connection, transaction
from django.utils import timezone

from accounts.jobs import Progress
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.models import Document, ImportRun
from engines.formats.dois import real_doi
from engines.formats.mentions import MentionRecord
from engines.formats.papers import Reference
from engines.formats.reading import read_mentions
from engines.formats.records import Problem, Skip
from engines.text.words import title_key

T = TypeVar("T")

CHUNK = 1_000
TITLES = 10_000
SHORTEST_TITLE = 12  # letters and digits: "Introduction" and the like link nothing
LONGEST = {"source_id": 255, "source_doi": 300}
LONGEST_KEY = 100
LONGEST_TEXT = 50_000  # of a paragraph: no question is asked about a whole paper in one
NOTHING_LINKED = "a paragraph that cites no document of the collection"
REPEATED_PARAGRAPH = "a paragraph whose place came earlier in this import"

STAGE = """
DROP TABLE IF EXISTS pg_temp.mention_in, pg_temp.reference_in;
CREATE TEMP TABLE mention_in (
  n bigint, source_key text, source_id text, source_doi text, source_title text, source_title_key text,
  position integer, section text, text text, markers jsonb, digest text, file text, line integer
) ON COMMIT DROP;
CREATE TEMP TABLE reference_in (
  n bigint, key text, position integer, title text, title_key text, doi text, target text
) ON COMMIT DROP;
"""
FIELDS = "source_id, source_doi, source_title, source_title_key, section, text, markers, digest"
COMPARE = """
DROP TABLE IF EXISTS pg_temp.mention_known;
CREATE TEMP TABLE mention_known ON COMMIT DROP AS
SELECT i.n, m.id, m.id IS NOT NULL AND m.digest <> i.digest AS differs,
  EXISTS (SELECT FROM corpus_generationreply r WHERE r.mention_id = m.id) AS is_used
FROM mention_in i LEFT JOIN corpus_citationmention m
  ON m.collection_id = %(collection)s AND m.source_key = i.source_key AND m.position = i.position;
"""
INSERT = f"""
INSERT INTO corpus_citationmention
  (collection_id, source_key, position, {FIELDS}, created_at, imported_in_id, discard_reason, discard_note)
SELECT %(collection)s, source_key, position, {FIELDS}, %(at)s, %(run)s, '', ''
FROM mention_in JOIN mention_known k USING (n)
WHERE k.id IS NULL ORDER BY n
"""
UPDATE = f"""
UPDATE corpus_citationmention m SET ({FIELDS}) = ({", ".join(f"i.{name}" for name in FIELDS.split(", "))})
FROM mention_in i JOIN mention_known k USING (n) WHERE m.id = k.id AND k.differs AND NOT k.is_used
"""
FORGET_REFERENCES = """
DELETE FROM corpus_mentionreference r USING mention_known k
WHERE r.mention_id = k.id AND k.differs AND NOT k.is_used
"""
INSERT_REFERENCES = """
INSERT INTO corpus_mentionreference (mention_id, key, position, title, title_key, doi, target, link)
SELECT m.id, r.key, r.position, r.title, r.title_key, r.doi, r.target, ''
FROM reference_in r JOIN mention_in i USING (n) JOIN mention_known k USING (n)
JOIN corpus_citationmention m
  ON m.collection_id = %(collection)s AND m.source_key = i.source_key AND m.position = i.position
WHERE k.id IS NULL OR (k.differs AND NOT k.is_used)
"""
FIND_UNLINKED = """
CREATE TEMP TABLE unlinked ON COMMIT DROP AS
SELECT m.id FROM mention_in i JOIN mention_known k USING (n)
JOIN corpus_citationmention m
  ON m.collection_id = %(collection)s AND m.source_key = i.source_key AND m.position = i.position
WHERE k.id IS NULL
  AND NOT EXISTS (SELECT FROM corpus_mentionreference r WHERE r.mention_id = m.id AND r.document_id IS NOT NULL)
"""
# The document of a DOI or title, and how many have it. A DOI is looked for among docnos too (ACM).
STAGE_DOCUMENTS = """
DROP TABLE IF EXISTS pg_temp.document_title, pg_temp.by_title, pg_temp.by_doi;
CREATE TEMP TABLE document_title (id bigint, key text) ON COMMIT DROP;
"""
BY_TITLE = """
CREATE TEMP TABLE by_title ON COMMIT DROP AS
SELECT key, min(id) AS id, count(*) AS n FROM document_title GROUP BY key;
CREATE TEMP TABLE by_doi ON COMMIT DROP AS
SELECT doi, min(id) AS id, count(DISTINCT id) AS n FROM (
  SELECT id, lower(doi) AS doi FROM corpus_document WHERE collection_id = %(collection)s AND doi <> ''
  UNION ALL SELECT id, lower(docno) FROM corpus_document WHERE collection_id = %(collection)s AND docno LIKE '10.%%'
) AS each GROUP BY doi;
ANALYZE by_title, by_doi;
"""
# The document of a reference or source, by target id, DOI or title key.
_FOUND = """
  CASE WHEN d.id IS NOT NULL THEN d.id WHEN b.n = 1 THEN b.id WHEN b.n IS NULL AND t.n = 1 THEN t.id END AS document,
  CASE WHEN d.id IS NOT NULL THEN 'id' WHEN b.n = 1 THEN 'doi' WHEN b.n IS NULL AND t.n = 1 THEN 'title'
    WHEN coalesce(b.n, t.n) > 1 THEN 'ambiguous' ELSE '' END AS link
"""
LINK_REFERENCES = f"""
UPDATE corpus_mentionreference r SET document_id = f.document, link = f.link FROM (
  SELECT x.id, {_FOUND} FROM corpus_mentionreference x
  JOIN corpus_citationmention m ON m.id = x.mention_id AND m.collection_id = %(collection)s
  LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = x.target AND x.target <> ''
  LEFT JOIN by_doi b ON b.doi = lower(x.doi) AND x.doi <> ''
  LEFT JOIN by_title t ON t.key = x.title_key
) AS f WHERE f.id = r.id AND (r.document_id, r.link) IS DISTINCT FROM (f.document, f.link)
"""
LINK_SOURCES = f"""
UPDATE corpus_citationmention r SET source_document_id = f.document FROM (
  SELECT x.id, {_FOUND} FROM corpus_citationmention x
  LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = x.source_id AND x.source_id <> ''
  LEFT JOIN by_doi b ON b.doi = lower(x.source_doi) AND x.source_doi <> ''
  LEFT JOIN by_title t ON t.key = x.source_title_key
  WHERE x.collection_id = %(collection)s
) AS f WHERE f.id = r.id AND r.source_document_id IS DISTINCT FROM f.document
"""
COUNTS = """
SELECT count(*) FILTER (WHERE id IS NULL), count(*) FILTER (WHERE differs AND NOT is_used),
  count(*) FILTER (WHERE id IS NOT NULL AND NOT differs)
FROM mention_known
"""
USED = """
SELECT i.file, i.line, i.source_key, i.position FROM mention_in i JOIN mention_known k USING (n)
WHERE k.differs AND k.is_used ORDER BY n
"""


def load_mentions(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files and merge them into the collection's mentions; the caller holds the transaction.

    With the parameter `only_linked`, paragraphs that cite no document of the collection are left out.
    """
    seen: set[tuple[str, int]] = set()

    def lines_of(n: int, record: MentionRecord) -> tuple[bytes, bytes] | Problem | Skip:
        place = (record.source_key, record.position)
        if place in seen:
            return Skip(record.file, record.line, REPEATED_PARAGRAPH, record.source_key)
        seen.add(place)
        try:
            return _lines(n, record)
        except ValueError as error:
            return Problem(record.file, record.line, f"paragraph {record.position} of {record.source_key} has {error}")

    with connection.cursor() as cursor:
        cursor.execute(STAGE)
        for batch in read_batches(run, read_mentions, lines_of, progress, counts, rows=CHUNK):
            for place, table in enumerate(("mention_in", "reference_in")):
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(b"".join(lines[place] for lines in batch.lines))
    progress.report(run.total, run.total, "linking to documents")
    _merge(run, counts)


def _lines(n: int, record: MentionRecord) -> tuple[bytes, bytes]:
    """The record as lines for COPY: one for `mention_in`, all of `reference_in`. Errors: ValueError with the reason."""
    for name, longest in LONGEST.items():
        _check_length(name.replace("_", " "), getattr(record, name), longest)
    _check_length("text", record.text, LONGEST_TEXT)
    markers = json.dumps([{"start": m.start, "end": m.end, "keys": m.keys} for m in record.markers])
    columns = [
        record.source_key,
        record.source_id,
        real_doi(record.source_doi),
        record.source_title,
        title_key(record.source_title),
        str(record.position),
        record.section,
        record.text,
        markers,
    ]
    references = [_reference_fields(position, reference) for position, reference in enumerate(record.references)]
    digest = hashlib.sha256(json.dumps([columns, references]).encode()).hexdigest()
    mention = encode_line([str(n), *map(copy_text, columns), digest, copy_text(record.file), str(record.line)])
    return mention, b"".join(encode_line([str(n), *map(copy_text, fields)]) for fields in references)


def _reference_fields(position: int, reference: Reference) -> list[str]:
    doi = real_doi(reference.ids.get("doi", ""))
    _check_length("key of a reference", reference.key, LONGEST_KEY)
    _check_length("cited id", reference.target, LONGEST["source_id"])
    _check_length("cited DOI", doi, LONGEST["source_doi"])
    folded = title_key(reference.title)
    folded = folded if len(folded) >= SHORTEST_TITLE else ""
    return [reference.key, str(position), reference.title, folded, doi, reference.target]


def _check_length(noun: str, text: str, longest: int) -> None:
    if len(text) > longest:
        raise ValueError(f"a {noun} of {len(text)} characters (at most {longest})")


@transaction.atomic
def _merge(run: ImportRun, counts: ImportCounts) -> None:
    """Compare with the stored mentions and write new and changed ones; a dry run does it all and takes it back."""
    values: dict[str, Any] = {"collection": run.collection_id, "run": run.pk, "at": timezone.now()}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE mention_in, reference_in")
        cursor.execute(COMPARE, values)
        cursor.execute("ANALYZE mention_known")
        cursor.execute(COUNTS)
        counts.created, counts.updated, counts.unchanged = cursor.fetchone()
        cursor.execute(USED)
        counts.add_problems(
            Problem(file, line, f"paragraph {position} of {key}: questions were written from it, so it was not changed")
            for file, line, key, position in cursor.fetchall()
        )
        for statement in (INSERT, UPDATE, FORGET_REFERENCES, INSERT_REFERENCES):
            cursor.execute(statement, values)
    link_mentions(run.collection_id)
    if run.parameters.get("only_linked"):
        _drop_unlinked(values, counts)
    transaction.set_rollback(run.dry_run)


def _drop_unlinked(values: dict[str, Any], counts: ImportCounts) -> None:
    with connection.cursor() as cursor:
        cursor.execute(FIND_UNLINKED, values)
        cursor.execute("DELETE FROM corpus_mentionreference r USING unlinked u WHERE r.mention_id = u.id")
        cursor.execute("DELETE FROM corpus_citationmention m USING unlinked u WHERE m.id = u.id")
        counts.created -= cursor.rowcount
        if cursor.rowcount:
            counts.skips[NOTHING_LINKED] += cursor.rowcount


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items (itertools has it from Python 3.12 on)."""
    each = iter(items)
    while some := list(islice(each, size)):
        yield some


def link_mentions(collection_id: int) -> int:
    """Look all sources and references of the collection up among its documents; returns how many links changed."""
    values = {"collection": collection_id}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE corpus_citationmention, corpus_mentionreference")
        cursor.execute(STAGE_DOCUMENTS)
        titles = Document.objects.filter(collection=collection_id).values_list("pk", "title")
        for some in batched(titles.iterator(chunk_size=TITLES), TITLES):
            keys = ((pk, title_key(title)) for pk, title in some)
            lines = [encode_line([str(pk), key]) for pk, key in keys if len(key) >= SHORTEST_TITLE]
            with cursor.copy("COPY document_title FROM STDIN") as copy:
                copy.write(b"".join(lines))
        cursor.execute(BY_TITLE, values)
        cursor.execute(LINK_REFERENCES, values)
        changed = cursor.rowcount
        cursor.execute(LINK_SOURCES, values)
        return changed + cursor.rowcount
