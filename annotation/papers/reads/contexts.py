"""Citation contexts as they are given out: papers with what counts of them, and the documents they cite."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from annotation.definitions.extractions import gold_of_content
from annotation.definitions.paper_sections import section_states
from annotation.papers.reads.extractions import docnos_among
from annotation.papers.reads.gold import CONFIRMED, ORIGINS, WORDS, Gold, gold_batches
from corpus.formats.acm_cr import AnnotatedPaper
from corpus.formats.acm_cr_statistics import count
from corpus.models import Collection, Paper


@dataclass(frozen=True, slots=True)
class GoldPaper:
    """A paper as ACM-CR knows it, with the docnos among its references' values; `gold` says where it is from."""

    gold: Gold
    annotated: AnnotatedPaper
    docnos: frozenset[str]


def gold_papers(collection: Collection, *, drafts: bool = False) -> Iterator[GoldPaper]:
    """The papers of which something counts, in their order; a few queries for each fifty papers."""
    for batch in gold_batches(collection, drafts=drafts):
        yield from _papers_of_batch(collection, batch)


def _papers_of_batch(collection: Collection, batch: Sequence[Gold]) -> Iterator[GoldPaper]:
    found = [(gold, _annotated(gold)) for gold in batch if gold.content is not None]
    docnos = docnos_among(collection, chain.from_iterable(paper.references.values() for _, paper in found))
    for gold, paper in found:
        yield GoldPaper(gold, paper, docnos.intersection(filter(None, paper.references.values())))


def context_figures(collection: Collection, *, drafts: bool = False) -> dict[str, Any]:
    """The figures of table 1 over all papers of which something counts, under the names of `collection_stats`; with
    `sources`: how many papers count as what (gold.ORIGINS), and of how many nothing counts and why (gold.WORDS)."""
    sources: Counter[str] = Counter()

    def counted() -> Iterator[GoldPaper]:
        for batch in gold_batches(collection, drafts=drafts):
            sources.update(gold.origin for gold in batch)
            yield from _papers_of_batch(collection, batch)

    figures = count((given.annotated, given.docnos) for given in counted()).as_json()
    return figures | {"sources": {name: sources[name] for name in (*ORIGINS, *WORDS) if sources[name]}}


def citing_figures(collection: Collection) -> dict[str, int]:
    """How many citing paragraphs of the papers' texts are contexts, of what counts or else is begun or proposed, and
    how many stand outside. Papers of which no context says where it was printed (imported gold) are left aside."""
    figures = {"papers": 0, "in_contexts": 0, "outside": 0}
    for batch in gold_batches(collection, drafts=True):
        contents = {gold.paper.pk: gold.content for gold in batch if gold.content is not None}
        for pk, blocks in Paper.objects.filter(pk__in=contents).values_list("pk", "blocks"):
            content = contents[pk]
            if content.contexts and not any(context.blocks for context in content.contexts):
                continue
            states = section_states(blocks, content)
            figures["papers"] += bool(states)
            figures["in_contexts"] += sum(each.taken for each in states)
            figures["outside"] += sum(len(each.outside) for each in states)
    return figures


def _annotated(gold: Gold) -> AnnotatedPaper:
    paper, content = gold.paper, gold.content
    assert content is not None  # noqa: S101 - asked only where something counts
    made = gold_of_content(content, doi=paper.key, title=paper.title, abstract=paper.abstract, file=paper.key)
    status = "" if gold.status == CONFIRMED else gold.status
    return AnnotatedPaper(made.doi, made.title, made.abstract, made.contexts, made.references, made.file, status)
