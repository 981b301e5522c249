"""What nobody has to ask for: figures and votes of campaigns that were judged since. Which ones, their rooms say."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from accounts.models import JobState
from accounts.refusals import Refused
from accounts.sql import execute
from annotation.models import Campaign

LOOKED_AT = 20_000  # newest answers of all campaigns: what a look every minute may cost

# Imported judgments since the newest `run` of campaign `c` wait for somebody who asks: once there are figures or
# verdicts of them, their import cannot be undone.
NOTHING_IMPORTED_SINCE = """
NOT EXISTS (
  SELECT FROM corpus_importrun brought WHERE brought.collection_id = c.collection_id AND brought.kind = 'judgments'
    AND NOT brought.dry_run AND brought.undone_at IS NULL AND brought.parameters ->> 'campaign' = c.id::text
    AND brought.finished_at > coalesce(run.started_at, '-infinity'))
"""


def start_each(due: str, ask: Callable[[Campaign], object], **named: Any) -> None:
    """Ask for each campaign whose id the statement `due` gives, whose further parameters are `named`.

    A refusal is no fault: sealed, not compared at all, or asked for this moment. Nobody waits for an answer.
    """
    found = [pk for (pk,) in execute(due, {**named, "done": JobState.DONE, "looked_at": LOOKED_AT})]
    for campaign in Campaign.objects.filter(pk__in=found).select_related("collection").order_by("pk"):
        with suppress(Refused):
            ask(campaign)
