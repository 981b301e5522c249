"""How far the annotators of an extraction campaign agree, pair by pair, over the papers that both have finished."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, combinations

from annotation.models import Campaign, Extraction, ExtractionSource, ExtractionState, Item
from annotation.papers.extractions import docnos_among, with_content
from corpus.models import Paper
from engines.definitions.extractions import Content, read_content, statements
from engines.stats.extraction import Counts, Figure, compare

PAPERS_AT_ONCE = 50
MOST_PAPERS = 300  # compared while somebody waits: the first of the campaign's order

NAMES = {
    "selection_kappa": "Paragraphs, κ",
    "selection_f1": "Paragraphs, F1",
    "boundary_f1": "Sentence ends, F1",
    "citation_f1": "Citations, F1",
    "identifier_accuracy": "Identifiers, equal",
    "identifier_kappa": "Identifiers, κ",
}
WORDS = {"nothing_to_compare": "nothing to compare", "no_variation": "both always chose the same"}


@dataclass(frozen=True, slots=True)
class AgreementCell:
    """A figure as a page shows it: three decimals, or why there is none."""

    label: str
    text: str
    why: str
    n: int


@dataclass(frozen=True, slots=True)
class ExtractionPair:
    """Two annotators, the papers both have finished, and their figures in the order of NAMES."""

    names: str
    papers: int
    cells: list[AgreementCell]


@dataclass(frozen=True, slots=True)
class DifferingPaper:
    """A paper of which its annotators say different things; `item` is its place on the adjudication screen."""

    paper: Paper
    people: int
    item: int
    is_adjudicated: bool


@dataclass(frozen=True, slots=True)
class ExtractionAgreement:
    """All pairs with the row of all of them together, and the papers on which somebody differs."""

    rows: list[ExtractionPair]
    differing: list[DifferingPaper]
    papers: int


def compare_annotators(campaign: Campaign) -> ExtractionAgreement:
    """The figures of the campaign now; a few queries for each fifty papers."""
    finished = Extraction.objects.filter(
        assignment__item__campaign=campaign, source=ExtractionSource.ANNOTATOR, state=ExtractionState.FINISHED
    )
    ids = list(Paper.objects.filter(extractions__in=finished).distinct().values_list("pk", flat=True)[:MOST_PAPERS])
    pairs: dict[tuple[str, str], Counts] = defaultdict(Counts)
    papers: dict[tuple[str, str], int] = defaultdict(int)
    differing: list[tuple[Paper, int]] = []
    for start in range(0, len(ids), PAPERS_AT_ONCE):
        for paper, contents in _contents(campaign, ids[start : start + PAPERS_AT_ONCE]):
            if len({statements(content) for content in contents.values()}) > 1:
                differing.append((paper, len(contents)))
            _add(paper, contents, pairs, papers)
    rows = [_row(f"{one} and {other}", papers[one, other], pairs[one, other]) for one, other in sorted(pairs)]
    if len(rows) > 1:
        together = Counts()
        for counts in pairs.values():
            together.add(counts)
        rows.append(_row("all pairs together", len(ids), together))
    return ExtractionAgreement(rows, _differing(campaign, differing), len(ids))


def _differing(campaign: Campaign, found: list[tuple[Paper, int]]) -> list[DifferingPaper]:
    papers = [paper.pk for paper, _ in found]
    items = dict(Item.objects.filter(campaign=campaign, paper__in=papers).values_list("paper", "pk"))
    done = Extraction.objects.filter(
        campaign=campaign, source=ExtractionSource.ADJUDICATED, state=ExtractionState.FINISHED, paper__in=papers
    )
    adjudicated = set(done.values_list("paper", flat=True))
    return [DifferingPaper(paper, people, items[paper.pk], paper.pk in adjudicated) for paper, people in found]


def _contents(campaign: Campaign, ids: list[int]) -> list[tuple[Paper, dict[str, Content]]]:
    """These papers with what each annotator finished, by the annotator's name."""
    finished = Extraction.objects.filter(
        paper__in=ids, assignment__item__campaign=campaign, state=ExtractionState.FINISHED
    )
    found: dict[int, dict[str, Content]] = defaultdict(dict)
    for each in with_content(finished).select_related("assignment__annotator"):
        found[each.paper_id][each.assignment.annotator.name] = read_content(each.content)
    papers = Paper.objects.filter(pk__in=ids).select_related("collection").defer("references", "pages")
    return [(paper, found[paper.pk]) for paper in papers]


def _add(
    paper: Paper,
    contents: dict[str, Content],
    pairs: dict[tuple[str, str], Counts],
    papers: dict[tuple[str, str], int],
) -> None:
    paragraphs = [block["id"] for block in paper.blocks if block.get("kind") == "paragraph"]
    docnos = docnos_among(paper.collection, chain.from_iterable(each.values.values() for each in contents.values()))
    for one, other in combinations(sorted(contents), 2):
        pairs[one, other].add(compare(contents[one], contents[other], paragraphs, docnos))
        papers[one, other] += 1


def _row(names: str, papers: int, counts: Counts) -> ExtractionPair:
    return ExtractionPair(names, papers, [_cell(NAMES[name], figure) for name, figure in counts.figures().items()])


def _cell(label: str, figure: Figure) -> AgreementCell:
    text = "–" if figure.value is None else f"{figure.value:.3f}"
    return AgreementCell(label, text, WORDS.get(figure.reason, figure.reason), figure.n)
