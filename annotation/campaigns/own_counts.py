"""How many items one person has judged, skipped and still has to do: live, or stored for those with very many.

A person with more than LIVE_MOST assignments at the newest count of the campaign's job is shown what that counted and
what they have finished since, found by the index of their history; what they took back or changed since then shows at
the next count. Everybody else is counted live.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import DateTimeField, Field, IntegerField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from accounts.prepared_statements import run
from annotation.campaigns import progress

# Annotators (`who`) with their counts. Each lateral query reads nothing where its condition on `stored` does not hold.
COUNTED = """
annotation_annotator who
LEFT JOIN LATERAL (
  SELECT w.counted_at, (load ->> 1)::bigint AS pending, (load ->> 2)::bigint AS done, (load ->> 3)::bigint AS skipped
  FROM annotation_worksummary w, jsonb_array_elements(w.progress -> 'loads') load
  WHERE w.campaign_id = who.campaign_id AND (load ->> 0)::bigint = who.id
    AND (load ->> 1)::bigint + (load ->> 2)::bigint + (load ->> 3)::bigint > {most}
) stored ON true
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE state = 'done') AS done,
    count(*) FILTER (WHERE state = 'skipped') AS skipped
  FROM annotation_assignment WHERE annotator_id = who.id AND stored.counted_at IS NULL
) live
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE state = 'done') AS done, count(*) FILTER (WHERE state = 'skipped') AS skipped
  FROM annotation_assignment a WHERE annotator_id = who.id AND finished_at > stored.counted_at AND coalesce((
    SELECT s.kind = 'undo' FROM annotation_submission s
    WHERE s.assignment_id = a.id AND s.outcome = 'counted' AND s.received_at <= stored.counted_at
    ORDER BY s.id DESC LIMIT 1), true)  -- else it was counted: undone since and given again, or a skip that was judged
) since
CROSS JOIN LATERAL (
  SELECT count(*) AS few FROM (
    SELECT FROM annotation_assignment
    WHERE annotator_id = who.id AND state = 'pending' AND stored.counted_at IS NOT NULL LIMIT {most} + 1
  ) bounded
) waiting
CROSS JOIN LATERAL (
  SELECT coalesce(stored.done, live.done) + since.done AS done,
    coalesce(stored.skipped, live.skipped) + since.skipped AS skipped,
    CASE WHEN stored.counted_at IS NULL THEN live.pending WHEN waiting.few <= {most} THEN waiting.few
      ELSE greatest(stored.pending - since.done - since.skipped, 0) END AS pending
) own
"""
OWN = f"SELECT who.id, own.done, own.skipped, own.pending, stored.counted_at FROM {COUNTED} WHERE who.id = ANY({{who}})"

# The median of each one's newest answers: the pace now, at a cost that does not grow.
PACES = """
SELECT who AS id, percentile_cont(0.5) WITHIN GROUP (ORDER BY last.active_ms) / 1000.0 AS seconds
FROM unnest(%(who)s::bigint[]) who
CROSS JOIN LATERAL (
  SELECT a.id FROM annotation_assignment a
  WHERE a.annotator_id = who AND a.finished_at IS NOT NULL ORDER BY a.finished_at DESC LIMIT 50
) recent
CROSS JOIN LATERAL (
  SELECT s.active_ms FROM annotation_submission s
  WHERE s.assignment_id = recent.id AND s.kind = 'answer' AND s.active_ms IS NOT NULL ORDER BY s.id DESC LIMIT 1
) last
GROUP BY who HAVING count(*) >= 3
"""


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """One annotator's assignments by state; `counted_at` where they were not all counted now, else None."""

    done: int
    skipped: int
    pending: int
    counted_at: datetime | None

    @property
    def assigned(self) -> int:
        """To be judged or judged."""
        return self.done + self.pending


def own_in_campaigns(user: int) -> dict[str, Coalesce | RawSQL]:
    """Annotations of campaigns: `items_count` and `done` of the person's own, `counted_at` where they are stored."""
    return {
        "items_count": Coalesce(_of_campaign("own.done + own.pending", user, IntegerField()), 0),
        "done": Coalesce(_of_campaign("own.done", user, IntegerField()), 0),
        "counted_at": _of_campaign("stored.counted_at", user, DateTimeField()),
    }


def _of_campaign(what: str, user: int, field: "Field[Any, Any]") -> RawSQL:
    counted = COUNTED.format(most=int(progress.LIVE_MOST))
    where = "who.campaign_id = annotation_campaign.id AND who.user_id = %s"
    return RawSQL(f"(SELECT {what} FROM {counted} WHERE {where})", [user], field)  # noqa: S611 # `what` is ours


def own_counts(annotators: Iterable[int]) -> dict[int, OwnCounts]:
    """The counts of each of these annotators by their ids. One query."""
    sql = OWN.format(most="%(most)s", who="%(who)s")
    rows = run(sql, {"most": progress.LIVE_MOST, "who": list(annotators)})
    return {row.id: OwnCounts(row.done, row.skipped, row.pending, row.counted_at) for row in rows}


def own_paces(annotators: Iterable[int]) -> dict[int, float]:
    """Median seconds of active time of each one's last 50 answers, without those with fewer than three. One query."""
    return {row.id: float(row.seconds) for row in run(PACES, {"who": list(annotators)})}
