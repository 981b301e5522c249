"""Numbers that GROBID wrongly marks as citations: those of equations, lists and figures."""

from __future__ import annotations

import re
from dataclasses import replace

from engines.formats.papers import FullPaper, Marker, Paragraph

LOOSE_NUMBER = "a number that GROBID marks as a citation, which names no reference"
_NUMBER = re.compile(r"(\(?)\d{1,3}[a-z]?(\)?)[.,;:]?").fullmatch


def without_loose_numbers(paper: FullPaper) -> tuple[FullPaper, int]:
    """The paper without markers that are a number, bare or in parentheses, and name no reference; how many those were.

    They stay where a marker of the same shape does name a reference: then the paper cites so. A number in square
    brackets and the year of “Uhl (2019)” are citations whose reference was not found, and stay.
    """
    markers = [marker for paragraph in paper.paragraphs for marker in paragraph.markers]
    cited = {_shape(marker) for marker in markers if marker.keys}
    paragraphs = tuple(_cleaned(paragraph, cited) for paragraph in paper.paragraphs)
    left = sum(len(paragraph.markers) for paragraph in paragraphs)
    return (replace(paper, paragraphs=paragraphs), len(markers) - left) if left < len(markers) else (paper, 0)


def _cleaned(paragraph: Paragraph, cited: set[tuple[str, ...] | None]) -> Paragraph:
    kept = tuple(
        marker for marker in paragraph.markers if marker.keys or not (shape := _shape(marker)) or shape in cited
    )
    return replace(paragraph, markers=kept) if len(kept) < len(paragraph.markers) else paragraph


def _shape(marker: Marker) -> tuple[str, ...] | None:
    """What stands around the number that a marker is; None for one that is none."""
    found = _NUMBER(marker.text.strip())
    return ("number", *found.groups()) if found else None
