"""Importing qrels that somebody else made, as a gold: a row for each topic; a later import of that name replaces it."""

from collections.abc import Iterator
from pathlib import PurePath

from django import forms
from django.utils import timezone

from accounts.counting import counted
from accounts.jobs import Progress
from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.golds.qrels import PARTIAL, in_collection
from adjudication.models import ImportedQrels, ImportedQrelsTopic
from corpus.imports.forms import ImportForm, match_field
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Undoing
from corpus.loading.counts import ImportCounts
from corpus.loading.samples import take_sample
from corpus.loading.sources import Odometer, read_sources
from corpus.loading.topic_numbers import matched_numbers
from corpus.models import ImportRun
from engines.formats.reading import read_qrels_of_path
from engines.formats.records import BrokenFile, Problem, QrelRow

LONGEST_NAME = 100
TOPIC_MISSING = "a judgment of a topic that is not in the collection"
MOST_JUDGMENTS = 5_000_000  # ten times those of MS MARCO; they are held in memory until they are stored


class QrelsImportForm(ImportForm):
    name = forms.CharField(
        required=False,
        max_length=LONGEST_NAME,
        label="Name of the qrels",
        help_text="Evaluations list them under this name. Left empty: the name of the file.",
    )
    match = match_field()
    partial = forms.BooleanField(
        required=False,
        label=PARTIAL,
        help_text="Otherwise such qrels are refused, because a gold without some of its judgments gives other figures.",
    )
    field_order = ["uploads", "format", "name", "match", "partial", "dry_run"]


