"""The report of a finished run: one table for a paper, with its notes and the sentences that go with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from string import ascii_lowercase

from adjudication.agreement.method import equals, method_sentence, test_sentence, verdict_sentence
from adjudication.agreement.results import BLOCKS, block_name, p_text, reason_text, show
from adjudication.agreement.standing import why_stale
from adjudication.models import AgreementResult, AgreementRun
from annotation.campaigns.overrides import overrides_in
from engines.stats.statistics import REPORT, statistic

ALONE = "fewer_than_two_annotators"  # a block that cannot be: one run, or one person
UNITS = "Agreement and macro F1 in percent"
SMALL = "small sample, so the interval is that of the jackknife"


@dataclass(frozen=True)
class Entry:
    """One cell of the table: value with interval, or "undefined" with its reason; "" where nothing was computed.

    `marks` are the letters of the notes that hold for it, `pk` is the stored figure.
    """

    text: str
    p: str = ""
    marks: tuple[str, ...] = ()
    pk: int = 0

    @property
    def test(self) -> str:
        """The p as it is printed, "" for none."""
        return equals("p", self.p) if self.p else ""


@dataclass(frozen=True)
class ReportColumn:
    """One column: a block (all annotators, where there is nothing to set apart) with the extent of its figures.

    `n_items` and `n_pairs` are one number, or lowest and highest where the figures differ.
    """

    name: str
    n_items: str
    n_pairs: str


@dataclass(frozen=True)
class AgreementReport:
    """The table, its notes by letter ("" for one that holds for every figure), and what must stand under it."""

    columns: list[ReportColumn]
    rows: list[tuple[str, list[Entry]]]
    notes: list[tuple[str, str]]
    caption: str
    results: list[AgreementResult]

    @property
    def named_rows(self) -> list[tuple[str, list[tuple[str, Entry]]]]:
        """The rows with the column's name at each cell, for narrow screens."""
        names = [column.name for column in self.columns]
        return [(label, list(zip(names, cells, strict=True))) for label, cells in self.rows]


def make_report(run: AgreementRun, criterion: str) -> AgreementReport:
    """The figures of DORIS-MAE's Table 1 and a few more: a row for each statistic, a column for each block there is."""
    results = list(run.results.filter(criterion=criterion, statistic__in=REPORT, scope__in=["block", "all", "mean"]))
    keys = _columns(results)
    names = [name for name in REPORT if any(row.statistic == name for row in results)]
    cells = {place: _result(results, *place) for place in product(names, keys)}
    shown = [row for row in cells.values() if row is not None]
    letters = _letters(shown)
    units = f"{UNITS}{'; in brackets the interval' if any(row.ci for row in shown) else ''}."
    shown_is = f"Agreement of the annotators on {run.campaign.criteria.get(key=criterion).label}."
    notes = [shown_is, why_stale(run), units, method_sentence(run, criterion, shown)]
    if any(row.block in ("GA", "HA") for row in shown):
        notes.append(verdict_sentence(run, criterion))
    overridden = [each.text for each in overrides_in(run.campaign) if each.criterion == criterion]
    return AgreementReport(
        columns=[_column(key, [row for (_, of), row in cells.items() if of == key and row]) for key in keys],
        rows=[(statistic(name).label, [_entry(cells[name, key], letters) for key in keys]) for name in names],
        notes=[(letter, note) for note, letter in letters.items()],
        caption=" ".join(filter(None, [*notes, test_sentence(run, criterion), *overridden])),
        results=shown,
    )


def _columns(results: list[AgreementResult]) -> list[tuple[str, str]]:
    """(block, model) of each column; ("", "") is all annotators together, where there is nothing to set apart."""
    found = dict.fromkeys((row.block, row.model) for row in results if row.scope == "block" and row.reason != ALONE)
    ordered = sorted(found, key=lambda key: (list(BLOCKS).index(key[0]), key[1]))
    return ordered if len({block for block, _ in ordered}) > 1 else [("", "")]


def _result(results: list[AgreementResult], name: str, key: tuple[str, str]) -> AgreementResult | None:
    for row in results:
        is_column = (row.block, row.model) == key if key[0] else row.scope in ("all", "mean")
        if row.statistic == name and is_column:
            return row
    return None


def _column(key: tuple[str, str], rows: list[AgreementResult]) -> ReportColumn:
    name = block_name(rows[0]) if key[0] else "All annotators"
    return ReportColumn(name, _extent(row.n_items or 0 for row in rows), _extent(row.n_pairs or 0 for row in rows))


def _extent(counts: Iterable[int]) -> str:
    found = sorted(set(counts))
    return "–".join(f"{count:,}" for count in dict.fromkeys((found[0], found[-1])))


def _letters(rows: list[AgreementResult]) -> dict[str, str]:
    """{note: its letter}, in the order of the table; "" for a note that holds for every figure."""
    notes = dict.fromkeys(note for row in rows for note in _notes(row))
    everywhere = [note for note in notes if len(rows) > 1 and all(note in _notes(row) for row in rows)]
    names = (first + last for first, last in product(["", *ascii_lowercase], ascii_lowercase))
    return dict.fromkeys(everywhere, "") | {note: next(names) for note in notes if note not in everywhere}


def _notes(row: AgreementResult) -> list[str]:
    """What must be said of one figure: pairs and resamples left out, a small sample, why there is no interval."""
    small = row.ci and row.ci["method"] == "jackknife_t" and "small_sample" in row.extra.get("flags", ())
    notes = [SMALL] if small else []
    notes += show(row).notes
    if row.value is not None and row.ci is None:
        notes.append(f"no interval: {reason_text(row.ci_reason, row.n_items)}")
    return notes


def _entry(row: AgreementResult | None, letters: dict[str, str]) -> Entry:
    if row is None:
        return Entry("")
    marks = tuple(letter for note, letter in letters.items() if letter and note in _notes(row))
    if row.value is None:
        return Entry(f"undefined ({row.reason.replace('_', ' ')})", marks=marks, pk=row.pk)
    return Entry(_text(row), p_text(row.p), marks, row.pk)


def _text(row: AgreementResult) -> str:
    """Percentages with two decimals, as statistics.md 4.2 says that 10,000 resamples give; coefficients with three."""
    scale, places = (100, 2) if statistic(row.statistic).is_share else (1, 3)
    value = f"{scale * (row.value or 0):.{places}f}"
    if row.ci:
        value += f" ({scale * row.ci['low']:.{places}f}, {scale * row.ci['high']:.{places}f})"
    return value.replace("-", "−")
