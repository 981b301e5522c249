"""Extractions of papers with their current content, and the papers of an annotator."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from accounts.models import User
from annotation.models import Assignment, AssignmentState, Campaign, Extraction, ExtractionRevision, ExtractionSource
from corpus.models import Collection, Document, Paper
from engines.definitions.extractions import Content, read_content


def with_content(extractions: QuerySet[Extraction]) -> QuerySet[Any]:
    """The extractions with `content`, the JSON of the current revision, in one query."""
    current = ExtractionRevision.objects.filter(extraction=OuterRef("pk"), number=OuterRef("current"))
    return extractions.annotate(content=Subquery(current.values("content")[:1]))


def content_of(extraction: Extraction) -> Content:
    """The current content of the extraction. One query."""
    return read_content(extraction.revisions.get(number=extraction.current).content)


def machine_content(paper: Paper) -> Content | None:
    """The machine's proposal, or None. One query."""
    found = with_content(Extraction.objects.filter(paper=paper, source=ExtractionSource.MACHINE)).first()
    return read_content(found.content) if found else None


@dataclass(frozen=True, slots=True)
class OwnPaper:
    """A paper on an annotator's list: `state` is to do, begun, finished or skipped."""

    assignment: int
    paper: Paper
    state: str


def own_papers(campaign: Campaign, user: User) -> list[OwnPaper]:
    """The person's papers in the campaign, in their order. One query."""
    mine = Assignment.objects.filter(
        item__campaign=campaign,
        annotator__user=user,
        state__in=[AssignmentState.PENDING, AssignmentState.DONE, AssignmentState.SKIPPED],
    )
    mine = mine.select_related("item__paper", "extraction").defer("item__paper__blocks", "item__paper__references")
    return [
        OwnPaper(each.pk, each.item.paper, _state(each)) for each in mine.order_by("position", "pk") if each.item.paper
    ]


def _state(assignment: Assignment) -> str:
    if assignment.state == AssignmentState.DONE:
        return "finished"
    if assignment.state == AssignmentState.SKIPPED:
        return "skipped"
    return "begun" if hasattr(assignment, "extraction") else "to do"


def with_inside(documents: QuerySet[Document]) -> QuerySet[Any]:
    """The documents with `inside`: whether a reference to the document counts as inside the collection."""
    citing = Paper.objects.filter(collection=OuterRef("collection"), key=OuterRef("docno"))
    return documents.annotate(inside=~Exists(citing))


def docnos_among(collection: Collection, values: Iterable[str | None]) -> frozenset[str]:
    """The values that equal docnos of the collection to the letter, without citing papers. One query."""
    docnos = {value for value in values if value}
    documents = with_inside(Document.objects.filter(collection=collection, docno__in=docnos))
    return frozenset(documents.filter(inside=True).values_list("docno", flat=True))
