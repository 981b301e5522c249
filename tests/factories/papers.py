"""Papers and what is taken out of them."""

from typing import Any

import factory

from annotation.models import Assignment, Campaign, Extraction, ExtractionSource, ExtractionState
from annotation.papers.extractions import store_extraction
from corpus.models import Paper
from engines.definitions.extractions import (
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
    kind_of,
)
from tests.factories.accounts import AT, CollectionFactory


class PaperFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Paper

    collection = factory.SubFactory(CollectionFactory)
    key = factory.Sequence("10.1145/9000000.80{:05}".format)
    title = factory.Sequence("What brewers cite, part {}".format)
    abstract = "Citations of brewers were counted."
    source = "acm-cr"
    position = factory.Sequence(int)
    created_at = AT
    updated_at = AT


def make_content(*, cites: tuple[str, ...] = ("1", "2"), values: tuple[str | None, ...] = ("d0000", None)) -> Content:
    """One context of two sentences of which the second cites; references numbered from 1 with these values."""
    sentences = (
        ExtractedSentence("Tea is old."),
        ExtractedSentence("[1, 2] measured it.", cites, anonymised=True, original="Lee et al. [1, 2] measured it."),
    )
    references = tuple(
        ExtractedReference(str(n), value, f"Lee {n}. On tea.", kind_of(value)) for n, value in enumerate(values, 1)
    )
    return Content((ExtractedContext("01", "introduction", sentences, (1,)),), references)


def make_extraction(paper: Paper, source: ExtractionSource, content: Content, **more: Any) -> Extraction:
    state = ExtractionState.FINISHED if source != ExtractionSource.MACHINE else ExtractionState.DRAFT
    return store_extraction(
        paper=paper, source=source, content=content, by=None, at=AT, **{"state": state, "maker": "test", **more}
    )


def assignment_of(campaign: Campaign, name: str, paper: Paper) -> Assignment:
    return Assignment.objects.get(
        item__campaign=campaign, item__paper=paper, annotator__user__email=f"{name}@example.org"
    )
