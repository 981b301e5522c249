"""What a set of annotated papers holds, as table 1 of ACM-CR (Boudin, JCDL 2021) counts it.

Tokens are counted sentence by sentence (treebank.py), characters without the blanks that join sentences, citations as
the numbers given, repeats counted. Figures of paragraphs are over all contexts, those of sentences over those that
cite. Coverage says of how many contexts (or citing sentences) none, some but not all, or all of the cited references
are in the collection; `any` are those with at least one, the last two together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.formats.acm_cr import AnnotatedPaper, CitingSentence
from corpus.formats.acm_cr_topics import merged_qrels, paragraph_topics, sentence_topics
from corpus.text.treebank import count_tokens

NONE, SOME, ALL, ANY = "none", "some", "all", "any"


@dataclass(slots=True)
class Row:
    """One row of the table: `number` texts, of which `queries` became topics, with sums over the texts."""

    number: int = 0
    queries: int = 0
    query_numbers: int = 0
    judgments: int = 0
    tokens: int = 0
    chars: int = 0
    cites: int = 0
    coverage: Counter[str] = field(default_factory=Counter)

    def add(self, sentences: Sequence[CitingSentence], inside: Container[str]) -> None:
        """Count one text; `inside` are the numbers of the references in the collection."""
        cites = [cite for sentence in sentences for cite in sentence.cites]
        self.number += 1
        self.tokens += sum(count_tokens(sentence.text) for sentence in sentences)
        self.chars += sum(len(sentence.text) for sentence in sentences)
        self.cites += len(cites)
        found = sum(cite in inside for cite in cites)
        self.coverage[NONE if not found else ALL if found == len(cites) else SOME] += 1

    def mean(self, total: int) -> float | None:
        """A mean over the texts, None where there are none."""
        return total / self.number if self.number else None

    @property
    def any_covered(self) -> int:
        """How many of the texts cite at least one work of the collection."""
        return self.coverage[SOME] + self.coverage[ALL]

    @property
    def means(self) -> dict[str, float | None]:
        return {name: self.mean(getattr(self, name)) for name in ("tokens", "chars", "cites")}


@dataclass(slots=True)
class Statistics:
    """The whole table; `sentences` counts all sentences, the row of sentences only those that cite."""

    papers: int = 0
    sentences: int = 0
    anonymised: int = 0
    references: int = 0
    references_inside: int = 0
    paragraph_row: Row = field(default_factory=Row)
    sentence_row: Row = field(default_factory=Row)

    def as_json(self) -> dict[str, Any]:
        """The figures under the names that scripts rely upon."""
        paragraph, sentence = self.paragraph_row, self.sentence_row
        return {
            "papers": self.papers,
            "contexts": paragraph.number,
            "context_topics": paragraph.queries,
            "context_topic_numbers": paragraph.query_numbers,
            "context_qrels_rows": paragraph.judgments,
            "sentences": self.sentences,
            "citing_sentences": sentence.number,
            "sentence_topics": sentence.queries,
            "sentence_qrels_rows": sentence.judgments,
            "anonymised_sentences": self.anonymised,
            "references": self.references,
            "references_in_collection": self.references_inside,
            "context_means": _rounded(paragraph.means),
            "sentence_means": _rounded(sentence.means),
            "coverage": {
                name: {part: row.coverage[part] for part in (NONE, SOME, ALL)} | {ANY: row.any_covered}
                for name, row in (("contexts", paragraph), ("sentences", sentence))
            },
        }


def count(papers: Iterable[tuple[AnnotatedPaper, Container[str]]]) -> Statistics:
    """Count papers, each with the docnos of the collection (at least those its references may name)."""
    found = Statistics()
    numbers = set[str]()
    for paper, docnos in papers:
        inside = {number for number, value in paper.references.items() if value is not None and value in docnos}
        found.papers += 1
        found.references += len(paper.references)
        found.references_inside += len(inside)
        for context in paper.contexts:
            found.paragraph_row.add(context.sentences, inside)
            found.sentences += len(context.sentences)
            found.anonymised += sum(sentence.anonymised for sentence in context.sentences)
            for sentence in context.sentences:
                if sentence.cites:
                    found.sentence_row.add((sentence,), inside)
        by_context, by_sentence = list(paragraph_topics([paper], docnos)), list(sentence_topics([paper], docnos))
        numbers.update(topic.number for topic, _ in by_context)
        for row, made in ((found.paragraph_row, by_context), (found.sentence_row, by_sentence)):
            row.queries += len(made)
            row.judgments += sum(1 for _ in merged_qrels(made))
    found.paragraph_row.query_numbers = len(numbers)
    found.sentence_row.query_numbers = found.sentence_row.queries
    return found


def _rounded(means: dict[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 3) for name, value in means.items()}
