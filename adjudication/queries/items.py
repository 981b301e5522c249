"""One item as its annotators had it: what is judged, and for what. Nothing else about it is read."""

from dataclasses import dataclass

from annotation.models import Item
from corpus.models import AspectNode
from corpus.text.highlight import Matcher, matcher


@dataclass(frozen=True)
class Sentence:
    """A sentence of the query; `lit` where it says the aspect in question."""

    text: str
    lit: bool


@dataclass(frozen=True)
class ItemView:
    """What the item page of any campaign kind draws; `marks` are the spans of the aspect's words (UTF-16 units)."""

    item: Item
    aspect: str
    parents: list[str]
    sentences: list[Sentence]
    title_marks: list[int]
    abstract_marks: list[int]

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
    words = matcher(wanted)
    document = item.document
    return ItemView(
        item=item,
        aspect=item.aspect.text if item.aspect else "",
        parents=sorted({node.parent.aspect.text for node in nodes if node.parent}),
        sentences=_sentences(item, nodes, words),
        title_marks=words.spans(document.title) if document else [],
        abstract_marks=words.spans(document.abstract) if document else [],
    )


def _sentences(item: Item, nodes: list[AspectNode], words: Matcher) -> list[Sentence]:
    """The query's sentences, those that say the aspect lit: as noted with the aspect, else the likeliest one."""
    texts = item.topic.sentences or [item.topic.text]
    lit = {index for node in nodes for index in (node.sentences or (node.parent.sentences if node.parent else []))}
    if not lit and item.aspect and len(texts) > 1:
        shared = [words.shared(text) for text in texts]
        lit = {shared.index(max(shared))} if max(shared) >= 2 else set()
    return [Sentence(text, index in lit) for index, text in enumerate(texts)]
