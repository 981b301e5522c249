"""Which extraction of each paper counts: what exports, statistics and evaluation are made from.

The first of: the newest accepted adjudicated one; the annotators' finished one, if there is one or all say the same;
the imported gold. Where drafts are asked for as well, what people have begun comes next (of annotators who differ, the
adjudication that was begun), the machine's proposal last.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotation.definitions.extractions import Content, read_content, said
from annotation.models import Extraction, ExtractionSource, ExtractionState
from annotation.papers.reads.extractions import with_content
from corpus.models import Collection, Paper

PAPERS_AT_ONCE = 50

CONFIRMED, DRAFT, MACHINE, DISAGREED, NOTHING = "confirmed", "draft", "machine", "disagreed", "nothing"
HIDDEN = "hidden"  # of somebody who still has papers to work on
WORDS = {
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
    """A paper and what counts of it: `extraction` and `content` are None where nothing does; `status` says why."""

    paper: Paper
    extraction: Extraction | None
    content: Content | None
    status: str
    people: int = 1  # annotators who say so, where it is theirs

    @property
    def origin(self) -> str:
        """Where what counts is from: one of ORIGINS, else the status."""
        if self.extraction is None or not self.is_confirmed:
            return self.status
        if self.extraction.source == ExtractionSource.ANNOTATOR:
            return ALONE if self.people == 1 else AGREED
        return ADJUDICATED if self.extraction.source == ExtractionSource.ADJUDICATED else IMPORTED

    @property
    def words(self) -> str:
        return (ORIGINS | WORDS)[self.origin]

    @property
    def is_confirmed(self) -> bool:
        return self.status == CONFIRMED


def gold_of(collection: Collection, *, drafts: bool = False) -> Iterator[Gold]:
    """Every paper of the collection in its order, with what counts; a few queries for each fifty papers."""
    for batch in gold_batches(collection, drafts=drafts):
        yield from batch


def gold_batches(collection: Collection, *, drafts: bool = False) -> Iterator[list[Gold]]:
    """The same, fifty papers at a time."""
    ids = list(Paper.objects.filter(collection=collection).values_list("pk", flat=True))
    for start in range(0, len(ids), PAPERS_AT_ONCE):
        some = Paper.objects.filter(pk__in=ids[start : start + PAPERS_AT_ONCE])
        yield gold_of_papers(some.defer("blocks", "references", "pages"), drafts=drafts)


def gold_of_papers(papers: Iterable[Paper], *, drafts: bool = False) -> list[Gold]:
    """What counts of each of these papers, in their order. Two queries in addition to that for the papers."""
    papers = list(papers)
    by_paper: dict[int, list[Extraction]] = {paper.pk: [] for paper in papers}
    for extraction in Extraction.objects.filter(paper__in=papers).order_by("-finished_at", "-pk"):
        by_paper[extraction.paper_id].append(extraction)
    asked = {paper.pk: _ranked(by_paper[paper.pk], drafts=drafts) for paper in papers}
    begun = {pk: _begun(by_paper[pk]) for pk, (_, found) in asked.items() if drafts and len(found) > 1}
    wanted = [each.pk for _, found in asked.values() for each in found] + [each.pk for each in begun.values() if each]
    rows = with_content(Extraction.objects.filter(pk__in=wanted)).values_list("pk", "content")
    contents = {pk: read_content(content) for pk, content in rows}
    return [_gold(paper, *asked[paper.pk], begun.get(paper.pk), contents) for paper in papers]


def _ranked(extractions: Sequence[Extraction], *, drafts: bool) -> tuple[str, list[Extraction]]:
    """What counts by its source and state alone: a status and the extractions, several only where they must agree."""
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


def _begun(extractions: Sequence[Extraction]) -> Extraction | None:
    """The adjudication that was begun last, where none is accepted."""
    found = [each for each in extractions if each.source == ExtractionSource.ADJUDICATED]
    return max(found, key=lambda each: each.updated_at, default=None)


def _gold(
    paper: Paper, status: str, found: list[Extraction], begun: Extraction | None, contents: dict[int, Content]
) -> Gold:
    if not found:
        return Gold(paper, None, None, status)
    content = contents[found[0].pk]
    if len({said(contents[each.pk]) for each in found}) == 1:
        return Gold(paper, found[0], content, status, len(found))
    return Gold(paper, begun, contents[begun.pk], DRAFT) if begun else Gold(paper, None, None, DISAGREED)
