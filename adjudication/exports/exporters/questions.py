"""A question set as files: LitSearch's own schema, TREC, BEIR, and its tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudication.exporting.exporter import (
    CSV,
    FATAL,
    NDJSON,
    QUESTIONS,
    TEXT,
    WARNING,
    Exporter,
    Files,
    Finding,
    Options,
    Reader,
    TextExporter,
    find_campaign,
)
from adjudication.exporting.findings import override_findings
from adjudication.exporting.forms import CampaignField, ExportForm
from adjudication.exports.exporters.beir import BeirArchive, PrefixForm, beir_files, beir_findings
from adjudication.questions.question_set import (
    UNDECIDED,
    QuestionSet,
    SetQuestion,
    deciding_open_counts,
    fetch_question_set,
)
from adjudication.questions.question_statistics import (
    KeptCounts,
    QuestionCell,
    QuestionLine,
    Statistics,
    question_statistics,
)
from adjudication.questions.rating import campaigns_rating
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.models import Collection
from engines.formats.csv_text import write_csv
from engines.formats.litsearch import query_object, write_litsearch_queries
from engines.formats.litsearch_parquet import write_litsearch_parquet
from engines.formats.qrels import write_qrels
from engines.formats.records import QrelRow, TopicRecord
from engines.formats.trec_topics import write_trec_topics
from engines.text.latex_escape import escape
from engines.text.overlap import format_share

KEPT_HELP = "The questions that are kept, confirmed rewrites in place of the originals. Can be imported again."
FIGURES = (
    "Counts, lengths, overlap, targets, and what is kept, by source and level;"
    " then all by quality and source, kept or not."
)


class QuestionForm(ExportForm):
    campaign = CampaignField(required=False, help_text="slug; of question sets: what this rubric campaign rated")


class QuestionExporter(Exporter):
    """A question set; a campaign narrows it to what that one rated. It is small enough to be read whole."""

    section = QUESTIONS
    form: type[ExportForm] = QuestionForm
    judged = Judged.QUESTIONS
    is_table = False

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        """A campaign that rates no questions narrows nothing."""
        campaign = find_campaign(collection, values["campaign"]) if values["campaign"] else None
        narrowed = campaign if campaign and self.takes(campaign) else None
        return Options(collection, self, narrowed, values=values)

    @property
    def short(self) -> str:
        return self.label.removeprefix("Question set, ")

    def campaigns(self, options: Options) -> Iterable[Campaign]:
        """All that rate one of its questions."""
        return campaigns_rating(options.collection, options.campaign)

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        """Nothing kept; what is not decided yet; questions without targets."""
        found = _read_set(options, read)
        if not found.questions:
            fact = "No question has been rated yet, and none came with a quality."
            return [Finding(FATAL, "no_questions", fact, advice="Rate some in a rubric campaign first.")]
        if uncounted := _open_counts(found, read):
            facts = " ".join(fact for _, fact in uncounted)
            return [Finding(FATAL, "stale", facts, len(uncounted), advice="Count them, then export.")]
        if not found.kept and not self.is_table:
            return [Finding(FATAL, "none_kept", "No question is kept.")]
        overridden = [each for one in found.campaigns for each in override_findings(options, one, by_votes=True)]
        return [*dict.fromkeys(overridden), *_of_questions(found, is_table=self.is_table)]


def _read_set(options: Options, read: Reader) -> QuestionSet:
    key = ("questions", options.campaign.pk if options.campaign else None)
    if key not in read.memo:
        read.memo[key] = question_set(options)
    found: QuestionSet = read.memo[key]
    return found


def _open_counts(found: QuestionSet, read: Reader) -> list[tuple[Campaign, str]]:
    key = ("open counts", *(campaign.pk for campaign in found.campaigns))
    if key not in read.memo:
        read.memo[key] = deciding_open_counts(found)
    known: list[tuple[Campaign, str]] = read.memo[key]
    return known


def question_set(options: Options) -> QuestionSet:
    return fetch_question_set(options.collection, options.campaign.slug if options.campaign else "")


def _of_questions(found: QuestionSet, *, is_table: bool) -> Iterator[Finding]:
    if undecided := len(found.in_state(UNDECIDED)):
        some = f"{undecided:,} of {len(found.questions):,} questions"
        text = f"Not decided yet (not rated, tied, or with too few votes), so left out: {some}."
        yield Finding(WARNING, "undecided", text, undecided)
    alone = sum(not question.targets for question in found.kept)
    if alone and not is_table:
        yield Finding(WARNING, "no_targets", f"Kept questions without a target: {alone:,}.", alone)


class QuestionText(TextExporter, QuestionExporter):
    """One that is written by a function over the question set."""

    def __init__(
        self,
        name: str,
        label: str,
        suffix: str,
        write: Callable[[QuestionSet], Iterator[str]],
        *,
        media_type: str = TEXT,
        about: str = KEPT_HELP,
        is_table: bool = False,
    ) -> None:
        self.name, self.label, self.suffix = name, f"Question set, {label}", suffix
        self.media_type, self.about, self.is_table, self.write = media_type, about, is_table, write

    def lines(self, options: Options) -> Iterator[str]:
        return self.write(question_set(options))


class LitsearchParquet(QuestionExporter):
    name = "litsearch-parquet"
    label = "Question set, LitSearch parquet"
    suffix = "litsearch.parquet"
    media_type = "application/octet-stream"
    about = KEPT_HELP

    def pieces(self, options: Options) -> Iterator[bytes]:
        records = list(topic_records(question_set(options)))
        return write_litsearch_parquet(records, map(query_object, records))


class QuestionBeirForm(PrefixForm, QuestionForm):
    pass


class QuestionBeir(BeirArchive, QuestionExporter):
    name = "question-beir"
    label = "Question set, BEIR with targets"
    suffix = "questions.beir.zip"
    about = "Documents, questions and targets."
    form = QuestionBeirForm

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        found = super().findings(options, read)
        fatal = any(finding.is_fatal for finding in found)
        return found if fatal else found + beir_findings(options, read)

    def files(self, options: Options) -> Files:
        found = question_set(options)
        return beir_files(options, topic_records(found), qrel_rows(found))


def topic_records(found: QuestionSet) -> Iterator[TopicRecord]:
    """The kept questions as topics, values in `extra`."""
    for question in found.kept:
        yield _record(question)


def _plain_records(found: QuestionSet) -> Iterator[TopicRecord]:
    """Without the values, for layouts whose further fields would be new to readers."""
    return (replace(record, extra={}) for record in topic_records(found))


def _record(question: SetQuestion) -> TopicRecord:
    targets = tuple(target.docno for target in question.targets)
    extra = {"query_set": _query_set(question), "specificity": question.group, "quality": question.quality}
    texts = (question.title or question.text, question.text, question.narrative)  # a title is its text at least
    return TopicRecord(question.number, *texts, "", question.source, (), (), "", 0, targets, extra)


def _query_set(question: SetQuestion) -> str | None:
    """The subset; None leaves it to the source, whose name in LitSearch is known (all but “author”)."""
    return question.subset if question.subset != question.source or question.source == "author" else None


def qrel_rows(found: QuestionSet) -> Iterator[QrelRow]:
    """Every target of a kept question is relevant."""
    for question in found.kept:
        for target in question.targets:
            yield QrelRow(question.number, "0", target.docno, 1)


KEPT_ONES, ALL_RATED = "kept questions", "all with a quality"
CELL_COLUMNS = (
    *("questions", "mean_length", "mean_overlap", "targets", "targets_per_question", "targets_found"),
    "targets_with_abstract",
)


def statistics_csv(found: QuestionSet) -> Iterator[str]:
    """One row for each subset, family and level, with what is kept in those of subsets; then all by quality.

    `counted` says over which questions a row's figures are, up to `targets_with_abstract`: KEPT_ONES, ALL_RATED, or
    those of one quality (in rows of a subset by quality).
    """
    statistics = question_statistics(found)
    kept = ("examined", "kept", "kept_percent", "undecided")
    header = ("level_of_table", "row", "group", "counted", *CELL_COLUMNS, *kept, "overlap_definition")
    return write_csv(header, _csv_rows(statistics))


def _csv_rows(statistics: Statistics) -> Iterator[Sequence[object]]:
    kept = {row.label: row for row in statistics.kept}
    shown = set()
    for line in statistics.lines:
        level = "family" if line.is_family else "subset"
        for group, cell in zip((*statistics.groups, "all"), (*line.cells, line.total), strict=True):
            row = kept.get(line.label) if group == "all" and not line.is_family else None
            shown.add(line.label if row else "")
            yield (level, line.label, group, KEPT_ONES, *_figures(cell), *_kept_figures(row), statistics.definition)
    for label, row in kept.items():
        if label not in shown:
            nothing = _figures(QuestionCell(0, None, None, 0, 0, 0))
            yield ("subset", label, "all", KEPT_ONES, *nothing, *_kept_figures(row), statistics.definition)
    for line in statistics.qualities:
        yield from _rated_rows(statistics, "quality", line, ALL_RATED)
    for label, lines in statistics.sources.items():
        for line in lines:
            yield from _rated_rows(statistics, "subset by quality", line, f"quality {label}")


def _rated_rows(statistics: Statistics, level: str, line: QuestionLine, counted: str) -> Iterator[Sequence[object]]:
    """A row for each level and one for all, of questions that are counted whether they are kept or not."""
    for group, cell in zip((*statistics.groups, "all"), (*line.cells, line.total), strict=True):
        yield (level, line.label, group, counted, *_figures(cell), *_kept_figures(None), statistics.definition)


def _figures(cell: QuestionCell) -> tuple[object, ...]:
    means = (_rounded(cell.length), _rounded(cell.overlap), cell.targets, _rounded(cell.per_question))
    return (cell.questions, *means, cell.found, cell.with_abstract)


def _kept_figures(row: KeptCounts | None) -> tuple[object, ...]:
    if row is None:
        return (None, None, None, None)
    return (row.examined, row.kept, _rounded(row.percent), row.undecided)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def statistics_latex(found: QuestionSet) -> Iterator[str]:
    """Two LaTeX tables: questions, their mean length, overlap and targets by level, with what is kept; by quality."""
    statistics = question_statistics(found)
    groups = statistics.groups
    yield "\\begin{table}\n\\centering\n{\\footnotesize\\setlength{\\tabcolsep}{3pt}%\n"  # as wide as a page at most
    yield f"\\begin{{tabular}}{{l{'rrrr' * len(groups)}r}}\n\\hline\n"
    yield " & ".join(["", *(f"\\multicolumn{{4}}{{c}}{{{escape(group)}}}" for group in groups), "Total"]) + " \\\\\n"
    yield " & ".join(["", *["\\#Q & Len. & Overlap & \\#P"] * len(groups), "\\#Q"]) + " \\\\\n\\hline\n"
    for line in statistics.lines:
        label = escape(line.label) if line.is_family else f"\\quad {escape(line.label)}"
        cells = [part for cell in line.cells for part in _latex_cell(cell)]
        yield " & ".join([label, *cells, f"{line.total.questions}"]) + " \\\\\n"
    yield "\\hline\n\\end{tabular}}\n"
    yield (
        "\\caption{Questions: their number, mean length in words, mean share of their words in titles and abstracts of"
        f" their targets, mean number of targets. {escape(statistics.about_overlap)}"
        f" {_latex_kept(statistics)}}}\n\\end{{table}}\n"
    )
    yield from _latex_qualities(statistics)


def _latex_kept(statistics: Statistics) -> str:
    rows = "; ".join(escape(f"{row.label} {row.kept_of_examined}") for row in statistics.kept)
    return " ".join([f"Kept of those examined: {rows}.", escape(statistics.about_examined)]).strip()


def _latex_qualities(statistics: Statistics) -> Iterator[str]:
    """A second table: questions by quality, source and level, kept or not; nothing where no question has a quality."""
    if not statistics.qualities:
        return
    groups = statistics.groups
    yield f"\n\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{l{'r' * len(groups)}r}}\n\\hline\n"
    yield " & ".join(["Quality", *map(escape, groups), "All"]) + " \\\\\n\\hline\n"
    for line, sources in statistics.by_quality:
        yield _latex_counts(escape(line.label), line)
        yield from (_latex_counts(f"\\quad {escape(each.label)}", each) for each in sources)
    n = f"n = {statistics.judged:,} questions with a quality, kept or not."
    more = [
        f"Not counted: {statistics.not_judged:,} without a quality." if statistics.not_judged else "",
        f"All includes {statistics.without_group:,} without one of these levels." if statistics.without_group else "",
    ]
    title = "Questions by quality and source." if statistics.sources else "Questions by quality."
    about = " ".join([title, n, *filter(None, more)])
    yield f"\\hline\n\\end{{tabular}}\n\\caption{{{escape(about)}}}\n\\end{{table}}\n"


def _latex_counts(label: str, line: QuestionLine) -> str:
    return " & ".join([label, *(f"{cell.questions}" for cell in (*line.cells, line.total))]) + " \\\\\n"


def _latex_cell(cell: QuestionCell) -> tuple[str, str, str, str]:
    def shown(value: float | None, digits: int) -> str:
        return "--" if value is None else format_share(value, digits)

    return str(cell.questions), shown(cell.length, 1), shown(cell.overlap, 2), shown(cell.per_question, 2)


EXPORTERS = (
    QuestionText(
        "litsearch",
        "LitSearch JSONL",
        "litsearch.jsonl",
        lambda found: write_litsearch_queries(topic_records(found)),
        media_type=NDJSON,
    ),
    LitsearchParquet(),
    QuestionText(
        "question-topics",
        "TREC topics of questions",
        "questions.topics",
        lambda found: write_trec_topics(_plain_records(found)),
    ),
    QuestionText(
        "question-qrels",
        "TREC qrels of targets",
        "questions.qrels",
        lambda found: write_qrels(qrel_rows(found)),
        about="The targets of those that are kept.",
    ),
    QuestionBeir(),
    QuestionText(
        "question-statistics",
        "tables as CSV",
        "questions.csv",
        statistics_csv,
        media_type=CSV,
        about=FIGURES,
        is_table=True,
    ),
    QuestionText(
        "question-latex",
        "tables as LaTeX",
        "questions.tex",
        statistics_latex,
        media_type="application/x-tex; charset=utf-8",
        about=FIGURES,
        is_table=True,
    ),
)
