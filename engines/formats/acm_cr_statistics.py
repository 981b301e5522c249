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

from engines.formats.acm_cr import AnnotatedPaper, CitingSentence
from engines.formats.acm_cr_topics import merged_qrels, paragraph_topics, sentence_topics
from engines.text.treebank import count_tokens

NONE, SOME, ALL, ANY = "none", "some", "all", "any"
MEASURED = ("tokens", "chars", "cites")  # of each text


@dataclass(slots=True)
class Row:
    """One row of the table: lengths and coverage of its texts, of which `queries` became topics."""

    queries: int = 0
    judgments: int = 0
    tokens: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    cites: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    coverage: Counter[str] = field(default_factory=Counter)

    def add(self, sentences: Sequence[CitingSentence], inside: Container[str]) -> None:
        """Count one text; `inside` are the numbers of the references in the collection."""
        cites = [cite for sentence in sentences for cite in sentence.cites]
        self.tokens.append(sum(count_tokens(sentence.text) for sentence in sentences))
        self.chars.append(sum(len(sentence.text) for sentence in sentences))
        self.cites.append(len(cites))
        found = sum(cite in inside for cite in cites)
        self.coverage[NONE if not found else ALL if found == len(cites) else SOME] += 1
        if cites:
            self.shares.append(found / len(cites))

    def spreads(self) -> dict[str, dict[str, float | None]]:
        return {name: _spread(getattr(self, name)) for name in MEASURED}

    def means(self) -> dict[str, float | None]:
        return {name: spread["mean"] for name, spread in self.spreads().items()}

    def ranges(self) -> dict[str, dict[str, float | None]]:
        return {name: {"min": each["min"], "max": each["max"]} for name, each in self.spreads().items()}

    def covered(self) -> dict[str, float | None]:
        parts = {part: self.coverage[part] for part in (NONE, SOME, ALL)}
        return {**parts, ANY: parts[SOME] + parts[ALL], "mean": _spread(self.shares)["mean"]}


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
    topic_numbers: set[str] = field(default_factory=set)  # of contexts: two of a paper may share one

    def total(self, name: str) -> int:
        """The sum of one of `PaperCounts` over all papers."""
        return sum(getattr(paper, name) for paper in self.by_paper)

    def per_paper(self) -> dict[str, dict[str, float | None]]:
        """Mean and range over the papers of each of `PaperCounts`."""
        columns = {
            name: [value for paper in self.by_paper if (value := getattr(paper, name)) is not None]
            for name in PaperCounts.__slots__
            if name != "paper"
        }
        return {name: _spread(values) for name, values in columns.items()}

    def as_json(self) -> dict[str, Any]:
        """The figures under the names that scripts rely upon."""
        paragraph, sentence = self.paragraph_row, self.sentence_row
        return {
            "papers": len(self.by_paper),
            "contexts": len(paragraph.tokens),
            "context_topics": paragraph.queries,
            "context_topic_numbers": len(self.topic_numbers),
            "context_qrels_rows": paragraph.judgments,
            "sentences": self.total("sentences"),
            "citing_sentences": len(sentence.tokens),
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
    for paper, docnos in papers:
        inside = {number for number, value in paper.references.items() if value is not None and value in docnos}
        for context in paper.contexts:
            found.paragraph_row.add(context.sentences, inside)
            for sentence in context.sentences:
                if sentence.cites:
                    found.sentence_row.add((sentence,), inside)
        by_context, by_sentence = list(paragraph_topics([paper], docnos)), list(sentence_topics([paper], docnos))
        found.topic_numbers.update(topic.number for topic, _ in by_context)
        for row, topics in ((found.paragraph_row, by_context), (found.sentence_row, by_sentence)):
            row.queries += len(topics)
            row.judgments += sum(1 for _ in merged_qrels(topics))
        found.by_paper.append(_counts(paper, len(inside), len(by_context), len(by_sentence)))
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


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    """Mean and range; None for no values."""
    if not values:
        return {"mean": None, "min": None, "max": None}
    return {"mean": _rounded(sum(values) / len(values)), "min": _rounded(min(values)), "max": _rounded(max(values))}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
