"""Each person's hours, speed and answers, and what in them should be checked. Litmus reports it and never acts on it.

A person is compared with the other people of the campaign: here whether all answers are the same, else by the figures
of measures.py. A comparison needs enough answers; with fewer it says so. Where the campaign has a deadline, each
person's remaining items are compared with the remaining days.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from accounts.counting import share_in_percent
from annotation.models import Annotator

LEAST = 20  # answers (of a person, or in a part of a comparison) below which nothing is concluded
LEAST_OTHERS = 2  # people with that many timed answers, for a speed that is usual
FAST = 1 / 3  # of the usual time for an answer
SAME = 0.95  # share of one level
GAP = 0.15  # between that share and how often the others gave that level on the same items
LATE = "Deadline"
PACE_LEAST = 3  # days of an open campaign before a pace is concluded
DROP = 0.10  # of agreement with the others
Z95 = 1.959964  # normal quantile of a two-sided 95% interval


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """`days` to the deadline, today included, below 1 once it is over.

    `recent`: items that each person finished on the last `window` days, which are those since the campaign was opened,
    seven at most.
    """

    days: int
    window: int
    recent: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a person: `is_flagged` is None where nothing can be concluded; `text` says why in any case."""

    name: str
    is_flagged: bool | None
    text: str


@dataclass(frozen=True, slots=True)
class Work:
    """Days added up: judgments that count, answers and skips sent, how many of them were timed, and their time."""

    judgments: int = 0
    sent: int = 0
    timed: int = 0
    active_ms: int = 0

    @property
    def hours(self) -> float | None:
        """Active hours; None where no answer was timed."""
        return self.active_ms / 3_600_000 if self.timed else None


@dataclass(frozen=True, slots=True)
class Person:
    """One person of a campaign. `seconds` are the quartiles of active time by answer, None where none was timed.

    `quarters` is the agreement with the others in each quarter of the person's work in order of time, None where none
    of its items was judged by others; empty where answers are not shown.
    """

    annotator: Annotator
    work: Work
    timed: int
    seconds: tuple[float, float, float] | None
    quarters: tuple[float | None, ...]
    looks: tuple[Look, ...]
    figures: tuple[Any, ...] = ()  # measures.Shown

    @property
    def flags(self) -> int:
        return sum(look.is_flagged is True for look in self.looks)

    @property
    def is_late(self) -> bool:
        """Whether the deadline is over for some items, or comes too early at the person's pace."""
        return any(look.is_flagged is True and look.name == LATE for look in self.looks)

    @property
    def is_known(self) -> bool:
        """Whether anything can be concluded at all."""
        return any(look.is_flagged is not None for look in self.looks)

    @property
    def quarter_texts(self) -> list[str]:
        """Percent, "–" where there is none; only one where there is none at all."""
        if not any(share is not None for share in self.quarters):
            return ["–"]
        return ["–" if share is None else share_in_percent(share) for share in self.quarters]


@dataclass(frozen=True, slots=True)
class QuarterPart:
    """Labels of one level in one quarter: how many, how many of them on items of others too, agreement added up."""

    quarter: int
    value: int
    n: int
    shared: int
    agreed: float
    squares: float


def make_people(
    annotators: Sequence[Annotator],
    work: Mapping[int, Work],
    figures: Mapping[str, Any],
    criterion: str | None,
    levels: Mapping[int, str],
    *,
    time_left: TimeLeft | None = None,
) -> list[Person]:
    """In the order of `annotators`. Without a criterion (or where labels are hidden) answers are not looked at."""
    nothing: dict[str, Any] = {"timed": 0, "seconds": None, "pending": 0, "answers": {}}
    counted = {one.pk: nothing | figures.get(str(one.pk), {}) for one in annotators}
    people = []
    for one in annotators:
        mine = counted[one.pk]
        seconds = tuple(mine["seconds"]) if mine["seconds"] else None
        parts = [QuarterPart(*row) for row in mine["answers"].get(criterion, [])] if criterion else []
        looks = [look_at_levels(parts, levels)] if criterion else []
        if time_left:
            looks.append(look_at_deadline(time_left, mine["pending"], time_left.recent.get(one.pk, 0)))
        quarters = tuple(_agreement(parts, quarter) for quarter in range(1, 5)) if criterion else ()
        people.append(Person(one, work.get(one.pk, Work()), mine["timed"], seconds, quarters, tuple(looks)))
    return people


