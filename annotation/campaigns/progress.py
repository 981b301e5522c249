"""How far a campaign is: for those who oversee it, never for its annotators.

Counted live, or taken from the newest count of the campaign's job where it has more than LIVE_MOST assignments.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.counting import day
from accounts.sql import execute
from annotation.models import Annotator, AnnotatorState, Campaign, CampaignState, WorkSummary

PACE_DAYS = 7
LEAST_ANSWERS = 20  # fewer say nothing about the pace
LIVE_MOST = 100_000  # assignments that are counted while a page is made

# Items by campaign and (judgments needed, given, and slots that are taken or free to take).
ITEMS = """
SELECT campaign, needed, done, slots, count(*) FROM (
  SELECT c.id AS campaign, c.overlap + i.extra_overlap AS needed,
    count(a.id) FILTER (WHERE a.state = 'done') AS done, count(a.id) AS slots
  FROM annotation_item i
  JOIN annotation_campaign c ON c.id = i.campaign_id
  LEFT JOIN annotation_assignment a ON a.item_id = i.id AND a.slot IS NOT NULL
  WHERE i.campaign_id = ANY(%(campaigns)s) GROUP BY i.id, c.id
) each GROUP BY campaign, needed, done, slots
"""
STALE = """
SELECT queue_id, count(*) FROM annotation_assignment
WHERE queue_id = ANY(%(campaigns)s) AND state = 'pending' AND lease_expires_at < %(now)s GROUP BY 1
"""
SKIPPED = """
SELECT i.campaign_id, coalesce(last.reason, '') AS reason, count(*) FROM annotation_assignment a
JOIN annotation_item i ON i.id = a.item_id
LEFT JOIN LATERAL (
  SELECT s.reason FROM annotation_submission s WHERE s.assignment_id = a.id AND s.kind = 'skip'
  ORDER BY s.id DESC LIMIT 1
) last ON true
WHERE i.campaign_id = ANY(%(campaigns)s) AND a.state = 'skipped' GROUP BY 1, 2 ORDER BY 3 DESC, 2
"""
# As they were at `until`, null for now: so that what is finished while a long count runs is added once, not twice.
LOADS = """
SELECT annotator_id, count(*) FILTER (WHERE state = 'pending' OR finished_at > %(until)s),
  count(*) FILTER (WHERE state = 'done' AND (finished_at > %(until)s) IS NOT TRUE),
  count(*) FILTER (WHERE state = 'skipped' AND (finished_at > %(until)s) IS NOT TRUE), max(finished_at)
FROM annotation_assignment WHERE annotator_id = ANY(%(annotators)s) GROUP BY annotator_id
"""
PACES = """
SELECT a.annotator_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.active_ms) / 1000.0,
  count(*) FILTER (WHERE s.received_at > %(since)s), min(s.received_at) FILTER (WHERE s.received_at > %(since)s)
FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
WHERE a.annotator_id = ANY(%(annotators)s) AND s.kind = 'answer' AND s.outcome = 'counted'
  AND s.device <> 'machine' GROUP BY a.annotator_id
"""


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One annotator's part. `median_seconds` is of active time per answer, None where none was measured."""

    annotator: Annotator
    pending: int
    done: int
    skipped: int
    last_at: datetime | None
    median_seconds: float | None
    recent: int
    recent_since: datetime | None

    @property
    def assigned(self) -> int:
        return self.pending + self.done

    @property
    def is_active(self) -> bool:
        return self.annotator.state == AnnotatorState.ACTIVE


