"""A pair as its annotators had it, for those who adjudicate. Nothing else about it is read."""

from dataclasses import dataclass

from annotation.kinds.relevance.units import sentences_of_aspect
from annotation.models import Item
from corpus.models import AspectNode, Topic
from engines.text.highlight import highlight_pieces, highlight_terms


@dataclass(frozen=True)
class Sentence:
    """A sentence of the query; `lit` where it says the aspect in question, `guessed` if nobody said so."""

    text: str
    lit: bool
    guessed: bool = False


@dataclass(frozen=True)
class RelevanceView:
    """A document for a query or an aspect of it; title and abstract in pieces, the aspect's words marked."""

    item: Item
    aspect: str
    parents: list[str]
    sentences: list[Sentence]
    title: list[tuple[str, bool]]
    abstract: list[tuple[str, bool]]

    @property
    def has_guess(self) -> bool:
        return any(each.lit and each.guessed for each in self.sentences)


def fetch_relevance_view(pk: int) -> RelevanceView:
    """Two queries: the item with everything it joins, and the places of its aspect in the topic's tree."""
    item = Item.objects.select_related("campaign__collection", "topic", "document", "aspect").get(pk=pk)
    nodes = list(AspectNode.objects.filter(aspect=item.aspect_id).select_related("parent__aspect"))
    language = item.campaign.collection.language
    terms = highlight_terms(item.aspect.text if item.aspect else item.topic.text if item.topic else "", language)
    document = item.document
    return RelevanceView(
        item=item,
        aspect=item.aspect.text if item.aspect else "",
        parents=sorted({node.parent.aspect.text for node in nodes if node.parent}),
        sentences=_sentences(item.topic, nodes, terms, language) if item.topic else [],
        title=highlight_pieces(document.title, terms, language) if document else [],
        abstract=highlight_pieces(document.abstract, terms, language) if document else [],
    )


def _sentences(topic: Topic, nodes: list[AspectNode], terms: frozenset[str], language: str) -> list[Sentence]:
    """The query's sentences, those that say the aspect lit, as on the labelling screen."""
    texts = topic.sentences or [topic.text]
    noted = {index for node in nodes for index in (node.sentences or (node.parent.sentences if node.parent else []))}
    lit = sentences_of_aspect(noted, texts, terms, language) if nodes else []
    return [Sentence(text, index in lit, not noted) for index, text in enumerate(texts)]