def load_qrels(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into one set of qrels; the caller holds the transaction. Judgments are counted.

    Errors: BrokenFile for qrels of another collection, Refused for a name that no selector can spell and, unless asked
    for with `partial`, where rows cannot be read.
    """
    name = _name(run)
    grades = _read(run, progress, counts)
    first = run.files[0]["name"]
    if counts.skipped and not run.parameters.get("partial"):
        raise Refused(_rows_missing(counts))
    if not grades:
        raise BrokenFile(first, 0, "holds no judgment")
    grades, unknown = _of_collection(run, grades, counts)
    counts.add_notes(_notes(run, first, grades, unknown))
    qrels = ImportedQrels.objects.select_for_update().filter(collection=run.collection_id, name=name).first()
    before = (
        {each.number: dict(zip(each.docnos, map(float, each.grades), strict=True)) for each in qrels.topics.all()}
        if qrels
        else {}
    )
    _count(counts, before, grades)
    run.parameters["qrels"] = name
    if not run.dry_run and before != grades:
        progress.report(run.total, run.total, f"writing {name}")
        _write(qrels or ImportedQrels(collection_id=run.collection_id, name=name, imported_in=run), grades)


def _of_collection(run: ImportRun, grades: Grades, counts: ImportCounts) -> tuple[Grades, list[str]]:
    """The judgments, with topics matched if that was asked for, and the numbers that the collection lacks.

    With `partial` these topics are left out. Errors: BrokenFile where the collection lacks most, or all, of them, or
    has some of them with numbers that are written otherwise.
    """
    _, unknown, _ = in_collection(run.collection, grades)
    known = grades.keys() - set(unknown)
    found = matched_numbers(run, grades, counts, others=known)
    grades = {found.get(number, number): of_topic for number, of_topic in grades.items()}
    unknown = [number for number in unknown if number not in found]
    is_partial = bool(run.parameters.get("partial"))
    are_doubtful = counts.offer is not None or 2 * len(unknown) > len(grades)
    if len(unknown) == len(grades) or (are_doubtful and not is_partial):
        raise BrokenFile(run.files[0]["name"], 0, _topics_missing(grades, unknown))
    if is_partial and unknown:
        counts.skips[TOPIC_MISSING] += sum(len(grades.pop(number)) for number in unknown)
        counts.keep_samples(lambda fields: fields["topic"] in grades)
        unknown = []
    return grades, unknown


def _topics_missing(grades: Grades, unknown: list[str]) -> str:
    """Why qrels with topics that are not here are refused."""
    if len(unknown) == len(grades):
        return f"none of its topics, such as {unknown[0]}, is here: perhaps they belong to another collection"
    verb = "is" if len(unknown) == 1 else "are"
    some = f"{len(unknown):,} of its {len(grades):,} topics {verb} not in the collection, such as {unknown[0]}"
    return f"{some}. Import these topics first, or leave them out with “{PARTIAL}”"


def _rows_missing(counts: ImportCounts) -> str:
    """Why qrels with rows that cannot be read are refused."""
    first = counts.errors[0]
    place = f"{first['file']}, line {first['line']}" if first["line"] else str(first["file"])
    rows, them = ("one row cannot", "it") if counts.skipped == 1 else (f"{counts.skipped:,} rows cannot", "them")
    return (
        f"{place}: {first['reason']}. Nothing was imported: {rows} be taken in, and a gold without {them} gives "
        f"other figures. Correct the file, or leave {them} out with “{PARTIAL}”."
    )


def _name(run: ImportRun) -> str:
    """What the qrels are called. Errors: Refused for a name that no selector can spell."""
    name = str(run.parameters.get("name") or PurePath(run.files[0]["name"]).name.split(".")[0]).strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or ";" in name:
        raise Refused(f"Qrels need a name of at most {LONGEST_NAME} printable characters, without semicolons.")
    return name


def _read(run: ImportRun, progress: Progress, counts: ImportCounts) -> Grades:
    """{topic: {docno: grade}} of all files; of two grades of a document, the first stays, the other is reported."""
    grades: Grades = {}
    for row in _rows(run, progress, counts):
        if isinstance(row, Problem):
            counts.add_problems([row])
            continue
        take_sample(row, counts)
        of_topic = grades.setdefault(row.topic, {})
        known = of_topic.setdefault(row.docno, row.value)
        if known != row.value:
            reason = f"{row.docno} has the grades {known:g} and {row.value} for topic {row.topic}; the first one counts"
            counts.add_problems([Problem(row.file, row.line, reason)])
    return grades


def _rows(run: ImportRun, progress: Progress, counts: ImportCounts) -> Iterator[QrelRow | Problem]:
    odometer = Odometer()
    for count, row in enumerate(read_sources(run, read_qrels_of_path, odometer, progress.check, say=counts.add_remark)):
        if count == MOST_JUDGMENTS:
            raise BrokenFile(row.file, row.line, f"qrels of more than {MOST_JUDGMENTS:,} judgments are not imported")
        if count % 10_000 == 0:
            progress.report(min(odometer.file_bytes, run.total), run.total, "reading judgments")
        yield row


def _notes(run: ImportRun, file: str, grades: Grades, unknown: list[str]) -> Iterator[Problem]:
    """What the collection lacks."""
    if unknown:
        some = f"{counted(len(unknown), 'topic is', 'topics are')} not in the collection, such as {unknown[0]}"
        yield Problem(file, 0, f"{some}; evaluations leave them out")
    docnos = sorted({docno for of_topic in grades.values() for docno in of_topic})
    here = set(run.collection.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    if missing := [docno for docno in docnos if docno not in here]:
        some = f"{counted(len(missing), 'document is', 'documents are')} not in the collection, such as {missing[0]}"
        whose = "its" if len(missing) == 1 else "their"
        yield Problem(
            file, 0, f"{some}; {whose} judgments count, because runs may rank {'it' if len(missing) == 1 else 'them'}"
        )


def _count(counts: ImportCounts, before: Grades, grades: Grades) -> None:
    """Count what is new, changed and the same; judgments that the file no longer has are changes too."""
    for topic in before.keys() | grades.keys():
        old, new = before.get(topic, {}), grades.get(topic, {})
        counts.created += len(new.keys() - old.keys())
        counts.updated += sum(old[docno] != new.get(docno) for docno in old)
        counts.unchanged += sum(old.get(docno) == grade for docno, grade in new.items())


def _write(qrels: ImportedQrels, grades: Grades) -> None:
    qrels.created_at = timezone.now()
    qrels.save()
    qrels.topics.all().delete()
    ImportedQrelsTopic.objects.bulk_create(
        (
            ImportedQrelsTopic(qrels=qrels, number=topic, docnos=list(of_topic), grades=list(of_topic.values()))
            for topic, of_topic in grades.items()
        ),
        batch_size=500,
    )


QRELS = Importer(
    name="qrels",
    label="qrels",
    unit="judgments",
    title="Import qrels",
    about="Judgments made elsewhere, to evaluate runs against: TREC qrels (topic, iteration, docno, value), BEIR's "
    "table, or JSON. They serve only as gold: they belong to no campaign and to no annotator. "
    "Topics or sub-queries must be here already; qrels of the same name are replaced.",
    reading=at_once(load_qrels),
    form=QrelsImportForm,
    target="evaluation_list",
    undoing=Undoing(ImportedQrels, ((ImportedQrelsTopic, "qrels"),)),
    checks="text",
    more=lambda run: {"qrels": run.parameters.get("qrels", "")},
)
