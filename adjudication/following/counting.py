"""Adding up the work of a campaign: days, hours, speed, and how the answers of each person compare with the others'.

Everything is counted again from the judgments, so that nothing taken back lingers and nothing is added twice.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from accounts.job_kinds import Progress
from accounts.jobs import send
from accounts.models import FINAL_STATES, JobState
from adjudication.following.answers import answers_of_people
from adjudication.labels.relevance import STORE
from adjudication.models import RelevanceCount
from annotation.campaigns import progress as campaign_progress
from annotation.campaigns.progress import count_progress
from annotation.gold.results import gold_results
from annotation.models import AnnotatorKind, Campaign, DailyWork, WorkSummary

LEAST_PAUSE = timedelta(minutes=1)  # between two counts of a campaign
LOAD = 20  # a count that took a minute is not repeated within this many minutes: at most 5% of one core
AT_LATEST = timedelta(hours=1)  # an open campaign is counted this often; undone and changed answers show nowhere else

# People's items by the day on which they were finished. Imported judgments are nobody's work here. What no
# longer counts because somebody withdrew their consent, or had their labels erased, was still work.
FINISHED = """
SELECT a.annotator_id, (a.finished_at AT TIME ZONE %(zone)s)::date, count(*)
FROM annotation_assignment a
WHERE a.annotator_id = ANY(%(people)s) AND a.imported_in_id IS NULL
  AND (a.state = 'done' OR a.state = 'withdrawn' AND a.finished_at IS NOT NULL) GROUP BY 1, 2
"""
SENT = """
SELECT a.annotator_id, (s.received_at AT TIME ZONE %(zone)s)::date, count(*), count(s.active_ms),
  coalesce(sum(s.active_ms), 0)::bigint
FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
WHERE a.annotator_id = ANY(%(people)s) AND s.kind IN ('answer', 'skip') AND s.device <> 'machine' GROUP BY 1, 2
"""
PENDING = """
SELECT annotator_id, count(*) FROM annotation_assignment
WHERE annotator_id = ANY(%(people)s) AND state = 'pending' GROUP BY 1
"""
# The 95% interval of the median: the answers at these places in order of time (Conover 1999, 3.2), from six answers on.
SPEEDS = """
SELECT a.annotator_id, count(*), percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY s.active_ms / 1000.0),
  CASE WHEN count(*) >= 6 THEN ARRAY[
    (array_agg(s.active_ms / 1000::float8 ORDER BY s.active_ms))[
      greatest(1, floor(count(*) / 2.0 - 0.98 * sqrt(count(*))))::int],
    (array_agg(s.active_ms / 1000::float8 ORDER BY s.active_ms))[
      least(count(*), ceil(count(*) / 2.0 + 1 + 0.98 * sqrt(count(*))))::int]] END
FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
WHERE a.annotator_id = ANY(%(people)s) AND s.kind = 'answer' AND s.outcome = 'counted' AND s.device <> 'machine'
  AND s.active_ms IS NOT NULL GROUP BY 1
"""
# Campaigns that were never counted, in which something was finished or assigned since, or that are due anyway. For
# large campaigns relevance is stored too, so changes of verdicts and of the aspects of topics count as well.
DUE = """
SELECT c.id FROM annotation_campaign c LEFT JOIN annotation_worksummary w ON w.campaign_id = c.id
JOIN corpus_collection home ON home.id = c.collection_id AND home.archived_at IS NULL
WHERE CASE
  WHEN w.id IS NULL THEN c.state <> 'draft'
  WHEN w.state NOT IN ('done', 'failed', 'cancelled') THEN false
  WHEN %(now)s < w.finished_at + greatest(%(pause)s, %(load)s * (w.finished_at - coalesce(w.started_at, w.finished_at)))
    THEN false
  WHEN w.counted_at IS NULL OR c.state = 'open' AND w.counted_at < %(now)s - %(latest)s THEN true
  WHEN EXISTS (SELECT FROM annotation_assignmentrun r WHERE r.campaign_id = c.id AND r.finished_at > w.counted_at)
    THEN true
  WHEN (w.progress ->> 'size')::bigint > %(live_most)s AND (
    EXISTS (SELECT FROM adjudication_voterun v WHERE v.campaign_id = c.id AND v.finished_at > w.counted_at)
    OR EXISTS (
      SELECT FROM annotation_criterion k JOIN adjudication_verdict v ON v.criterion_id = k.id
      WHERE k.campaign_id = c.id AND v.changed_at > w.counted_at)
    OR EXISTS (
      SELECT FROM corpus_topic t JOIN corpus_topicversion v ON v.topic_id = t.id
      WHERE t.collection_id = c.collection_id AND v.saved_at > w.counted_at)
  ) THEN true
  ELSE EXISTS (
    SELECT FROM annotation_annotator who JOIN annotation_assignment a ON a.annotator_id = who.id
    WHERE who.campaign_id = c.id AND who.kind = 'human' AND a.finished_at > w.counted_at)
