"""Topics with their aspect trees and targets from files into the database, a thousand at a time.

A topic is known by its number. What a file does not say (aspects, targets, kind, source) stays as it is. What has
been judged does not change: such a record is reported and skipped.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Max

from accounts.jobs import Progress
from corpus.formats.reading import read_topics
from corpus.formats.records import Problem, Skip, TopicRecord
from corpus.formats.repeats import SeenIds
from corpus.loading.background_reading import in_background
from corpus.loading.copying import HOLDS_NUL, copy_rows, copy_values
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import Odometer, sources_of
from corpus.loading.samples import sampled
from corpus.models import Change, ImportRun, Target, Topic, TopicKind
from corpus.topics.jobs.question_remarks import QuestionRemarks
from corpus.topics.jobs.trees import Tree, replace_trees, stored_trees, texts_of, tree_of
from corpus.topics.jobs.versions import keep_first_versions, keep_versions
from corpus.topics.reads.judged import aspects_in_campaigns, judged_topics

CHUNK = 1_000
LONGEST_NUMBER = 100
LONGEST_SOURCE = 60
JUDGED = ("number", "title", "text", "narrative", "sentences")  # what annotators read; fixed once somebody judged it
FIELDS = ("kind", "source", "title", "text", "narrative", "sentences", "extra")
# An array: a parameter for each number would have to be parsed again with every chunk.
KNOWN = "SELECT id FROM corpus_topic WHERE collection_id = %s AND number = ANY(%s)"
COLUMNS = ("collection_id", "imported_in_id", "number", "position", "prefix", "author", *FIELDS)


@dataclass
class TopicDraft:
    """A topic as a file wants it. `tree` and `targets` are None where the file does not say."""

    record: TopicRecord
    values: dict[str, Any]
    tree: Tree | None
    targets: tuple[str, ...] | None


@dataclass
class Chunk:
    """Records to merge, what was left out since the chunk before, and bytes read up to here."""

    wanted: list[TopicDraft] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    bytes_read: int = 0


@dataclass
class State:
    """What goes on from chunk to chunk."""

    run: ImportRun
    counts: ImportCounts
    next_position: int = 0


def load_topics(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files and merge them into the collection's topics; the caller holds the transaction.

    A thread reads and checks the records while the database takes those that were read before.
    """
    last = run.collection.topics.aggregate(last=Max("position"))["last"]
    state = State(run, counts, next_position=0 if last is None else last + 1)
    remarks = QuestionRemarks.of(run.collection)
    with in_background(_chunks(run, remarks, counts)) as chunks:
        for chunk in chunks:
            counts.add_problems(chunk.problems)
            counts.skips.update(chunk.skips)
            _merge(chunk.wanted, state)
            progress.report(min(chunk.bytes_read, run.total), run.total, "reading topics")
    counts.remarks += remarks.sentences()
    progress.report(run.total, run.total, "reading topics")


def _chunks(run: ImportRun, remarks: QuestionRemarks, counts: ImportCounts) -> Iterator[Chunk]:
    """The records of all files. Runs in the reading thread, so it must not touch the database."""
    odometer, seen, chunk = Odometer(), SeenIds(), Chunk()
    for source in sources_of(run):
        found = read_topics(source.path, run.format, name=source.name, watch=odometer.add)
        for item in sampled(found, counts):
            _take(item, chunk, seen, remarks)
            if len(chunk.wanted) >= CHUNK or len(chunk.problems) >= CHUNK:
                chunk.bytes_read = odometer.bytes
                yield chunk
                chunk = Chunk()
    chunk.bytes_read = odometer.bytes
    yield chunk


def _take(item: TopicRecord | Skip | Problem, chunk: Chunk, seen: SeenIds, remarks: QuestionRemarks) -> None:
    """Put the record into the chunk, or why not."""
    if isinstance(item, Problem):
        chunk.problems.append(item)
    elif isinstance(item, Skip):
        chunk.skips[item.reason] += 1
    elif not seen.add(item.number):
        reason = f"topic {item.number} came earlier in this import; the first one counts"
        chunk.problems.append(Problem(item.file, item.line, reason))
    else:
        try:
            chunk.wanted.append(_draft(item))
        except ValueError as error:
            chunk.problems.append(Problem(item.file, item.line, f"topic {item.number} has {error}"))
        else:
            remarks.look(item)


