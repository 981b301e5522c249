"""What the labelling screen shows around its units: guideline, progress, why there is nothing to do, the history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy

from accounts.prepared_statements import MOST_ID, run
from annotation.assignment.open_queue import UNSEEN
from annotation.assignment.participation import Participation
from annotation.assignment.rejudging import IN_SIGHT
from annotation.campaigns.own_counts import own_counts
from annotation.campaigns.preferences import DELAYS, KEYS, Preferences
from annotation.labelling.units import Unit, fetch_units
from annotation.models import Campaign, Guideline
from engines.text.differences import Line, compare_texts
from engines.text.markdown import render_markdown

# The first row of an index each time: EXISTS would let the planner read the whole table of a large campaign. Only what
# could come to the annotator: an item that they answered or skipped never does, nor one whose votes they have seen.
COULD_COME = f"""NOT EXISTS (SELECT FROM annotation_assignment mine WHERE mine.item_id = a.item_id
    AND mine.annotator_id = %(annotator)s AND mine.state IN ('done', 'skipped'))
  AND {UNSEEN.format(item="a.item_id", annotator="%(annotator)s")}"""
QUEUE_STATE = f"""
SELECT
  (SELECT a.id FROM annotation_assignment a WHERE a.queue_id = %(campaign)s AND a.state = 'open' AND {COULD_COME}
   ORDER BY a.position LIMIT 1) IS NOT NULL AS free,
  (SELECT a.id FROM annotation_assignment a
   WHERE a.queue_id = %(campaign)s AND a.state = 'pending' AND a.lease_expires_at IS NOT NULL AND {COULD_COME}
   ORDER BY a.lease_expires_at LIMIT 1) IS NOT NULL AS leased
"""
HAS_ITEMS = "SELECT id FROM annotation_item WHERE campaign_id = %(campaign)s LIMIT 1"
# Units of the annotator's own past, newest first, after the given one. Keyset paging: no page costs more than another.
HISTORY = f"""
SELECT a.id, i.topic_id, i.document_id, a.repeat FROM annotation_assignment a
JOIN annotation_item i ON i.id = a.item_id
WHERE a.annotator_id = %(annotator)s AND a.finished_at IS NOT NULL AND a.state IN ('done', 'skipped') AND {IN_SIGHT}
  {{}}
ORDER BY a.finished_at DESC, a.id DESC LIMIT %(most)s
"""
# The oldest of so many answers that a page looks at: what narrows the history may fit none of a million.
LOOKED_AT = 5_000
OLDEST = """
SELECT a.id FROM annotation_assignment a
WHERE a.annotator_id = %(annotator)s AND a.finished_at IS NOT NULL AND a.state IN ('done', 'skipped') {}
ORDER BY a.finished_at DESC, a.id DESC OFFSET %(looked_at)s LIMIT 1
"""
DOWN_TO = (
    " AND (a.finished_at, a.id) >= (SELECT b.finished_at, b.id FROM annotation_assignment b WHERE b.id = %(oldest)s)"
)
# Where the page before ended: at one of the annotator's own. What was undone since stands where it was answered last.
BEFORE = """
AND (a.finished_at, a.id) < (
  SELECT coalesce(b.finished_at, (
    SELECT max(s.received_at) FROM annotation_submission s
    WHERE s.assignment_id = b.id AND s.outcome = 'counted' AND s.kind IN ('answer', 'skip'))), b.id
  FROM annotation_assignment b WHERE b.id = %(before)s AND b.annotator_id = %(annotator)s
)
"""
# What their newest answer or skip says narrows the history.
ONLY = """
AND EXISTS (
  SELECT FROM (
    SELECT s.kind, s.flagged, s.note, s.answers FROM annotation_submission s
    WHERE s.assignment_id = a.id AND s.outcome = 'counted' ORDER BY s.id DESC LIMIT 1
  ) last WHERE {}
)
"""
HISTORY_KINDS = {
    "skipped": gettext_lazy("Skipped"),
    "flagged": gettext_lazy("Flagged"),
    "noted": gettext_lazy("With a note"),
}  # values of `only`
_KIND = ONLY.format(
    "CASE %(only)s WHEN 'skipped' THEN last.kind = 'skip' WHEN 'flagged' THEN last.flagged ELSE last.note <> '' END"
)
_GRADE = ONLY.format("last.kind = 'answer' AND last.answers::jsonb ->> %(criterion)s::text = %(grade)s")

GROUP = 10  # assignments of one document, about


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """How far one annotator is: `finished` (judged or skipped) of `mine`, all ever given to them.

    `counted_at` is set where these are so many that they were not all counted now.
    """

    finished: int
    mine: int
    counted_at: datetime | None


def fetch_progress(participation: Participation) -> OwnProgress:
    """The annotator's own progress, counted once when the page is opened; from then on the page counts for itself."""
    own = own_counts([participation.annotator])[participation.annotator]
    finished = own.done + own.skipped
    return OwnProgress(finished, finished + own.pending, own.counted_at)


