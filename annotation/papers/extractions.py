"""Extractions of papers: read with their current content, stored with their revisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.languages import translated
from accounts.models import User
from accounts.refusals import Refused
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Extraction,
    ExtractionRevision,
    ExtractionSource,
    ExtractionState,
)
from corpus.models import Collection, Document, Paper
from engines.definitions.extraction_steps import apply_step
from engines.definitions.extractions import BadExtraction, Content, read_content, write_content


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
        return gettext_noop("finished")
    if assignment.state == AssignmentState.SKIPPED:
        return gettext_noop("skipped")
    return gettext_noop("begun") if hasattr(assignment, "extraction") else gettext_noop("to do")


def with_inside(documents: QuerySet[Document]) -> QuerySet[Any]:
    """The documents with `inside`: whether a reference to the document counts as inside the collection."""
    citing = Paper.objects.filter(collection=OuterRef("collection"), key=OuterRef("docno"))
    return documents.annotate(inside=~Exists(citing))


def docnos_among(collection: Collection, values: Iterable[str | None]) -> frozenset[str]:
    """The values that equal docnos of the collection to the letter, without citing papers. One query."""
    docnos = {value for value in values if value}
    documents = with_inside(Document.objects.filter(collection=collection, docno__in=docnos))
    return frozenset(documents.filter(inside=True).values_list("docno", flat=True))


@transaction.atomic
def store_extraction(
    *,
    paper: Paper,
    source: ExtractionSource,
    content: Content,
    by: User | None,
    at: datetime,
    maker: str = "",
    state: ExtractionState = ExtractionState.DRAFT,
    basis: Mapping[str, Any] | None = None,
    **owner: Any,
) -> Extraction:
    """A new extraction with its first revision; `owner` is its assignment or campaign. The caller records the event."""
    extraction = Extraction.objects.create(
        paper=paper,
        source=source,
        maker=maker,
        state=state,
        current=1,
        created_at=at,
        updated_at=at,
        finished_at=at if state == ExtractionState.FINISHED else None,
        **owner,
    )
    ExtractionRevision.objects.create(
        extraction=extraction,
        number=1,
        content=write_content(content),
        made_by=by,
        made_at=at,
        change="begun",
        basis=basis,
    )
    return extraction


@transaction.atomic
def replace_content(extraction: Extraction, content: Content, *, by: User | None, at: datetime, change: str) -> bool:
    """Append a revision to a machine's or an imported extraction; return whether the content is different."""
    extraction = Extraction.objects.select_for_update().get(pk=extraction.pk)
    new = write_content(content)
    if new == write_content(content_of(extraction)):
        return False
    append_revision(extraction, new, by=by, at=at, change=change)
    return True


def append_steps(
    extraction: Extraction,
    steps: Sequence[Any],
    *,
    by: User | None,
    at: datetime,
    unnamed: str = "",
    basis: Mapping[str, Any] | None = None,
) -> Extraction:
    """Append a revision for each step (engines/definitions/extraction_steps.py) that changes the content.

    `unnamed` is the change of a step without a name. Errors: Refused for content that is no extraction; the caller's
    transaction must then be rolled back.
    """
    stored = write_content(content_of(extraction))
    for step in steps:
        try:
            new = write_content(read_content(apply_step(stored, step)))
        except BadExtraction as bad:
            raise Refused(cannot_be_stored(bad)) from bad
        if new != stored:
            change = str(step.get("change") or unnamed)
            extraction = append_revision(extraction, new, by=by, at=at, change=change, basis=basis)
        stored = new
    return extraction


def cannot_be_stored(bad: BadExtraction) -> str:
    """The refusal, in the language of now."""
    return _("That cannot be stored: {reason}.").format(reason=translated(bad.reason))


def append_revision(
    extraction: Extraction,
    content: dict[str, Any],
    *,
    by: User | None,
    at: datetime,
    change: str,
    basis: Mapping[str, Any] | None = None,
) -> Extraction:
    """Write the next revision after the newest and make it current; undo leads back to the one that was current.

    `change` says what was done, in at most 200 characters; `basis`, for a result of adjudication, which versions it is
    made of.
    """
    newest = extraction.revisions.order_by("-number").values_list("number", flat=True)[0]
    ExtractionRevision.objects.create(
        extraction=extraction,
        number=newest + 1,
        parent=extraction.current,
        content=content,
        made_by=by,
        made_at=at,
        change=change[:200],
        basis=basis,
    )
    return move_to(extraction, newest + 1, at)


def move_to(extraction: Extraction, number: int, at: datetime) -> Extraction:
    """Make the revision of this number the current one."""
    extraction.current, extraction.updated_at = number, at
    extraction.save(update_fields=["current", "updated_at"])
    return extraction
