"""What can be done in a collection with topics: one is written, sub-queries are made of them."""

from dataclasses import asdict
from typing import Any

from django.urls import reverse

from accounts.operations import Operation
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE
from corpus.topics.forms import SizeForm, TopicForm
from corpus.topics.sub_queries import MadeSubQueries, make_sub_queries
from corpus.topics.topics import create_topic


def _report(made: MadeSubQueries) -> str:
    n = made.counts
    changes = f"{n.created:,} made, {n.updated:,} changed, {n.unchanged:,} as before, {n.removed:,} removed"
    return f"{n.total:,} sub-queries of {made.size} aspects: {changes}; {n.left_out:,} combinations left out."


def _show(made: MadeSubQueries) -> dict[str, Any]:
    return {**asdict(made.counts), "sub_queries": made.counts.total, "aspects": made.size}


CREATE_TOPIC = Operation(
    action=create_topic,
    form=TopicForm,
    place=in_collection("topics", "topic_list"),
    roles=MANAGE,
    about="Write a topic. Over REST and by command, topics come in as imports.",
    title="Write a topic",
    button="Save",
    report=lambda topic: f"Topic {topic.number} created. Next: its aspects.",
    goes_to=lambda topic: reverse("topic_detail", args=[topic.collection.slug, topic.pk]),
    to_json=lambda topic: {"number": topic.number},
)

MAKE_SUB_QUERIES = Operation(
    called="make_sub_queries",
    task="Prepare",
    example="make_sub_queries demo --size 2",
    action=make_sub_queries,
    form=SizeForm,
    place=in_collection("sub-queries", "sub_query_list"),
    roles=MANAGE,
    about="Make sub-queries of complex queries: all combinations of this many aspects whose sentences speak of no other"
    " aspect. They inherit pools and judgments. Doing it twice changes nothing.",
    title="Make sub-queries",
    button="Make sub-queries",
    template="",
    former={"aspects": "size"},
    report=_report,
    goes_to=lambda made: reverse("sub_query_list", args=[made.collection.slug]),
    to_json=_show,
)
