"""Aspect trees as plain values: compared with what is stored, and stored in bulk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.loading.copying import copy_rows
from corpus.models import Aspect, AspectNode, Topic
from engines.formats.records import AspectRecord

LONGEST_ASPECT = 2_500  # bytes in UTF-8: the text stands in a unique index


@dataclass(frozen=True)
class Branch:
    """An aspect at its place: text, indexes of the topic's sentences it comes from, what stands below it.

    `spoken_in` are indexes of the sentences that speak of it; None where these are the same.
    """

    text: str
    sentences: tuple[int, ...] = ()
    below: tuple["Branch", ...] = ()
    spoken_in: tuple[int, ...] | None = None


Tree = tuple[Branch, ...]


def tree_of(aspects: Iterable[AspectRecord], n_sentences: int) -> Tree:
    """The tree of a record of so many sentences. Errors: ValueError for what cannot be stored."""
    return tuple(_branch(aspect, n_sentences, depth=1) for aspect in aspects)


def texts_of(tree: Tree) -> list[str]:
    """The distinct texts, in the order of the tree."""
    return list(dict.fromkeys(branch.text for top in tree for branch in (top, *top.below)))


def places_of(tree: Tree) -> dict[tuple[int, ...], str]:
    """The text at each place: (n,) on top, (n, m) below it."""
    found: dict[tuple[int, ...], str] = {}
    for at, top in enumerate(tree):
        found[at,] = top.text
        found |= {(at, inner): below.text for inner, below in enumerate(top.below)}
    return found


def stored_trees(topics: Iterable[Topic]) -> dict[int, Tree]:
    """The trees of these topics, by the topic's id; two queries."""
    nodes = AspectNode.objects.filter(topic__in=list(topics)).select_related("aspect").order_by("position", "pk")
    below: dict[int, list[Branch]] = {}
    tops: dict[int, list[AspectNode]] = {}
    for node in nodes:
        if node.parent_id is None:
            tops.setdefault(node.topic_id, []).append(node)
        else:
            below.setdefault(node.parent_id, []).append(_stored(node))
    return {topic: tuple(_stored(node, below.get(node.pk, ())) for node in found) for topic, found in tops.items()}


def _stored(node: AspectNode, below: Iterable[Branch] = ()) -> Branch:
    spoken_in = None if node.spoken_in is None else tuple(node.spoken_in)
    return Branch(node.aspect.text, tuple(node.sentences), tuple(below), spoken_in)


def replace_trees(trees: Mapping[int, Tree], *, created: bool) -> None:
    """Give each topic (by id) its tree. Aspects whose text stays keep their row; those without a place are removed.

    `created` says that the topics are new, so that there is nothing to look for. What is judged or in a campaign must
    have been checked by the caller; the database refuses to remove it in any case.
    """
    stored: dict[tuple[int, str], Aspect] = {}
    if not created:
        AspectNode.objects.filter(topic__in=trees).delete()
        stored = {(aspect.topic_id, aspect.text): aspect for aspect in Aspect.objects.filter(topic__in=trees)}
    pairs = [(topic, text) for topic, tree in trees.items() for text in texts_of(tree)]
    fresh = [Aspect(topic_id=topic, text=text) for topic, text in pairs if (topic, text) not in stored]
    copy_rows(fresh)
    for aspect in fresh:
        stored[aspect.topic_id, aspect.text] = aspect
    if outdated := set(stored) - set(pairs):
        Aspect.objects.filter(pk__in=[stored[key].pk for key in outdated]).delete()
    _create_nodes(trees, stored)


def _create_nodes(trees: Mapping[int, Tree], aspects: Mapping[tuple[int, str], Aspect]) -> None:
    tops: list[AspectNode] = []
    branches: list[Branch] = []
    for topic, tree in trees.items():
        for position, branch in enumerate(tree):
            tops.append(_node(topic, branch, position, None, aspects))
            branches.append(branch)
    copy_rows(tops)
    inner = [
        _node(top.topic_id, branch, position, top, aspects)
        for top, parent in zip(tops, branches, strict=True)
        for position, branch in enumerate(parent.below)
    ]
    copy_rows(inner)


def _node(
    topic: int, branch: Branch, position: int, parent: AspectNode | None, aspects: Mapping[tuple[int, str], Aspect]
) -> AspectNode:
    return AspectNode(
        topic_id=topic,
        aspect=aspects[topic, branch.text],
        parent=parent,
        position=position,
        sentences=list(branch.sentences),
        spoken_in=None if branch.spoken_in is None else list(branch.spoken_in),
    )


def _branch(aspect: AspectRecord, n_sentences: int, depth: int) -> Branch:
    if not aspect.text.strip():
        raise ValueError("an aspect without a text")
    if len(aspect.text.encode()) > LONGEST_ASPECT:
        raise ValueError(f"an aspect of more than {LONGEST_ASPECT:,} bytes: {aspect.text[:60]!r}…")
    if aspect.children and depth == 2:
        raise ValueError(f"aspects on three levels (below {aspect.text[:60]!r}); there are two: aspect and sub-aspect")
    below = tuple(_branch(child, n_sentences, depth + 1) for child in aspect.children)
    spoken_in = None if aspect.spoken_in is None else tuple(sorted(_within(aspect.spoken_in, n_sentences)))
    return Branch(aspect.text, _within(aspect.sentences, n_sentences), below, spoken_in)


def _within(places: Iterable[int], n_sentences: int) -> tuple[int, ...]:
    """Places that the topic has, each once, in the order they are given: sub-queries are worded in it."""
    return tuple(dict.fromkeys(place for place in places if 0 <= place < n_sentences))
