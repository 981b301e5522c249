"""Requests to import judgments; the work is in jobs/imports.py, the job is the corpus' own."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.db import transaction

from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.rules.campaigns import check_not_closed
from annotation.models import Campaign
from corpus.collections.rules import check_manager
from corpus.imports.actions import Upload, request_import
from corpus.models import ImportRun


@transaction.atomic
def request_judgment_import(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    files: Sequence[Upload | Path],
    format: str = "auto",  # noqa: A002 - the name users know
    annotator: str = "",
    machine: bool = False,
    dry_run: bool = False,
    send: bool = True,
) -> ImportRun:
    """Request an import of files of judgments into the campaign.

    `annotator` is whose labels these are, whatever the files say; `machine` marks all annotators in them as machines.
    `send=False` leaves the work to the caller. Errors: Refused for a closed campaign and for files that cannot be read.
    """
    campaign = Campaign.objects.select_related("collection").get(pk=campaign.pk)
    check_manager(campaign.collection, by)
    check_not_closed(campaign)
    if campaign.kind_object.no_criteria:
        raise Refused(f"Campaigns of the kind {campaign.kind_object} have no judgments, so none can be imported.")
    if not campaign.items.exists():
        raise Refused("The campaign has no items yet, so there is nothing to have been judged. Build them first.")
    return request_import(
        by=by,
        at=at,
        collection=campaign.collection,
        kind="judgments",
        files=files,
        format=format,
        dry_run=dry_run,
        send=send,
        campaign=campaign.pk,
        annotator=annotator.strip(),
        machine=machine,
    )
