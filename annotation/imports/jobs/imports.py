"""Importing judgments: read in a thread, copied into a staging table, matched, checked and written set by set.

A human answer takes a slot of its item, a machine's does not. What was imported before is left or updated; what
somebody answered in Litmus is never changed by a file.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid5

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.jobs import Progress
from accounts.refusals import Conflict
from annotation.campaigns.rules.campaigns import check_not_closed
from annotation.campaigns.rules.seals import sealed_by
from annotation.imports.jobs import import_sql as sql
from annotation.imports.jobs.import_people import People
from annotation.kind import Judged
from annotation.machines.jobs import MOST_TEXT
from annotation.models import AnnotatorKind, Campaign
from corpus.formats.judgments import cells_of
from corpus.formats.reading import read_judgments
from corpus.formats.records import JudgmentRow, Problem, Skip
from corpus.loading.background_reading import in_background
from corpus.loading.constraints import checked_at_once
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ERRORS_KEPT, ImportCounts
from corpus.loading.line_batches import Batch, Odometer, batches, sources_of
from corpus.models import ImportRun

NAMESPACE = UUID("2f0c5f5e-6f0b-5b0e-9c5e-0b8a5c1f7d11")  # of submissions made by imports
UUIDS_AT_ONCE = 20_000
MANY = 10_000  # rows after which the planner's statistics are updated at once


class _DryRun(Exception):
    """Everything was counted; nothing is kept."""


def load_judgments(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into the campaign named in its parameters; the caller holds the transaction.

    Parameters: `campaign` (its id), `annotator` (whose labels these are, whatever the files say), `machine` (all
    annotators in the files are machines).
    Errors: BrokenFile for a file that cannot be trusted as a whole, Refused for a closed campaign, Conflict where
    somebody judged the same items at the same moment.
    """
    campaign = Campaign.objects.select_for_update(no_key=True).get(
        pk=run.parameters["campaign"], collection=run.collection_id
    )
    check_not_closed(campaign)
    try:
        with transaction.atomic():
            _load(run, campaign, progress, counts)
            if run.dry_run:
                raise _DryRun
    except _DryRun:
        return
    except IntegrityError as error:
        raise Conflict(
            "Somebody judged or gave back the same items at the same moment. Import the files again."
        ) from error


def _load(run: ImportRun, campaign: Campaign, progress: Progress, counts: ImportCounts) -> None:
    total = sum(file["size"] for file in run.files)
    odometer = Odometer()
    _execute(sql.STAGE)
    with in_background(batches(_records(run, odometer), _line, odometer)) as found:
        for batch in found:
            _stage(batch, counts)
            progress.report(min(batch.bytes_read, total), total, "reading judgments")
    progress.report(total, total, "matching judgments")
    _name_annotators(run, campaign, counts, everybody_is_machine=bool(run.parameters.get("machine")))
    _match(campaign)
    _store_unparsed(run, counts)
    _count(counts)
    progress.report(total, total, "writing judgments")
    _tell_other_guidelines(counts)
    _write(run, counts.created + counts.updated)


def _records(run: ImportRun, odometer: Odometer) -> Iterator[JudgmentRow | Skip | Problem]:
    """The rows of all files. Runs in the reading thread, so it must not touch the database."""
    annotator = str(run.parameters.get("annotator", ""))
    for source in sources_of(run):
        yield from read_judgments(source.path, run.format, annotator=annotator, name=source.name, watch=odometer.add)


def _line(n: int, row: JudgmentRow) -> bytes:
    cells = ("\\N" if value is None else copy_text(str(value)) for value in cells_of(row))
    return encode_line((str(n), copy_text(row.file), str(row.line), *cells, copy_text(row.said[:MOST_TEXT])))


def _stage(batch: Batch[bytes], counts: ImportCounts) -> None:
    counts.add_problems(batch.problems)
    if batch.lines:
        _copy(sql.COPY_ROWS, batch.data)


