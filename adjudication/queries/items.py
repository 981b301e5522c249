"""One item as its annotators had it: what is judged, and for what. Nothing else about it is read."""

from dataclasses import dataclass

from annotation.models import Item
from corpus.models import AspectNode
from corpus.text.highlight import highlight_pieces, highlight_terms


@dataclass(frozen=True)
class Sentence:
    """A sentence of the query; `lit` where it says the aspect in question."""

    text: str
    lit: bool


@dataclass(frozen=True)
class ItemView:
    """What the item page of any campaign kind draws; title and abstract in pieces, the aspect's words marked."""

    item: Item
    aspect: str
    parents: list[str]
    sentences: list[Sentence]
    title: list[tuple[str, bool]]
    abstract: list[tuple[str, bool]]

    @property
    def template(self) -> str:
        """The include that shows items of this campaign's kind."""
        return f"adjudication/items/_{self.item.campaign.kind}.html"


def fetch_item_view(pk: int) -> ItemView:
    """Two queries: the item with everything it joins, and the places of its aspect in the topic's tree."""
    related = ("campaign", "topic", "aspect", "document")
    item = Item.objects.select_related(*related).get(pk=pk)
    nodes = list(AspectNode.objects.filter(aspect=item.aspect_id).select_related("parent__aspect"))
    wanted = item.aspect.text if item.aspect else item.topic.text
    terms = highlight_terms(wanted)
    document = item.document
    return ItemView(
        item=item,
        aspect=item.aspect.text if item.aspect else "",
        parents=sorted({node.parent.aspect.text for node in nodes if node.parent}),
        sentences=_sentences(item, nodes, terms),
        title=highlight_pieces(document.title, terms) if document else [],
        abstract=highlight_pieces(document.abstract, terms) if document else [],
    )


def _sentences(item: Item, nodes: list[AspectNode], terms: frozenset[str]) -> list[Sentence]:
    """The query's sentences, those that say the aspect lit: as noted with the aspect, else the likeliest one."""
    texts = item.topic.sentences or [item.topic.text]
    lit = {index for node in nodes for index in (node.sentences or (node.parent.sentences if node.parent else []))}
    if not lit and item.aspect and len(texts) > 1:
        shared = [len(highlight_terms(text) & terms) for text in texts]
        lit = {shared.index(max(shared))} if max(shared) >= 2 else set()
    return [Sentence(text, index in lit) for index, text in enumerate(texts)]
