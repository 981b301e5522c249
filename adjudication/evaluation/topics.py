"""One topic of an evaluation as it is now: where its relevant documents stand in each run, and what nobody judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudication.evaluation.golds.kind import LoadedGold
from adjudication.evaluation.measured import Measured
from adjudication.evaluation.rankings import tops_of
from adjudication.evaluation.spec import CONDENSED
from adjudication.evaluation.tables import figure_text
from corpus.models import Collection
from engines.stats.evaluation import score
from engines.stats.measures import parse_measure, with_condensed
from engines.stats.rankings import RankedList, make_gold, match

Rankings = Mapping[str, Sequence[str]]  # {run: docnos, best first}


@dataclass(frozen=True)
class DocumentInRuns:
    """A document with its rank in each run (None where the run does not have it) and its grade (None: not judged)."""

    docno: str
    title: str | None  # None where the collection lacks it
    grade: float | None
    ranks: tuple[int | None, ...]

    @property
    def is_missed(self) -> bool:
        return all(rank is None for rank in self.ranks)

    @property
    def best(self) -> int:
        return min((rank for rank in self.ranks if rank is not None), default=1 << 60)


@dataclass(frozen=True)
class TopicPage:
    """What the page of a topic shows of `runs`, those that are still here. `is_changed` says that the topic scores
    otherwise now than when it was evaluated."""

    topic: str
    runs: tuple[tuple[int, str], ...]  # with their number among all runs of the evaluation
    relevant: tuple[DocumentInRuns, ...]
    unjudged: tuple[DocumentInRuns, ...]
    n_judged: int
    is_changed: bool

    @property
    def missed(self) -> int:
        """Relevant documents that no run has."""
        return sum(document.is_missed for document in self.relevant)


def printed_scores(part: Measured, topic: str) -> list[tuple[str, list[str]]]:
    """(run, its value of each measure as printed) for a topic, as stored."""
    at = part.topics.index(topic)
    return [
        (run, [_printed(value, measure) for value, measure in zip(part.values[place, at], part.measures, strict=True)])
        for place, run in enumerate(part.runs)
    ]


def _printed(value: float, measure: str) -> str:
    return figure_text(measure, float(value)) if np.isfinite(value) else "–"


def topic_page(collection: Collection, part: Measured, found: LoadedGold, topic: str, depth: int) -> TopicPage:
    """The topic under the gold and the runs as they are now; unjudged documents among the first `depth`."""
    rankings = {run: docnos for run, _, docnos in tops_of(collection, part.runs, found.unit, topics=[topic])}
    known = set(collection.retrieval_runs.filter(name__in=part.runs).values_list("name", flat=True))
    runs = tuple(run for run in part.runs if run in known)
    gold = found.gold
    places = gold.places[gold.topics.index(topic)] if topic in gold.topics else {}
    at = {run: {docno: rank for rank, docno in enumerate(docnos, 1)} for run, docnos in rankings.items()}
    relevant = [docno for docno, place in places.items() if gold.level[place] >= gold.relevance]
    new = list(dict.fromkeys(docno for docnos in rankings.values() for docno in docnos[:depth] if docno not in places))
    titles = dict(collection.documents.filter(docno__in=[*relevant, *new]).values_list("docno", "title"))

    def document(docno: str) -> DocumentInRuns:
        place = places.get(docno)
        ranks = tuple(at.get(run, {}).get(docno) for run in runs)
        return DocumentInRuns(docno, titles.get(docno), None if place is None else float(gold.gain[place]), ranks)

    return TopicPage(
        topic,
        tuple((part.runs.index(run) + 1, run) for run in runs),
        tuple(sorted(map(document, relevant), key=lambda each: (-(each.grade or 0), each.best, each.docno))),
        tuple(sorted(map(document, new), key=lambda each: (each.best, -_support(each, depth), each.docno))),
        len(places),
        _is_changed(part, found, topic, rankings, runs),
    )


def _support(document: DocumentInRuns, depth: int) -> int:
    """How many runs have it among the first `depth`."""
    return sum(rank is not None and rank <= depth for rank in document.ranks)


def _is_changed(part: Measured, found: LoadedGold, topic: str, rankings: Rankings, runs: Sequence[str]) -> bool:
    """Whether a score of the topic comes out otherwise now than when it was stored."""
    gold = found.gold
    if topic not in gold.topics:
        return True
    places = gold.places[gold.topics.index(topic)]
    gains = {topic: {docno: float(gold.gain[place]) for docno, place in places.items()}}
    levels = {topic: {docno: float(gold.level[place]) for docno, place in places.items()}}
    own = make_gold(gains, levels, relevance=gold.relevance)
    measures = [parse_measure(name) for name in part.measures]
    measures = with_condensed(measures) if part.report["unjudged"] == CONDENSED else measures
    for run in runs:
        now = score(match([RankedList(topic, rankings.get(run, ()))], own), own, measures).values[0]
        before = part.values[part.runs.index(run), part.topics.index(topic)]
        both = np.isfinite(now) & np.isfinite(before)  # a measure that one topic spoils is undefined for all
        if not np.allclose(now[both], before[both], rtol=0, atol=1e-9):
            return True
    return False
