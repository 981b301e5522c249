"""Citation mentions and generated questions."""

from collections.abc import Mapping

import factory

from corpus.models import CitationMention, Document, GeneratedQuestion, GenerationReply, MentionReference, QuestionRun
from corpus.models.prompts import PromptPurpose, PromptTemplate
from engines.text.words import title_key
from tests.factories.accounts import AT, CollectionFactory

TEXT = "Green tea wants cooler water [1], as was found for white tea as well [2, 3]."


class MentionFactory(factory.django.DjangoModelFactory):
    """The paragraph TEXT with markers of b0, and of b1 and b2."""

    class Meta:
        model = CitationMention

    collection = factory.SubFactory(CollectionFactory)
    source_key = factory.Sequence("id:source-{}".format)
    source_id = factory.Sequence("source-{}".format)
    source_title = "A history of kettles"
    position = 3
    section = "2 Related work"
    text = TEXT
    markers = factory.LazyFunction(
        lambda: [{"start": 29, "end": 32, "keys": ["b0"]}, {"start": 69, "end": 75, "keys": ["b1", "b2"]}]
    )
    digest = "0" * 64
    created_at = AT


def make_mention(documents: Mapping[str, Document | None], **fields: object) -> CitationMention:
    """A mention of these documents by key (b0, b1, b2); None: a cited paper that is not in the collection."""
    mention = MentionFactory(**fields)
    for position, (key, document) in enumerate(documents.items()):
        title = document.title if document else f"A paper elsewhere, {key}"
        MentionReference.objects.create(
            mention=mention,
            key=key,
            position=position,
            title=title,
            title_key=title_key(title),
            document=document,
            link="id" if document else "",
        )
    return mention


class PromptTemplateFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = PromptTemplate

    collection = factory.SubFactory(CollectionFactory)
    purpose = PromptPurpose.QUESTIONS
    name = "plain"
    body = "Write questions.\n\n{{paragraph}}\n\n{{titles}}"
    sha256 = "0" * 64
    created_at = AT


class QuestionRunFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = QuestionRun

    collection = factory.SubFactory(CollectionFactory)
    template = factory.SubFactory(PromptTemplateFactory, collection=factory.SelfAttribute("..collection"))
    model = "stub"
    requested_at = AT


def make_question(mention: CitationMention, **fields: object) -> GeneratedQuestion:
    """A question read in a reply to this mention, in a new run unless `run` is given."""
    run = fields.pop("run", None) or QuestionRunFactory(collection=mention.collection)
    reply = GenerationReply.objects.create(
        run=run,
        mention=mention,
        position=run.replies.count(),
        source="inline-inside",
        prompt="Write.",
        outcome="questions",
        text="QUESTION: …",
        answered_at=AT,
    )
    values = {"position": 0, "text": "How hot should the water be?", "keys": ["b0"], "state": "kept"}
    return GeneratedQuestion.objects.create(reply=reply, **(values | fields))
