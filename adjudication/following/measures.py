"""What is measured of each person: every figure of the quality page, its file, REST and the command is declared here.

Each is computed from the newest count alone. None of them pauses anybody: what is flagged is reported to managers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Any
from urllib.parse import urlencode

from accounts.counting import share_in_percent
from adjudication.following.people import DROP, GAP, LEAST, QuarterPart, change_since, is_fast
from annotation.models import Annotator
from engines.stats.proportions import proportion
from engines.stats.reasons import words_of

RARE = 0.001
HEAD_UNITS = {"answers": "answers", "points": "% points"}
DIFFERENT: dict[str, object] = {"differs": 1}  # of the list of judgments
EXACT = "exact interval (Clopper and Pearson 1934)"
OVER_TOPICS = "delete-one-topic jackknife with Student t, from 8 topics on"
RESAMPLED = "Dawid and Skene 1979; 200 resamples of whole topics by the seed of the campaign, percentile interval"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95% interval, or the `reason` why it or its interval is missing; `note`: what else to know.

    `items` are the parameters of the list of judgments that shows what it was computed from, None for no such list.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""
    note: str = ""
    items: Mapping[str, object] | None = None
    is_flagged: bool | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted of one person (`mine`), of each other person (`others`), and the answers to one criterion."""

    mine: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]]
    criterion: str
    levels: Mapping[int, str]
    names: Mapping[int, str]

    @property
    def answers(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.mine.get("quality", {}).get(self.criterion, {})
        return found

    @property
    def nothing(self) -> Figure:
        """Where no answer was counted."""
        return Figure(
            reason="nothing was judged" if "quality" in self.mine else "counted by an earlier version of Litmus"
        )

    def usual(self, take: Callable[[Mapping[str, Any]], float | None]) -> float | None:
        """The median of this value over the other people who have one."""
        found = [take(one.get("quality", {}).get(self.criterion, {})) for one in self.others]
        known = [each for each in found if each is not None]
        return median(known) if known else None


_Compute = Callable[[Counted], Figure]


@dataclass(frozen=True, slots=True)
class Measure:
    """`label` heads its column, `words` and `source` say what it is and how.

    `unit` is seconds, answers, share or points. `leads` names the items that its link leads to.
    """

    name: str
    label: str
    unit: str
    words: str
    source: str
    leads: str
    compute: _Compute

    @property
    def head_unit(self) -> str:
        """The unit in the head of its column; "" where the label or each figure has it."""
        return HEAD_UNITS.get(self.unit, "")


_REGISTERED: list[Measure] = []


def measure(name: str, label: str, unit: str, source: str, leads: str) -> Callable[[_Compute], _Compute]:
    """Registers a measure in the order of the page; its docstring is what people read about it."""

    def register(compute: _Compute) -> _Compute:
        words = " ".join((compute.__doc__ or "").split())
        _REGISTERED.append(Measure(name, label, unit, words, source, leads, compute))
        return compute

    return register


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as it is read."""

    measure: Measure
    figure: Figure
    annotator: int

    @property
    def value(self) -> str:
        return "–" if self.figure.value is None else _in_unit(self.figure.value, self.measure.unit)

    @property
    def interval(self) -> str:
        ends = [_in_unit(end, self.measure.unit) for end in (self.figure.low, self.figure.high) if end is not None]
        return " to ".join(ends)

    @property
    def reason(self) -> str:
        return words_of(self.figure.reason)

    @property
    def query(self) -> str:
        """The address of the items behind it, from the question mark's end on; "" for none."""
        figure = self.figure
        is_whole = self.measure.unit == "share" and figure.value == 1  # no answer differs
        if figure.items is None or figure.value is None or is_whole:
            return ""
        return urlencode({"annotator": self.annotator, "state": "done"} | dict(figure.items))

    @property
    def text(self) -> str:
        """In a sentence or two, with its note and what is missing."""
        if self.figure.value is None:
            return f"none, because {self.reason}"
        interval = f", 95% interval {self.interval}" if self.interval else ""
        why = f"no interval, because {self.reason}" if self.reason else ""
        return "; ".join(filter(None, (f"{self.value}{interval} (n {self.figure.n:,})", self.figure.note, why)))


def _in_unit(value: float, unit: str) -> str:
    if unit == "share":
        return share_in_percent(value)
    if unit == "points":
        return f"{100 * value:+.1f}".replace("-", "−")
    return f"{value:.1f}" if unit == "seconds" else f"{value:,.0f}"


@measure("speed", "Median seconds", "seconds", "order statistics (Conover 1999, 3.2)", "fastest quarter")
def _speed(counted: Counted) -> Figure:
    """Active time for an answer: the median."""
    if not counted.mine.get("seconds"):
        return Figure(reason="nothing was timed")
    value, n = counted.mine["seconds"][1], counted.mine["timed"]
    low, high = counted.mine.get("median") or (None, None)
    others = [one["seconds"][1] for one in counted.others if one.get("seconds") and one["timed"] >= LEAST]
    usual = median(others) if others else 0
    few = f"{LEAST} timed answers of this person and of two others are needed to compare"
    note = f"{value / usual:.2f} times the median of the others, {usual:.1f} s" if usual and n >= LEAST else few
    fast = {"within": counted.mine["seconds"][0]}
    flag = is_fast(n, value, others)
    return Figure(value, low, high, n, "" if low is not None else "fewer than 6 timed answers", note, fast, flag)


@measure("run", "Longest run", "answers", "exact recursion over runs (Feller 1968, XIII.7)", "the run")
def _run(counted: Counted) -> Figure:
    """The longest run of one level in order of time, and the chance that independent answers with the same shares of
    levels hold a run so long. Items of one topic follow and resemble each other, so a run is flagged only where the
    others gave its level less often."""
    found = counted.answers.get("run")
    if not found:
        return counted.nothing
    window = _window(found["from"], found["until"])
    chances = [each for each in (found["chance"], found["usual"]) if each is not None]
    others = f", {_chance(found['usual'])} by the others'" if found["usual"] is not None else ""
    fits = found["fits"]
    where = f". There the others gave it in {share_in_percent(fits)}" if fits is not None else ""
    level = counted.levels.get(found["value"], found["value"])
    own = f"chance {_chance(found['chance'])} by their own shares of levels"
    note = f"“{level}”, of {counted.answers['n']:,} answers; {own}{others}{where}"
    flag = None if counted.answers["n"] < LEAST or fits is None else min(chances) < RARE and fits <= 1 - GAP
    return Figure(found["length"], None, None, found["length"], "a count has no interval", note, window, flag)


def _window(first: int, last: int) -> dict[str, object]:
    """The parameters of what was answered between these moments, in microseconds."""
    return {name: datetime.fromtimestamp(at / 1e6, UTC).isoformat() for name, at in (("from", first), ("until", last))}


def _chance(value: float) -> str:
    return "below 0.001" if value < RARE else f"{value:.3f}"


@measure("others", "With the others", "share", OVER_TOPICS, "where they differ")
def _others(counted: Counted) -> Figure:
    """Mean share of the other people who gave the same level, over the items that others judged too."""
    found = counted.answers.get("others")
    if not found:
        return counted.nothing
    usual = counted.usual(lambda one: (one.get("others") or {}).get("value"))
    return _below(Figure(**found, items=DIFFERENT), usual)


def _below(figure: Figure, usual: float | None) -> Figure:
    """Flagged where the whole interval is 10 points or more below the median of the other people."""
    if usual is None or figure.high is None or figure.n < LEAST:
        return figure
    note = f"the others have a median of {share_in_percent(usual)}"
    return replace(figure, note=note, is_flagged=figure.high < usual - DROP)


@measure("gold", "Known answers", "share", EXACT, "wrong answers")
def _gold(counted: Counted) -> Figure:
    """Right answers to items whose answer is known, all criteria together."""
    hits, n, below = counted.mine.get("gold") or (0, 0, None)
    share = proportion(hits, n)
    note = f"{hits:,} of {n:,} right" if n else ""
    return Figure(share.value, share.low, share.high, n, share.reason, note, DIFFERENT | {"known": 1}, below)


@measure("repeats", "With themselves", "share", EXACT, "other answers")
def _repeats(counted: Counted) -> Figure:
    """Share of equal answers where an item was asked twice without being marked as such."""
    same, n = counted.answers.get("repeats") or (0, 0)
    share = proportion(same, n)
    reason = "" if n else "nothing was asked again"
    few = f"; few, {LEAST} say more" if n < LEAST else ""
    note = f"{same:,} of {n:,} the same{few}" if n else ""
    return Figure(share.value, share.low, share.high, n, reason, note, DIFFERENT | {"repeated": 1})


@measure(
    "drift",
    "Last quarter",
    "points",
    "normal interval of a difference of means, items independent",
    "where they differ",
)
def _drift(counted: Counted) -> Figure:
    """Agreement with the others in the last quarter of the work minus that before."""
    parts = [QuarterPart(*row) for row in counted.mine.get("answers", {}).get(counted.criterion, [])]
    change = change_since(parts)
    n = sum(part.shared for part in parts)
    if change is None:
        return Figure(n=n, reason=f"the last quarter and the work before need {LEAST} shared items each")
    was, now, half = change
    note = f"from {share_in_percent(was)} to {share_in_percent(now)}"
    flag = now - was <= -DROP and now - was + half < 0
    window = counted.answers.get("last")
    items = DIFFERENT | _window(*window) if window else None
    return Figure(now - was, now - was - half, now - was + half, n, "", note, items, flag)


@measure("guideline", "New guideline", "points", OVER_TOPICS, "where they differ")
def _guideline(counted: Counted) -> Figure:
    """Agreement with the others on items judged by the newest version of the guideline minus that by earlier ones."""
    found = dict(counted.answers.get("guideline") or {})
    if not found:
        return counted.nothing
    version = found.pop("version")
    items = DIFFERENT | {"version": version}
    figure = Figure(**found, note=f"since version {version}" if found["value"] is not None else "", items=items)
    if figure.value is None or figure.high is None:
        return figure
    return replace(figure, is_flagged=figure.value <= -DROP and figure.high < 0)


@measure("right", "Right by the model", "share", RESAMPLED, "where they differ")
def _right(counted: Counted) -> Figure:
    """Share of right answers that Dawid and Skene's model estimates, of all items and by level. The model takes people
    as independent, so people who copy each other look better than they are."""
    found = counted.answers.get("confusion")
    if not found:
        return counted.nothing
    if "right" not in found:
        return Figure(reason=found["reason"])
    names = [counted.levels[value] for value in sorted(counted.levels)]
    rows = zip(names, found["levels"], found["rows"], strict=False)
    known = [(name, ends, _said_instead(name, names, row)) for name, ends, row in rows if ends[0] is not None]
    note = "; ".join(f"“{name}” {_with_ends(ends)}{instead}" for name, ends, instead in known)
    value, low, high = found["right"]
    figure = Figure(value, low, high, counted.answers["n"], found["why"], items=DIFFERENT)
    usual = counted.usual(lambda one: (one.get("confusion", {}).get("right") or [None])[0])
    return replace(_below(figure, usual), note=note)


def _with_ends(ends: Sequence[float | None]) -> str:
    value, low, high = (share_in_percent(each) for each in ends)
    return f"{value} ({low} to {high})" if low else value


def _said_instead(true: str, names: Sequence[str], row: Sequence[float]) -> str:
    """What the person says instead of a level that is true, but for what is below half a percent."""
    said = [
        f"“{name}” {share_in_percent(share)}"
        for name, share in zip(names, row, strict=False)
        if name != true and share >= 0.005
    ]
    return f", said instead: {', '.join(said)}" if said else ""


@measure(
    "pair", "Closest pair", "points", f"Cohen 1960 within levels of the others; {OVER_TOPICS}", "where only they agree"
)
def _pair(counted: Counted) -> Figure:
    """The person with whom they agree most above what both people's answers allow, given what most of the others said
    of the same items."""
    if not counted.answers:
        return counted.nothing
    found = dict(counted.answers["pair"] or {})
    if not found:
        return Figure(reason=f"no {LEAST} items that another person and a third one judged too")
    other, usual = found.pop("with"), found.pop("usual")
    figure = Figure(**found, items=DIFFERENT | {"with": other})
    compared = f"; pairs without them have a median of {_in_unit(usual, 'points')}" if usual is not None else ""
    flag = figure.low > max(usual or 0.0, 0.0) + DROP if figure.low is not None else None
    return replace(figure, note=f"with {counted.names.get(other, other)}{compared}", is_flagged=flag)


MEASURES = tuple(_REGISTERED)


def figures_of(
    annotators: Sequence[Annotator], counts: Mapping[str, Any], criterion: str | None, levels: Mapping[int, str]
) -> list[tuple[Shown, ...]]:
    """Every figure of each of these; without a criterion (or where labels are hidden) their speed alone."""
    names = {one.pk: one.name for one in annotators}
    found = []
    for one in annotators:
        others = [counts.get(str(pk), {}) for pk in names if pk != one.pk]
        counted = Counted(counts.get(str(one.pk), {}), others, criterion or "", levels, names)
        found.append(tuple(Shown(each, each.compute(counted), one.pk) for each in MEASURES[: None if criterion else 1]))
    return found
