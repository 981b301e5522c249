"""Importing known answers: each row as the verb `set_known_answer` would store it."""

from django.db import transaction
from django.utils import timezone

from accounts.jobs import Progress
from accounts.refusals import Refused
from annotation.gold.known import fetch_for_known_answers, store_known_answer
from annotation.models import Campaign
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import read_batches
from corpus.loading.topic_numbers import matched_numbers
from corpus.models import ImportRun
from engines.formats.known_answers import KnownAnswerRow
from engines.formats.reading import read_known_answers
from engines.formats.records import Problem


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
