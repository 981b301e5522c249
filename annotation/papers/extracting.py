"""Work on papers: extractions begun from the proposal, edited and finished; papers skipped; DOIs confirmed."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _

from accounts.audit import record_event
from accounts.counting import numeral
from accounts.languages import translated
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.assignment.open_queue import regain_slot
from annotation.labelling.forms import LONGEST_REASON
from annotation.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Extraction,
    ExtractionSource,
    ExtractionState,
    Guideline,
    Submission,
    SubmissionKind,
)
from annotation.papers.extractions import append_steps, content_of, machine_content, move_to, store_extraction
from annotation.papers.rules import check_can_extract, check_can_work
from corpus.collections.rules import check_manager
from corpus.models import Paper, Topic, TopicKind
from corpus.models.papers import DOUBTFUL_DOI
from engines.definitions.block_contexts import without_proposals
from engines.definitions.extraction_steps import whole_step
from engines.definitions.extractions import Content, findings_of
from engines.formats.dois import bare_doi, is_placeholder, is_plausible

BLOCKING = ("dangling", "empty")  # rules of findings that must be confirmed to finish
CONTEXT_KINDS = (TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE)


@transaction.atomic
def begin_extraction(*, assignment: Assignment, by: User, at: datetime) -> Extraction:
    """The annotator's extraction of the paper; made from the machine's proposal where they have not begun.

    Proposals to anonymise are not applied: the screen offers them sentence by sentence.

    Errors: those of `check_can_extract`.
    """
    assignment = _locked_assignment(assignment)
    check_can_extract(assignment, by)
    found = Extraction.objects.filter(assignment=assignment).first()
    if found is not None:
        return found
    paper = assignment.item.paper
    assert paper is not None  # noqa: S101 - an item has a topic or a paper, and this campaign is of papers
    extraction = store_extraction(
        paper=paper,
        source=ExtractionSource.ANNOTATOR,
        content=without_proposals(machine_content(paper) or Content()),
        by=by,
        at=at,
        assignment=assignment,
    )
    _record(extraction, by, at, "begin_extraction")
    return extraction


@transaction.atomic
def save_steps(*, extraction: Extraction, steps: Sequence[Any], base: int, by: User, at: datetime) -> Extraction:
    """Store edits made one after the other from revision `base`, which must be the current one: a revision for each.

    An edit that changes nothing makes no revision. Errors: Refused for content that is no extraction and for a finished
    paper, Conflict where another revision is current; those of `check_can_extract`.
    """
    extraction = _locked_draft(extraction, by)
    _check_current(extraction, base)
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
    _check_current(extraction, base)
    parent = extraction.revisions.get(number=extraction.current).parent
    if parent is None:
        raise Refused(_("There is nothing to undo."))
    return move_to(extraction, parent, at)


@transaction.atomic
def redo_extraction(*, extraction: Extraction, by: User, at: datetime, base: int | None = None) -> Extraction:
    """Go forward to the newest revision made from the current one. Errors: Refused where there is none, Conflict."""
    extraction = _locked_draft(extraction, by)
    _check_current(extraction, base)
    child = extraction.revisions.filter(parent=extraction.current).order_by("-number").first()
    if child is None:
        raise Refused(_("There is nothing to redo."))
    return move_to(extraction, child.number, at)


@transaction.atomic
def finish_extraction(*, extraction: Extraction, by: User, at: datetime, despite: bool = False) -> Extraction:
    """Finish the paper. `despite` finishes although citations dangle or sentences are empty.

    Errors: Refused for such findings, with the first of them; those of `check_can_extract`.
    """
    extraction = _locked_draft(extraction, by)
    blocking = [translated(found.text) for found in findings_of(content_of(extraction)) if found.rule in BLOCKING]
    if blocking and not despite:
        more = (
            _("And {count} more of this kind. ").format(count=numeral(len(blocking) - 1)) if len(blocking) > 1 else ""
        )
        raise Refused(
            _("{finding} {more}Correct it, or finish the paper anyway.").format(finding=blocking[0], more=more)
        )
    _set_state(extraction, ExtractionState.FINISHED, at)
    _record(extraction, by, at, "finish_extraction", revision=extraction.current, findings=len(blocking))
    _fold_guideline(extraction)
    return extraction


def _fold_guideline(extraction: Extraction) -> None:
    """After their first paper the person knows the guideline: it is folded from then on, until they open it again."""
    assignment = extraction.assignment
    if assignment is None or assignment.annotator_id is None:
        return
    earlier = Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE).exclude(pk=assignment.pk)
    first = Annotator.objects.filter(~Exists(earlier), pk=assignment.annotator_id, guideline_folded=0)
    first.update(guideline_folded=F("guideline_seen"))


@transaction.atomic
def reopen_extraction(*, extraction: Extraction, by: User, at: datetime) -> Extraction:
    """Reopen a finished paper. Errors: Refused where it is a draft; those of `check_can_extract`."""
    extraction = _locked_own(extraction, by)
    if extraction.state != ExtractionState.FINISHED:
        raise Refused(_("The paper is not finished."))
    _set_state(extraction, ExtractionState.DRAFT, at)
    _record(extraction, by, at, "reopen_extraction")
    return extraction


@transaction.atomic
def skip_paper(*, assignment: Assignment, reason: str, by: User, at: datetime) -> Assignment:
    """Leave the paper to another annotator. What was done is kept with the assignment, and does not count.

    Errors: Refused without a reason and for a finished paper; those of `check_can_extract`.
    """
    assignment = _locked_assignment(assignment)
    check_can_extract(assignment, by)
    if assignment.state == AssignmentState.DONE:
        raise Refused(_("The paper is finished. Reopen it before you skip it."))
    if not reason.strip():
        raise Refused(_("Say in a few words why you skip this paper."))
    if len(reason.strip()) > LONGEST_REASON:
        raise Refused(_("The reason has more than {most} characters.").format(most=numeral(LONGEST_REASON)))
    _submit(assignment, SubmissionKind.SKIP, at, reason.strip())
    assignment.state, assignment.slot, assignment.finished_at = AssignmentState.SKIPPED, None, at
    assignment.save(update_fields=["state", "slot", "finished_at"])
    return assignment


@transaction.atomic
def take_up_paper(*, assignment: Assignment, by: User, at: datetime) -> Assignment:
    """Reopen a paper that the annotator skipped, if its place is still free.

    Errors: Refused for a paper that was not skipped, Conflict where no annotator is needed any longer; those of
    `check_can_work`.
    """
    assignment = _locked_assignment(assignment)
    check_can_work(assignment, by)
    if assignment.state != AssignmentState.SKIPPED:
        raise Refused(_("You have not skipped this paper."))
    assert assignment.annotator_id is not None  # noqa: S101 - check_can_work: it is the person's
    if not regain_slot(
        assignment=assignment.pk, item=assignment.item_id, annotator=assignment.annotator_id, from_queue=False
    ):
        raise Conflict(_("This paper cannot be reopened: somebody else has taken it in the meantime."))
    Assignment.objects.filter(pk=assignment.pk).update(finished_at=None)
    _submit(assignment, SubmissionKind.UNDO, at)
    assignment.refresh_from_db()
    return assignment


@transaction.atomic
def settle_doi(*, paper: Paper, doi: str, by: User | None, at: datetime) -> Paper:
    """Set the DOI of a paper, which becomes its key; "" says that none of the DOIs found is its own.

    A later import of the same file keeps the answer. Errors: Refused for an incomplete DOI or that of a template, for
    the DOI of another paper, and where topics are numbered by the key that would change.
    """
    paper = Paper.objects.select_for_update().select_related("collection").get(pk=paper.pk)
    check_manager(paper.collection, by)
    doi, before = bare_doi(doi), paper.key
    if doi:
        _check_doi(doi, paper)
        paper.doi = paper.key = doi
    answered = {"code": DOUBTFUL_DOI, "text": "", "candidates": [], **(paper.doubtful_doi or {}), "settled": True}
    paper.warnings = [each for each in paper.warnings if each["code"] != DOUBTFUL_DOI] + [answered]
    paper.updated_at = at
    paper.save(update_fields=["doi", "key", "warnings", "updated_at"])
    record_event(by=by, at=at, verb="settle_doi", target=paper, scope=paper.collection, doi=doi, before=before)
    return paper


def _check_doi(doi: str, paper: Paper) -> None:
    if is_placeholder(doi):
        raise Refused(
            f"{doi} is a placeholder from a template: many papers print it. Give the DOI that the publisher assigned."
        )
    if not is_plausible(doi) or len(doi) > 255:
        raise Refused(f"“{doi[:100]}” is not a complete DOI. A DOI looks like 10.1000/182.")
    others = Paper.objects.filter(collection=paper.collection_id).exclude(pk=paper.pk)
    if other := others.filter(Q(key__iexact=doi) | Q(doi__iexact=doi)).first():
        raise Refused(f"The paper “{other}” has the DOI {doi} already. Two papers cannot share one.")
    topics = Topic.objects.filter(collection=paper.collection_id, kind__in=CONTEXT_KINDS, title=paper.title)
    if doi != paper.key and topics.exists():
        raise Refused("Topics have been made from its contexts, numbered by its present key, so the key cannot change.")


def _check_current(extraction: Extraction, base: int | None) -> None:
    if base is not None and base != extraction.current:
        raise Conflict(_("This paper was changed in another window in the meantime. Continue with the newest version."))


def _set_state(extraction: Extraction, state: ExtractionState, at: datetime) -> None:
    """Set the state of an extraction and of its assignment: finished and done, or draft and pending."""
    is_finished = state == ExtractionState.FINISHED
    finished_at = at if is_finished else None
    extraction.state, extraction.finished_at, extraction.updated_at = state, finished_at, at
    extraction.save(update_fields=["state", "finished_at", "updated_at"])
    state_of_assignment = AssignmentState.DONE if is_finished else AssignmentState.PENDING
    Assignment.objects.filter(extraction=extraction).update(state=state_of_assignment, finished_at=finished_at)


def _locked_assignment(assignment: Assignment) -> Assignment:
    """The assignment as it is now, its annotator locked: one person's writes go one after the other."""
    Annotator.objects.select_for_update(no_key=True).filter(assignments=assignment).first()
    found = Assignment.objects.select_related("item__campaign__collection", "item__paper", "annotator")
    return found.get(pk=assignment.pk)


