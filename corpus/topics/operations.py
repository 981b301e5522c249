"""What can be done in a collection with topics: one is written, by page; sub-queries are made of them, by page, REST
and command. Topics come in by files at every door (importer.py); editing, deletion, aspects and reviews are in pages
and api.py."""

from dataclasses import asdict
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE
from corpus.models import Topic
from corpus.topics.aspects import write_topic
from corpus.topics.forms import MORE, NewTopicForm, SizeForm
from corpus.topics.sub_queries import MadeSubQueries, make_sub_queries


class MadeSerializer(serializers.Serializer[Any]):
    """`left_out` counts combinations whose sentences speak of a further aspect."""

    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    removed = serializers.IntegerField()
    left_out = serializers.IntegerField()
    sub_queries = serializers.IntegerField(help_text="how many there are now")
    aspects = serializers.IntegerField(help_text="of each sub-query")


def _report(made: MadeSubQueries) -> str:
    n = made.counts
    changes = f"{n.created:,} made, {n.updated:,} changed, {n.unchanged:,} as before, {n.removed:,} removed"
    return f"{n.total:,} sub-queries of {made.size} aspects: {changes}; {n.left_out:,} combinations left out."


def _created(topic: Topic) -> str:
    aspects = topic.nodes.count()
    return f"Topic {topic.number} created{f' with {aspects:,} aspect{pluralize(aspects)}' if aspects else ''}."


def _show(made: MadeSubQueries) -> dict[str, Any]:
    return {**asdict(made.counts), "sub_queries": made.counts.total, "aspects": made.size}


CREATE_TOPIC = Operation(
    action=write_topic,
    form=NewTopicForm,
    place=in_collection("topics", "topic_list", "collection"),
    roles=MANAGE,
    about="Write a topic. Over REST and by command, topics come in as imports.",
    title="Write a topic",
    lead="A topic is what documents are searched and judged for. Only the question and a number are required.",
    button="Save",
    folded=MORE,
    fold="Sentences, source and known answers",
    template="corpus/topics/topic_create.html",
    report=_created,
    goes_to=lambda topic: reverse("topic_detail", args=[topic.collection.slug, topic.pk]),
    shows=lambda topic: {"number": topic.number},
)

_write = CREATE_TOPIC.page


@wraps(_write)
def topic_create(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of the verb; its second button leads to an empty form again."""
    answer = _write(request, slug=slug)
    goes_on = answer.status_code == HTTPStatus.FOUND and "another" in request.POST
    return redirect("topic_create", slug) if goes_on else answer


MAKE_SUB_QUERIES = Operation(
    called="make_sub_queries",
    rest=Rest("sub_queries_make", MadeSerializer, status=200, takes="Size"),
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
    shows=_show,
)
