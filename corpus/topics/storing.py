"""Topics with their aspect trees and targets from files into the database, a thousand at a time.

A topic is known by its number. What a file does not say (aspects, targets, kind, source) stays as it is. What has
been judged does not change: such a record is reported and skipped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection

from accounts.jobs import Progress
from corpus.loading.copying import HOLDS_NUL, copy_rows, copy_values
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.models import Change, ImportRun, Target, Topic, TopicKind
from corpus.models.topics import LONGEST_AUTHOR, LONGEST_SOURCE
from corpus.topics.judged import aspects_in_campaigns, judged_topics
from corpus.topics.question_remarks import QuestionRemarks
from corpus.topics.text_fields import TextFields
from corpus.topics.topics import next_position
from corpus.topics.trees import Tree, replace_trees, stored_trees, texts_of, tree_of
from corpus.topics.versions import READ_BY_ANNOTATORS, keep_first_versions, keep_versions
from engines.formats.reading import read_topics
from engines.formats.records import MAX_TOPIC_LENGTH, Problem, TopicRecord
from engines.formats.repeats import SeenIds

CHUNK = 1_000
FIELDS = ("kind", "source", "author", "title", "text", "narrative", "sentences", "extra")
# An array: a parameter for each number would have to be parsed again with every chunk.
KNOWN = "SELECT id FROM corpus_topic WHERE collection_id = %s AND number = ANY(%s)"
COLUMNS = ("collection_id", "imported_in_id", "number", "position", "prefix", *FIELDS)


@dataclass
class TopicDraft:
    """A topic as its file has it. `tree` and `targets` are None where the file does not say."""

    record: TopicRecord
    values: dict[str, Any]
    tree: Tree | None
    targets: tuple[str, ...] | None


@dataclass
class State:
    """The values that pass from chunk to chunk."""

    run: ImportRun
    counts: ImportCounts
    next_position: int = 0


def load_topics(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files and merge them into the collection's topics; the caller holds the transaction.

    A thread reads and checks the records while the database takes those that were read before.
    """
    state = State(run, counts, next_position=next_position(run.collection))
    seen, remarks, text_fields = SeenIds(), QuestionRemarks.of(run.collection), TextFields()
    read = partial(read_topics, text_from=run.parameters.get("text_from", ""))

    def draft_of(_: int, record: TopicRecord) -> TopicDraft | Problem:
        if not seen.add(record.number):
            reason = f"topic {record.number} came earlier in this import; the first one counts"
            return Problem(record.file, record.line, reason)
        try:
            draft = _draft(record)
        except ValueError as error:
            return Problem(record.file, record.line, f"topic {record.number} has {error}")
        remarks.look(record)
        text_fields.look(record)
        return draft

    for batch in read_batches(run, read, draft_of, progress, counts, rows=CHUNK):
        _merge(batch.lines, state)
    counts.remarks += [*text_fields.sentences(is_tried=run.dry_run), *remarks.sentences()]
    progress.report(run.total, run.total, "reading topics")


def _draft(record: TopicRecord) -> TopicDraft:
    """Check what the database would refuse. Errors: ValueError with what is wrong."""
    if len(record.number) > MAX_TOPIC_LENGTH:
        raise ValueError(f"a number of {len(record.number)} characters (at most {MAX_TOPIC_LENGTH})")
    if not record.text.strip():
        raise ValueError("no text")
    if record.kind and record.kind not in TopicKind.values:
        raise ValueError(f"the unknown kind {record.kind!r}; known are {', '.join(TopicKind.values)}")
    if len(record.source) > LONGEST_SOURCE:
        raise ValueError(f"a source of {len(record.source)} characters (at most {LONGEST_SOURCE})")
    if len(record.author) > LONGEST_AUTHOR:
        raise ValueError(f"an author of {len(record.author)} characters (at most {LONGEST_AUTHOR})")
    tree = tree_of(record.aspects, len(record.sentences)) if record.aspects else None
    texts = [record.title, record.text, record.narrative, record.author, *record.sentences, *texts_of(tree or ())]
    if "\0" in "".join(texts):
        raise ValueError(HOLDS_NUL)
    values: dict[str, Any] = {name: getattr(record, name) for name in ("title", "text", "narrative", "extra")}
    values["sentences"] = list(record.sentences)
    values |= {name: getattr(record, name) for name in ("kind", "source", "author") if getattr(record, name)}
    return TopicDraft(record, values, tree, record.targets or None)


def _merge(chunk: list[TopicDraft], state: State) -> None:
    """Divide the records into new, changed, equal and refused ones, and write the first two."""
    if not chunk:
        return
    stored = fetch_stored(state.run, [draft.record.number for draft in chunk])
    found = _documents_of(chunk, state)
    fresh, changed = [], []
    for draft in chunk:
        topic = stored.topics.get(draft.record.number)
        if topic is None:
            fresh.append(draft)
        elif reason := _refusal(draft, topic, stored):
            state.counts.add_problems([Problem(draft.record.file, draft.record.line, reason)])
        elif _differs(draft, topic, stored, found):
            changed.append((draft, topic))
        else:
            state.counts.unchanged += 1
    state.counts.created += len(fresh)
    state.counts.updated += len(changed)
    if not state.run.dry_run:
        _create(fresh, found, state)
        _update(changed, found, stored, state.run)


@dataclass(frozen=True)
class Stored:
    """The stored topics of a chunk: trees and docnos of targets by topic id."""

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
    items = aspects_in_campaigns(topics)
    targets: dict[int, frozenset[str]] = {}
    for topic, docno in Target.objects.filter(topic__in=topics).values_list("topic_id", "document__docno"):
        targets[topic] = targets.get(topic, frozenset()) | {docno}
    return Stored(
        topics={topic.number: topic for topic in topics},
        trees=stored_trees(topics),
        targets=targets,
        judged=judged_topics(topics),
        in_campaigns={(t.pk, aspect.text) for t in topics for aspect in t.aspects.all() if aspect.pk in items},
    )


