"""Importing judgments: read in a thread, copied into a staging table, matched, checked and written in sets.

A human answer takes a slot of its item, a machine's does not. Answers of earlier imports stay or are updated; answers
that were given in Litmus are never changed by a file.
"""

from functools import partial
from uuid import UUID, uuid5

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.jobs import Progress
from accounts.locks import briefly
from accounts.models import User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from annotation.campaigns.rules import check_not_closed, fetch_managed
from annotation.campaigns.seals import sealed_by
from annotation.imports import import_sql as sql
from annotation.imports.annotator_names import People
from annotation.kind import Judged
from annotation.models import AnnotatorKind, Campaign
from corpus.loading.constraints import checked_at_once
from corpus.loading.copying import copy_text, encode_line
from corpus.loading.counts import ERRORS_KEPT, ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.loading.topic_numbers import renumber
from corpus.models import ImportRun
from engines.formats.judgments import cells_of
from engines.formats.reading import read_judgments
from engines.formats.records import JudgmentRow, Problem


def fetch_for_judgments(campaign: Campaign, by: User | None) -> Campaign:
    """The campaign, after checking that it takes judgments from this person. Errors: NotAllowed, Refused."""
    campaign = fetch_managed(campaign, by)
    check_not_closed(campaign)
    if campaign.kind_object.no_criteria:
        raise Refused(f"Campaigns of the kind {campaign.kind_object} have no judgments, so none can be imported.")
    if not campaign.items.exists():
        raise Refused("The campaign has no items yet, so no judgment can be matched. Add them first.")
    return campaign


NAMESPACE = UUID("2f0c5f5e-6f0b-5b0e-9c5e-0b8a5c1f7d11")  # of submissions made by imports
UUIDS_AT_ONCE = 20_000
MANY = 10_000  # rows after which the planner's statistics are updated at once


