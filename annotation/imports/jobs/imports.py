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
from annotation.campaigns.jobs.constraints import checked_at_once
from annotation.campaigns.rules.campaigns import check_not_closed
from annotation.campaigns.rules.seals import sealed_by
from annotation.imports.jobs import import_sql as sql
from annotation.imports.jobs.import_people import People
from annotation.kind import Judged
from annotation.machines.jobs.machine_labels import MOST_TEXT
from annotation.models import AnnotatorKind, Campaign
from corpus.formats.judgments import cells_of, read_judgments
from corpus.formats.records import JudgmentRow, Problem, Skip
from corpus.loading.background_reading import in_background
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ERRORS_KEPT, Tally
from corpus.loading.line_batches import Batch, Odometer, batches, sources_of
from corpus.models import ImportRun

NAMESPACE = UUID("2f0c5f5e-6f0b-5b0e-9c5e-0b8a5c1f7d11")  # of submissions made by imports
UUIDS_AT_ONCE = 20_000
MANY = 10_000  # rows after which the planner is told at once what is there now


class _DryRun(Exception):
    """Everything was counted; nothing is kept."""


def load_judgments(run: ImportRun, progress: Progress, tally: Tally) -> None:
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
            _load(run, campaign, progress, tally)
            if run.dry_run:
                raise _DryRun
    except _DryRun:
        return
    except IntegrityError as error:
        raise Conflict(
            "Somebody judged or gave back the same items at the same moment. Import the files again."
        ) from error


def _load(run: ImportRun, campaign: Campaign, progress: Progress, tally: Tally) -> None:
    total = sum(file["size"] for file in run.files)
    odometer = Odometer()
    _execute(sql.STAGE)
    with in_background(batches(_records(run, odometer), _line, odometer)) as found:
        for batch in found:
            _stage(batch, tally)
            progress.report(min(batch.bytes_read, total), total, "reading judgments")
    progress.report(total, total, "matching judgments")
    _name_annotators(run, campaign, tally, everybody_is_machine=bool(run.parameters.get("machine")))
    _match(campaign)
    _keep_unread(run, tally)
    _count(tally)
    progress.report(total, total, "writing judgments")
    _tell_other_guidelines(tally)
    _write(run, tally.created + tally.updated)


def _records(run: ImportRun, odometer: Odometer) -> Iterator[JudgmentRow | Skip | Problem]:
    """The rows of all files. Runs in the reading thread, so it must not touch the database."""
    annotator = str(run.parameters.get("annotator", ""))
    for source in sources_of(run):
        yield from read_judgments(source.path, run.format, annotator=annotator, name=source.name, watch=odometer.add)


def _line(n: int, row: JudgmentRow) -> bytes:
    cells = ("\\N" if value is None else copy_text(str(value)) for value in cells_of(row))
    return encode_line((str(n), copy_text(row.file), str(row.line), *cells, copy_text(row.said[:MOST_TEXT])))


def _stage(batch: Batch, tally: Tally) -> None:
    tally.add_problems(batch.problems)
    if batch.lines:
        _copy(sql.COPY_ROWS, batch.data)


def _name_annotators(run: ImportRun, campaign: Campaign, tally: Tally, *, everybody_is_machine: bool) -> None:
    """Find or make the annotator of each name, and tell whose labels the names were taken for."""
    people = People(campaign, run)
    lines = []
    for name, machine, model, number in _rows(sql.NAMES):
        annotator, problem = people.resolve(name, machine or everybody_is_machine, model, number)
        is_machine = annotator is not None and annotator.kind == AnnotatorKind.MACHINE
        pk = "\\N" if annotator is None else str(annotator.pk)
        lines.append(encode_line((copy_text(name), pk, "t" if is_machine else "f", copy_text(problem))))
    tally.remarks += people.remarks()
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


def _keep_unread(run: ImportRun, tally: Tally) -> None:
    """Answers of machines that could not be read (-1) are kept with their words, and are labels of nothing."""
    ((unread,),) = _rows(sql.UNREAD_COUNT)
    if not unread:
        return
    ((kept,),) = _rows(sql.KEEP_UNREAD, {"at": timezone.now(), "run": run.pk})
    tally.created += kept
    tally.unchanged += unread - kept
    tally.remarks.append(
        f"{unread:,} machine answers could not be read where they were given (−1). They are kept as invalid, with their"
        " words, and count nowhere."
    )


def _count(tally: Tally) -> None:
    counts = {fate: int(rows) for fate, rows in _rows(sql.COUNTS)}
    tally.created += counts.get("created", 0)
    tally.updated += counts.get("updated", 0)
    tally.unchanged += counts.get("unchanged", 0)
    problems = [Problem(*row) for row in _rows(sql.PROBLEMS, {"most": ERRORS_KEPT})]
    tally.add_problems(problems)
    tally.error_count += int(_rows(sql.PROBLEM_COUNT)[0][0]) - len(problems)


def _tell_other_guidelines(tally: Tally) -> None:
    ((labels, versions),) = _rows(sql.OTHER_GUIDELINES)
    if labels:
        tally.remarks.append(
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
        _execute(sql.FORGET_UNREAD)
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
