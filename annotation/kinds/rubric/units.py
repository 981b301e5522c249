"""What a rater of questions is shown: the question, where it comes from, and the papers it is meant to find.

Who wrote it, what generated it, and what others said of it are not read.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from annotation.assignment.participation import Participation
from annotation.labelling.units import UNITS, Unit, cell_of, fetch_rows, in_utf16, topic_of
from corpus.models import GeneratedQuestion
from engines.definitions.rubric_options import RubricOptions, read_rubric_options
from engines.text.overlap import overlap_with

CONTENT = UNITS.format(
    columns="t.id AS topic, t.source, targets.list AS targets, coalesce(r.text, '') AS rewrite, found.list AS found",
    joins="""
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_array(d.docno, d.title, d.abstract) ORDER BY g.id)::text AS list
  FROM corpus_target g JOIN corpus_document d ON d.id = g.document_id WHERE g.topic_id = t.id
) targets ON true
LEFT JOIN annotation_rewrite r ON r.submission_id = last.id
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_array(d.docno, d.title) ORDER BY f.id)::text AS list
  FROM annotation_foundtarget f JOIN corpus_document d ON d.id = f.document_id WHERE f.submission_id = last.id
) found ON true
""",
)
MOST_TARGETS = 50  # shown in full; more would be no question but a bibliography


def fetch_units(participation: Participation, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each of one assignment. Ids that are not this annotator's are left out."""
    options = read_rubric_options(json.loads(participation.options))
    rows = fetch_rows(CONTENT, participation, units)
    cited = [row.topic for row in rows if origin_word(row.source) == "citation"]
    paragraphs = fetch_paragraphs(cited) if cited else {}
    return [_unit(row, options, paragraphs.get(row.topic)) for row in rows]


def fetch_paragraphs(topics: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The paragraphs these topics were made from, by topic, with the markers of their targets. One query.

    Nothing else of a question's origin is read: not its paper, its model nor its prompt.
    """
    rows = GeneratedQuestion.objects.filter(topic__in=topics).values_list(
        "topic", "keys", "reply__mention__text", "reply__mention__markers"
    )
    return {
        topic or 0: {
            "text": text,
            "marks": in_utf16(text, [(m["start"], m["end"]) for m in markers if set(m["keys"]) & set(keys)]),
        }
        for topic, keys, text, markers in rows
    }


def _unit(row: Any, options: RubricOptions, paragraph: dict[str, Any] | None) -> Unit:
    return {
        "name": row.text,
        "document": None,
        "topic": topic_of(row, [row.text]),
        "question": _question(row, options) | {"paragraph": paragraph},
        "cells": [_cell(row)],
    }


def _question(row: Any, options: RubricOptions) -> dict[str, Any]:
    targets = json.loads(row.targets or "[]")
    return {
        "from": origin_word(row.source),
        "targets": [
            {"docno": docno, "title": title, "abstract": abstract} for docno, title, abstract in targets[:MOST_TARGETS]
        ],
        "targets_count": len(targets),
        "cutoff": options.cutoff(row.source),
        "definition": options.overlap_definition,
        "overlap": asdict(
            overlap_with(row.text, [(title, abstract) for _, title, abstract in targets], options.overlap_definition)
        ),
    }


def origin_word(source: str) -> str:
    """How much of a topic's source a rater may know: "author" or "citation", else ""."""
    if source.startswith(("author", "manual")):
        return "author"
    return "citation" if source.startswith("inline") else ""


def _cell(row: Any) -> dict[str, Any]:
    cell = cell_of(row)
    if cell["answer"] is not None:
        found = [{"docno": docno, "title": title} for docno, title in json.loads(row.found or "[]")]
        cell["answer"] |= {"rewrite": row.rewrite, "found": found}
    return cell