@dataclass(frozen=True, slots=True)
class Estimate:
    """When the campaign will be done at the pace of the last days, or why that is not known."""

    ends_at: datetime | None
    per_day: float | None
    reason: str

    def text(self, deadline: date | None) -> str:
        """In a sentence."""
        if self.ends_at is None or self.per_day is None:
            return self.reason
        last = timezone.localdate(self.ends_at)
        late = ", after the deadline" if deadline and last > deadline else ""
        return f"At {self.per_day:,.0f} a day, it will be finished about {day(last)}{late}."


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Counts of items unless said otherwise.

    `needs`: {n: items that need n more judgments}. `unassigned`: items with fewer slots taken or free than they need.
    `judgments` are given, `left` are still missing. `skipped`: [(reason, assignments)], most frequent first.
    """

    items: int
    complete: int
    in_progress: int
    untouched: int
    unassigned: int
    needs: dict[int, int]
    judgments: int
    left: int
    stale: int
    skipped: list[tuple[str, int]]
    counted_at: datetime | None = None  # None: live

    @property
    def is_stored(self) -> bool:
        """Whether the campaign is too large to be counted while a page is made."""
        return self.counted_at is not None

    @property
    def needed(self) -> int:
        """Judgments given and still missing together."""
        return self.judgments + self.left

    @property
    def percent(self) -> int:
        """Whole percent of the judgments needed that are given; 100 only when nothing is left."""
        return 100 * self.judgments // self.needed if self.needed else 0

    @property
    def skips(self) -> int:
        return sum(count for _, count in self.skipped)


def count_progress(campaign: Campaign, now: datetime) -> dict[str, Any]:
    """All that is counted over the whole campaign, as JSON: WorkSummary keeps it. Reads each assignment a few times.

    Keys: `size` (assignments that fill a slot), `items`, `judgments`, and the rows of the statements above.
    """
    people = {"annotators": list(campaign.annotators.values_list("pk", flat=True))}
    here = {"campaigns": [campaign.pk]}
    groups = [group for _, *group in execute(ITEMS, here)]
    return {
        "size": sum(slots * items for *_, slots, items in groups),
        "items": sum(items for *_, items in groups),
        "judgments": sum(done * items for _, done, _, items in groups),
        "groups": groups,
        "skipped": [row for _, *row in execute(SKIPPED, here)],
        "loads": [_plain(row) for row in execute(LOADS, people | {"until": now})],
        "paces": [_plain(row) for row in execute(PACES, people | {"since": now - timedelta(days=PACE_DAYS)})],
    }


def _plain(row: tuple[Any, ...]) -> list[Any]:
    return [cell.isoformat() if isinstance(cell, datetime) else cell for cell in row]


def counted_large_at(campaign: Campaign) -> datetime | None:
    """When the job counted the campaign, where it is too large to be counted live; None for any other. One query."""
    return large_counts([campaign.pk]).values_list("counted_at", flat=True).first()


def large_counts(campaigns: Iterable[int]) -> QuerySet[WorkSummary]:
    """The newest counts of those of these campaigns that are too large to be counted live."""
    return WorkSummary.objects.filter(campaign__in=list(campaigns), progress__size__gt=LIVE_MOST)


def _stored(campaign: Campaign) -> Mapping[str, Any] | None:
    """What the job counted last, where the campaign is too large to be counted live."""
    summary = getattr(campaign, "work_summary", None)
    return summary.progress if summary and summary.progress.get("size", 0) > LIVE_MOST else None


def fetch_progress(campaign: Campaign, now: datetime) -> CampaignProgress:
    """Four queries whatever the size, two where the job's count is shown."""
    return fetch_progresses([campaign], now)[campaign.pk]


def fetch_progresses(campaigns: Collection[Campaign], now: datetime) -> dict[int, CampaignProgress]:
    """How far each of these campaigns is, by its id. Three queries, and one for each that comes without its summary."""
    stored = {each.pk: _stored(each) for each in campaigns}
    live = {"campaigns": [pk for pk, found in stored.items() if found is None]}
    groups: dict[int, list[Any]] = defaultdict(list)
    skipped: dict[int, list[Any]] = defaultdict(list)
    if live["campaigns"]:
        for pk, *group in execute(ITEMS, live):
            groups[pk].append(group)
        for pk, *row in execute(SKIPPED, live):
            skipped[pk].append(row)
    stale = dict(execute(STALE, {"campaigns": list(stored), "now": now}))
    found = {}
    for campaign in campaigns:
        counts = stored[campaign.pk] or {"groups": groups[campaign.pk], "skipped": skipped[campaign.pk]}
        counted_at = campaign.work_summary.counted_at if stored[campaign.pk] else None
        found[campaign.pk] = _progress(counts, stale.get(campaign.pk, 0), counted_at)
    return found


