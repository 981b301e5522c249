"""Votes that nobody has to ask to count: where the kind of campaign says so, once no judgment is missing."""

from datetime import datetime
from typing import Any

from adjudication.agreement.requests import request_vote
from adjudication.labels.counts import newest_count
from adjudication.labels.due import NOTHING_IMPORTED_SINCE, start_each
from annotation.kind import kinds
from annotation.models import Campaign, CampaignState

AWAITED = "The votes are counted automatically, within a minute of the last judgment that is needed."

# Campaigns with an answer that no count has seen and no judgment missing. A count that failed, or was cancelled, waits
# for somebody who asks again.
DUE = f"""
SELECT c.id FROM annotation_campaign c
JOIN corpus_collection home ON home.id = c.collection_id AND home.archived_at IS NULL
LEFT JOIN LATERAL (
  SELECT * FROM adjudication_voterun r WHERE r.campaign_id = c.id ORDER BY r.id DESC LIMIT 1
) run ON true
WHERE c.kind = ANY(%(kinds)s) AND c.state <> %(draft)s AND (run.id IS NULL OR run.state = %(done)s)
AND EXISTS (
  SELECT FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
  JOIN annotation_item i ON i.id = a.item_id
  WHERE i.campaign_id = c.id AND s.id > coalesce(run.snapshot, 0)
    AND s.id > (SELECT max(id) FROM annotation_submission) - %(looked_at)s)
AND NOT EXISTS (
  SELECT FROM annotation_item i WHERE i.campaign_id = c.id AND c.overlap + i.extra_overlap > (
    SELECT count(*) FROM annotation_assignment a
    WHERE a.item_id = i.id AND a.slot IS NOT NULL AND a.state = 'done'))
AND {NOTHING_IMPORTED_SINCE}ORDER BY c.id
"""


def start_due(now: datetime) -> None:
    """Ask for the count of each campaign whose time has come, by the rules of its newest one, else by the usual."""

    def ask(campaign: Campaign) -> None:
        request_vote(campaign=campaign, by=None, at=now, **_rules_of(campaign))

    counted = [kind.name for kind in kinds() if kind.counts_itself]
    start_each(DUE, ask, kinds=counted, draft=CampaignState.DRAFT)


def _rules_of(campaign: Campaign) -> dict[str, Any]:
    run = newest_count(campaign.pk)
    if run is None:
        return {}
    chosen = {name: run.parameters[name] for name in ("weighted", "voters") if name in run.parameters}
    return {"ties": run.ties, "min_votes": run.min_votes, **chosen}
