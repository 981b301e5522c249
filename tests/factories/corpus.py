"""Documents, topics with aspects, pools, runs of systems, imports."""

from collections.abc import Mapping, Sequence

import factory

from corpus.models import (
    Aspect,
    AspectNode,
    Collection,
    Document,
    ImportRun,
    PoolEntry,
    PoolSource,
    Ranking,
    RetrievalRun,
    Topic,
)
from tests.factories.accounts import AT, CollectionFactory


class DocumentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Document

    collection = factory.SubFactory(CollectionFactory)
    docno = factory.Sequence("doc-{}".format)
    title = factory.Sequence("On the brewing of tea, part {}".format)
    abstract = "Leaves were steeped in water of several temperatures. Bitterness rose with time."
    year = 2019
    venue = "Journal of Tea"


class TopicFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Topic

    collection = factory.SubFactory(CollectionFactory)
    number = factory.Sequence(str)
    text = "How hot should the water be? Does it matter for white tea?"
    sentences = ("How hot should the water be?", "Does it matter for white tea?")
    position = factory.Sequence(int)


class RetrievalRunFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = RetrievalRun

    collection = factory.SubFactory(CollectionFactory)
    name = factory.Sequence("system-{}".format)
    created_at = AT


class ImportRunFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = ImportRun

    collection = factory.SubFactory(CollectionFactory)
    kind = "documents"
    requested_at = AT


def make_tree(topic: Topic, tree: Mapping[str, Sequence[str]]) -> dict[str, Aspect]:
    """Give the topic aspects with sub-aspects, {text: [texts below it]}; equal texts are one aspect. By text."""
    aspects: dict[str, Aspect] = {}

    def place(text: str, position: int, parent: AspectNode | None) -> AspectNode:
        aspect = aspects.setdefault(text, Aspect.objects.get_or_create(topic=topic, text=text)[0])
        return AspectNode.objects.create(topic=topic, aspect=aspect, parent=parent, position=position)

    for position, (text, below) in enumerate(tree.items()):
        top = place(text, position, None)
        for place_below, inner in enumerate(below):
            place(inner, place_below, top)
    return aspects


def make_run(collection: Collection, name: str, rankings: Mapping[str, Sequence[str]]) -> RetrievalRun:
    """A run with {topic number: docnos, best first}; the topics must be there."""
    run = RetrievalRunFactory(collection=collection, name=name)
    for number, docnos in rankings.items():
        Ranking.objects.create(
            run=run,
            topic=Topic.objects.get(collection=collection, number=number),
            docnos=list(docnos),
            scores=[float(len(docnos) - i) for i in range(len(docnos))],
        )
    return run


def make_pool(topic: Topic, documents: Sequence[Document], method: str = "bm25") -> list[PoolEntry]:
    """Pool these documents for the topic, as the first ranks of one method."""
    entries = PoolEntry.objects.bulk_create([PoolEntry(topic=topic, document=document) for document in documents])
    PoolSource.objects.bulk_create(
        [PoolSource(entry=entry, method=method, rank=rank) for rank, entry in enumerate(entries, 1)]
    )
    return entries
