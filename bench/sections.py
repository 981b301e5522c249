"""How well sections to propose are found in papers that were not looked at: each paper decided by the other papers.

The model of `engines.pdf.sections` is fitted on all papers but one and decides that one, in turn. Two ways: with
the headings read, and with all headings hidden, as if each section were headed by its subject.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz import fuzz
from sklearn.linear_model import LogisticRegression

from engines.formats.acm_cr import AnnotatedPaper
from engines.formats.papers import FullPaper, Paragraph
from engines.pdf.sections import (
    INTRODUCTION,
    MODEL,
    OTHER,
    RELATED,
    Evidence,
    Model,
    evidence_of,
    is_citing,
    sections,
    with_parts,
)

NAMES = tuple(MODEL.weights)
_SAME = 80  # rapidfuzz ratio from which a paragraph is that of the gold, whatever was changed in it


@dataclass(frozen=True)
class Labelled:
    """A section that cites: what it shows, and whether most of its citing paragraphs are contexts of the gold."""

    paper: int
    evidence: Evidence
    is_survey: bool


def labelled(papers: Sequence[tuple[FullPaper, AnnotatedPaper]]) -> Iterator[Labelled]:
    """Yield the sections of the papers but their introductions; headings are not read."""
    for number, (paper, gold) in enumerate(papers):
        contexts = [context.text for context in gold.contexts]
        before: list[str] = []
        for section in sections(paper.paragraphs):
            citing = [each for each in section if is_citing(each)]
            hits = sum(_is_gold(each, contexts) for each in citing)
            is_survey = 2 * hits > len(citing)
            if before and citing:
                yield Labelled(number, evidence_of(section, before), is_survey)
            if any(each.kind == "paragraph" for each in section):
                before.append(INTRODUCTION if not before else RELATED if is_survey else OTHER)


def _is_gold(paragraph: Paragraph, contexts: list[str]) -> bool:
    sentences = (each.anonymised or paragraph.text[each.start : each.end] for each in paragraph.sentences)
    text = " ".join(sentences)
    return any(fuzz.ratio(text, context, score_cutoff=_SAME) for context in contexts)


def fitted(rows: Sequence[Labelled]) -> Model:
    """Return the model of these sections: logistic regression on scaled evidence, penalty at its default of 1."""
    evidence = np.array([[getattr(row.evidence, name) for name in NAMES] for row in rows])
    scale = evidence.std(axis=0)
    found = LogisticRegression().fit(evidence / scale, [row.is_survey for row in rows])
    weights = (float(round(weight, 2)) for weight in found.coef_[0] / scale)
    return Model(dict(zip(NAMES, weights, strict=True)), float(round(found.intercept_[0], 2)))


def left_out(
    papers: Sequence[tuple[FullPaper, AnnotatedPaper]], rows: Sequence[Labelled], *, with_headings: bool
) -> Iterator[FullPaper]:
    """Yield each paper with the parts that the other papers' model decides."""
    for number, (paper, _) in enumerate(papers):
        model = fitted([row for row in rows if row.paper != number])
        model = replace(model, with_headings=with_headings)
        yield replace(paper, paragraphs=with_parts(paper.paragraphs, model))