def _name_annotators(run: ImportRun, campaign: Campaign, counts: ImportCounts, *, everybody_is_machine: bool) -> None:
    """Find or make the annotator of each name, and report whose labels the names were taken for."""
    people = People(campaign, run)
    lines = []
    for name, machine, model, number in _rows(sql.NAMES):
        annotator, problem = people.resolve(name, machine or everybody_is_machine, model, number)
        is_machine = annotator is not None and annotator.kind == AnnotatorKind.MACHINE
        pk = "\\N" if annotator is None else str(annotator.pk)
        lines.append(encode_line((copy_text(name), pk, "t" if is_machine else "f", copy_text(problem))))
    counts.remarks += people.remarks()
    _copy(sql.COPY_NAMES, b"".join(lines))
    _execute("ANALYZE judgment_name; ANALYZE judgment_row")


def _match(campaign: Campaign) -> None:
    criteria = list(campaign.criteria.values_list("key", flat=True))
    named = {
        "campaign": campaign.pk,
        "collection": campaign.collection_id,
        "criterion": criteria[0] if len(criteria) == 1 else "",
    }
    questions = campaign.kind_object.judges == Judged.QUESTIONS
    _execute(sql.MATCH_QUESTIONS if questions else sql.MATCH, named)
    _execute(sql.REPEATED, {})
    _execute(sql.GROUP)
    _execute("ANALYZE judgment_match; ANALYZE judgment_group")
    # Of each step the next must know how much it found, or the planner takes a hundred thousand rows for one.
    _execute(sql.DECIDE, {"criteria": criteria})
    if sealed_by(campaign):
        _execute(sql.SAY_NOTHING_OF_SEALED)
    _execute("ANALYZE judgment_group")
    _execute(sql.OPEN_SLOTS)
    _execute("ANALYZE judgment_open")
    _execute(sql.GIVE_SLOTS)
    _execute("ANALYZE judgment_group")
    _execute(sql.NO_SLOT, {})
    _execute(sql.GROUP_PROBLEMS)


def _store_unparsed(run: ImportRun, counts: ImportCounts) -> None:
    """Answers of machines that could not be read (-1) are kept with their words, and are labels of nothing."""
    ((unparsed,),) = _rows(sql.UNPARSED_COUNT)
    if not unparsed:
        return
    ((kept,),) = _rows(sql.STORE_UNPARSED, {"at": timezone.now(), "run": run.pk})
    counts.created += kept
    counts.unchanged += unparsed - kept
    counts.remarks.append(
        f"{unparsed:,} machine answers could not be parsed (−1). They are kept as invalid, with their text, and count"
        " nowhere."
    )


def _count(counts: ImportCounts) -> None:
    by_fate = {fate: int(rows) for fate, rows in _rows(sql.COUNTS)}
    counts.created += by_fate.get("created", 0)
    counts.updated += by_fate.get("updated", 0)
    counts.unchanged += by_fate.get("unchanged", 0)
    problems = [Problem(*row) for row in _rows(sql.PROBLEMS, {"most": ERRORS_KEPT})]
    counts.add_problems(problems)
    counts.error_count += int(_rows(sql.PROBLEM_COUNT)[0][0]) - len(problems)


def _tell_other_guidelines(counts: ImportCounts) -> None:
    ((labels, versions),) = _rows(sql.OTHER_GUIDELINES)
    if labels:
        counts.remarks.append(
            f"{labels:,} labels were given with versions of the guideline that this campaign does not have"
            f" ({versions}). They are kept without a version."
        )


def _write(run: ImportRun, written: int) -> None:
    named = {"at": timezone.now(), "run": run.pk}
    with checked_at_once():
        _execute(sql.TAKE_OPEN)
        _execute(sql.FINISH, named)
        _execute(sql.ASSIGN, named)
        _make_uuids()
        _execute(sql.SUBMIT, named)
        _execute(sql.JUDGE)
        _execute(sql.DELETE_UNPARSED)
    if written >= MANY:
        _execute(sql.KNOW_SIZES)


def _make_uuids() -> None:
    """Each answer's submission is named by its assignment, what it says and what it follows: always the same."""
    after = 0
    while rows := _rows(sql.WRITTEN, {"after": after, "most": UUIDS_AT_ONCE}):
        lines = [f"{grp}\t{uuid5(NAMESPACE, f'{pk}|{last}|{answers}')}\n" for grp, pk, last, answers in rows]
        _copy(sql.COPY_UUIDS, "".join(lines).encode())
        after = rows[-1][0]


def _execute(statement: str, named: dict[str, Any] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, named)


def _rows(statement: str, named: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        return cursor.fetchall()


def _copy(statement: str, data: bytes) -> None:
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(data)
