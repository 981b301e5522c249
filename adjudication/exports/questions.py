"""A question set as files: LitSearch's own schema, TREC, BEIR, and its tables."""

from collections.abc import Iterator, Sequence

from adjudication.queries.question_set import QuestionSet, SetQuestion
from adjudication.queries.question_statistics import Cell, Kept, Statistics, question_statistics
from adjudication.queries.report import escape
from corpus.formats.csv_text import write_csv
from corpus.formats.litsearch import query_object, write_litsearch_queries
from corpus.formats.litsearch_parquet import write_litsearch_parquet
from corpus.formats.records import QrelRow, TopicRecord
from corpus.text.overlap import tell_share


def topic_records(found: QuestionSet) -> Iterator[TopicRecord]:
    """The kept questions as topics, values in `extra`."""
    for question in found.kept:
        yield _record(question)


def _record(question: SetQuestion) -> TopicRecord:
    targets = tuple(target.docno for target in question.targets)
    extra = {"query_set": _query_set(question), "specificity": question.group, "quality": question.quality}
    texts = (question.text, question.text, "")  # a topic without a title has its text there too
    return TopicRecord(question.number, *texts, "", question.source, (), (), "", 0, targets, extra)


def _query_set(question: SetQuestion) -> str | None:
    """The subset; None leaves it to the source, whose name in LitSearch is known (all but “author”)."""
    return question.subset if question.subset != question.source or question.source == "author" else None


def qrel_rows(found: QuestionSet) -> Iterator[QrelRow]:
    """Every target of a kept question is relevant."""
    for question in found.kept:
        for target in question.targets:
            yield QrelRow(question.number, "0", target.docno, 1)


def litsearch_lines(found: QuestionSet) -> Iterator[str]:
    return write_litsearch_queries(topic_records(found))


def litsearch_parquet(found: QuestionSet) -> Iterator[bytes]:
    records = list(topic_records(found))
    return write_litsearch_parquet(records, map(query_object, records))


CELL_COLUMNS = ("questions", "mean_length", "mean_overlap", "targets", "targets_per_question", "targets_found")


def statistics_csv(found: QuestionSet) -> Iterator[str]:
    """One row for each subset, family and level, with what is kept beside those of subsets."""
    statistics = question_statistics(found)
    header = ("level_of_table", "row", "group", *CELL_COLUMNS, "examined", "kept", "kept_percent", "undecided")
    return write_csv(header, _csv_rows(statistics))


def _csv_rows(statistics: Statistics) -> Iterator[Sequence[object]]:
    kept = {row.label: row for row in statistics.kept}
    shown = set()
    for line in statistics.lines:
        level = "family" if line.is_family else "subset"
        for group, cell in zip((*statistics.groups, "all"), (*line.cells, line.total), strict=True):
            row = kept.get(line.label) if group == "all" and not line.is_family else None
            shown.add(line.label if row else "")
            yield (level, line.label, group, *_figures(cell), *_kept_figures(row))
    for label, row in kept.items():
        if label not in shown:
            yield ("subset", label, "all", *_figures(Cell(0, None, None, 0, 0)), *_kept_figures(row))


def _figures(cell: Cell) -> tuple[object, ...]:
    means = (_rounded(cell.length), _rounded(cell.overlap), cell.targets, _rounded(cell.per_question))
    return (cell.questions, *means, cell.found)


def _kept_figures(row: Kept | None) -> tuple[object, ...]:
    if row is None:
        return (None, None, None, None)
    return (row.examined, row.kept, _rounded(row.percent), row.undecided)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def statistics_latex(found: QuestionSet) -> Iterator[str]:
    """The table as a LaTeX tabular: questions, mean length, overlap and targets by level; then what is kept."""
    statistics = question_statistics(found)
    groups = statistics.groups
    yield "\\begin{table}\n\\centering\n"
    yield f"\\begin{{tabular}}{{l{'rrrr' * len(groups)}r}}\n\\hline\n"
    yield " & ".join(["", *(f"\\multicolumn{{4}}{{c}}{{{escape(group)}}}" for group in groups), "Total"]) + " \\\\\n"
    yield " & ".join(["", *["\\#Q & Len. & Overlap & \\#P"] * len(groups), "\\#Q"]) + " \\\\\n\\hline\n"
    for line in statistics.lines:
        label = escape(line.label) if line.is_family else f"\\quad {escape(line.label)}"
        cells = [part for cell in line.cells for part in _latex_cell(cell)]
        yield " & ".join([label, *cells, f"{line.total.questions}"]) + " \\\\\n"
    yield "\\hline\n\\end{tabular}\n"
    kept = "; ".join(f"{escape(row.label)} {escape(row.told)} of {row.examined}" for row in statistics.kept)
    yield (
        "\\caption{Questions: their number, mean length in words, mean share of their words in titles and abstracts of"
        f" their targets, mean number of targets. Kept: {kept}.}}\n\\end{{table}}\n"
    )


def _latex_cell(cell: Cell) -> tuple[str, str, str, str]:
    def shown(value: float | None, digits: int) -> str:
        return "--" if value is None else tell_share(value, digits)

    return str(cell.questions), shown(cell.length, 1), shown(cell.overlap, 2), shown(cell.per_question, 2)
