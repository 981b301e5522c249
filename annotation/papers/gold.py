"""The gold of each paper: the extraction that counts, from which exports, statistics and evaluation are made.

It is the first of: the newest accepted adjudicated one; the annotators' finished one, if there is one or all are equal;
the imported gold. With drafts, extractions that people have begun come next (where annotators differ, the adjudication
that was begun), and the machine's proposal last.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from annotation.models import Extraction, ExtractionSource, ExtractionState
from annotation.papers.extractions import docnos_among, with_content
from corpus.models import Collection, Paper
from engines.definitions.extractions import Content, gold_of_content, read_content, statements
from engines.definitions.paper_sections import section_states
from engines.formats.acm_cr import AnnotatedPaper
from engines.formats.acm_cr_statistics import count

PAPERS_AT_ONCE = 50

CONFIRMED, DRAFT, MACHINE, DISAGREED, NOTHING = "confirmed", "draft", "machine", "disagreed", "nothing"
HIDDEN = "hidden"  # of somebody who still has papers to work on
STATUS_LABELS = {
    CONFIRMED: "confirmed",
    DRAFT: "begun",
    MACHINE: "machine's proposal",
    DISAGREED: "annotators differ",
    NOTHING: "nothing yet",
    HIDDEN: "hidden from you",
}
ADJUDICATED, AGREED, ALONE, IMPORTED = "adjudicated", "agreed", "one annotator", "imported"
ORIGINS = {
    ADJUDICATED: "adjudicated",
    AGREED: "several annotators agree",
    ALONE: "one annotator",
    IMPORTED: "imported gold",
}


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of a paper; `extraction` and `content` are None where nothing counts, and `status` says why."""

    paper: Paper
    extraction: Extraction | None
    content: Content | None
    status: str
    people: int = 1  # annotators who agree on it, where it is theirs

    @property
    def origin(self) -> str:
        """The origin of the gold: one of ORIGINS, else the status."""
        if self.extraction is None or not self.is_confirmed:
            return self.status
        if self.extraction.source == ExtractionSource.ANNOTATOR:
            return ALONE if self.people == 1 else AGREED
        return ADJUDICATED if self.extraction.source == ExtractionSource.ADJUDICATED else IMPORTED

    @property
    def words(self) -> str:
        return (ORIGINS | STATUS_LABELS)[self.origin]

    @property
    def is_confirmed(self) -> bool:
        return self.status == CONFIRMED


def gold_of(collection: Collection, *, drafts: bool = False) -> Iterator[Gold]:
    """The gold of every paper of the collection, in their order; a few queries for each fifty papers."""
    for batch in gold_batches(collection, drafts=drafts):
        yield from batch


def gold_batches(collection: Collection, *, drafts: bool = False) -> Iterator[list[Gold]]:
    """The gold of every paper of the collection, fifty papers at a time."""
    ids = list(Paper.objects.filter(collection=collection).values_list("pk", flat=True))
    for start in range(0, len(ids), PAPERS_AT_ONCE):
        papers = Paper.objects.filter(pk__in=ids[start : start + PAPERS_AT_ONCE])
        yield gold_of_papers(papers.defer("blocks", "references", "pages"), drafts=drafts)


def gold_of_papers(papers: Iterable[Paper], *, drafts: bool = False) -> list[Gold]:
    """The gold of each of these papers, in their order. Two queries in addition to that for the papers."""
    papers = list(papers)
    by_paper: dict[int, list[Extraction]] = {paper.pk: [] for paper in papers}
    for extraction in Extraction.objects.filter(paper__in=papers).order_by("-finished_at", "-pk"):
        by_paper[extraction.paper_id].append(extraction)
    ranked = {paper.pk: _rank(by_paper[paper.pk], drafts=drafts) for paper in papers}
    adjudications = {
        pk: _newest_adjudication(by_paper[pk]) for pk, (_, found) in ranked.items() if drafts and len(found) > 1
    }
    needed = [each.pk for _, found in ranked.values() for each in found] + [
        each.pk for each in adjudications.values() if each
    ]
    rows = with_content(Extraction.objects.filter(pk__in=needed)).values_list("pk", "content")
    contents = {pk: read_content(content) for pk, content in rows}
    return [_gold(paper, *ranked[paper.pk], adjudications.get(paper.pk), contents) for paper in papers]


