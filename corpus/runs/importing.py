"""Importing TREC runs: rows are copied to a staging table and become one array of docnos for each topic.

The order is trec_eval's: score falling, ties by docno falling in bytes; the rank column is not read. A ranking is
stored whole or not at all: where a row cannot be read, the ranking is left out and reported, and what was stored before
stays. Numbers of sub-queries and aspects give rankings of these parts. Lines of metadata are stored with the run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.counting import counted
from accounts.jobs import Progress
from accounts.sql import execute
from corpus.loading.background_reading import Check
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import gathered
from corpus.loading.sources import Odometer, encoding_of, read_files, sources_of
from corpus.loading.topic_numbers import renumber
from corpus.models import ImportRun, RetrievalRun
from corpus.runs.recipes.queries import aspect_numbers
from corpus.runs.rules import LONGEST_NAME, lock_names, unfit_name
from engines.formats.reading import read_runs
from engines.formats.records import BrokenFile, Problem, Remark, RunRow
from engines.formats.trec_runs import BadRow, RunComment

MOST_METADATA, LONGEST_METADATA = 2_000, 2_000  # lines of a run, characters of a line

STAGE = """
DROP TABLE IF EXISTS pg_temp.import_ranked, pg_temp.import_ranking;
DROP TABLE IF EXISTS pg_temp.import_part;
CREATE TEMP TABLE import_part (number text PRIMARY KEY, sub_query_id bigint, aspect_id bigint) ON COMMIT DROP;
CREATE TEMP TABLE import_ranked (file integer, topic text, docno text, score float8, line bigint) ON COMMIT DROP;
"""
UNKNOWN_TOPICS = """
SELECT r.file, min(r.line), r.topic, count(*), count(*) OVER () FROM import_ranked r
WHERE NOT EXISTS (SELECT FROM corpus_topic t WHERE t.collection_id = %(collection)s AND t.number = r.topic)
  AND NOT EXISTS (SELECT FROM import_part p WHERE p.number = r.topic)
GROUP BY r.file, r.topic ORDER BY 1, 2
"""
# A file may number the contexts of a level as they were released, without the prefix that makes them unique here. It
# does where more of its topics are found by the numbers of one level than by those of the collection.
BARE_NUMBERS = """
WITH named AS (
  SELECT DISTINCT file, topic FROM import_ranked
), exact AS (
  SELECT n.file, count(*) AS hits FROM named n
  JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = n.topic GROUP BY 1
), bare AS (
  SELECT n.file, t.prefix, count(*) AS hits FROM named n
  JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.prefix <> '' AND t.number = t.prefix || n.topic
  GROUP BY 1, 2
), level AS (
  SELECT DISTINCT ON (file) file, prefix FROM bare LEFT JOIN exact USING (file)
  WHERE bare.hits > coalesce(exact.hits, 0) ORDER BY file, bare.hits DESC, prefix
)
UPDATE import_ranked r SET topic = t.number
FROM level JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.prefix = level.prefix
WHERE r.file = level.file AND t.number = level.prefix || r.topic AND NOT EXISTS (
  SELECT FROM unnest(%(files)s::integer[], %(topics)s::text[]) AS bad (file, topic)
  WHERE bad.file = r.file AND bad.topic = r.topic)
