"""What a set of annotated papers holds, as table 1 of ACM-CR (Boudin, JCDL 2021) counts it, and paper by paper.

Tokens are counted sentence by sentence (treebank.py), characters without the blanks that join sentences, citations as
the numbers given, repeats counted. Figures of paragraphs are over all contexts, those of sentences over those that
cite. Coverage says of how many contexts (or citing sentences) none, some but not all, or all of the cited references
are in the collection; `any` are those with at least one, the last two together, and `mean` is the mean share of a
text's citations that are in it, over the texts that cite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from corpus.formats.acm_cr import AnnotatedPaper, CitingSentence
from corpus.formats.acm_cr_topics import merged_qrels, paragraph_topics, sentence_topics
from corpus.text.treebank import count_tokens

NONE, SOME, ALL, ANY = "none", "some", "all", "any"
MEASURED = ("tokens", "chars", "cites")  # of each text


@dataclass(slots=True)
class Spread:
    """Mean and range of numbers that are met one by one; None while there are none."""

    n: int = 0
    total: float = 0
    low: float | None = None
    high: float | None = None

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    @property
    def mean(self) -> float | None:
        return self.total / self.n if self.n else None

    def as_json(self) -> dict[str, float | None]:
        return {"mean": _rounded(self.mean), "min": _rounded(self.low), "max": _rounded(self.high)}


@dataclass(slots=True)
class Row:
    """One row of the table: `number` texts, of which `queries` became topics; lengths and coverage of the texts."""

    number: int = 0
    queries: int = 0
    query_numbers: int = 0
    judgments: int = 0
    tokens: Spread = field(default_factory=Spread)
    chars: Spread = field(default_factory=Spread)
    cites: Spread = field(default_factory=Spread)
    shares: Spread = field(default_factory=Spread)
    coverage: Counter[str] = field(default_factory=Counter)

    def add(self, sentences: Sequence[CitingSentence], inside: Container[str]) -> None:
        """Count one text; `inside` are the numbers of the references in the collection."""
        cites = [cite for sentence in sentences for cite in sentence.cites]
        self.number += 1
        self.tokens.add(sum(count_tokens(sentence.text) for sentence in sentences))
        self.chars.add(sum(len(sentence.text) for sentence in sentences))
        self.cites.add(len(cites))
        found = sum(cite in inside for cite in cites)
        self.coverage[NONE if not found else ALL if found == len(cites) else SOME] += 1
        if cites:
            self.shares.add(found / len(cites))

    def means(self) -> dict[str, float | None]:
        return {name: _rounded(getattr(self, name).mean) for name in MEASURED}

    def ranges(self) -> dict[str, dict[str, float | None]]:
        spreads = {name: getattr(self, name) for name in MEASURED}
        return {name: {"min": spread.low, "max": spread.high} for name, spread in spreads.items()}

    def covered(self) -> dict[str, float | None]:
        parts = {part: self.coverage[part] for part in (NONE, SOME, ALL)}
        return {**parts, ANY: parts[SOME] + parts[ALL], "mean": _rounded(self.shares.mean)}


@dataclass(slots=True)
class PaperCounts:
    """What one paper holds; `coverage` is the share of its references that are in the collection."""

    paper: str
    contexts: int
    context_topics: int
    sentences: int
    citing_sentences: int
    sentence_topics: int
    anonymised_sentences: int
    references: int
    references_in_collection: int
    coverage: float | None


@dataclass(slots=True)
class Statistics:
    """The whole table; the row of sentences counts only those that cite."""

    by_paper: list[PaperCounts] = field(default_factory=list)
    paragraph_row: Row = field(default_factory=Row)
    sentence_row: Row = field(default_factory=Row)

    def total(self, name: str) -> int:
        """The sum of one of `PaperCounts` over all papers."""
        return sum(getattr(paper, name) for paper in self.by_paper)

    def per_paper(self) -> dict[str, dict[str, float | None]]:
        """Mean and range over the papers of each of `PaperCounts`."""
        spreads = {name: Spread() for name in PaperCounts.__slots__ if name != "paper"}
        for paper in self.by_paper:
            for name, spread in spreads.items():
                if (value := getattr(paper, name)) is not None:
                    spread.add(value)
        return {name: spread.as_json() for name, spread in spreads.items()}

    def as_json(self) -> dict[str, Any]:
        """The figures under the names that scripts rely upon."""
        paragraph, sentence = self.paragraph_row, self.sentence_row
        return {
            "papers": len(self.by_paper),
            "contexts": paragraph.number,
            "context_topics": paragraph.queries,
            "context_topic_numbers": paragraph.query_numbers,
            "context_qrels_rows": paragraph.judgments,
            "sentences": self.total("sentences"),
            "citing_sentences": sentence.number,
            "sentence_topics": sentence.queries,
            "sentence_qrels_rows": sentence.judgments,
            "anonymised_sentences": self.total("anonymised_sentences"),
            "references": self.total("references"),
            "references_in_collection": self.total("references_in_collection"),
            "context_means": paragraph.means(),
            "sentence_means": sentence.means(),
            "context_ranges": paragraph.ranges(),
            "sentence_ranges": sentence.ranges(),
            "coverage": {"contexts": paragraph.covered(), "sentences": sentence.covered()},
            "per_paper": self.per_paper(),
            "by_paper": [asdict(paper) for paper in self.by_paper],
        }


def count(papers: Iterable[tuple[AnnotatedPaper, Container[str]]]) -> Statistics:
    """Count papers, each with the docnos of the collection (at least those its references may name)."""
    found = Statistics()
    numbers = set[str]()
    for paper, docnos in papers:
        inside = {number for number, value in paper.references.items() if value is not None and value in docnos}
        for context in paper.contexts:
            found.paragraph_row.add(context.sentences, inside)
            for sentence in context.sentences:
                if sentence.cites:
                    found.sentence_row.add((sentence,), inside)
        by_context, by_sentence = list(paragraph_topics([paper], docnos)), list(sentence_topics([paper], docnos))
        numbers.update(topic.number for topic, _ in by_context)
        for row, made in ((found.paragraph_row, by_context), (found.sentence_row, by_sentence)):
            row.queries += len(made)
            row.judgments += sum(1 for _ in merged_qrels(made))
        found.by_paper.append(_counts(paper, len(inside), len(by_context), len(by_sentence)))
    found.paragraph_row.query_numbers = len(numbers)
    found.sentence_row.query_numbers = found.sentence_row.queries
    return found


def _counts(paper: AnnotatedPaper, inside: int, context_topics: int, sentence_topics: int) -> PaperCounts:
    sentences = [sentence for context in paper.contexts for sentence in context.sentences]
    return PaperCounts(
        paper=paper.doi,
        contexts=len(paper.contexts),
        context_topics=context_topics,
        sentences=len(sentences),
        citing_sentences=sum(bool(sentence.cites) for sentence in sentences),
        sentence_topics=sentence_topics,
        anonymised_sentences=sum(sentence.anonymised for sentence in sentences),
        references=len(paper.references),
        references_in_collection=inside,
        coverage=_rounded(inside / len(paper.references)) if paper.references else None,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
