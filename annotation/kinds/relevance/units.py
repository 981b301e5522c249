"""What an annotator is shown: units of one document under one or all aspects of a topic, and nothing about how the
pair came to be judged or what others, people or machines, said of it.
"""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from accounts.prepared_statements import MOST_ID, run
from annotation.assignment.reads.participation import Participation
from annotation.labelling.reads.unit_parts import Unit, answer_of, in_utf16
from annotation.models import AssignmentState
from corpus.text.highlight import highlight_spans, highlight_terms

# Only what the annotator may see is read at all; pools, runs, other assignments are not joined.
CONTENT = """
SELECT a.id, a.state, wanted.unit, t.number, t.title AS topic_title, t.text AS topic_text, t.narrative, t.sentences,
  asp.text AS aspect, nodes.places, d.docno, d.title, d.abstract,
  last.uuid AS base, last.kind, last.answers, last.reasons, last.reason, last.note, last.flagged
FROM unnest(%(ids)s::bigint[], %(units)s::bigint[]) WITH ORDINALITY AS wanted(id, unit, place)
JOIN annotation_assignment a ON a.id = wanted.id
JOIN annotation_item i ON i.id = a.item_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN LATERAL (
  SELECT s.uuid, s.kind, s.answers, s.reasons, s.reason, s.note, s.flagged FROM annotation_submission s
  WHERE s.assignment_id = a.id AND s.outcome = 'counted' ORDER BY s.id DESC LIMIT 1
) last ON true
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_array(coalesce(p.position, n.position), CASE WHEN p.id IS NULL THEN -1 ELSE n.position END,
      above.text, n.sentences, p.sentences) ORDER BY coalesce(p.position, n.position), n.position)::text AS places
  FROM corpus_aspectnode n
  LEFT JOIN corpus_aspectnode p ON p.id = n.parent_id
  LEFT JOIN corpus_aspect above ON above.id = p.aspect_id
  WHERE n.aspect_id = asp.id
) nodes ON true
WHERE a.annotator_id = %(annotator)s
ORDER BY wanted.place
"""

Terms = frozenset[str]
terms_of = lru_cache(maxsize=1024)(highlight_terms)  # annotators meet one aspect many times


def fetch_units(participation: Participation, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each a list of assignment ids, as the labelling screen shows it. One statement.

    Ids that are not this annotator's are left out, and so is a unit of which nothing remains.
    """
    flat = [(id_, number) for number, unit in enumerate(units) for id_ in unit if id_ <= MOST_ID]
    named = {
        "annotator": participation.annotator,
        "ids": [id_ for id_, _ in flat],
        "units": [number for _, number in flat],
    }
    groups: dict[int, list[Any]] = {}
    for row in run(CONTENT, named):
        groups.setdefault(row.unit, []).append(row)
    return [_unit(rows) for rows in groups.values()]


def _unit(rows: list[Any]) -> Unit:
    first = rows[0]
    cells = [(_place(row), _cell(row)) for row in rows]
    cells.sort(key=lambda pair: pair[0])
    return {
        "name": first.title or first.docno or first.topic_text,
        "document": {"docno": first.docno, "title": first.title, "abstract": first.abstract},
        "topic": {
            "number": first.number,
            "title": first.topic_title,
            "sentences": first.sentences or [first.topic_text],
            "narrative": first.narrative,
        },
        "cells": [cell for _, cell in cells],
    }


def _place(row: Any) -> tuple[int, int]:
    """Where the aspect stands first in its topic's tree; what stands nowhere goes last."""
    places = json.loads(row.places or "[]")
    return (places[0][0], places[0][1]) if places else (1 << 31, row.id)


def _cell(row: Any) -> dict[str, Any]:
    wanted = row.aspect or row.topic_text
    terms = terms_of(wanted)
    places = json.loads(row.places or "[]")
    return {
        "assignment": row.id,
        "done": row.state in (AssignmentState.DONE, AssignmentState.SKIPPED),
        "base": str(row.base) if row.base else None,
        "aspect": row.aspect,
        "parents": sorted({above for _, _, above, _, _ in places if above}),
        "lit": _lit(row, places, terms) if row.aspect else [],
        "marks": {"title": _marks(row.title or "", terms), "abstract": _marks(row.abstract or "", terms)},
        "answer": answer_of(row),
    }


def _marks(text: str, terms: Terms) -> list[int]:
    """Start, end, start, end … of the aspect's words in UTF-16 units, as browsers count: 𝛼 is two."""
    return in_utf16(text, highlight_spans(text, terms))


def _lit(row: Any, places: Iterable[Sequence[Any]], terms: Terms) -> list[int]:
    """Indexes of the query's sentences that say this aspect: as the topic's author noted them, else the likeliest."""
    noted = {index for _, _, _, own, above in places for index in own or above or []}
    if noted or len(row.sentences) < 2:
        return sorted(noted)
    shared = [len(terms_of(sentence) & terms) for sentence in row.sentences]
    best = max(shared)
    return [shared.index(best)] if best >= 2 else []