"""
ORDER = """
CREATE TEMP TABLE import_ranking ON COMMIT DROP AS
SELECT r.file, t.id AS topic_id, array_agg(r.docno ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS docnos,
  array_agg(r.score ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS scores
FROM import_ranked r JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = r.topic
WHERE NOT EXISTS (
  SELECT FROM unnest(%(files)s::integer[], %(topics)s::text[]) AS bad (file, topic)
  WHERE bad.file = r.file AND bad.topic = r.topic)
GROUP BY r.file, t.id
"""
UNKNOWN_DOCUMENTS = """
SELECT count(*), count(*) FILTER (WHERE d.id IS NULL), min(u.docno) FILTER (WHERE d.id IS NULL)
FROM (SELECT DISTINCT docno FROM import_ranked WHERE file = %(file)s) u
LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = u.docno
"""
TIES = """
SELECT count(*) FROM (SELECT FROM import_ranked WHERE file = %(file)s GROUP BY topic, score HAVING count(*) > 1) t
"""
# `outdated`: rankings that the run had before, of topics that its file no longer has.
COMPARE = """
WITH incoming AS (
  SELECT topic_id, docnos, scores FROM import_ranking WHERE file = %(file)s
), compared AS (
  SELECT w.*, k.id AS old, k.id IS NOT NULL AND (k.docnos, k.scores) IS DISTINCT FROM (w.docnos, w.scores) AS differs
  FROM incoming w LEFT JOIN corpus_ranking k ON k.run_id = %(run)s AND k.topic_id = w.topic_id
), outdated AS (
  SELECT k.id FROM corpus_ranking k JOIN corpus_topic t ON t.id = k.topic_id
  WHERE k.run_id = %(run)s AND t.number <> ALL(%(spoiled)s::text[])
    AND NOT EXISTS (SELECT FROM incoming w WHERE w.topic_id = k.topic_id)
)
"""
WRITE = """
, removed AS (
  DELETE FROM corpus_ranking WHERE id IN (SELECT id FROM outdated)
), written AS (
  INSERT INTO corpus_ranking (run_id, topic_id, docnos, scores)
  SELECT %(run)s, topic_id, docnos, scores FROM compared WHERE old IS NULL OR differs
  ON CONFLICT (run_id, topic_id) DO UPDATE SET docnos = excluded.docnos, scores = excluded.scores
)
"""
COMPARE_PARTS = """
WITH incoming AS (
  SELECT p.sub_query_id, p.aspect_id, array_agg(r.docno ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS docnos,
    array_agg(r.score ORDER BY r.score DESC, r.docno COLLATE "C" DESC) AS scores
  FROM import_ranked r JOIN import_part p ON p.number = r.topic
  WHERE r.file = %(file)s AND r.topic <> ALL(%(spoiled)s::text[]) GROUP BY p.sub_query_id, p.aspect_id
), compared AS (
  SELECT w.*, k.id AS old, k.id IS NOT NULL AND (k.docnos, k.scores) IS DISTINCT FROM (w.docnos, w.scores) AS differs
  FROM incoming w LEFT JOIN corpus_partranking k
    ON k.run_id = %(run)s AND (k.sub_query_id = w.sub_query_id OR k.aspect_id = w.aspect_id)
), outdated AS (
  SELECT k.id FROM corpus_partranking k LEFT JOIN import_part p
    ON p.sub_query_id = k.sub_query_id OR p.aspect_id = k.aspect_id
  WHERE k.run_id = %(run)s AND coalesce(p.number, '') <> ALL(%(spoiled)s::text[])
    AND NOT EXISTS (SELECT FROM compared c WHERE c.old = k.id)
)
"""
WRITE_PARTS = """
, removed AS (
  DELETE FROM corpus_partranking WHERE id IN (SELECT id FROM outdated)
), renewed AS (
  UPDATE corpus_partranking k SET docnos = c.docnos, scores = c.scores FROM compared c WHERE c.differs AND k.id = c.old
), written AS (
  INSERT INTO corpus_partranking (run_id, sub_query_id, aspect_id, docnos, scores)
  SELECT %(run)s, sub_query_id, aspect_id, docnos, scores FROM compared WHERE old IS NULL
)
"""
COUNT = """
SELECT count(*) FILTER (WHERE old IS NULL), count(*) FILTER (WHERE differs),
  count(*) FILTER (WHERE old IS NOT NULL AND NOT differs), coalesce(sum(cardinality(docnos)), 0)::bigint,
  (SELECT count(*) FROM outdated)
FROM compared
"""


@dataclass
class RunFile:
    """A file as far as it has been read: its rows become one run, named by the last row's tag."""

    number: int
    name: str
    source: int
    line: int = 0
    tag: str = ""
    other_tag: str = ""
    rank: tuple[str, int] = ("", 0)  # topic and rank of the row before
    rank_twice: int = 0  # the first line that repeats a rank
    ranks_differ: bool = False  # some systems write one rank throughout
    metadata: list[str] = field(default_factory=list)
    unknown_topics: int = 0
    spoiled: set[str] = field(default_factory=set)  # topics of the collection whose rankings lack a row

    def continues_with(self, row: RunRow | RunComment | BadRow) -> bool:
        """Whether the row follows the rows before: in a later line, next in a line that holds a whole ranking, or in a
        further line that a carriage return has parted.
        """
        is_next = isinstance(row, RunRow) and (row.topic, row.rank - 1) == self.rank
        return row.line > self.line or (row.line == self.line and (is_next or row.line > 1))


class Reader:
    """Reads the job's files in a separate thread; it must not touch the database."""

    def __init__(self, run: ImportRun, topics: frozenset[str], say: Callable[[Remark], None]) -> None:
        self.sources = sources_of(run)
        self.read = partial(read_files, read_runs, format=run.format, encoding=encoding_of(run), say=say)
        self.topics = topics
        self.files: list[RunFile] = []

    def rows(self, odometer: Odometer, check: Check) -> Iterator[RunRow | Problem]:
        """All rows; a row that cannot be read is a problem that says what happens to its ranking."""
        for number, source in enumerate(self.sources):
            for item in self.read([source], odometer=odometer, check=check):
                if not isinstance(item, RunRow | RunComment | BadRow):
                    yield item
                    continue
                file = self._file_of(number, item)
                file.line = item.line
                if isinstance(item, RunRow):
                    _note_row(item, file)
                    yield item
                elif isinstance(item, BadRow):
                    yield self._spoil(item, file)
                elif len(file.metadata) < MOST_METADATA:
                    # In one line: a further line would be read as a row.
                    file.metadata.append(" ".join(item.text[:LONGEST_METADATA].splitlines()))

    def line(self, _: int, row: RunRow) -> bytes:
        """The row for COPY. It is called before the next row is read, so the row belongs to the newest file."""
        return encode_line(
            (str(self.files[-1].number), row.topic, copy_text(row.docno), repr(row.score), str(row.line))
        )

    def _file_of(self, source: int, row: RunRow | RunComment | BadRow) -> RunFile:
        """The file of the row: a new one where the source or the name changes, or lines are counted from 1 again."""
        last = self.files[-1] if self.files else None
        if last is None or (last.source, last.name) != (source, row.file) or not last.continues_with(row):
            self.files.append(RunFile(len(self.files), row.file, source))
        return self.files[-1]

    def _spoil(self, row: BadRow, file: RunFile) -> Problem:
        if row.topic not in self.topics:
            return row
        file.spoiled.add(row.topic)
        return replace(row, reason=f"{row.reason}; so the ranking of topic {row.topic} is left out")


def _note_row(row: RunRow, file: RunFile) -> None:
    file.ranks_differ = file.ranks_differ or (bool(file.tag) and row.rank != file.rank[1])
    if file.tag and file.tag != row.tag:
        file.other_tag = file.tag
    file.tag = row.tag
    if file.rank == (row.topic, row.rank) and not file.rank_twice:
        file.rank_twice = row.line
    file.rank = (row.topic, row.rank)


def load_runs(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into one retrieval run each; the caller holds the transaction. Rankings are counted.

    Errors: BrokenFile for what `read_runs` refuses, and for runs whose names are taken or unfit.
    """
    topics = frozenset(run.collection.topics.values_list("number", flat=True))
    prefixed = run.collection.topics.exclude(prefix="").only("collection", "number", "prefix")
    bare = frozenset(each.bare_number for each in prefixed)
    parts = _parts(run, topics | bare)
    reader = Reader(run, topics | bare | parts.keys(), counts.add_remark)
    execute(STAGE)
    with connection.cursor() as cursor, cursor.copy("COPY import_part FROM STDIN") as copy:
        for number, ids in parts.items():
            copy.write_row((number, *ids))
    for batch in gathered(run, reader.rows, reader.line, progress, counts):
        with connection.cursor() as cursor, cursor.copy("COPY import_ranked FROM STDIN") as copy:
            copy.write(batch.data)
    renumber("import_ranked", run, counts, others=bare | parts.keys())
    files = [file for file in reader.files if file.tag]
    if not files and not counts.error_count:
        raise BrokenFile(reader.files[0].name if reader.files else "", 0, "holds no row of a run: the run is empty")
    names = _names(run, files)
    progress.report(run.total, run.total, "ordering rankings")
    spoiled = [(file.number, topic) for file in files for topic in file.spoiled]
    bad = {"files": [number for number, _ in spoiled], "topics": [topic for _, topic in spoiled]}
    if bare:
        execute(BARE_NUMBERS, {"collection": run.collection_id, **bad})
    _count_unknown_topics(run, reader.files, counts)
    execute(ORDER, {"collection": run.collection_id, **bad})
    for file, name in zip(files, names, strict=True):
        progress.report(run.total, run.total, f"writing {name}")
        _merge(run, file, name, counts)


def _names(run: ImportRun, files: list[RunFile]) -> list[str]:
    """The name of each file's run: the one in the job's parameters, else its tag. Errors: BrokenFile."""
    given = str(run.parameters.get("name", ""))
    if given and len(files) > 1:
        raise BrokenFile(files[1].name, 0, "a name fits one run only, and several files were given")
    taken: dict[str, str] = {}
    for file in files:
        name = given or file.tag
        if reason := unfit_name(run.collection_id, name):
            raise BrokenFile(file.name, 0, f"its run is called {name[:LONGEST_NAME]}{reason}. Give the run a name")
        if name in taken:
            raise BrokenFile(
                file.name, 0, f"its run is called {name} as that of {taken[name]}; import them one by one with a name"
            )
        taken[name] = file.name
    return list(taken)


def _parts(run: ImportRun, taken: frozenset[str]) -> dict[str, tuple[int | None, int | None]]:
    """(id of the sub-query, id of the aspect) by the numbers of parts, without numbers of topics."""
    found: dict[str, tuple[int | None, int | None]] = {}
    for number, aspect in aspect_numbers(run.collection_id):
        found[number] = (None, aspect)
    for number, sub_query in run.collection.sub_queries.values_list("number", "pk"):
        found[number] = (sub_query, None)
    return {number: ids for number, ids in found.items() if number not in taken}


def _count_unknown_topics(run: ImportRun, files: list[RunFile], counts: ImportCounts) -> None:
    """Count the rankings of topics that the collection lacks, and report the first of each file."""
    rows = execute(UNKNOWN_TOPICS, {"collection": run.collection_id})
    for number, found in groupby(rows, key=itemgetter(0)):
        unknown = list(found)
        files[number].unknown_topics = len(unknown)
        _, line, topic, length, _ = unknown[0]
        words = f"{len(unknown):,} topics are" if len(unknown) > 1 else "one topic is"
        such = f"such as {topic} with {counted(length, 'row')}"
        reason = f"{words} not in the collection, {such}; no rankings are stored for them"
        counts.add_notes([Problem(files[number].name, line, reason)])


def _merge(run: ImportRun, file: RunFile, name: str, counts: ImportCounts) -> None:
    """Store the file's rankings as those of the run of this name. Errors: BrokenFile where nothing in it is known."""
    lock_names(run.collection_id)
    known = RetrievalRun.objects.filter(collection=run.collection_id, name=name).first()
    values = {"file": file.number, "run": known.pk if known else None, "spoiled": list(file.spoiled)}
    (whole,), (parts,) = execute(COMPARE + COUNT, values), execute(COMPARE_PARTS + COUNT, values)
    created, updated, unchanged, rows, removed = map(sum, zip(whole, parts, strict=True))
    ((documents, missing, example),) = execute(
        UNKNOWN_DOCUMENTS, {"collection": run.collection_id, "file": file.number}
    )
    facts = {"file": file.name, "topics": created + updated + unchanged, "rows": rows, "removed": removed}
    facts |= {"documents": documents, "unknown_documents": missing, "unknown_topics": file.unknown_topics}
    run.parameters.setdefault("runs", {})[name] = facts
    if documents and documents == missing and file.unknown_topics and not created + updated + unchanged:
        reason = f"neither its topics nor its documents, such as {example}, are in the collection"
        raise BrokenFile(file.name, 0, f"{reason}. Is it a run of another collection?")
    if not created + updated + unchanged:
        return
    differs = created + updated + removed or (known and known.parameters.get("metadata", []) != file.metadata)
    if not run.dry_run and differs:
        known = known or RetrievalRun(
            collection_id=run.collection_id, name=name, created_at=timezone.now(), imported_in=run
        )
        known.parameters = {"file": file.name, "import": run.pk}
        if file.metadata:
            known.parameters["metadata"] = file.metadata
        known.save()
        values["run"] = known.pk
        execute(COMPARE + WRITE + COUNT, values)
        execute(COMPARE_PARTS + WRITE_PARTS + COUNT, values)
    counts.created += created
    counts.updated += updated
    counts.unchanged += unchanged
    ((ties,),) = execute(TIES, {"file": file.number})
    facts["ties"] = ties
    counts.add_notes(_notes(file, name, facts, example))


def _notes(file: RunFile, name: str, facts: dict[str, Any], example: str) -> Iterator[Problem]:
    """What a person should know about a run that was stored."""
    missing, removed = facts["unknown_documents"], facts["removed"]
    if file.other_tag:
        yield Problem(file.name, 0, f"rows are tagged {file.other_tag} and {file.tag}; all make up the run {name}")
    if file.rank_twice and file.ranks_differ:
        reason = "a rank occurs twice for a topic; ranks are not read, the order is that of the scores"
        yield Problem(file.name, file.rank_twice, reason)
    if removed:
        reason = f"{name} no longer has rankings of topics that are not in the file: {removed:,}"
        yield Problem(file.name, 0, reason)
    if missing == facts["documents"]:
        reason = f"none of the {missing:,} documents of {name} is in the collection, such as {example}"
        yield Problem(file.name, 0, f"{reason}. Is it a run of another collection? Its ranks are kept")
    elif missing:
        found = (
            f"one document of {name} is not in the collection ({example}). It keeps its rank but cannot be pooled"
            if missing == 1
            else f"{missing:,} documents of {name} are not in the collection, such as {example}. They keep their ranks"
            " but cannot be pooled"
        )
        yield Problem(file.name, 0, found)
