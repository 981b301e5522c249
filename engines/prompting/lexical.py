"""The built-in annotator without a network: how many content words of the aspect the document has.

It understands nothing, so it is a baseline: a model that agrees with people no better has understood nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.text.highlight import highlight_terms, stems_in
from engines.text.languages import ENGLISH


@dataclass(frozen=True)
class Coverage:
    """How many of the aspect's `total` content words the document has, and which it lacks."""

    total: int
    found: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """From 0 to 1; 0 for an aspect without content words."""
        return self.found / self.total if self.total else 0.0


def cover(aspect: str, document: str, language: str = ENGLISH) -> Coverage:
    """Compare the stems of content words."""
    terms = highlight_terms(aspect, language)
    missing = terms - stems_in(document, language)
    return Coverage(len(terms), len(terms) - len(missing), tuple(sorted(missing)))


def level_of(share: float, thresholds: Sequence[float]) -> int:
    """The place on the scale, 0 to len(thresholds): how many of the rising thresholds the share reaches."""
    return sum(share >= threshold for threshold in thresholds)


def usual_thresholds(levels: int) -> tuple[float, ...]:
    """K-1 thresholds for K levels, even between 0.4 and 0.8: (0.4, 0.8) for the scale 0, 1, 2."""
    if levels <= 2:
        return (0.5,) * (levels - 1)
    step = 0.4 / (levels - 2)
    return tuple(round(0.4 + step * place, 4) for place in range(levels - 1))


def check_thresholds(thresholds: Sequence[float], levels: int) -> str:
    """Why the thresholds do not fit a scale of so many levels, as a person reads it; "" where they fit."""
    if len(thresholds) != levels - 1:
        return f"A scale of {levels} levels needs {levels - 1} thresholds, not {len(thresholds)}."
    if not all(0 < one <= 1 for one in thresholds):
        return "Each threshold is a share above 0 and at most 1."
    if list(thresholds) != sorted(set(thresholds)):
        return "The thresholds must rise, the lowest first."
    return ""


def describe(coverage: Coverage) -> str:
    """The reply as text, so that its page shows the reason for the grade."""
    missing = f"; missing: {', '.join(coverage.missing[:12])}" if coverage.missing else ""
    return f"{coverage.found} of {coverage.total} content words of the aspect occur ({coverage.share:.2f}){missing}."
