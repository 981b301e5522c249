"""What pages of an evaluation show next to its table: the plot of a column, and topics run against run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adjudication.evaluation.reads.tables import Row, Table
from adjudication.models import Evaluation

WIDTH, ROW = 100.0, 28  # percent, pixels of a row


@dataclass(frozen=True)
class Mark:
    """One run in the plot; positions in percent of its width."""

    label: str
    text: str
    y: int
    at: float
    low: float | None
    high: float | None
    is_best: bool

    @property
    def span(self) -> float:
        """How wide its interval is."""
        return round((self.high or 0.0) - (self.low or 0.0), 2)


@dataclass(frozen=True)
class Plot:
    """Points with intervals for one column. `ticks` are (position in percent, text)."""

    heading: str
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]
    height: int


@dataclass(frozen=True)
class TopicRow:
    topic: str
    values: tuple[float | None, ...]
    difference: float | None


@dataclass(frozen=True)
class TopicTable:
    """Every topic's values; `a` and `b` are the runs whose difference (a - b) orders the rows."""

    measure: str
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    a: str
    b: str
    rows: tuple[TopicRow, ...]
    wins: int
    losses: int


def sorted_table(table: Table, column: int | None) -> Table:
    """The rows by a column, the highest first, undefined ones last; as they are without one."""
    if column is None:
        return table

    def key(row: Row) -> tuple[bool, float]:
        value = row.cells[column].value
        return value is None, -(value or 0.0)

    return replace(table, rows=tuple(sorted(table.rows, key=key)))


def plot_of(table: Table, column: int) -> Plot | None:
    """The column as points with their intervals, the highest on top; None where no run has a value."""
    rows = [row for row in sorted_table(table, column).rows if row.cells and row.cells[column].value is not None]
    if not rows:
        return None
    cells = [row.cells[column] for row in rows]
    ends = [end for cell in cells for end in (cell.value, cell.low, cell.high) if end is not None]
    low, high = min(ends), max(ends)
    pad = 0.05 * (high - low) or 0.05
    low, high = max(0.0, low - pad), high + pad

    def place(value: float) -> float:
        return round(WIDTH * (value - low) / (high - low), 2)

    marks = tuple(
        Mark(
            row.label,
            cell.text,
            ROW * at + ROW // 2,
            place(cell.value or 0.0),
            None if cell.low is None else place(cell.low),
            None if cell.high is None else place(cell.high),
            cell.is_best,
        )
        for at, (row, cell) in enumerate(zip(rows, cells, strict=True))
    )
    scale = 100 if high <= 1.5 else 1
    ends = [low + share * (high - low) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    ticks = tuple((place(end), f"{scale * end:.1f}") for end in ends)
    column_of = table.columns[column]
    return Plot(" ".join([*filter(None, column_of.groups), column_of.label]), marks, ticks, ROW * len(rows))


def fetch_topics(job: Evaluation, asked: Mapping[str, str]) -> TopicTable | None:
    """The first part's scores by topic for one measure; None for a measure or run that it does not have."""
    scores = {each.run: each for each in job.scores.filter(part=0).order_by("pk")}
    if not scores:
        return None
    first = next(iter(scores.values()))
    measure = asked["measure"] or first.measures[0]
    runs = list(scores)
    a, b = asked["a"] or runs[0], asked["b"] or runs[min(1, len(runs) - 1)]
    if measure not in first.measures or a not in scores or b not in scores:
        return None
    place, step = first.measures.index(measure), len(first.measures)
    columns = {run: each.values[place::step] for run, each in scores.items()}
    rows = [
        TopicRow(topic, tuple(columns[run][at] for run in runs), _gap(columns[a][at], columns[b][at]))
        for at, topic in enumerate(first.topics)
    ]
    rows.sort(key=lambda row: (row.difference is None, -abs(row.difference or 0.0)))
    gaps = [row.difference for row in rows if row.difference is not None]
    wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return TopicTable(measure, tuple(first.measures), tuple(runs), a, b, tuple(rows), wins, losses)


def _gap(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one - two
