"""Undoing imports of judgments and of papers: what of them lies in this app's tables."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef

from annotation.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Extraction,
    ExtractionRevision,
    ExtractionSource,
    Judgment,
    Submission,
    UnreadLabel,
)
from corpus.models import ImportRun, Paper
from corpus.runs.undoing import Standing, Undoing, remove_files


def standing_on_judgments(run: ImportRun) -> Iterator[Standing]:
    """Answers given after the imported ones by the same annotators on the same items."""
    newer = Submission.objects.filter(
        assignment__submissions__imported_in=run, pk__gt=F("assignment__submissions__pk")
    ).exclude(imported_in=run)
    yield "later answers to the same items", newer.distinct().count()


def standing_on_papers(run: ImportRun) -> Iterator[Standing]:
    """What people made of the papers."""
    people = (ExtractionSource.ANNOTATOR, ExtractionSource.ADJUDICATED)
    made = Extraction.objects.filter(paper__in=Paper.objects.filter(imported_in=run), source__in=people)
    yield "extractions by people", made.count()


def _free_assignments(run: ImportRun) -> None:
    """Assignments that were here before the import are to do again."""
    mine = Assignment.objects.filter(Exists(Submission.objects.filter(assignment=OuterRef("pk"), imported_in=run)))
    mine.exclude(imported_in=run).update(state=AssignmentState.PENDING, finished_at=None)


def _remove_assignments(run: ImportRun) -> None:
    """Slots of an open queue are free again; assignments and annotators that the import made go."""
    made = Assignment.objects.filter(imported_in=run)
    made.filter(queue__isnull=False, slot__isnull=False).update(
        state=AssignmentState.OPEN, annotator=None, finished_at=None, lease_expires_at=None, imported_in=None
    )
    made._raw_delete(using="default")
    UnreadLabel.objects.filter(imported_in=run)._raw_delete(using="default")
    busy = Assignment.objects.filter(annotator=OuterRef("pk"))
    unread = UnreadLabel.objects.filter(annotator=OuterRef("pk"))
    Annotator.objects.filter(imported_in=run).exclude(Exists(busy)).exclude(Exists(unread)).delete()


UNDO_JUDGMENTS = Undoing(
    Submission,
    ((Judgment, "submission"),),
    standing=standing_on_judgments,
    before=_free_assignments,
    after=_remove_assignments,
)
UNDO_PAPERS = Undoing(
    Paper,
    ((Extraction, "paper"), (ExtractionRevision, "extraction")),
    standing=standing_on_papers,
    before=remove_files,
)
