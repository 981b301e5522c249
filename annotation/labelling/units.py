"""Units, which annotators are shown: fetched by the kind of their campaign, from parts that all kinds share."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from accounts.prepared_statements import MOST_ID, run
from annotation.assignment.participation import Participation
from annotation.assignment.rejudging import IN_SIGHT
from annotation.models import AssignmentState, SubmissionKind

Unit = dict[str, Any]

# What a unit of any kind is read from; its kind adds columns and joins. Only what the annotator may see is read at all:
# pools, runs and other assignments are not joined.
UNITS = f"""
SELECT a.id, a.state, listed.unit, t.number, t.title AS topic_title, t.text, t.narrative,
  last.uuid AS base, last.kind, last.answers, last.reasons, last.reason, last.note, last.flagged, {{columns}}
FROM unnest(%(ids)s::bigint[], %(units)s::bigint[]) WITH ORDINALITY AS listed(id, unit, place)
JOIN annotation_assignment a ON a.id = listed.id
JOIN annotation_item i ON i.id = a.item_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN LATERAL (
  SELECT s.id, s.uuid, s.kind, s.answers, s.reasons, s.reason, s.note, s.flagged FROM annotation_submission s
  WHERE s.assignment_id = a.id AND s.outcome = 'counted' ORDER BY s.id DESC LIMIT 1
) last ON true
{{joins}}
WHERE a.annotator_id = %(annotator)s AND {IN_SIGHT}
ORDER BY listed.place
"""


def fetch_units(participation: Participation, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each a list of assignment ids, as the labelling screen shows it."""
    return participation.labelling.fetch_units(participation, units) if units else []


def fetch_rows(sql: str, participation: Participation, units: Sequence[Sequence[int]]) -> list[Any]:
    """The rows of a kind's statement, made of UNITS, for these units of assignment ids. One statement.

    `unit` of a row is the place of its unit in `units`. Ids that are not this annotator's are left out.
    """
    flat = [(id_, number) for number, unit in enumerate(units) for id_ in unit if id_ <= MOST_ID]
    ids, numbers = [id_ for id_, _ in flat], [number for _, number in flat]
    return run(sql, {"annotator": participation.annotator, "ids": ids, "units": numbers})


def topic_of(row: Any, sentences: Sequence[str]) -> dict[str, Any]:
    """What an annotator reads of the topic; a title that is the text is not shown twice."""
    title = "" if row.topic_title == row.text else row.topic_title
    return {"number": row.number, "title": title, "sentences": sentences, "narrative": row.narrative}


def cell_of(row: Any) -> dict[str, Any]:
    """One assignment of a unit, without an aspect and with nothing marked."""
    return {
        "assignment": row.id,
        "done": row.state in (AssignmentState.DONE, AssignmentState.SKIPPED),
        "base": str(row.base) if row.base else None,
        "aspect": None,
        "parents": [],
        "lit": [],
        "guessed": False,
        "marks": {"title": [], "abstract": []},
        "answer": _answer(row),
    }


def in_utf16(text: str, spans: Iterable[tuple[int, int]]) -> list[int]:
    """Start, end, start, end … of spans of characters in UTF-16 units, as browsers count: 𝛼 is two."""
    positions = [position for span in spans for position in span]
    if text.isascii():
        return positions
    units = at = 0
    counted = []
    for position in positions:
        units += len(text[at:position].encode("utf-16-le", "surrogatepass")) // 2
        counted.append(units)
        at = position
    return counted


def _answer(row: Any) -> dict[str, Any] | None:
    """The annotator's own newest answer or skip; None where there is none or it was undone."""
    if row.base is None or row.kind == SubmissionKind.UNDO:
        return None
    return {
        "kind": row.kind,
        "answers": json.loads(row.answers),
        "reasons": json.loads(row.reasons),
        "reason": row.reason,
        "note": row.note,
        "flagged": row.flagged,
    }
