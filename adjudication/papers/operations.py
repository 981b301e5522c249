"""What can be done with citation contexts: topics are made of them. Deciding on papers is in pages, api and
commands."""

from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from adjudication.papers.context_topics import ContextTopics, make_context_topics
from adjudication.papers.forms import ContextTopicsForm
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE


class ContextTopicsSerializer(serializers.Serializer[ContextTopics]):
    """Topics made, topics that were here already, and new targets: pairs of a topic and a document that it cites.

    `prefix` is what the new numbers begin with because without it they would be those of other topics.
    """

    made = serializers.IntegerField()
    known = serializers.IntegerField()
    targets = serializers.IntegerField()
    prefix = serializers.CharField(allow_blank=True)


MAKE_CONTEXT_TOPICS = Operation(
    called="make_context_topics",
    rest=Rest("context_topics_make", ContextTopicsSerializer, status=200, takes="NewContextTopics"),
    task="Prepare",
    example="make_context_topics demo --level paragraph",
    action=make_context_topics,
    form=ContextTopicsForm,
    place=in_collection("contexts", "context_report"),
    roles=MANAGE,
    about="Make topics of citation contexts, for runs, pools and evaluation; what they cite becomes their targets.",
    title="Make topics of citation contexts",
    button="Make topics",
    template="",
    report=str,
    goes_to=lambda made: reverse("context_report", args=[made.collection.slug]),
    shows=lambda made: ContextTopicsSerializer(made).data,
    former={"include_drafts": "drafts"},
)