def _locked_own(extraction: Extraction, by: User) -> Extraction:
    if extraction.assignment is None:
        raise Refused(_("Only an annotator's own extraction is changed here."))
    assignment = _locked_assignment(extraction.assignment)
    check_can_extract(assignment, by)
    found = Extraction.objects.select_for_update().get(pk=extraction.pk)
    found.assignment = assignment
    return found


def _locked_draft(extraction: Extraction, by: User) -> Extraction:
    found = _locked_own(extraction, by)
    if found.state != ExtractionState.DRAFT:
        raise Refused(_("The paper is finished. Reopen it to change it."))
    return found


def _submit(assignment: Assignment, kind: SubmissionKind, at: datetime, reason: str = "") -> None:
    """A submission of a skip or of its undoing, as for items that are graded."""
    guideline = Guideline.objects.filter(campaign=assignment.item.campaign_id).first()
    Submission.objects.create(
        uuid=uuid.uuid4(), assignment=assignment, kind=kind, reason=reason, guideline=guideline, received_at=at
    )


def _record(extraction: Extraction, by: User, at: datetime, verb: str, **data: Any) -> None:
    paper = extraction.paper
    campaign = extraction.assignment.item.campaign.slug if extraction.assignment else ""
    scope = paper.collection
    record_event(by=by, at=at, verb=verb, target=extraction, scope=scope, paper=paper.key, campaign=campaign, **data)