def load_judgments(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into the campaign named in its parameters; the caller holds the transaction.

    Parameters: `campaign` (its id), `annotator` (whose labels these are, whatever the files say), `machine` (all
    annotators in the files are machines). A dry run is rolled back.
    Errors: BrokenFile for a file that cannot be trusted as a whole, Refused for a closed campaign, Conflict where
    somebody judged the same items at the same moment.
    """
    with briefly("waiting for other work on this campaign"):
        campaign = Campaign.objects.select_for_update(no_key=True).get(
            pk=run.parameters["campaign"], collection=run.collection_id
        )
    check_not_closed(campaign)
    try:
        with transaction.atomic():
            _load(run, campaign, progress, counts)
            if run.dry_run:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise Conflict("Someone judged or returned the same items at the same time. Import the files again.") from error


def _load(run: ImportRun, campaign: Campaign, progress: Progress, counts: ImportCounts) -> None:
    total = sum(file["size"] for file in run.files)
    execute(sql.STAGE)
    read = partial(read_judgments, annotator=str(run.parameters.get("annotator", "")))
    for batch in read_batches(run, read, _line, progress, counts):
        if batch.lines:
            _copy(sql.COPY_ROWS, batch.data)
    progress.report(total, total, "matching judgments")
    renumber("judgment_row", run, counts)
    people = _name_annotators(run, campaign, everybody_is_machine=bool(run.parameters.get("machine")))
    _match(campaign)
    people.keep({pk for (pk,) in execute(sql.KEPT_ANNOTATORS)})
    counts.remarks += people.remarks()
    _store_unparsed(run, counts)
    _count(counts)
    progress.report(total, total, "writing judgments")
    _report_other_guidelines(counts)
    _write(run, counts.created + counts.updated)


def _line(n: int, row: JudgmentRow) -> bytes:
    cells = ("\\N" if value is None else copy_text(str(value)) for value in cells_of(row))
    return encode_line((str(n), copy_text(row.file), str(row.line), *cells))


def _name_annotators(run: ImportRun, campaign: Campaign, *, everybody_is_machine: bool) -> People:
    """Find or create the annotator of each name."""
    people = People(campaign, run)
    lines = []
    for name, machine, model, number in execute(sql.NAMES):
        annotator, problem = people.resolve(name, machine or everybody_is_machine, model, number)
        is_machine = annotator is not None and annotator.kind == AnnotatorKind.MACHINE
        pk = "\\N" if annotator is None else str(annotator.pk)
        lines.append(encode_line((copy_text(name), pk, "t" if is_machine else "f", copy_text(problem))))
    _copy(sql.COPY_NAMES, b"".join(lines))
    execute("ANALYZE judgment_name; ANALYZE judgment_row")
    return people


def _match(campaign: Campaign) -> None:
    criteria = list(campaign.criteria.values_list("key", flat=True))
    values = {
        "campaign": campaign.pk,
        "collection": campaign.collection_id,
        "criterion": criteria[0] if len(criteria) == 1 else "",
    }
    questions = campaign.kind_object.judges == Judged.QUESTIONS
    execute(sql.MATCH_QUESTIONS if questions else sql.MATCH, values)
    execute(sql.REPEATED, {})
    execute(sql.GROUP)
    execute("ANALYZE judgment_match; ANALYZE judgment_group")
    # PostgreSQL's planner must know the sizes of tables after each step, or it takes a hundred thousand rows for one.
    execute(sql.DECIDE, {"criteria": criteria})
    if sealed_by(campaign):
        execute(sql.HIDE_SEALED)
    execute("ANALYZE judgment_group")
    execute(sql.OPEN_SLOTS)
    execute("ANALYZE judgment_open")
    execute(sql.GIVE_SLOTS)
    execute("ANALYZE judgment_group")
    execute(sql.NO_SLOT, {})
    execute(sql.GROUP_PROBLEMS)


def _store_unparsed(run: ImportRun, counts: ImportCounts) -> None:
    """Store answers of machines that could not be parsed (-1) with their text; they give no labels."""
    ((unparsed,),) = execute(sql.UNPARSED_COUNT)
    if not unparsed:
        return
    ((stored,),) = execute(sql.STORE_UNPARSED, {"at": timezone.now(), "run": run.pk})
    counts.created += stored
    counts.unchanged += unparsed - stored
    counts.remarks.append(
        f"{unparsed:,} machine answers could not be parsed (−1). They are kept as invalid answers,"
        " with their text, and are not counted."
    )


def _count(counts: ImportCounts) -> None:
    by_fate = {fate: int(rows) for fate, rows in execute(sql.COUNTS)}
    counts.created += by_fate.get("created", 0)
    counts.updated += by_fate.get("updated", 0)
    counts.unchanged += by_fate.get("unchanged", 0)
    problems = [Problem(*row) for row in execute(sql.PROBLEMS, {"most": ERRORS_KEPT})]
    counts.add_problems(problems)
    counts.error_count += int(execute(sql.PROBLEM_COUNT)[0][0]) - len(problems)


def _report_other_guidelines(counts: ImportCounts) -> None:
    ((labels, versions),) = execute(sql.OTHER_GUIDELINES)
    if labels:
        counts.remarks.append(
            f"{labels:,} labels name versions of the guideline that this campaign does not have ({versions})."
            " They are stored without a version."
        )


def _write(run: ImportRun, n_labels: int) -> None:
    values = {"at": timezone.now(), "run": run.pk}
    with checked_at_once():
        execute(sql.TAKE_OPEN)
        execute(sql.FINISH, values)
        execute(sql.ASSIGN, values)
        _make_uuids()
        execute(sql.SUBMIT, values)
        execute(sql.JUDGE)
        execute(sql.DELETE_UNPARSED)
    if n_labels >= MANY:
        execute(sql.ANALYSE)


def _make_uuids() -> None:
    """Make the ids of submissions from assignment, values and the submission before: always the same."""
    after = 0
    while rows := execute(sql.WRITTEN, {"after": after, "most": UUIDS_AT_ONCE}):
        lines = [f"{grp}\t{uuid5(NAMESPACE, f'{pk}|{last}|{answers}')}\n" for grp, pk, last, answers in rows]
        _copy(sql.COPY_UUIDS, "".join(lines).encode())
        after = rows[-1][0]


def _copy(statement: str, data: bytes) -> None:
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(data)
