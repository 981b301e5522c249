"""What units of every kind are made of: the annotator's own answer, and spans as browsers count them."""

import json
from collections.abc import Iterable
from typing import Any

from annotation.models import SubmissionKind

Unit = dict[str, Any]


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


def answer_of(row: Any) -> dict[str, Any] | None:
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