def _rank(extractions: Sequence[Extraction], *, drafts: bool) -> tuple[str, list[Extraction]]:
    """What counts by source and state alone: the status, and the extractions, several only where they must agree."""
    for source in (ExtractionSource.ADJUDICATED, ExtractionSource.ANNOTATOR, ExtractionSource.IMPORTED):
        finished = [each for each in extractions if each.source == source and each.state == ExtractionState.FINISHED]
        if finished:
            return CONFIRMED, finished if source == ExtractionSource.ANNOTATOR else finished[:1]
    if not drafts:
        return _lacking(extractions), []
    for source in (ExtractionSource.ADJUDICATED, ExtractionSource.ANNOTATOR, ExtractionSource.MACHINE):
        found = [each for each in extractions if each.source == source]
        if found:
            newest = max(found, key=lambda each: each.updated_at)
            return (MACHINE if source == ExtractionSource.MACHINE else DRAFT), [newest]
    return NOTHING, []


def _lacking(extractions: Sequence[Extraction]) -> str:
    if any(each.source != ExtractionSource.MACHINE for each in extractions):
        return DRAFT
    return MACHINE if extractions else NOTHING


def _newest_adjudication(extractions: Sequence[Extraction]) -> Extraction | None:
    """The adjudication that was begun last, where none is accepted."""
    found = [each for each in extractions if each.source == ExtractionSource.ADJUDICATED]
    return max(found, key=lambda each: each.updated_at, default=None)


def _gold(
    paper: Paper, status: str, found: list[Extraction], draft: Extraction | None, contents: dict[int, Content]
) -> Gold:
    if not found:
        return Gold(paper, None, None, status)
    content = contents[found[0].pk]
    if len({statements(contents[each.pk]) for each in found}) == 1:
        return Gold(paper, found[0], content, status, len(found))
    return Gold(paper, draft, contents[draft.pk], DRAFT) if draft else Gold(paper, None, None, DISAGREED)


@dataclass(frozen=True, slots=True)
class GoldPaper:
    """A paper as ACM-CR has it, with the docnos among its references' values, and its gold."""

    gold: Gold
    annotated: AnnotatedPaper
    docnos: frozenset[str]


def gold_papers(collection: Collection, *, drafts: bool = False) -> Iterator[GoldPaper]:
    """The papers that have gold, in their order; a few queries for each fifty papers."""
    for batch in gold_batches(collection, drafts=drafts):
        yield from _papers_of_batch(collection, batch)


def _papers_of_batch(collection: Collection, batch: Sequence[Gold]) -> Iterator[GoldPaper]:
    found = [(gold, _annotated(gold)) for gold in batch if gold.content is not None]
    docnos = docnos_among(collection, chain.from_iterable(paper.references.values() for _, paper in found))
    for gold, paper in found:
        yield GoldPaper(gold, paper, docnos.intersection(filter(None, paper.references.values())))


def context_figures(collection: Collection, *, drafts: bool = False) -> dict[str, Any]:
    """The figures of ACM-CR's table 1 over all papers that have gold, under the names of `collection_stats`.

    `sources` counts papers by the origin of their gold (ORIGINS), and those without gold by the reason (STATUS_LABELS).
    """
    sources: Counter[str] = Counter()

    def counted() -> Iterator[GoldPaper]:
        for batch in gold_batches(collection, drafts=drafts):
            sources.update(gold.origin for gold in batch)
            yield from _papers_of_batch(collection, batch)

    figures = count((each.annotated, each.docnos) for each in counted()).as_json()
    return figures | {"sources": {name: sources[name] for name in (*ORIGINS, *STATUS_LABELS) if sources[name]}}


def citing_figures(collection: Collection) -> dict[str, int]:
    """How many citing paragraphs of the papers are contexts (of the gold, else of a draft or proposal), and how many
    are not. Papers whose contexts have no blocks (imported gold) are not counted."""
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
    annotated = gold_of_content(content, doi=paper.key, title=paper.title, abstract=paper.abstract, file=paper.key)
    return replace(annotated, status="" if gold.status == CONFIRMED else gold.status)
