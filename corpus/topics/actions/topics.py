"""Topics made, changed, moved and deleted in the browser."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import ProtectedError

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from corpus.collections.rules import check_can_delete, check_manager
from corpus.models import Change, Collection, Target, Topic
from corpus.topics.jobs.versions import READ_BY_ANNOTATORS, keep_first_versions, keep_versions, locked_topic
from corpus.topics.reads.judged import is_judged
from corpus.topics.reads.topics import next_position
from engines.text.sentences import follow_sentences, follow_ties

JUDGED = (
    "This topic has been judged, so its number and what annotators read of it (title, text, narrative) are fixed: "
    "otherwise the judgments would be about something else. Make a new topic for a new question."
)

# Only the rows between the old and the new place move.
RENUMBER = """
UPDATE corpus_topic t SET position = o.place
FROM (
  SELECT id, row_number() OVER (ORDER BY place) - 1 AS place FROM unnest(%s::bigint[]) WITH ORDINALITY AS l (id, place)
) o
WHERE t.id = o.id AND t.position <> o.place
"""


@transaction.atomic
def create_topic(
    *,
    by: User,
    at: datetime,
    collection: Collection,
    number: str,
    text: str,
    sentences: Sequence[str] = (),
    source_papers: Sequence[str] = (),
    targets: Sequence[str] = (),
    category: str = "",
    **fields: Any,
) -> Topic:
    """A new topic after all others. With sentences, their join is the text. `source_papers`, `targets` are docnos.

    Errors: Refused for documents that the collection lacks, Conflict for a number that is taken.
    """
    check_manager(collection, by)
    check_source_papers(collection, source_papers)
    if source_papers:
        fields["extra"] = {**fields.get("extra", {}), "idea_from": list(source_papers)}
    if category:
        fields["extra"] = {**fields.get("extra", {}), "query_type": category}
    topic = Topic(
        collection=collection,
        number=number,
        text=" ".join(sentences) or text,
        sentences=list(sentences),
        position=next_position(collection),
        **fields,
    )
    _save(topic)
    if targets:
        replace_targets(topic, targets)
    record_event(by=by, at=at, verb="create_topic", target=topic, scope=collection)
    keep_versions([topic], by=by, at=at, change=Change.WRITTEN)
    return topic


@transaction.atomic
def update_topic(*, by: User, at: datetime, topic: Topic, **fields: Any) -> Topic:
    """Change fields; those that annotators read only while nobody has judged the topic."""
    check_manager(topic.collection, by)
    topic = locked_topic(topic)
    if fields.get("sentences"):
        fields["text"] = " ".join(fields["sentences"])
    known = _replaced_targets(topic, fields.pop("targets", None))
    if (papers := fields.pop("source_papers", None)) is not None and papers != topic.source_papers:
        check_source_papers(topic.collection, [docno for docno in papers if docno not in topic.source_papers])
        fields["extra"] = {**topic.extra, "idea_from": list(papers)}
    if (category := fields.pop("category", None)) is not None and category != topic.category:
        fields["extra"] = {**fields.get("extra", topic.extra), "query_type": category}
    changed = {name: value for name, value in fields.items() if getattr(topic, name) != value}
    if not changed and not known:
        return topic
    if set(changed) & set(READ_BY_ANNOTATORS) and is_judged(topic):
        raise Refused(JUDGED)
    keep_first_versions([topic], at=at)
    before = {name: getattr(topic, name) for name in changed}
    if "sentences" in changed:
        _follow_sentences(topic, changed["sentences"])
    for name, value in changed.items():
        setattr(topic, name, value)
    _save(topic, update_fields=list(changed))
    facts = {"before": {**before, **known.get("before", {})}, "after": {**changed, **known.get("after", {})}}
    record_event(by=by, at=at, verb="update_topic", target=topic, scope=topic.collection, **facts)
    keep_versions([topic], by=by, at=at, change=Change.QUERY)
    return topic


@transaction.atomic
def reword_query(*, by: User, at: datetime, topic: Topic, sentences: Sequence[str], seen: int) -> Topic:
    """Give the query other sentences; aspects stay tied to those that are still there, moved or reworded.

    `seen` is the newest version the writer knows, 0 for none. Errors: Conflict where the words have changed since,
    Refused for a judged topic.
    """
    topic = locked_topic(topic)
    known = topic.versions.filter(number=max(seen, 1)).first()
    if known is not None and known.content["sentences"] != topic.sentences:
        raise Conflict("Somebody else has changed the query meanwhile. Look at it as it is now, then change it again.")
    return update_topic(by=by, at=at, topic=topic, sentences=list(sentences))


@transaction.atomic
def delete_topic(*, by: User | None, at: datetime, topic: Topic) -> None:
    """Delete a topic with its aspects, targets and pool; refused when a campaign or another topic needs it."""
    collection = topic.collection
    check_manager(collection, by)
    check_can_delete(topic, collection)
    record_event(by=by, at=at, verb="delete_topic", target=topic, scope=collection, text=topic.text)
    try:
        topic.delete()
    except ProtectedError as error:
        raise Refused(why_cannot_delete_topic(topic)) from error


@transaction.atomic
def move_topic(*, by: User, at: datetime, topic: Topic, to: int | None = None, steps: int = 0) -> None:
    """Put the topic at place `to` (from 0) in the collection's order, or so many steps from where it is."""
    check_manager(topic.collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=topic.collection_id)
    order = list(Topic.objects.filter(collection=topic.collection_id).values_list("pk", flat=True))
    before = order.index(topic.pk)
    after = max(0, min(before + steps if to is None else to, len(order) - 1))
    order.insert(after, order.pop(before))
    with connection.cursor() as cursor:
        cursor.execute(RENUMBER, [order])
    if before != after:
        record_event(
            by=by,
            at=at,
            verb="move_topic",
            target=topic,
            scope=topic.collection,
            before=before + 1,
            after=after + 1,
        )


