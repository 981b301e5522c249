"""Guidelines: versions that are never changed, only followed by the next."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.models import Campaign, Guideline
from engines.definitions.settings import GUIDELINE


@transaction.atomic
def write_guideline(
    *, campaign: Campaign, body: str, by: User | None, at: datetime, based_on: int | None = None
) -> Guideline:
    """Store a new version, or return the newest one if the text is the same.

    `based_on` is the version the writer started from; None skips the check.
    Errors: Refused for an empty text or a closed campaign, Conflict where somebody else wrote a version meanwhile.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    check_not_closed(campaign)
    body = check_body(body)
    newest = campaign.guidelines.first()
    version = newest.version if newest else 0
    if based_on is not None and based_on != version:
        raise Conflict(
            f"Someone saved version {version} while you were editing version {based_on}. Compare the"
            " two below, update your text, and save again."
        )
    if newest and newest.body == body:
        return newest
    written = Guideline.objects.create(campaign=campaign, version=version + 1, body=body, created_at=at, created_by=by)
    record_event(
        by=by, at=at, verb="write_guideline", target=campaign, scope=campaign.collection, version=written.version
    )
    return written


def check_body(body: str) -> str:
    """The text with uniform line ends; refuses an empty or endless one."""
    body = body.replace("\r\n", "\n").replace("\r", "\n").strip() + "\n"
    if not body.strip():
        raise Refused("The guideline is empty. Write the rules for annotators.")
    check_within(GUIDELINE, body)
    return body
