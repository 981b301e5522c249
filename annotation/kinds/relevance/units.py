"""What an annotator is shown: units of one document under one or all aspects of a topic, and nothing about how the
pair came to be judged or what others, people or machines, said of it.
"""

import json
from collections.abc import Sequence, Set
from typing import Any

from annotation.assignment.participation import Participation
from annotation.labelling.units import UNITS, Unit, cell_of, fetch_rows, in_utf16, topic_of
from engines.text.highlight import highlight_spans, highlight_terms

CONTENT = UNITS.format(
    columns="t.sentences, asp.text AS aspect, nodes.places, d.docno, d.title, d.abstract,"
    " (SELECT language FROM corpus_collection WHERE id = t.collection_id) AS language",
    joins="""
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_array(coalesce(p.position, n.position), CASE WHEN p.id IS NULL THEN -1 ELSE n.position END,
      above.text, n.sentences, p.sentences) ORDER BY coalesce(p.position, n.position), n.position)::text AS places
  FROM corpus_aspectnode n
  LEFT JOIN corpus_aspectnode p ON p.id = n.parent_id
  LEFT JOIN corpus_aspect above ON above.id = p.aspect_id
  WHERE n.aspect_id = asp.id
) nodes ON true
""",
)

Terms = frozenset[str]


def fetch_units(participation: Participation, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each a list of assignment ids, as the labelling screen shows it. One statement.

    Ids that are not this annotator's are left out, and so is a unit of which nothing remains.
    """
    groups: dict[int, list[Any]] = {}
    for row in fetch_rows(CONTENT, participation, units):
        groups.setdefault(row.unit, []).append(row)
    return [_unit(rows) for rows in groups.values()]


def _unit(rows: list[Any]) -> Unit:
    first = rows[0]
    return {
        "name": first.title or first.docno or first.text,
        "document": {"docno": first.docno, "title": first.title, "abstract": first.abstract},
        "topic": topic_of(first, first.sentences or [first.text]),
        "cells": [_cell(row) for row in sorted(rows, key=_place)],
    }


def _place(row: Any) -> tuple[int, int]:
    """Where the aspect stands first in its topic's tree; what stands nowhere goes last."""
    places = json.loads(row.places or "[]")
    return (places[0][0], places[0][1]) if places else (1 << 31, row.id)


def _cell(row: Any) -> dict[str, Any]:
    terms = highlight_terms(row.aspect or row.text, row.language)
    places = json.loads(row.places or "[]")
    noted = {index for _, _, _, own, above in places for index in own or above or []}
    return cell_of(row) | {
        "aspect": row.aspect,
        "parents": sorted({above for _, _, above, _, _ in places if above}),
        "lit": sentences_of_aspect(noted, row.sentences, terms, row.language) if row.aspect else [],
        "guessed": not noted,
        "marks": {
            "title": _marks(row.title or "", terms, row.language),
            "abstract": _marks(row.abstract or "", terms, row.language),
        },
    }


def _marks(text: str, terms: Terms, language: str) -> list[int]:
    """Start, end, start, end … of the aspect's words in UTF-16 units, as browsers count: 𝛼 is two."""
    return in_utf16(text, highlight_spans(text, terms, language))


def sentences_of_aspect(noted: Set[int], sentences: Sequence[str], terms: Terms, language: str) -> list[int]:
    """Indexes of the query's sentences that say an aspect: as the topic's author noted them, else the likeliest.

    `terms` are the aspect's. The likeliest shares at least two of them.
    """
    if noted or len(sentences) < 2:
        return sorted(noted)
    shared = [len(highlight_terms(sentence, language) & terms) for sentence in sentences]
    return [shared.index(max(shared))] if max(shared) >= 2 else []
