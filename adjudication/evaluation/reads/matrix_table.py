"""The matrix of all pairs of runs as files: a table for papers, or one line for each pair in full."""

from collections.abc import Iterator

from adjudication.evaluation.reads.measured import TESTS, Matrix, MatrixCell
from adjudication.evaluation.reads.tables import ALPHA, DAGGER, Cell, Column, Row, Table, figure_text
from corpus.formats.csv_text import write_csv

COLUMNS = ("run", "against", "measure", "difference", "test", "p", "p_holm", "reason")


def pairs_csv(matrix: Matrix) -> Iterator[str]:
    """A line for each run against each other, in both orders; differences as shares, empty where there is none."""
    names = [row.run for row in matrix.rows]
    rows = (
        (row.run, other, matrix.measure, cell.difference, matrix.test, cell.p, cell.p_holm, cell.why)
        for row in matrix.rows
        for other, cell in zip(names, row.cells, strict=True)
        if not cell.is_self
    )
    return write_csv(COLUMNS, rows)


def matrix_table(matrix: Matrix) -> Table:
    """Runs by runs: the row's mean minus the column's, the adjusted p in brackets; both orders of a pair are there."""
    columns = (Column(matrix.measure), *(Column(row.run) for row in matrix.rows))
    rows = tuple(
        Row(row.run, (_mean(matrix, row.value), *(_cell(matrix, each) for each in row.cells))) for row in matrix.rows
    )
    caption = (
        f"{matrix.measure}: mean of each run, and the row's mean minus the column's, in percent where the measure lies "
        f"between 0 and 1. In brackets: p of the {TESTS[matrix.test]}, Holm-adjusted for all {matrix.n_tests:,} "
        f"comparisons of the evaluation. {DAGGER}: below {ALPHA}."
    )
    return Table("Run", columns, rows, caption)


def _mean(matrix: Matrix, value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(figure_text(matrix.measure, value), value)


def _cell(matrix: Matrix, cell: MatrixCell) -> Cell:
    if cell.is_self:
        return Cell("")
    if cell.difference is None:
        return Cell("–", why=cell.why)
    p = cell.why or "no p" if cell.p_holm is None else f"{cell.p_holm:.3g}"
    return Cell(f"{figure_text(matrix.measure, cell.difference)} ({p})", cell.difference, is_marked=cell.is_marked)
