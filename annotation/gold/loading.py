"""Importing known answers: each row as the verb `set_known_answer` would store it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.jobs import Progress
from accounts.models import User
from accounts.refusals import Refused
from annotation.gold.known import fetch_for_known_answers, store_known_answer
from annotation.models import Campaign
from corpus.imports.requests import Upload, request_import
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.loading.topic_numbers import MATCH, matched_numbers
from corpus.models import ImportRun
from engines.formats.known_answers import KnownAnswerRow
from engines.formats.reading import read_known_answers
from engines.formats.records import Problem


@transaction.atomic
def request_known_answer_import(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    files: Sequence[Upload | Path],
    format: str = "auto",  # noqa: A002 - the name users know
    match: str = "",
    dry_run: bool = False,
    send: bool = True,
) -> ImportRun:
    """Request an import of files of known answers into the campaign; `match` as for judgments.

    `send=False` leaves the work to the caller. Errors: NotAllowed, Refused for a closed campaign or one without grades.
    """
    campaign = fetch_for_known_answers(campaign, by)
    values: dict[str, Any] = {"campaign": campaign.pk, MATCH: match}
    return request_import(
        by=by,
        at=at,
        collection=campaign.collection,
        kind="known-answers",
        files=files,
        format=format,
        dry_run=dry_run,
        send=send,
        **values,
    )


def load_known_answers(run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Read the job's files into the campaign named in its parameters; a dry run is rolled back.

    Errors: BrokenFile for a file that cannot be trusted as a whole, Refused for a closed campaign.
    """
    with transaction.atomic():
        campaign = fetch_for_known_answers(Campaign.objects.get(pk=run.parameters["campaign"]), None)
        read = read_batches(run, read_known_answers, lambda _, row: row, progress, counts)
        rows: list[KnownAnswerRow] = [row for batch in read for row in batch.lines]
        numbers = matched_numbers(run, {row.topic for row in rows}, counts)
        for row in rows:
            _load(campaign, row, numbers.get(row.topic, row.topic), counts)
        transaction.set_rollback(run.dry_run)


def _load(campaign: Campaign, row: KnownAnswerRow, topic: str, counts: ImportCounts) -> None:
    where = {"topic": topic, "aspect": row.aspect, "docno": row.docno, "criterion": row.criterion}
    try:
        stored = store_known_answer(campaign, **where, value=row.value, text=row.explanation, at=timezone.now())
    except Refused as refusal:
        counts.add_problems([Problem(row.file, row.line, refusal.reason)])
        return
    setattr(counts, stored.fate, getattr(counts, stored.fate) + 1)
