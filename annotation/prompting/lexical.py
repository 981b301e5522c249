"""The built-in annotator without a network: how many content words of the aspect the document has.

It reads nothing and understands nothing, which makes it a floor: a model that agrees with people no better than this
one does has learned nothing from the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from corpus.text.highlight import highlight_terms, stems_in

terms_of = lru_cache(maxsize=1024)(highlight_terms)  # one aspect meets many documents


@dataclass(frozen=True)
class Covered:
    """How many of the aspect's `wanted` content words the document has, and which it lacks."""

    wanted: int
    found: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.found / self.wanted if self.wanted else 0.0


def cover(aspect: str, document: str) -> Covered:
    """Compare stems. An aspect without content words is covered by nothing."""
    terms = terms_of(aspect)
    missing = terms - stems_in(document)
    return Covered(len(terms), len(terms) - len(missing), tuple(sorted(missing)))


def level_of(share: float, thresholds: Sequence[float]) -> int:
    """The place on the scale, 0..len(thresholds): how many of the rising thresholds the share reaches."""
    return sum(share >= threshold for threshold in thresholds)


def usual_thresholds(levels: int) -> tuple[float, ...]:
    """K-1 thresholds for K levels, even between 0.4 and 0.8: (0.4, 0.8) for the scale 0, 1, 2."""
    if levels <= 2:
        return (0.5,) * (levels - 1)
    step = 0.4 / (levels - 2)
    return tuple(round(0.4 + step * place, 4) for place in range(levels - 1))


def check_thresholds(thresholds: Sequence[float], levels: int) -> str:
    """What is wrong with them, as a person reads it, or ""."""
    if len(thresholds) != levels - 1:
        return f"A scale of {levels} levels needs {levels - 1} thresholds, not {len(thresholds)}."
    if not all(0 < one <= 1 for one in thresholds):
        return "Each threshold is a share above 0 and at most 1."
    if list(thresholds) != sorted(set(thresholds)):
        return "The thresholds must rise, the lowest first."
    return ""


def describe(covered: Covered) -> str:
    """The reply as text, so that its page shows why it graded so."""
    lacking = f"; missing: {', '.join(covered.missing[:12])}" if covered.missing else ""
    return f"{covered.found} of {covered.wanted} content words of the aspect occur ({covered.share:.2f}){lacking}."