def replace_targets(topic: Topic, docnos: Sequence[str]) -> None:
    """Make these the documents known to answer the topic. Errors: Refused for one that the collection lacks."""
    documents = dict(topic.collection.documents.filter(docno__in=docnos).values_list("docno", "pk"))
    if missing := [docno for docno in docnos if docno not in documents]:
        raise Refused(f"There is no document {missing[0]} in the collection, so it cannot be a known answer.")
    topic.targets.exclude(document__in=documents.values()).delete()
    kept = set(topic.targets.values_list("document_id", flat=True))
    Target.objects.bulk_create(
        Target(topic=topic, document_id=documents[docno], source=topic.source)
        for docno in docnos
        if documents[docno] not in kept
    )


def _replaced_targets(topic: Topic, docnos: Sequence[str] | None) -> dict[str, dict[str, list[str]]]:
    """What was changed, before and after; {} where nothing was. None leaves them as they are."""
    before = list(topic.targets.order_by("pk").values_list("document__docno", flat=True))
    if docnos is None or set(docnos) == set(before):
        return {}
    replace_targets(topic, docnos)
    return {"before": {"targets": before}, "after": {"targets": list(docnos)}}


def check_source_papers(collection: Collection, docnos: Sequence[str]) -> None:
    """Refuse docnos that are not in the collection: they could neither be left out nor lead anywhere."""
    known = set(collection.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    if missing := [docno for docno in docnos if docno not in known]:
        raise Refused(f"There is no document {missing[0]} in the collection, so it cannot be a source paper.")


def why_cannot_delete_topic(topic: Topic) -> str:
    """Why this topic cannot be deleted now."""
    if is_judged(topic):
        return f"Topic {topic.number} has been judged. What was judged stays, so that the judgments keep their meaning."
    items = topic.items.count()
    if items:
        them = f"{items:,} items of a campaign. Remove those" if items > 1 else "1 item of a campaign. Remove that"
        return f"Topic {topic.number} is in {them} first, then delete the topic."
    return f"Other topics were made from topic {topic.number}. Delete those first."


def _follow_sentences(topic: Topic, sentences: Sequence[str]) -> None:
    """Keep aspects tied to the sentences that are still there, at their new places."""
    where = follow_sentences(topic.sentences, sentences)
    nodes = list(topic.nodes.all())
    for node in nodes:
        node.sentences = follow_ties(node.sentences, where)
        node.spoken_in = None if node.spoken_in is None else follow_ties(node.spoken_in, where)
    topic.nodes.bulk_update(nodes, ["sentences", "spoken_in"])


def _save(topic: Topic, **options: Any) -> None:
    reason = f"There is a topic with the number {topic.number} already. Choose another."
    with taken_is_conflict(reason, "topic_number_unique"):
        topic.save(**options)
