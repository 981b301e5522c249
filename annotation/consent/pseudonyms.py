"""People whose name leaves what is stored of their judging, and labels that no longer count."""

import json
from collections.abc import Collection as Several
from datetime import datetime
from itertools import product
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.extensions import extensions
from accounts.sql import execute
from annotation.assignment.open_queue import free_slots
from annotation.models import (
    Annotator,
    Assignment,
    AssignmentRun,
    AssignmentState,
    Campaign,
    Extraction,
    ExtractionState,
    Judgment,
)
from corpus.models import ImportRun

# In one statement: somebody may have judged a hundred thousand items.
UNDO = """
INSERT INTO annotation_submission (uuid, assignment_id, kind, outcome, answers, reasons, reason, note, flagged, device,
  received_at)
SELECT gen_random_uuid(), id, 'undo', 'counted', '{}', '{}', '', '', false, 'withdrawal', %(at)s
FROM annotation_assignment WHERE annotator_id = ANY(%(annotators)s) AND state = 'done' ORDER BY id
"""


def pseudonymise(annotators: QuerySet[Annotator], names: Several[str], email: str, pseudonym: str) -> None:
    """Replace these names of one person wherever their judging is recorded in the annotators' campaigns.

    Apps above register `pseudonyms`: functions of (ids of campaigns, names, pseudonym).
    """
    names = {*annotators.values_list("name", flat=True), *names} - {"", pseudonym}
    campaigns = list(annotators.values_list("campaign", flat=True))
    collections = list(annotators.values_list("campaign__collection", flat=True).distinct())
    for rename in extensions("pseudonyms").values():
        rename(campaigns, names, pseudonym)
    annotators.update(name=pseudonym)
    for run in AssignmentRun.objects.filter(campaign__in=campaigns):
        run.summary = renamed(run.summary, names, pseudonym)
        run.save(update_fields=["summary"])
    rename_in_events(collections, names, pseudonym)
    for job in _naming(ImportRun.objects.filter(collection__in=collections), "remarks", names):
        remarks = [_without(remark, names, email, pseudonym) for remark in job.remarks]
        ImportRun.objects.filter(pk=job.pk).update(remarks=remarks)


def rename_in_events(collections: Several[int], names: Several[str], pseudonym: str) -> None:
    """As `renamed`, in one statement: a collection may have hundreds of thousands of events."""
    text, values, held = "data::text", [], []
    for name in names:
        old, new = (json.dumps(each, ensure_ascii=False)[1:-1] for each in (name, pseudonym))
        held.append(old)
        for before, after in product('"|', repeat=2):
            text = f"replace({text}, %s, %s)"
            values += [f"{before}{old}{after}", f"{before}{new}{after}"]
    if names:
        execute(
            f"UPDATE accounts_auditevent SET data = ({text})::jsonb WHERE scope_id = ANY(%s)"
            " AND EXISTS (SELECT FROM unnest(%s::text[]) held WHERE position(held in data::text) > 0)",
            [*values, list(collections), held],
        )


def _naming(rows: QuerySet[Any], column: str, names: Several[str]) -> Any:
    """Those rows whose column holds one of the names, as a part of its text."""
    named = Q()
    for name in names:
        named |= Q(text__contains=name) | Q(text__contains=json.dumps(name, ensure_ascii=False)[1:-1])
    return rows.annotate(text=Cast(column, TextField())).filter(named).iterator(chunk_size=2_000) if names else []


def _without(sentence: str, names: Several[str], email: str, pseudonym: str) -> str:
    """The sentence without `Name (address)`, as remarks of imports name people."""
    for name in names:
        sentence = sentence.replace(f"{name} ({email})", pseudonym)
    return sentence


def renamed(value: Any, names: Several[str], pseudonym: str) -> Any:
    """A JSON value with these names replaced, also in keys and in couples such as `Ada|Ben`."""
    if isinstance(value, dict):
        return {renamed(key, names, pseudonym): renamed(each, names, pseudonym) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, names, pseudonym) for each in value]
    if isinstance(value, str):
        return "|".join(pseudonym if part in names else part for part in value.split("|"))
    return value


def lock_campaigns(annotators: QuerySet[Annotator], *, waits: bool = True) -> bool:
    """Lock the campaigns of these against counts, which else would never see the undos of `leave_out_labels`; False
    where one runs and this does not wait."""
    rows = Campaign.objects.filter(pk__in=annotators.values("campaign")).order_by("pk")
    try:
        with transaction.atomic():
            list(rows.select_for_update(no_key=True, nowait=not waits))
    except OperationalError:  # somebody else has the lock
        if waits:
            raise
        return False
    return True


def leave_out_labels(annotators: QuerySet[Annotator], at: datetime) -> int:
    """Let none of their labels count any longer; how many items that were. Call it after `lock_campaigns`, with the
    annotators' rows locked.

    An undo is appended for each answer, so that figures and votes made of it are known to be out of date. Slots of an
    open queue are offered to others again.
    """
    done = Assignment.objects.filter(annotator__in=annotators, state=AssignmentState.DONE)
    Judgment.objects.filter(assignment__in=done)._raw_delete(using="default")
    execute(UNDO, {"annotators": list(annotators.values_list("pk", flat=True)), "at": at})
    papers = Extraction.objects.filter(assignment__annotator__in=annotators, state=ExtractionState.FINISHED)
    papers.update(state=ExtractionState.DRAFT, finished_at=None, updated_at=at)
    of_queue = list(done.filter(queue__isnull=False).values_list("pk", flat=True))
    return free_slots(of_queue, state=AssignmentState.WITHDRAWN) + done.update(
        state=AssignmentState.WITHDRAWN, slot=None
    )