def screen_context(
    campaign: Campaign,
    participation: Participation,
    *,
    unit: Unit | None,
    progress: OwnProgress,
    preferences: Preferences,
    **more: Any,
) -> dict[str, Any]:
    """What the template of the labelling screen draws, `more` included. Four queries."""
    labelling = participation.labelling
    criteria = list(campaign.criteria.prefetch_related("levels"))
    newest = Guideline.objects.filter(campaign=campaign).first()
    return {
        "campaign": campaign,
        "collection": campaign.collection,
        "participation": participation,
        "unit": unit,
        "criteria": criteria,
        "has_examples": any(level.example for each in criteria for level in each.levels.all()),
        "progress": progress,
        "guideline": newest,
        "guideline_html": guideline_html(newest),
        "guideline_open": participation.keeps_guideline_open,
        "guideline_changed": 0 < participation.guideline_seen < participation.guideline,
        "guideline_changes": changes_since(newest, participation.guideline_seen),
        "labelling": labelling,
        "skip_reasons": labelling.skip_reasons,
        "preferences": preferences,
        "look": _look(participation, preferences),
        "keys": {**KEYS, **labelling.keys},
        "delays": DELAYS,
        **labelling.context(participation),
        **more,
    }


def _look(participation: Participation, preferences: Preferences) -> str:
    """Classes of the page: its order, whether words are marked, whether a digit submits."""
    looks = {
        "by-document": participation.by_document,
        "plain-text": not preferences.highlights,
        "digit-submits": preferences.delay is not None and not participation.by_document,
    }
    return " ".join(name for name, holds in looks.items() if holds)


def guideline_html(guideline: Guideline | None) -> str:
    return render_markdown(guideline.body, headings_from=3) if guideline else ""


def changes_since(newest: Guideline | None, seen: int) -> list[Line]:
    """How the guideline differs from the version that the person has seen; [] where they have seen none or this one."""
    if newest is None or not 0 < seen < newest.version:
        return []
    before = Guideline.objects.filter(campaign=newest.campaign_id, version=seen).first()
    return compare_texts(before.body, newest.body) if before else []


def describe_next(participation: Participation, ids: Sequence[Sequence[int]], *, holds_some: bool) -> dict[str, Any]:
    """The units that were dealt, why there are none unless the annotator `holds_some`, the newest guideline."""
    units = fetch_units(participation, ids)
    empty = "" if units or holds_some else why_empty(participation, fetch_progress(participation))
    return {"units": units, "empty": empty, "guideline": participation.guideline}


def why_empty(participation: Participation, progress: OwnProgress) -> str:
    """Why there is nothing to judge, as a code.

    The code of `why_cannot_judge`; all-done (of what could come to them nothing is left, whatever others still have to
    judge); waiting (some of it is with others, who may give it back);
    nothing-assigned.
    """
    if participation.why_cannot_judge:
        return participation.why_cannot_judge
    if not participation.is_queue:
        return "all-done" if progress.mine else "nothing-assigned"
    named = {"campaign": participation.campaign}
    queue = run(QUEUE_STATE, {**named, "annotator": participation.annotator})[0]
    if queue.free or queue.leased:
        return "waiting"
    return "all-done" if run(HAS_ITEMS, named) else "nothing-assigned"


def fetch_history(
    participation: Participation, *, before: int | None = None, most: int = 10, only: str = ""
) -> tuple[list[list[int]], int | None]:
    """The annotator's finished units, newest first: about `most`, older than the assignment `before`.

    Returns the units and the `before` of the page after, None when this is the oldest. In the order by document, what
    was finished of one topic and document stands together. `only` narrows it: a key of HISTORY_KINDS, or a grade as
    "criterion:value"; anything else does not. So narrowed, it looks at LOOKED_AT at most, and the page after looks on.
    """
    units_of = _by_document if participation.by_document else _singly
    limit = most * GROUP if participation.by_document else most
    named: dict[str, object] = {"annotator": participation.annotator}
    earlier = ""
    if before is not None:
        earlier, named["before"] = BEFORE, min(before, MOST_ID)
    narrowed, values = _narrowing(only)
    rest = run(OLDEST.format(earlier), {**named, "looked_at": LOOKED_AT - 1}) if narrowed else []
    if rest:
        narrowed, values["oldest"] = narrowed + DOWN_TO, rest[0].id
    rows = run(HISTORY.format(narrowed + earlier), named | values | {"most": limit})
    units = units_of(rows)
    if len(rows) < limit:
        return units, rest[0].id if rest else None
    if participation.by_document and len(units) > 1:  # the oldest unit may go on in the next page, so it is left for it
        cut = next(at for at, row in enumerate(rows) if row.id in units[-1])
        rows, units = rows[:cut], _by_document(rows[:cut])
    return units, rows[-1].id


def _narrowing(only: str) -> tuple[str, dict[str, object]]:
    """The condition of what the history is narrowed to, and its values; "" for everything."""
    if only in HISTORY_KINDS:
        return _KIND, {"only": only}
    if ":" in only:
        criterion, _, grade = only.rpartition(":")
        return _GRADE, {"criterion": criterion, "grade": grade}
    return "", {}


def _singly(rows: Sequence[Any]) -> list[list[int]]:
    return [[row.id] for row in rows]


def _by_document(rows: Sequence[Any]) -> list[list[int]]:
    units: dict[tuple[int, int, int], list[int]] = {}
    for row in rows:
        units.setdefault((row.topic_id, row.document_id, row.repeat), []).append(row.id)
    return list(units.values())
