"""Work over time: days added up to weeks or months where there are many, as bars and as a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from adjudication.following.people import Work
from annotation.models import DailyWork

LEAST_DAYS, MOST_BARS = 14, 62
WIDTH = 100.0  # percent


@dataclass(frozen=True, slots=True)
class Period:
    """One bar: a day, a week from Monday, or a month; `first` is its first day."""

    first: date
    work: Work


@dataclass(frozen=True, slots=True)
class Timeline:
    """Periods without gaps from the first day with work to the last, two weeks at least. `step`: day, week or month."""

    step: str
    periods: tuple[Period, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars (x, y, width, height), all in percent of the drawing; `ticks` are values from bottom to top."""

    bars: tuple[tuple[float, float, float, float], ...]
    ticks: tuple[str, str, str]


def add_up(rows: Iterable[DailyWork]) -> Work:
    """The rows together."""
    sums = [0, 0, 0, 0]
    for row in rows:
        for at, value in enumerate((row.judgments, row.sent, row.timed, row.active_ms)):
            sums[at] += value
    return Work(*sums)


def make_timeline(rows: Sequence[DailyWork]) -> Timeline:
    """By day while that gives at most MOST_BARS bars, else by week, else by month. Periods without work are 0."""
    if not rows:
        return Timeline("day", ())
    last = max(row.day for row in rows)
    first = min(last - timedelta(days=LEAST_DAYS - 1), *(row.day for row in rows))
    starts: list[date] = []
    step = "day"
    for step in ("day", "week", "month"):
        starts = _starts(step, first, last)
        if len(starts) <= MOST_BARS:
            break
    found: dict[date, list[DailyWork]] = {start: [] for start in starts}
    for row in rows:
        found[_start(step, row.day)].append(row)
    return Timeline(step, tuple(Period(start, add_up(each)) for start, each in found.items()))


def make_chart(values: Sequence[float], *, least: float = 0) -> Chart | None:
    """A bar for each value of 0 or more under a round number, `least` at least; None where all values are 0."""
    if not max(values, default=0):
        return None
    top = round_above(max(least, *values))
    wide = WIDTH / len(values)
    bars = tuple(
        (
            round(at * wide + 0.1 * wide, 3),
            round(WIDTH - WIDTH * value / top, 3),
            round(0.8 * wide, 3),
            round(WIDTH * value / top, 3),
        )
        for at, value in enumerate(values)
    )
    return Chart(bars, ("0", f"{top / 2:,.12g}", f"{top:,.12g}"))


def round_above(value: float, numbers: Sequence[str] = ("1", "2", "4", "6", "8", "10")) -> float:
    """The next of these numbers with noughts before or behind them; the half of each of ours is short as well."""
    unit = Decimal(10) ** Decimal(repr(value)).adjusted()
    return float(next(found for number in numbers if (found := Decimal(number) * unit) >= Decimal(repr(value))))


def _start(step: str, day: date) -> date:
    if step == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step == "month" else day


def _starts(step: str, first: date, last: date) -> list[date]:
    found = [_start(step, first)]
    while (later := _next(step, found[-1])) <= last:
        found.append(later)
    return found


def _next(step: str, start: date) -> date:
    if step == "month":
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if step == "week" else 1)