def _changes(draft: TopicDraft, topic: Topic) -> dict[str, Any]:
    """The fields that would get another value. A file without sentences leaves those of the same text, one without
    source papers, a category or another field of `extra` leaves that."""
    values = {**draft.values, "extra": {**topic.extra, **draft.values["extra"]}}
    if not draft.record.sentences and topic.text == draft.record.text:
        del values["sentences"]
    return {name: value for name, value in values.items() if getattr(topic, name) != value}


def _refusal(draft: TopicDraft, topic: Topic, stored: Stored) -> str:
    """Why this record must not change the topic, or ""."""
    if topic.pk in stored.judged:
        changed = [name for name in _changes(draft, topic) if name in READ_BY_ANNOTATORS]
        if changed:
            return f"topic {topic.number} has been judged, so its {' and '.join(changed)} cannot change any more"
    if draft.tree is not None:
        texts = set(texts_of(draft.tree))
        for text in texts_of(stored.trees.get(topic.pk, ())):
            if text not in texts and (topic.pk, text) in stored.in_campaigns:
                return f"topic {topic.number}: the aspect {text[:80]!r} is in a campaign and cannot be removed"
    return ""


def _differs(draft: TopicDraft, topic: Topic, stored: Stored, found: dict[str, int]) -> bool:
    targets = None if draft.targets is None else found.keys() & set(draft.targets)
    return (
        bool(_changes(draft, topic))
        or (draft.tree is not None and draft.tree != stored.trees.get(topic.pk, ()))
        or (targets is not None and targets != stored.targets.get(topic.pk, frozenset()))
    )


def _create(fresh: list[TopicDraft], found: dict[str, int], state: State) -> None:
    if not fresh:
        return
    first = state.next_position
    state.next_position += len(fresh)
    rows = (_row(draft, state.run, first + place) for place, draft in enumerate(fresh))
    keys = copy_values(Topic, COLUMNS, rows, len(fresh))
    pairs = list(zip(fresh, keys, strict=True))
    replace_trees({key: draft.tree for draft, key in pairs if draft.tree}, created=True)
    _add_targets([(draft, key, draft.values.get("source", "")) for draft, key in pairs], found)


def _row(draft: TopicDraft, run: ImportRun, position: int) -> list[Any]:
    """A new topic's values in the order of COLUMNS."""
    kind = TopicKind.COMPLEX_QUERY if draft.tree else TopicKind.QUESTION
    values = {"kind": kind.value, "source": "", "author": "", **draft.values}
    return [run.collection_id, run.pk, draft.record.number, position, "", *map(values.__getitem__, FIELDS)]


def _update(changed: list[tuple[TopicDraft, Topic]], found: dict[str, int], stored: Stored, run: ImportRun) -> None:
    if not changed:
        return
    topics = [topic for _, topic in changed]
    at = run.started_at or run.requested_at
    list(Topic.objects.select_for_update().filter(pk__in=[topic.pk for topic in topics]).order_by("pk"))
    keep_first_versions(topics, at=at)
    for draft, topic in changed:
        changes = _changes(draft, topic)
        if "sentences" in changes and draft.tree is None:
            topic.nodes.update(sentences=[])  # their places meant the old sentences
        for name, value in changes.items():
            setattr(topic, name, value)
    Topic.objects.bulk_update(topics, FIELDS, batch_size=CHUNK)
    trees = {
        topic.pk: draft.tree
        for draft, topic in changed
        if draft.tree is not None and draft.tree != stored.trees.get(topic.pk, ())
    }
    replace_trees(trees, created=False)
    keep_versions(
        topics, by=run.requested_by, at=at, change=Change.IMPORTED, about=run.files[0]["name"] if run.files else ""
    )
    _write_targets([pair for pair in changed if pair[0].targets is not None], found)


def _documents_of(chunk: list[TopicDraft], state: State) -> dict[str, int]:
    """Ids of the documents that are named, by docno; a note for each that the collection lacks."""
    docnos = {docno for draft in chunk for _, docno in _named_documents(draft)}
    if not docnos:
        return {}
    found = dict(state.run.collection.documents.filter(docno__in=docnos).values_list("docno", "pk"))
    for draft in chunk:
        state.counts.add_notes(
            Problem(
                draft.record.file,
                draft.record.line,
                f"topic {draft.record.number} names the {role} {docno}, which is no document of the collection",
            )
            for role, docno in _named_documents(draft)
            if docno not in found
        )
    return found


def _named_documents(draft: TopicDraft) -> Iterator[tuple[str, str]]:
    """Docnos that the record names, each with what it says of it."""
    yield from (("target", docno) for docno in draft.targets or ())
    papers = draft.values["extra"].get("idea_from")
    if isinstance(papers, list):
        yield from (("source paper", docno) for docno in papers if isinstance(docno, str))


def _write_targets(pairs: list[tuple[TopicDraft, Topic]], found: dict[str, int]) -> None:
    """Make the targets of these topics those of the file."""
    Target.objects.filter(topic__in=[topic for _, topic in pairs]).delete()
    _add_targets([(draft, topic.pk, topic.source) for draft, topic in pairs], found)


def _add_targets(named: list[tuple[TopicDraft, int, str]], found: dict[str, int]) -> None:
    """`named` are the draft, the topic's id and its source."""
    rows = [
        Target(topic_id=topic, document_id=found[docno], source=source)
        for draft, topic, source in named
        for docno in dict.fromkeys(draft.targets or ())
        if docno in found
    ]
    copy_rows(rows)
