"""Progress as stacked bars: items by state, and each annotator's part. The figures next to a bar are the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.campaigns.progress import AnnotatorRow, CampaignProgress

DONE, IN_PROGRESS, LEFT, SKIPPED = "done", "begun", "left", "skipped"  # how a part is drawn


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar: `look` is how it is drawn, `x` and `width` are in percent of the whole width."""

    look: str
    label: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Bar:
    """The parts of a bar that are not empty, from the left."""

    parts: tuple[Part, ...]

    @property
    def words(self) -> str:
        """All its figures, for people who cannot see it."""
        return ", ".join(f"{part.count:,} {part.label}" for part in self.parts)


def state_bar(progress: CampaignProgress) -> Bar | None:
    """All items of the campaign by state; None while there are none."""
    counts = (
        (DONE, "done", progress.complete),
        (IN_PROGRESS, "in progress", progress.in_progress),
        (LEFT, "not begun", progress.untouched),
    )
    return _bar(counts, progress.items)


def with_bars(rows: Sequence[AnnotatorRow]) -> list[tuple[AnnotatorRow, Bar | None]]:
    """Each annotator with their bar, None without items. A unit of length is an item, the same for all of them."""
    longest = max((row.assigned + row.skipped for row in rows), default=0)
    return [(row, _bar(_counts(row), longest)) for row in rows]


def _counts(row: AnnotatorRow) -> Sequence[tuple[str, str, int]]:
    return (DONE, "done", row.done), (LEFT, "left", row.pending), (SKIPPED, "skipped", row.skipped)


def _bar(counts: Sequence[tuple[str, str, int]], whole: int) -> Bar | None:
    parts, before = [], 0
    for look, label, count in counts:
        if count:
            parts.append(Part(look, label, count, round(100 * before / whole, 3), round(100 * count / whole, 3)))
        before += count
    return Bar(tuple(parts)) if parts else None