def _progress(counts: Mapping[str, Any], stale: int, counted_at: datetime | None) -> CampaignProgress:
    """Of one campaign, from the rows of ITEMS and SKIPPED."""
    groups = counts["groups"]
    needs: Counter[int] = Counter()
    for needed, done, _, items in groups:
        needs[max(0, needed - done)] += items
    complete = needs.pop(0, 0)
    return CampaignProgress(
        items=complete + needs.total(),
        complete=complete,
        in_progress=sum(items for needed, done, _, items in groups if 0 < done < needed),
        untouched=sum(items for _, done, _, items in groups if not done),
        unassigned=sum(items for needed, _, slots, items in groups if slots < needed),
        needs=dict(sorted(needs.items())),
        judgments=sum(done * items for _, done, _, items in groups),
        left=sum(more * items for more, items in needs.items()),
        stale=stale,
        skipped=[(reason, count) for reason, count in counts["skipped"]],
        counted_at=counted_at,
    )


def annotator_rows(campaign: Campaign, now: datetime) -> list[AnnotatorRow]:
    """All annotators of the campaign, people first, removed ones last. Four queries at most, one for stored counts."""
    annotators = list(campaign.annotators.select_related("user").order_by("kind", "name"))
    annotators.sort(key=lambda each: each.state == AnnotatorState.REMOVED)
    return _rows_of(annotators, now, _stored(campaign))


def annotator_row(annotator: Annotator, now: datetime) -> AnnotatorRow:
    """One annotator of a campaign."""
    return _rows_of([annotator], now, None)[0]


def _rows_of(annotators: list[Annotator], now: datetime, stored: Mapping[str, Any] | None) -> list[AnnotatorRow]:
    named = {"annotators": [each.pk for each in annotators], "since": now - timedelta(days=PACE_DAYS), "until": None}
    loads = {row[0]: row[1:] for row in (stored["loads"] if stored else execute(LOADS, named))}
    paces = {row[0]: row[1:] for row in (stored["paces"] if stored else execute(PACES, named))}
    return [_row(each, loads.get(each.pk, (0, 0, 0, None)), paces.get(each.pk, (None, 0, None))) for each in annotators]


def estimate_end(
    progress: CampaignProgress, rows: list[AnnotatorRow], now: datetime, state: str = CampaignState.OPEN
) -> Estimate:
    """From the answers given in Litmus during the last week; imported ones say nothing about the pace. None of a
    campaign whose `state` lets nobody judge any more."""
    recent = sum(row.recent for row in rows)
    first = min((row.recent_since for row in rows if row.recent_since), default=None)
    if not progress.left:
        return Estimate(None, None, "All items are judged." if progress.items else "There are no items yet.")
    if state == CampaignState.CLOSED:
        return Estimate(None, None, "The campaign is closed, so judging has ended.")
    if first is None or recent < LEAST_ANSWERS or now - first < timedelta(days=1):
        return Estimate(None, None, f"An end date can be estimated after {LEAST_ANSWERS} answers over a day or more.")
    per_day = recent / ((now - first) / timedelta(days=1))
    days = progress.left / per_day
    if days > 3650:
        return Estimate(None, per_day, "At the current pace it would take more than ten years.")
    return Estimate(now + timedelta(days=days), per_day, "")


def _row(annotator: Annotator, load: tuple[Any, ...], pace: tuple[Any, ...]) -> AnnotatorRow:
    pending, done, skipped, last_at = load
    median, recent, since = pace
    seconds = None if median is None else float(median)
    return AnnotatorRow(annotator, pending, done, skipped, _moment(last_at), seconds, recent, _moment(since))


def _moment(value: datetime | str | None) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else value
