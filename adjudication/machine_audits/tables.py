"""The figures of an audit as rows and sentences: for the page, a file, a terminal, the appendix of a release."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from accounts.counting import counted, decimal, share_in_percent
from adjudication.machine_audits.report import Findings
from annotation.models import Scale
from engines.stats.audits.estimates import Audited
from engines.stats.audits.orders import Order, Verdict
from engines.stats.reasons import words_of
from engines.stats.results import Estimate

COLUMNS = (
    *("figure", "machine", "corrected", "low", "high", "people", "people_low", "people_high", "width_ratio"),
    *("labels", "pairs", "approximate", "reason"),
)


@dataclass(frozen=True)
class Row:
    """One figure under its name; a share is printed in percent."""

    name: str
    figure: Audited
    is_share: bool = False

    def text(self, value: float | None) -> str:
        return "–" if value is None else share_in_percent(value, 1) if self.is_share else decimal(value, 3)

    def with_interval(self, found: Estimate) -> str:
        """The value with its interval, or why there is none."""
        if found.value is None:
            return words_of(found.reason)
        if found.ci is None:
            return f"{self.text(found.value)} (no interval: {words_of(found.ci_reason)})"
        return f"{self.text(found.value)} ({self.text(found.ci.low)} to {self.text(found.ci.high)})"

    @property
    def machine(self) -> str:
        return self.text(self.figure.machine)

    @property
    def corrected(self) -> str:
        return self.with_interval(self.figure.corrected) + ", approximate" * self.figure.is_approximate

    @property
    def people(self) -> str:
        return self.with_interval(self.figure.people)

    @property
    def cells(self) -> tuple[object, ...]:
        """Its cells under COLUMNS."""
        shown = self.figure.corrected
        estimates = [_numbers(each) for each in (shown, self.figure.people)]
        why = words_of(shown.reason or shown.ci_reason)
        ratio, is_approximate = self.figure.width_ratio, self.figure.is_approximate
        counts = shown.n_items, shown.n_pairs
        return self.name, self.figure.machine, *estimates[0], *estimates[1], ratio, *counts, is_approximate, why


def _numbers(found: Estimate) -> tuple[float | None, float | None, float | None]:
    low, high = (found.ci.low, found.ci.high) if found.ci else (None, None)
    return found.value, low, high


def rows_of(found: Findings) -> list[Row]:
    """Every figure: shares of grades, and where these have an order the mean, measures of runs, and differences of runs
    that follow each other."""
    report, levels = found.report, list(found.evidence.audit.criterion.levels.order_by("value"))
    rows = [Row(f"Grade {level}", each, True) for level, each in zip(levels, report.levels, strict=True)]
    if found.evidence.audit.criterion.scale == Scale.NOMINAL:
        return rows
    if len(levels) > 2:
        higher = zip(levels[1:-1], report.from_levels, strict=False)
        rows += [Row(f"Grade {level.value} or higher", each, True) for level, each in higher]
    rows.append(Row("Mean grade", report.mean_gain))
    for of_runs in report.measures:
        for each in (*of_runs.runs, *of_runs.order.differences):
            rows.append(Row(f"{of_runs.measure} of {each.name.replace(' - ', ' − ')}", each))
    return rows


def elsewhere_of(found: Findings) -> list[tuple[str, str]]:
    """(figure, its value with an interval) for topics like these: the shares of grades and the mean."""
    about = (*found.report.levels, found.report.mean_gain)
    named = {id(row.figure): row for row in rows_of(found)}
    pairs = ((named.get(id(figure)), each) for figure, each in zip(about, found.report.elsewhere, strict=True))
    return [(row.name, row.with_interval(each)) for row, each in pairs if row]


def sentences_of(found: Findings) -> list[str]:
    """What becomes of the order of runs by each measure."""
    return [_of_order(each.measure, each.order) for each in found.report.measures]


def _of_order(measure: str, order: Order) -> str:
    known = f"By {measure}, the order {' > '.join(order.runs)} that the machine's labels give"
    if order.verdict == Verdict.HOLDS:
        return f"{known} holds: each run is above the next one, with its whole 95% interval."
    if order.verdict == Verdict.DOES_NOT_HOLD:
        return f"{known} does not hold: some run is below the next one, with its whole interval."
    if order.verdict is None:
        return f"{known} cannot be checked: {words_of(order.reason)}."
    if order.needs_all:
        return f"{known} is not decided. People would have to judge all items to decide it."
    return f"{known} is not decided. It needs about {counted(order.n_more or 0, 'more judged item')}."


def lines_of(found: Findings) -> Iterator[str]:
    """All of it for a terminal."""
    yield from found.notes
    for row in rows_of(found):
        ratio = "" if row.figure.width_ratio is None else f"; width {row.figure.width_ratio:.2f} of people alone"
        yield f"{row.name}: {row.corrected}; machine {row.machine}; people alone {row.people}{ratio}"
    yield from sentences_of(found)


def as_json(found: Findings) -> dict[str, Any]:
    """For the API, and commands with --json."""
    standing = asdict(found.evidence.standing)
    shown = {"counted_at": found.counted_at.isoformat(), "notes": found.notes, "orders": sentences_of(found)}
    return shown | {"needed": found.needed, "standing": standing} | found.report.to_json()