END
ORDER BY c.id
"""


@transaction.atomic
def queue_count(campaign: int, *, by: Any, at: datetime) -> WorkSummary:
    """The campaign's count, queued unless it waits or runs already."""
    found, created = WorkSummary.objects.select_for_update().get_or_create(
        campaign_id=campaign, defaults={"requested_by": by, "requested_at": at}
    )
    if not created and found.state in FINAL_STATES:
        again = {"state": JobState.QUEUED, "attempts": 0, "done": 0, "total": 0, "step": "", "reason": ""}
        moments = {"requested_at": at, "started_at": None, "finished_at": None, "cancel_requested_at": None}
        WorkSummary.objects.filter(pk=found.pk).update(requested_by=by, **again, **moments)
        found.refresh_from_db()
        created = True
    if created:
        send(found)
    return found


def due_campaigns(now: datetime) -> list[int]:
    """Campaigns whose work is to be counted now."""
    named = {
        "now": now,
        "pause": LEAST_PAUSE,
        "load": LOAD,
        "latest": AT_LATEST,
        "live_most": campaign_progress.LIVE_MOST,
    }
    return [pk for (pk,) in _rows(DUE, named)]


def count_work(job: WorkSummary, progress: Progress) -> None:
    """Replace the figures of the campaign by new ones. Each statement reads the campaign's judgments once."""
    began = timezone.now()
    people = list(job.campaign.annotators.filter(kind=AnnotatorKind.HUMAN).values_list("pk", flat=True))
    named = {"people": people}
    progress.report(0, 6, "counting judgments by day")
    days = work_days(people)
    progress.report(2, 6, "measuring speed")
    speeds = _rows(SPEEDS, named)
    figures = _people(people, speeds, _rows(PENDING, named))
    progress.report(3, 6, "comparing people")
    for pk, answers in answers_of_people(job.campaign, people, progress.check).items():
        parts = {key: each.pop("parts") for key, each in answers.items()}
        figures[str(pk)] |= {"answers": parts, "quality": answers}
    for one in gold_results(job.campaign).people:
        if str(one.annotator.pk) in figures:
            figures[str(one.annotator.pk)]["gold"] = [one.share.hits, one.share.n, one.below]
    progress.report(5, 6, "counting items")
    whole = count_progress(job.campaign, began)
    with transaction.atomic():
        DailyWork.objects.filter(annotator__campaign=job.campaign_id).delete()
        DailyWork.objects.bulk_create(days, batch_size=1000)
        _store_relevance(job.campaign, is_large=whole["size"] > campaign_progress.LIVE_MOST)
        WorkSummary.objects.filter(pk=job.pk).update(counted_at=began, people=figures, progress=whole)
    progress.report(6, 6, "")


def _store_relevance(campaign: Campaign, *, is_large: bool) -> None:
    """What is relevant to each topic, where that is too much to be added up for a page."""
    RelevanceCount.objects.filter(criterion__campaign=campaign).delete()
    if not is_large or "relevance" not in campaign.kind_object.tabs:
        return
    named = {"campaign": campaign.pk, "topic": None, "aspects": None}
    with connection.cursor() as cursor:
        for criterion in campaign.criteria.values_list("pk", flat=True):
            for judged_only in (False, True):
                cursor.execute(STORE, {**named, "criterion": criterion, "judged_only": judged_only})


def work_days(people: Sequence[int]) -> list[DailyWork]:
    """The work of these annotators by person and day, not saved. Reads each of their assignments and answers once."""
    named = {"people": list(people), "zone": settings.TIME_ZONE}
    finished, sent = _rows(FINISHED, named), _rows(SENT, named)
    found: dict[tuple[int, Any], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for annotator, day, judgments in finished:
        found[annotator, day][0] = judgments
    for annotator, day, *counts in sent:
        found[annotator, day][1:] = counts
    fields = ("judgments", "sent", "timed", "active_ms")
    return [
        DailyWork(annotator_id=annotator, day=day, **dict(zip(fields, counts, strict=True)))
        for (annotator, day), counts in sorted(found.items())
    ]


def _people(people: Sequence[int], speeds: Sequence[Any], pending: Sequence[Any]) -> dict[str, Any]:
    """By id: {"timed": n, "seconds": [quartiles] or null, "median": [low, high] or null, "pending": n}."""
    found: dict[str, Any] = {str(pk): {"timed": 0, "seconds": None, "pending": 0} for pk in people}
    for annotator, items in pending:
        found[str(annotator)]["pending"] = items
    for annotator, timed, seconds, around in speeds:
        found[str(annotator)] |= {"timed": timed, "seconds": seconds, "median": around}
    return found


def _rows(sql: str, named: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, named)
        return cursor.fetchall()
