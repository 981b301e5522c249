"""The importer of judgments."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef

from annotation.campaigns.file_imports import way_on
from annotation.imports.forms import JudgmentImportForm
from annotation.imports.importing import load_judgments
from annotation.models import Annotator, Assignment, AssignmentState, Judgment, Submission, UnparsedAnswer
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Standing, Undoing
from corpus.models import ImportRun


def standing_on_judgments(run: ImportRun) -> Iterator[Standing]:
    """Answers given after the imported ones by the same annotators on the same items."""
    newer = Submission.objects.filter(
        assignment__submissions__imported_in=run, pk__gt=F("assignment__submissions__pk")
    ).exclude(imported_in=run)
    yield "later answers to the same items", newer.distinct().count()


def _free_assignments(run: ImportRun) -> None:
    """Set assignments that existed before the import to pending."""
    done = Assignment.objects.filter(Exists(Submission.objects.filter(assignment=OuterRef("pk"), imported_in=run)))
    done.exclude(imported_in=run).update(state=AssignmentState.PENDING, finished_at=None)


def _remove_assignments(run: ImportRun) -> None:
    """Free the slots of an open queue, and delete assignments and annotators that the import created."""
    created = Assignment.objects.filter(imported_in=run)
    created.filter(queue__isnull=False, slot__isnull=False).update(
        state=AssignmentState.OPEN,
        annotator=None,
        finished_at=None,
        lease_expires_at=None,
        held_by=None,
        imported_in=None,
    )
    created._raw_delete(using="default")
    UnparsedAnswer.objects.filter(imported_in=run)._raw_delete(using="default")
    busy = Assignment.objects.filter(annotator=OuterRef("pk"))
    unparsed = UnparsedAnswer.objects.filter(annotator=OuterRef("pk"))
    Annotator.objects.filter(imported_in=run).exclude(Exists(busy)).exclude(Exists(unparsed)).delete()


JUDGMENTS = Importer(
    name="judgments",
    label="judgments",
    unit="labels",
    title="Import judgments",
    about="Judgments made elsewhere: CSV or JSON Lines with annotator, topic, aspect, docno, criterion,"
    " value and machine (reason, note, flagged, guideline, at, active_ms, model and run are read as"
    " well), or TREC qrels with the annotator in column 2. Importing again changes nothing.",
    reading=at_once(load_judgments),
    form=JudgmentImportForm,
    links=way_on("annotator_list", "See the annotators", "judgment_import"),
    undoing=Undoing(
        Submission,
        ((Judgment, "submission"),),
        standing=standing_on_judgments,
        before=_free_assignments,
        after=_remove_assignments,
    ),
)