def _draft(record: TopicRecord) -> TopicDraft:
    """Check what the database would refuse. Errors: ValueError with what is wrong."""
    if len(record.number) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(record.number)} characters (at most {LONGEST_NUMBER})")
    if not record.text.strip():
        raise ValueError("no text")
    if record.kind and record.kind not in TopicKind.values:
        raise ValueError(f"the unknown kind {record.kind!r}; known are {', '.join(TopicKind.values)}")
    if len(record.source) > LONGEST_SOURCE:
        raise ValueError(f"a source of {len(record.source)} characters (at most {LONGEST_SOURCE})")
    tree = tree_of(record.aspects, len(record.sentences)) if record.aspects else None
    texts = [record.title, record.text, record.narrative, *record.sentences, *texts_of(tree or ())]
    if "\0" in "".join(texts):
        raise ValueError(HOLDS_NUL)
    values: dict[str, Any] = {name: getattr(record, name) for name in ("title", "text", "narrative", "extra")}
    values["sentences"] = list(record.sentences)
    values |= {name: getattr(record, name) for name in ("kind", "source") if getattr(record, name)}
    return TopicDraft(record, values, tree, record.targets or None)


def _merge(chunk: list[TopicDraft], state: State) -> None:
    """Tell new, changed, equal and refused records apart, and write the first two."""
    if not chunk:
        return
    stored = fetch_stored(state.run, [wanted.record.number for wanted in chunk])
    found = _target_documents(chunk, state)
    fresh, changed = [], []
    for wanted in chunk:
        topic = stored.topics.get(wanted.record.number)
        if topic is None:
            fresh.append(wanted)
        elif reason := _refusal(wanted, topic, stored):
            state.counts.add_problems([Problem(wanted.record.file, wanted.record.line, reason)])
        elif _differs(wanted, topic, stored, found):
            changed.append((wanted, topic))
        else:
            state.counts.unchanged += 1
    state.counts.created += len(fresh)
    state.counts.updated += len(changed)
    if not state.run.dry_run:
        _create(fresh, found, state)
        _update(changed, found, stored, state.run)


@dataclass(frozen=True)
class Stored:
    """The topics that a chunk speaks of, as they are: trees and docnos of targets by topic id."""

    topics: dict[str, Topic]
    trees: dict[int, Tree]
    targets: dict[int, frozenset[str]]
    judged: set[int]
    in_campaigns: set[tuple[int, str]]  # (topic id, text of an aspect)


def fetch_stored(run: ImportRun, numbers: list[str]) -> Stored:
    """What the collection holds under these topic numbers, in a fixed number of queries."""
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, [run.collection_id, numbers])
        known = [pk for (pk,) in cursor.fetchall()]
    if not known:
        return Stored({}, {}, {}, set(), set())
    topics = list(Topic.objects.filter(pk__in=known).order_by("position", "pk").prefetch_related("aspects"))
    made = aspects_in_campaigns(topics)
    targets: dict[int, frozenset[str]] = {}
    for topic, docno in Target.objects.filter(topic__in=topics).values_list("topic_id", "document__docno"):
        targets[topic] = targets.get(topic, frozenset()) | {docno}
    return Stored(
        topics={topic.number: topic for topic in topics},
        trees=stored_trees(topics),
        targets=targets,
        judged=judged_topics(topics),
        in_campaigns={(t.pk, aspect.text) for t in topics for aspect in t.aspects.all() if aspect.pk in made},
    )


def _changes(wanted: TopicDraft, topic: Topic) -> dict[str, Any]:
    """The fields that would get another value. A file without sentences leaves those of the same text."""
    values = dict(wanted.values)
    if not wanted.record.sentences and topic.text == wanted.record.text:
        del values["sentences"]
    return {name: value for name, value in values.items() if getattr(topic, name) != value}


def _refusal(wanted: TopicDraft, topic: Topic, stored: Stored) -> str:
    """Why this record must not change the topic, or ""."""
    if topic.pk in stored.judged:
        changed = [name for name in _changes(wanted, topic) if name in JUDGED]
        if changed:
            return f"topic {topic.number} has been judged, so its {' and '.join(changed)} cannot change any more"
    if wanted.tree is not None:
        kept = set(texts_of(wanted.tree))
        for text in texts_of(stored.trees.get(topic.pk, ())):
            if text not in kept and (topic.pk, text) in stored.in_campaigns:
                return f"topic {topic.number}: the aspect {text[:80]!r} is in a campaign and cannot be removed"
    return ""


