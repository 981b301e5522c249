"""Storing extractions and their revisions, for actions and imports."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusals import Refused
from annotation.models import Extraction, ExtractionRevision, ExtractionSource, ExtractionState
from annotation.papers.reads.extractions import content_of
from corpus.models import Paper
from engines.definitions.extraction_steps import apply_step
from engines.definitions.extractions import BadExtraction, Content, read_content, write_content


@transaction.atomic
def store_extraction(
    *,
    paper: Paper,
    source: ExtractionSource,
    content: Content,
    by: User | None,
    at: datetime,
    maker: str = "",
    state: ExtractionState = ExtractionState.DRAFT,
    basis: Mapping[str, Any] | None = None,
    **owner: Any,
) -> Extraction:
    """A new extraction with its first revision; `owner` is its assignment or campaign. The caller records the event."""
    extraction = Extraction.objects.create(
        paper=paper,
        source=source,
        maker=maker,
        state=state,
        current=1,
        created_at=at,
        updated_at=at,
        finished_at=at if state == ExtractionState.FINISHED else None,
        **owner,
    )
    ExtractionRevision.objects.create(
        extraction=extraction,
        number=1,
        content=write_content(content),
        made_by=by,
        made_at=at,
        change="begun",
        basis=basis,
    )
    return extraction


@transaction.atomic
def replace_content(extraction: Extraction, content: Content, *, by: User | None, at: datetime, change: str) -> bool:
    """Append a revision to a machine's or an imported extraction; return whether the content is different."""
    extraction = Extraction.objects.select_for_update().get(pk=extraction.pk)
    new = write_content(content)
    if new == write_content(content_of(extraction)):
        return False
    append_revision(extraction, new, by=by, at=at, change=change)
    return True


def append_steps(
    extraction: Extraction,
    steps: Sequence[Any],
    *,
    by: User | None,
    at: datetime,
    unnamed: str = "",
    basis: Mapping[str, Any] | None = None,
) -> Extraction:
    """Append a revision for each step (engines/definitions/extraction_steps.py) that changes the content.

    `unnamed` is the change of a step without a name. Errors: Refused for content that is no extraction; the caller's
    transaction must then be rolled back.
    """
    stored = write_content(content_of(extraction))
    for step in steps:
        try:
            new = write_content(read_content(apply_step(stored, step)))
        except BadExtraction as bad:
            raise Refused(f"That cannot be stored: {bad.reason}.") from bad
        if new != stored:
            change = str(step.get("change") or unnamed)
            extraction = append_revision(extraction, new, by=by, at=at, change=change, basis=basis)
        stored = new
    return extraction


def append_revision(
    extraction: Extraction,
    content: dict[str, Any],
    *,
    by: User | None,
    at: datetime,
    change: str,
    basis: Mapping[str, Any] | None = None,
) -> Extraction:
    """Write the next revision after the newest and make it current; undo leads back to the one that was current.

    `change` says what was done, in at most 200 characters; `basis`, for a result of adjudication, which versions it is
    made of.
    """
    newest = extraction.revisions.order_by("-number").values_list("number", flat=True)[0]
    ExtractionRevision.objects.create(
        extraction=extraction,
        number=newest + 1,
        parent=extraction.current,
        content=content,
        made_by=by,
        made_at=at,
        change=change[:200],
        basis=basis,
    )
    return move_to(extraction, newest + 1, at)


def move_to(extraction: Extraction, number: int, at: datetime) -> Extraction:
    """Make the revision of this number the current one."""
    extraction.current, extraction.updated_at = number, at
    extraction.save(update_fields=["current", "updated_at"])
    return extraction
