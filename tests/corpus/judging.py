"""The least judging that fixes a topic or an aspect: items, and an answer to one."""

import uuid

from annotation.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Submission,
    SubmissionKind,
)
from corpus.models import Aspect, Document, Topic
from tests.factories.accounts import AT
from tests.factories.corpus import DocumentFactory


def put_in_campaign(thing: Topic | Aspect, document: Document | None = None) -> Item:
    """Make an item of the topic or aspect with a document, in the collection's campaign `main`."""
    topic = thing if isinstance(thing, Topic) else thing.topic
    document = document or DocumentFactory(collection=topic.collection)
    campaign, _ = Campaign.objects.get_or_create(
        collection=topic.collection,
        slug="main",
        defaults={"name": "Main", "kind": "relevance", "seed": 1, "created_at": AT},
    )
    aspect = thing if isinstance(thing, Aspect) else None
    return Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, aspect=aspect, document=document)


def judge(thing: Topic | Aspect, document: Document | None = None) -> Item:
    """Make an item and an answer to it."""
    item = put_in_campaign(thing, document)
    annotator, _ = Annotator.objects.get_or_create(campaign=item.campaign, name="ana", defaults={"created_at": AT})
    assignment = Assignment.objects.create(
        item=item, annotator=annotator, state=AssignmentState.DONE, slot=1, finished_at=AT
    )
    Submission.objects.create(
        uuid=uuid.uuid4(), assignment=assignment, kind=SubmissionKind.ANSWER, answers={"relevance": 1}, received_at=AT
    )
    return item
