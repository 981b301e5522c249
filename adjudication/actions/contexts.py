"""Asking for the sanity check of citation contexts, and taking it back."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from adjudication.exports.contexts import made_topics
from adjudication.exports.findings import find
from adjudication.exports.options import PARAGRAPH, make_options
from adjudication.models import ContextCheck
from adjudication.permissions import check_adjudicator
from corpus.formats.records import TopicRecord
from corpus.models import Collection, Document, Target, Topic, TopicKind
from corpus.permissions import check_manager
from corpus.retrieval.analysis import LUCENE, STEMMERS, TOKENS

PORTER = "porter"
TOPIC_SOURCE = "citation-context"


@transaction.atomic
def request_context_check(
    *,
    collection: Collection,
    by: User | None,
    at: datetime,
    tokens: str = LUCENE,
    stemmer: str = PORTER,
    k1: float = 0.9,
    b: float = 0.4,
    drafts: bool = False,
    send: bool = True,
) -> ContextCheck:
    """Ask for BM25 over the collection against the contexts' qrels; the defaults are ACM-CR's (Anserini's).

    `drafts` includes what nobody has confirmed. `send=False` leaves the work to the caller.
    Errors: Refused for settings out of range, Conflict while another check of the collection is under way.
    """
    check_adjudicator(collection, by)
    if tokens not in TOKENS or stemmer not in STEMMERS:
        raise Refused(f"Tokens are one of {', '.join(TOKENS)}, the stemmer one of {', '.join(STEMMERS)}.")
    if not (0 <= k1 <= 100 and 0 <= b <= 1):
        raise Refused("k1 lies between 0 and 100, b between 0 and 1.")
    if not collection.papers.exists():
        raise Refused("The collection has no papers, so there are no contexts to check.")
    if ContextCheck.objects.filter(collection=collection).exclude(state__in=FINAL_STATES).exists():
        raise Conflict("Another check of this collection is under way. Wait for it or cancel it.")
    parameters = {"tokens": tokens, "stemmer": stemmer, "k1": k1, "b": b, "drafts": drafts}
    fields = {"collection": collection, "parameters": parameters}
    if send:
        job = jobs.new_job(ContextCheck, by=by, at=at, **fields)
    else:
        job = ContextCheck.objects.create(requested_by=by, requested_at=at, **fields)
    record_event(by=by, at=at, verb="request_context_check", target=job, scope=collection.slug, **parameters)
    return job


@transaction.atomic
def cancel_context_check(*, job: ContextCheck, by: User, at: datetime) -> None:
    """Ask the check to stop. Errors: Conflict when it has ended."""
    check_adjudicator(job.collection, by)
    if job.is_final:
        raise Conflict(f"It has ended already: {job.get_state_display()}.")
    jobs.cancel(job, at=at)
    record_event(by=by, at=at, verb="cancel_context_check", target=job, scope=job.collection.slug)


@dataclass(frozen=True, slots=True)
class TopicsMade:
    """What became of the contexts: topics made, topics that were here already, documents named as their targets."""

    made: int
    known: int
    targets: int


@transaction.atomic
def make_context_topics(
    *, collection: Collection, level: str, by: User | None, at: datetime, drafts: bool = False
) -> TopicsMade:
    """Make topics of the contexts of a level, so that runs, pools and evaluation have them; what they cite is a target.

    Topics that are here under their number stay as they are, with new targets added. Where two contexts share a number,
    the later text counts. Errors: Refused where nothing stands or a number is taken by a topic of another kind.
    """
    check_manager(collection, by)
    options = make_options(collection, "topics", level=level, drafts=drafts)
    if fatal := [finding.text for finding in find(options) if finding.is_fatal]:
        raise Refused(" ".join(fatal))
    wanted: dict[str, TopicRecord] = {}
    cited: dict[str, set[str]] = {}
    for record, rows in made_topics(options):
        wanted[record.number] = record
        cited.setdefault(record.number, set()).update(row.docno for row in rows)
    known = dict(Topic.objects.filter(collection=collection, number__in=wanted).values_list("number", "kind"))
    kind = TopicKind.CONTEXT_PARAGRAPH if level == PARAGRAPH else TopicKind.CONTEXT_SENTENCE
    if taken := sorted(number for number, other in known.items() if other != kind):
        raise Refused(f"The number {taken[0]} is taken by a topic of another kind. Change that topic's number first.")
    new = [record for number, record in wanted.items() if number not in known]
    _insert_topics(collection, kind, new)
    targets = _insert_targets(collection, cited)
    made = TopicsMade(len(new), len(known), targets)
    record_event(
        by=by, at=at, verb="make_context_topics", target=collection, scope=collection.slug, level=level, made=made.made
    )
    return made


def _insert_topics(collection: Collection, kind: TopicKind, records: list[TopicRecord]) -> None:
    last = Topic.objects.filter(collection=collection).aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    Topic.objects.bulk_create(
        [
            Topic(
                collection=collection,
                number=record.number,
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


def _insert_targets(collection: Collection, cited: dict[str, set[str]]) -> int:
    """Name the cited documents as targets; how many are new."""
    topics = dict(Topic.objects.filter(collection=collection, number__in=cited).values_list("number", "pk"))
    docnos = set[str]().union(*cited.values())
    documents = dict(Document.objects.filter(collection=collection, docno__in=docnos).values_list("docno", "pk"))
    before = Target.objects.filter(topic__in=topics.values()).count()
    Target.objects.bulk_create(
        [
            Target(topic_id=topics[number], document_id=documents[docno], source=TOPIC_SOURCE)
            for number, found in cited.items()
            for docno in sorted(found)
        ],
        batch_size=1_000,
        ignore_conflicts=True,
    )
    return Target.objects.filter(topic__in=topics.values()).count() - before
