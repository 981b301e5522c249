"""Working on an extraction: begun from the machine's proposal, saved as revisions, undone, redone, finished."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.definitions.block_contexts import without_proposals
from annotation.definitions.extraction_steps import whole_step
from annotation.definitions.extractions import Content, findings_of
from annotation.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Extraction,
    ExtractionSource,
    ExtractionState,
)
from annotation.papers.jobs.extractions import append_steps, move_to, store_extraction
from annotation.papers.reads.extractions import content_of, machine_content
from annotation.papers.rules import check_can_extract

GRAVE = ("dangling", "empty")  # rules of findings that must be confirmed to finish


@transaction.atomic
def begin_extraction(*, assignment: Assignment, by: User, at: datetime) -> Extraction:
    """The annotator's extraction of the paper; made from the machine's proposal where they have not begun.

    Proposals to anonymise are not applied: the screen offers them sentence by sentence.

    Errors: those of `check_can_extract`.
    """
    assignment = _locked(assignment, by)
    found = Extraction.objects.filter(assignment=assignment).first()
    if found is not None:
        return found
    paper = assignment.item.paper
    assert paper is not None  # noqa: S101 - an item has a topic or a paper, and this campaign is of papers
    begun = store_extraction(
        paper=paper,
        source=ExtractionSource.ANNOTATOR,
        content=without_proposals(machine_content(paper) or Content()),
        by=by,
        at=at,
        assignment=assignment,
    )
    _record(begun, by, at, "begin_extraction")
    return begun


@transaction.atomic
def save_steps(*, extraction: Extraction, steps: Sequence[Any], base: int, by: User, at: datetime) -> Extraction:
    """Store edits made one after the other from revision `base`, which must be the current one: a revision for each.

    What changes nothing makes no revision. Errors: Refused for content that is no extraction and once finished,
    Conflict where the current revision is another one; those of `check_can_extract`.
    """
    extraction = _locked_draft(extraction, by)
    _check_newest(extraction, base)
    return append_steps(extraction, steps, by=by, at=at)


def save_extraction(
    *, extraction: Extraction, content: Any, base: int, by: User, at: datetime, change: str = ""
) -> Extraction:
    """Store `content` (JSON) as a new revision made from revision `base`. Errors: those of `save_steps`."""
    return save_steps(extraction=extraction, steps=[whole_step(content, change)], base=base, by=by, at=at)


@transaction.atomic
def undo_extraction(*, extraction: Extraction, by: User, at: datetime, base: int | None = None) -> Extraction:
    """Go back to the revision that the current one was made from.

    `base` is the revision that the person sees, where that is known. Errors: Refused at the first one, Conflict where
    another one is current.
    """
    extraction = _locked_draft(extraction, by)
    _check_newest(extraction, base)
    parent = extraction.revisions.get(number=extraction.current).parent
    if parent is None:
        raise Refused("There is nothing to undo.")
    return move_to(extraction, parent, at)


@transaction.atomic
def redo_extraction(*, extraction: Extraction, by: User, at: datetime, base: int | None = None) -> Extraction:
    """Go forward to the newest revision made from the current one. Errors: Refused where there is none, Conflict."""
    extraction = _locked_draft(extraction, by)
    _check_newest(extraction, base)
    child = extraction.revisions.filter(parent=extraction.current).order_by("-number").first()
    if child is None:
        raise Refused("There is nothing to redo.")
    return move_to(extraction, child.number, at)


@transaction.atomic
def finish_extraction(*, extraction: Extraction, by: User, at: datetime, despite: bool = False) -> Extraction:
    """Say that the paper is done. `despite` finishes although citations dangle or sentences are empty.

    Errors: Refused while something is left to look at, with what; those of `check_can_extract`.
    """
    extraction = _locked_draft(extraction, by)
    grave = [found.text for found in findings_of(content_of(extraction)) if found.rule in GRAVE]
    if grave and not despite:
        raise Refused(f"{grave[0]} {_more(len(grave) - 1)}Correct it, or finish the paper anyway.")
    extraction.state, extraction.finished_at, extraction.updated_at = ExtractionState.FINISHED, at, at
    extraction.save(update_fields=["state", "finished_at", "updated_at"])
    _set_assignment(extraction, AssignmentState.DONE, at)
    _record(extraction, by, at, "finish_extraction", revision=extraction.current, findings=len(grave))
    return extraction


@transaction.atomic
def reopen_extraction(*, extraction: Extraction, by: User, at: datetime) -> Extraction:
    """Take a finished paper up again. Errors: Refused where it is a draft; those of `check_can_extract`."""
    extraction = _locked_own(extraction, by)
    if extraction.state != ExtractionState.FINISHED:
        raise Refused("The paper is not finished.")
    extraction.state, extraction.finished_at, extraction.updated_at = ExtractionState.DRAFT, None, at
    extraction.save(update_fields=["state", "finished_at", "updated_at"])
    _set_assignment(extraction, AssignmentState.PENDING, None)
    _record(extraction, by, at, "reopen_extraction")
    return extraction


def _check_newest(extraction: Extraction, base: int | None) -> None:
    if base is not None and base != extraction.current:
        raise Conflict("This paper was changed in another window meanwhile. Look at the newest state and go on there.")


def _set_assignment(extraction: Extraction, state: AssignmentState, finished_at: datetime | None) -> None:
    Assignment.objects.filter(extraction=extraction).update(state=state, finished_at=finished_at)


def _locked(assignment: Assignment, by: User) -> Assignment:
    """The assignment as it is now, its annotator locked: one person's writes go one after the other."""
    Annotator.objects.select_for_update(no_key=True).filter(assignments=assignment).first()
    found = Assignment.objects.select_related("item__campaign__collection", "item__paper", "annotator")
    assignment = found.get(pk=assignment.pk)
    check_can_extract(assignment, by)
    return assignment


def _locked_own(extraction: Extraction, by: User) -> Extraction:
    if extraction.assignment is None:
        raise Refused("Only an annotator's own extraction is changed here.")
    assignment = _locked(extraction.assignment, by)
    found = Extraction.objects.select_for_update().get(pk=extraction.pk)
    found.assignment = assignment
    return found


def _locked_draft(extraction: Extraction, by: User) -> Extraction:
    found = _locked_own(extraction, by)
    if found.state != ExtractionState.DRAFT:
        raise Refused("The paper is finished. Reopen it to change it.")
    return found


def _more(count: int) -> str:
    return f"And {count} more of the kind. " if count else ""


def _record(extraction: Extraction, by: User, at: datetime, verb: str, **data: Any) -> None:
    paper = extraction.paper
    campaign = extraction.assignment.item.campaign.slug if extraction.assignment else ""
    scope = paper.collection
    record_event(by=by, at=at, verb=verb, target=extraction, scope=scope, paper=paper.key, campaign=campaign, **data)
