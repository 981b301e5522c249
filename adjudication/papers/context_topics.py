"""Topics made of citation contexts."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts.audit import record_event
from accounts.counting import counted
from accounts.models import User
from accounts.refusals import Refused
from adjudication.exporting.findings import find
from adjudication.exporting.forms import PARAGRAPH
from adjudication.exporting.options import make_options
from adjudication.papers.contexts import context_topic_records
from annotation.labelling.rules import check_can_read_labels_of
from corpus.collections.rules import check_manager
from corpus.models import Collection, Document, Target, Topic, TopicKind
from engines.formats.records import TopicRecord

TOPIC_SOURCE = "citation-context"
PREFIXES = {TopicKind.CONTEXT_PARAGRAPH: "p", TopicKind.CONTEXT_SENTENCE: "s"}


@dataclass(frozen=True, slots=True)
class ContextTopics:
    """What became of the contexts: topics made, topics that were here already, new targets (pairs of a topic and a
    document); and what new numbers begin with, because without it they would be those of other topics, else ""."""

    collection: Collection
    made: int
    known: int
    targets: int
    prefix: str = ""

    def __str__(self) -> str:
        was = "was" if self.known == 1 else "were"
        text = (
            f"{counted(self.made, 'topic')} made, {self.known:,} {was} here already;"
            f" {counted(self.targets, 'new target')}, one for each topic and document that it cites."
        )
        if self.prefix:
            text += f" Some numbers are in use, so the new ones begin with “{self.prefix}” here; exports remove it."
        return text


@transaction.atomic
def make_context_topics(
    *, collection: Collection, level: str, by: User | None, at: datetime, drafts: bool = False
) -> ContextTopics:
    """Make topics of the contexts of a level, so that runs, pools and evaluation have them; what they cite is a target.

    Topics that are here under their number stay as they are, with new targets added. Where two contexts share a number,
    the later text counts. Where topics of another kind have numbers of this level, all its new ones get a prefix, which
    exports take off again. Errors: NotAllowed for people with papers still to work on, Refused where nothing counts.
    """
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # one maker of numbers at a time
    options = make_options(collection, "topics", level=level, drafts=drafts)
    if by is not None:
        check_can_read_labels_of(options.exporter.campaigns(options), by)
    if fatal := [finding.text for finding in find(options) if finding.is_fatal]:
        raise Refused(" ".join(fatal))
    records: dict[str, TopicRecord] = {}
    cited: dict[str, set[str]] = {}
    for record, rows in context_topic_records(options):
        records[record.number] = record
        cited.setdefault(record.number, set()).update(row.docno for row in rows)
    kind = TopicKind.CONTEXT_PARAGRAPH if level == PARAGRAPH else TopicKind.CONTEXT_SENTENCE
    topics = {each.bare_number: each for each in collection.topics.filter(kind=kind)}
    new = [record for number, record in records.items() if number not in topics]
    prefix = _prefix(collection, kind, [record.number for record in new])
    topics |= {each.bare_number: each for each in _insert_topics(collection, kind, new, prefix)}
    targets = _insert_targets(collection, {topics[number].pk: docnos for number, docnos in cited.items()})
    made = ContextTopics(collection, len(new), len(records) - len(new), targets, prefix)
    facts = {"level": level, "made": made.made, "prefix": prefix} | ({"drafts": True} if drafts else {})
    record_event(by=by, at=at, verb="make_context_topics", target=collection, scope=collection, **facts)
    return made


def _prefix(collection: Collection, kind: TopicKind, numbers: list[str]) -> str:
    """What to put before these numbers: what the level has already, else nothing, else the first that is free."""
    there = collection.topics.filter(kind=kind).exclude(prefix="").values_list("prefix", flat=True)
    for prefix in (there.first() or "", *(f"{PREFIXES[kind]}{n or ''}-" for n in range(len(numbers) + 1))):
        if not collection.topics.filter(number__in=[f"{prefix}{number}" for number in numbers]).exists():
            return prefix
    raise Refused("Topics of other kinds have the numbers of this level. Change their numbers first.")


def _insert_topics(collection: Collection, kind: TopicKind, records: list[TopicRecord], prefix: str) -> list[Topic]:
    last = Topic.objects.filter(collection=collection).aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    return Topic.objects.bulk_create(
        [
            Topic(
                collection=collection,
                number=f"{prefix}{record.number}",
                prefix=prefix,
                kind=kind,
                source=TOPIC_SOURCE,
                title=record.title,
                text=record.text,
                position=start + place,
            )
            for place, record in enumerate(records)
        ],
        batch_size=1_000,
    )


def _insert_targets(collection: Collection, cited: dict[int, set[str]]) -> int:
    """Name the documents cited as targets of topics (by id); how many pairs are new."""
    docnos = set[str]().union(*cited.values())
    documents = dict(Document.objects.filter(collection=collection, docno__in=docnos).values_list("docno", "pk"))
    before = Target.objects.filter(topic__in=cited).count()
    Target.objects.bulk_create(
        [
            Target(topic_id=topic, document_id=documents[docno], source=TOPIC_SOURCE)
            for topic, found in cited.items()
            for docno in sorted(found)
        ],
        batch_size=1_000,
        ignore_conflicts=True,
    )
    return Target.objects.filter(topic__in=cited).count() - before