def _differs(wanted: TopicDraft, topic: Topic, stored: Stored, found: dict[str, int]) -> bool:
    targets = None if wanted.targets is None else found.keys() & set(wanted.targets)
    return (
        bool(_changes(wanted, topic))
        or (wanted.tree is not None and wanted.tree != stored.trees.get(topic.pk, ()))
        or (targets is not None and targets != stored.targets.get(topic.pk, frozenset()))
    )


def _create(fresh: list[TopicDraft], found: dict[str, int], state: State) -> None:
    if not fresh:
        return
    first = state.next_position
    state.next_position += len(fresh)
    rows = (_row(wanted, state.run, first + place) for place, wanted in enumerate(fresh))
    keys = copy_values(Topic, COLUMNS, rows, len(fresh))
    pairs = list(zip(fresh, keys, strict=True))
    replace_trees({key: wanted.tree for wanted, key in pairs if wanted.tree}, created=True)
    _add_targets([(wanted, key, wanted.values.get("source", "")) for wanted, key in pairs], found)


def _row(wanted: TopicDraft, run: ImportRun, position: int) -> list[Any]:
    """A new topic's values in the order of COLUMNS."""
    kind = TopicKind.COMPLEX_QUERY if wanted.tree else TopicKind.QUESTION
    values = {"kind": kind.value, "source": "", **wanted.values}
    return [run.collection_id, run.pk, wanted.record.number, position, "", "", *map(values.__getitem__, FIELDS)]


def _update(changed: list[tuple[TopicDraft, Topic]], found: dict[str, int], stored: Stored, run: ImportRun) -> None:
    if not changed:
        return
    topics = [topic for _, topic in changed]
    at = run.started_at or run.requested_at
    list(Topic.objects.select_for_update().filter(pk__in=[topic.pk for topic in topics]).order_by("pk"))
    keep_first_versions(topics, at=at)
    for wanted, topic in changed:
        changes = _changes(wanted, topic)
        if "sentences" in changes and wanted.tree is None:
            topic.nodes.update(sentences=[])  # their places meant the old sentences
        for name, value in changes.items():
            setattr(topic, name, value)
    Topic.objects.bulk_update(topics, FIELDS, batch_size=CHUNK)
    trees = {
        topic.pk: wanted.tree
        for wanted, topic in changed
        if wanted.tree is not None and wanted.tree != stored.trees.get(topic.pk, ())
    }
    replace_trees(trees, created=False)
    keep_versions(
        topics, by=run.requested_by, at=at, change=Change.IMPORTED, about=run.files[0]["name"] if run.files else ""
    )
    _write_targets([pair for pair in changed if pair[0].targets is not None], found)


def _target_documents(chunk: list[TopicDraft], state: State) -> dict[str, int]:
    """Ids of the documents that are named as targets, by docno; a note for each that the collection lacks."""
    docnos = {docno for wanted in chunk for docno in wanted.targets or ()}
    if not docnos:
        return {}
    found = dict(state.run.collection.documents.filter(docno__in=docnos).values_list("docno", "pk"))
    for wanted in chunk:
        missing = [docno for docno in wanted.targets or () if docno not in found]
        state.counts.add_notes(
            Problem(
                wanted.record.file,
                wanted.record.line,
                f"topic {wanted.record.number} names the target {docno}, which is no document of the collection",
            )
            for docno in missing
        )
    return found


def _write_targets(pairs: list[tuple[TopicDraft, Topic]], found: dict[str, int]) -> None:
    """Make the targets of these topics those of the file."""
    Target.objects.filter(topic__in=[topic for _, topic in pairs]).delete()
    _add_targets([(wanted, topic.pk, topic.source) for wanted, topic in pairs], found)


def _add_targets(named: list[tuple[TopicDraft, int, str]], found: dict[str, int]) -> None:
    """`named` are what the file wants, the topic's id and its source."""
    rows = [
        Target(topic_id=topic, document_id=found[docno], source=source)
        for wanted, topic, source in named
        for docno in dict.fromkeys(wanted.targets or ())
        if docno in found
    ]
    copy_rows(rows)