def look_at_deadline(time: TimeLeft, pending: int, recent: int) -> Look:
    """`pending` items are left to the person, who finished `recent` on the last `time.window` days."""
    if not pending:
        return Look(LATE, False, "Nothing is left to judge.")
    left = f"{pending:,} item{'' if pending == 1 else 's'} left"
    if time.days < 1:
        return Look(LATE, True, f"{left}, and the deadline has passed.")
    text = f"{left} for {time.days:,} day{'' if time.days == 1 else 's'}: {pending / time.days:.1f} a day are needed."
    if time.window < PACE_LEAST:
        return Look(LATE, None, f"{text} The campaign has not been open long enough to estimate the pace.")
    text = f"{text} In the last {time.window} days it was {recent / time.window:.1f} a day."
    is_behind = pending * time.window > recent * time.days
    return Look(LATE, is_behind, f"{text} At this pace the items will not be finished in time." if is_behind else text)


def is_fast(timed: int, middle: float | None, others: Sequence[float]) -> bool | None:
    """Whether the person's median seconds are under a third of the median of `others`, those of the other people with
    enough timed answers; None where too few are timed to tell."""
    usual = median(others) if len(others) >= LEAST_OTHERS else 0.0
    return middle < FAST * usual if middle is not None and timed >= LEAST and usual else None


def look_at_levels(parts: Sequence[QuarterPart], levels: Mapping[int, str]) -> Look:
    """Nearly always the same level, where the others gave that level less often on the same items."""
    name = "Levels"
    total = sum(part.n for part in parts)
    if total < LEAST:
        return Look(name, None, f"Only {total:,} answers; at least {LEAST} are needed.")
    by_value: dict[int, int] = {}
    for part in parts:
        by_value[part.value] = by_value.get(part.value, 0) + part.n
    value, n = max(by_value.items(), key=lambda pair: pair[1])
    text = f"{share_in_percent(n / total)} of {total:,} answers are “{levels.get(value, value)}”, the most frequent."
    if n < SAME * total:
        return Look(name, False, text)
    same = [part for part in parts if part.value == value]
    shared = sum(part.shared for part in same)
    if shared < LEAST:
        return Look(
            name, None, f"{text} Only {shared:,} of these items were judged by others too: too few to say if that fits."
        )
    others = sum(part.agreed for part in same) / shared
    text = f"{text} On the {shared:,} of these items that others judged, they gave it in {share_in_percent(others)}."
    if others <= n / total - GAP:
        return Look(name, True, f"{text} Check whether the items were read.")
    return Look(name, False, text)


def change_since(parts: Sequence[QuarterPart]) -> tuple[float, float, float] | None:
    """(agreement before the last quarter, in it, half the width of the difference's interval); None for too few."""
    sides = [[part for part in parts if (part.quarter == 4) == last] for last in (False, True)]
    if min(sum(part.shared for part in side) for side in sides) < LEAST:
        return None
    (was, variance_was), (now, variance_now) = map(_mean, sides)
    return was, now, Z95 * math.sqrt(variance_was + variance_now)


def _mean(parts: Sequence[QuarterPart]) -> tuple[float, float]:
    """Mean agreement over the shared items, and the variance of that mean."""
    n = sum(part.shared for part in parts)
    mean = sum(part.agreed for part in parts) / n
    spread = max(0.0, sum(part.squares for part in parts) / n - mean**2) * n / (n - 1)
    return mean, spread / n


def _agreement(parts: Sequence[QuarterPart], quarter: int) -> float | None:
    chosen = [part for part in parts if part.quarter == quarter]
    shared = sum(part.shared for part in chosen)
    return sum(part.agreed for part in chosen) / shared if shared else None
