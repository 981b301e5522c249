"""Topics: shown with their aspect trees and sub-queries; made, changed, moved and deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, IntegerField, Max, OuterRef, Prefetch, ProtectedError, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from accounts.sql import count_of
from corpus.collections.rules import check_can_delete, check_manager
from corpus.models import Aspect, AspectNode, Change, Collection, PoolEntry, SubQuery, SubQueryAspect, Target, Topic
from corpus.topics.judged import aspects_in_campaigns, is_judged, judged_aspects
from corpus.topics.versions import READ_BY_ANNOTATORS, keep_first_versions, keep_versions, locked_topic
from engines.text.aspect_checks import AspectText, Hint
from engines.text.sentences import follow_sentences, follow_ties


@dataclass
class Place:
    """A node of the tree with what the page needs to offer: why its words or itself cannot change, if so."""

    node: AspectNode
    is_judged: bool
    items: int
    repeats: int  # how many other places have the same text
    is_first: bool
    is_last: bool
    below: list["Place"] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)  # what its writer should look at again
    remark: str = ""  # what the last reviewer said about it
    field: Any = None  # of a form about it

    @property
    def is_fixed(self) -> bool:
        """Removing this place would remove an aspect that a campaign needs."""
        return self.items > 0 and self.repeats == 0


def list_topics(collection: Collection, text: str = "", kind: str = "") -> QuerySet[Topic]:
    """The topics in their order, narrowed to a number or words and a kind."""
    topics = collection.topics.all()
    if text:
        topics = topics.filter(Q(number=text) | Q(text__icontains=text) | Q(title__icontains=text))
    if kind:
        topics = topics.filter(kind=kind)
    return topics


def with_counts(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """The topics with `n_aspects`, `n_sub_aspects`, `n_distinct`, `n_pool` and `n_targets`."""
    nodes = AspectNode.objects.filter(topic=OuterRef("pk"))
    return topics.annotate(
        n_aspects=count_of(nodes.filter(parent=None)),
        n_sub_aspects=count_of(nodes.filter(parent__isnull=False)),
        n_distinct=count_of(Aspect.objects.filter(topic=OuterRef("pk"))),
        n_pool=count_of(PoolEntry.objects.filter(topic=OuterRef("pk"))),
        n_targets=count_of(Target.objects.filter(topic=OuterRef("pk"))),
    )


def aspect_tree(topic: Topic) -> list[Place]:
    """The topic's tree, top places with those below them; four queries."""
    nodes = list(topic.nodes.select_related("aspect"))
    judged, items = judged_aspects([topic]), aspects_in_campaigns([topic])
    texts: dict[int, int] = {}
    for node in nodes:
        texts[node.aspect_id] = texts.get(node.aspect_id, 0) + 1

    def places(parent: int | None) -> list[Place]:
        found = [node for node in nodes if node.parent_id == parent]
        return [
            Place(
                node,
                node.aspect_id in judged,
                items.get(node.aspect_id, 0),
                texts[node.aspect_id] - 1,
                is_first=place == 0,
                is_last=place == len(found) - 1,
                below=places(node.pk) if parent is None else [],
            )
            for place, node in enumerate(found)
        ]

    return places(None)


def written(tree: list[Place]) -> list[AspectText]:
    """The tree as texts, for checking them."""
    return [AspectText(top.node.aspect.text, tuple(each.node.aspect.text for each in top.below)) for top in tree]


def places_in(tree: list[Place]) -> dict[int, tuple[int, ...]]:
    """Where each node stands, by its id: (n,) on top, (n, m) below."""
    found: dict[int, tuple[int, ...]] = {}
    for at, top in enumerate(tree):
        found[top.node.pk] = (at,)
        found |= {each.node.pk: (at, inner) for inner, each in enumerate(top.below)}
    return found


def next_number(collection: Collection) -> str:
    """The whole number after all numbers of topics that are whole numbers."""
    numbers = collection.topics.filter(number__regex=r"^[0-9]{1,9}$").order_by()
    last = numbers.aggregate(last=Max(Cast("number", IntegerField())))["last"] or 0
    return str(last + 1)


def next_position(collection: Collection) -> int:
    """The place after all topics of the collection."""
    last = collection.topics.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def neighbours(topic: Topic) -> tuple[Topic | None, Topic | None]:
    """The topics before and after this one in the collection's order."""
    others = Topic.objects.filter(collection=topic.collection_id).only("number", "position")
    here = (topic.position, topic.pk)
    before = others.filter(Q(position__lt=here[0]) | Q(position=here[0], pk__lt=here[1])).last()
    after = others.filter(Q(position__gt=here[0]) | Q(position=here[0], pk__gt=here[1])).first()
    return before, after


@dataclass(frozen=True)
class Size:
    """How many sub-queries of so many aspects there are, and of how many topics."""

    size: int
    sub_queries: int
    topics: int


def most_aspects(collection: Collection) -> int:
    """How many distinct aspects on the top level the topic with the most of them has."""
    tops = Count("nodes__aspect", filter=Q(nodes__parent=None), distinct=True)
    return collection.topics.order_by().annotate(n=tops).aggregate(most=Max("n"))["most"] or 0


def sizes_of(collection: Collection) -> list[Size]:
    """The sizes that the collection has sub-queries of."""
    counted = collection.sub_queries.order_by("size").values("size")
    rows = counted.annotate(n=Count("pk"), topics=Count("topic", distinct=True))
    return [Size(row["size"], row["n"], row["topics"]) for row in rows]


def list_sub_queries(collection: Collection, size: int | None = None, topic: str = "") -> QuerySet[SubQuery]:
    """Sub-queries in the order of topics, with topic, aspects and `n_pool`, the size of the inherited pool."""
    chosen = Prefetch("chosen", SubQueryAspect.objects.select_related("aspect"))
    pooled = PoolEntry.objects.filter(topic=OuterRef("topic")).order_by().values("topic").annotate(n=Count("pk"))
    found = collection.sub_queries.select_related("topic").prefetch_related(chosen)
    if size is not None:
        found = found.filter(size=size)
    if topic:
        found = found.filter(topic__number=topic)
    return found.annotate(n_pool=Coalesce(Subquery(pooled.values("n")), Value(0)))


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


def has_aspects(collection: Collection) -> bool:
    """Whether any of its topics has some."""
    return Aspect.objects.filter(topic__collection=collection).exists()


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
        raise Conflict("Someone else has changed the query meanwhile. Check the current version, then change it again.")
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


def why_keep_topic(topic: Topic) -> str:
    """Why this topic cannot be deleted now, "" where it can."""
    is_needed = is_judged(topic) or topic.items.exists() or topic.children.exists()
    return why_cannot_delete_topic(topic) if is_needed else ""


def why_cannot_delete_topic(topic: Topic) -> str:
    """Why this topic cannot be deleted now."""
    if is_judged(topic):
        return (
            f"Topic {topic.number} has been judged. Judged topics cannot be deleted or changed, so that the"
            " judgments keep their meaning."
        )
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
