"""Which sections of a paper are about other people's work: decided by their text, their place and their heading.

A section headed by the standard names ("Related Work", "Conclusions") is what its heading says. All others are decided
by what they hold: a survey cites in most of its sentences, cites many works, seldom says "we", points to no figures or
equations, and stands behind the introduction. `MODEL` is that of a logistic regression on annotated papers with
their headings hidden (`make extraction-report` fits them again, and measures them on papers left out).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp, log1p

from engines.formats.papers import Paragraph
from engines.pdf.headings import plain_heading

INTRODUCTION, RELATED, OTHER = "introduction", "related work", ""
FIRST_SECTION = "It is the first section of the paper."
NO_HEADING = "This is a guess: the text begins without a heading, as introductions do."
PROPOSED = frozenset({INTRODUCTION, RELATED})
# A survey that is not proposed may be overlooked, so it costs twice as much as a wrong proposal.
LEAST_PROBABILITY = 1 / 3
LEAST_WORKS = 3  # fewer are no survey, even if they stand close together
LEAST_INSIDE = 1 / 2  # of a sub-section among the paper's own work
_SURVEY = re.compile(
    r"\b(?:related|relevant|previous|prior|existing|earlier|past)\s+(?:\w+\s+)?"
    r"(?:works?|research|studies|literature|approaches|methods|efforts|art)\b"
    r"|\brelated\s+\w+\s+(?:\w+\s+)?works?\b|^related$|\bliterature\b|\bstate\s+of\s+the\s+art\b|\bbackground$"
    r"|\bbackground\s+(?:and|&)|(?:and|&)\s+background\b|^background\s+(?:of|on)\b|\breview\s+of\b|\bsurvey\s+of\b"
    r"|\bstand\s+der\b|\b(?:verwandte|bisherige)\s+arbeiten\b|\bforschungsstand\b|\b[ée]tat\s+de\s+l\s+art\b"
    r"|\btravaux\s+(?:connexes|ant[ée]rieurs|existants|li[ée]s)\b|\btrabajos?\s+(?:relacionados?|previos?)\b"
    r"|\bestado\s+d(?:el|a)\s+arte\b|\btrabalhos\s+relacionados\b|\blavori\s+correlati\b|\bstato\s+dell\s+arte\b"
)
_INTRODUCTION = re.compile(
    r"\bintroduction\b|^einleitung\b|^einf[üu]hrung\b|^introducci[óo]n\b|^introdu[çc][ãa]o\b|^introduzione\b"
)
# What stands behind the survey in every paper; only names that are never those of a subject.
_OWN = re.compile(
    r"^(?:(?:experiment(?:s|al)?|empirical|main|our|overall|preliminary)\s+)?results?\b|^findings\b|^results?$"
    r"|^(?:summary\s+and\s+)?conclu(?:sions?|ding)\b|^discussions?\b|^general\s+discussion\b|\band\s+conclusions?$"
    r"|^limitations?\b|^future\s+(?:work|directions)\b|^acknowledge?ments?\b|^append(?:ix|ices)\b|^summary$"
    r"|^experiments?$|^experimental\s+(?:setup|setting|settings|results|evaluation)\b|^evaluation$|^ablation\b"
    r"|^(?:materials?\s+and\s+|research\s+)?method(?:s|ology)?$|^(?:our|the\s+proposed|proposed)\s"
    r"|^problem\s+(?:formulation|definition|statement)$|^implementation(?:\s+details)?$|^data(?:\s*sets?)?$|^data\s+collection\b"
    r"|^(?:ethic|broader\s+impact|data\s+availability|supplementa)"
)
_WE = re.compile(r"\b(?:we|our|us|ours)\b", re.IGNORECASE)
_REPORTS = re.compile(
    r"\b(?:et\s+al\b|(?:previous|prior|recent|earlier|existing|related|early|past|several|many|most|various|some|these|other)"
    r"\s+(?:\w+\s+)?(?:works?|stud(?:y|ies)|research(?:ers)?|approach(?:es)?|methods|models|papers|efforts|authors|"
    r"techniques|attempts)\b|researchers\b|literature\b|(?:line|body|strand)\s+of\s+(?:\w+\s+)?(?:work|research)\b)"
    r"|(?:\]|\)|\bauthors|\bthey)\s+(?:\w+ly\s+)?(?:propos|introduc|present|stud(?:y|ied)\b|investigat|explor|examin|analy[sz]|"
    r"show|demonstrat|found\b|find\b|report|develop|suggest|observ|argu|describ|compar|us(?:e|ed)\b|extend|focus)"
    r"|\b(?:has|have|had|was|were)\s+(?:also\s+)?(?:been\s+)?(?:\w+ly\s+)?(?:propos|introduc|present|stud|investigat|explor|"
    r"examin|analy[sz]|shown|demonstrat|found|report|develop|suggest|observ|argu|describ|address|consider)",
    re.IGNORECASE,
).search
_DISPLAY = re.compile(r"\b(?:fig(?:ure|s|\.)|tables?|eq(?:uation|s|n|\.)|algorithm|alg\.)\s*\(?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a section shows. `paragraphs` and `citing_paragraphs` are for people; the rest is weighed.

    `density` is log(1 + citations per 100 words), `works` log(1 + different works cited); `citing`, `own`, `displays`,
    `reports` are the shares (0 to 1) of sentences that cite, say "we", point to a figure, table or equation, report
    what others did; `follows` is 1 right behind the introduction, 1/2, 1/3 … where surveys stand between, else 0.
    """

    density: float
    citing: float
    reports: float
    own: float
    displays: float
    works: float
    follows: float
    paragraphs: int
    citing_paragraphs: int

    @property
    def words(self) -> str:
        """The evidence for a person to read, the weightiest first."""
        found = [
            f"{self.citing_paragraphs} of {self.paragraphs} paragraphs cite",
            f"{exp(self.density) - 1:.1f} citations per 100 words",
            f"{100 * self.own:.0f}% of sentences say “we”",
        ]
        return ", ".join([*found, *(["behind the introduction"] if self.follows else [])])


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the evidence, by its names, for log odds; `with_headings` is False where headings are not read."""

    weights: Mapping[str, float]
    bias: float
    with_headings: bool = True

    def probability(self, evidence: Evidence) -> float:
        """How likely a section that shows this is a survey of others' work."""
        total = self.bias + sum(weight * getattr(evidence, name) for name, weight in self.weights.items())
        return 1 / (1 + exp(-total))

    def is_survey(self, evidence: Evidence, least: float) -> bool:
        """Whether the section is that likely a survey, and cites as many different works as a survey needs."""
        return evidence.works >= log1p(LEAST_WORKS) and self.probability(evidence) >= least


MODEL = Model(
    {"density": 1.0, "citing": 3.09, "reports": 4.48, "own": -3.89, "displays": -7.33, "works": 0.73, "follows": 3.43},
    -6.07,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a section is, and why: a sentence that a person reads."""

    part: str
    reason: str


def with_parts(paragraphs: Iterable[Paragraph], model: Model = MODEL) -> tuple[Paragraph, ...]:
    """Return the paragraphs, each with the part that its section was decided to be, and the reason for it."""
    found: list[Paragraph] = []
    parts: list[str] = []
    for section in sections(paragraphs):
        decision = decide(section, parts, model)
        if any(each.kind == "paragraph" for each in section):
            parts.append(decision.part)
        found.extend(_decided(section, decision, model))
    return tuple(found)


def sections(paragraphs: Iterable[Paragraph]) -> list[list[Paragraph]]:
    """Return the top-level sections of a paper with all that stands in each."""
    return [list(section) for _, section in groupby(paragraphs, key=lambda each: each.top)]


def decide(section: Sequence[Paragraph], before: Sequence[str], model: Model = MODEL) -> Decision:
    """Return what a section is. `before` are the parts of the sections before it, in order."""
    heading = plain_heading(section[0].top) if model.with_headings else ""
    by_name = _by_heading(heading)
    if by_name is not None and not (by_name.part == INTRODUCTION and RELATED in before):
        return by_name
    if not before:
        return Decision(INTRODUCTION, FIRST_SECTION if section[0].top else NO_HEADING)
    evidence = evidence_of(section, before)
    if not evidence.citing_paragraphs:
        return Decision(OTHER, "Nothing is cited in it.")
    is_survey = model.is_survey(evidence, LEAST_PROBABILITY)
    verdict = "It reads like a survey of other work" if is_survey else "It reads like the paper's own work"
    return Decision(RELATED if is_survey else OTHER, f"{verdict}: {evidence.words}.")


def _by_heading(heading: str) -> Decision | None:
    """What the heading of a section says, None for one that names a subject."""
    if _SURVEY.search(heading):
        return Decision(RELATED, "Its heading names related work.")
    if names_introduction(heading):
        return Decision(INTRODUCTION, "Its heading names the introduction.")
    if _OWN.search(heading):
        return Decision(OTHER, "Its heading names the paper's own results or its end.")
    return None


def names_introduction(heading: str) -> bool:
    """Whether a plain heading is that of an introduction."""
    return bool(_INTRODUCTION.search(heading))


def evidence_of(section: Sequence[Paragraph], before: Sequence[str]) -> Evidence:
    """Return what a section shows; its headings are not read."""
    body = [each for each in section if each.kind == "paragraph"]
    sentences = [(each.text[one.start : one.end], one.cites) for each in body for one in each.sentences]
    keys = [key for each in body for marker in each.markers for key in marker.keys]
    count = max(len(sentences), 1)
    words = max(sum(len(each.text.split()) for each in body), 1)
    return Evidence(
        density=log1p(100 * len(keys) / words),
        citing=sum(bool(cites) for _, cites in sentences) / count,
        reports=sum(bool(_REPORTS(text)) for text, _ in sentences) / count,
        own=sum(bool(_WE.search(text)) for text, _ in sentences) / count,
        displays=sum(bool(_DISPLAY.search(text)) for text, _ in sentences) / count,
        works=log1p(len(set(keys))),
        follows=1 / len(before) if before and all(part in PROPOSED for part in before) else 0.0,
        paragraphs=len(body),
        citing_paragraphs=sum(is_citing(each) for each in body),
    )


def is_citing(paragraph: Paragraph) -> bool:
    """Whether a paragraph of the running text cites a work of the paper's list."""
    return paragraph.kind == "paragraph" and any(marker.keys for marker in paragraph.markers)


def _decided(section: Sequence[Paragraph], decision: Decision, model: Model) -> Iterable[Paragraph]:
    """A section's paragraphs with its part. In one that is no survey, a sub-section may be one."""
    if decision.part != OTHER:
        yield from _with(section, decision)
        return
    for unit in _subsections(section):
        found = _survey_inside(unit, model)
        if found is None and model.with_headings:
            yield from _below_run_ins(unit, decision)
        else:
            yield from _with(unit, found or decision)


def _with(section: Iterable[Paragraph], decision: Decision) -> Iterable[Paragraph]:
    return (replace(each, part=decision.part, reason=decision.reason) for each in section)


def _subsections(section: Sequence[Paragraph]) -> Iterable[list[Paragraph]]:
    """A section cut where the nearest heading changes; "3.1.2" stays in "3.1"."""
    unit: list[Paragraph] = []
    number = ""
    for each in section:
        own = each.number.rstrip(".")
        is_inside = number.count(".") > 0 and own.startswith(f"{number}.")
        if unit and each.section != unit[-1].section and not is_inside:
            yield unit
            unit = []
        if not unit:
            number = own
        unit.append(each)
    if unit:
        yield unit


def _survey_inside(unit: Sequence[Paragraph], model: Model) -> Decision | None:
    """Whether a sub-section among the paper's own work is a survey: by its heading, or clearly by what it holds."""
    first = unit[0]
    if first.section == first.top or first.top.endswith(first.section):
        return None
    if model.with_headings and _SURVEY.search(plain_heading(first.section)):
        return Decision(RELATED, f"The heading “{first.section}” names related work.")
    evidence = evidence_of(unit, [OTHER])
    if model.is_survey(evidence, LEAST_INSIDE):
        return Decision(RELATED, f"“{first.section}” reads like a survey of other work: {evidence.words}.")
    return None


def _below_run_ins(unit: Iterable[Paragraph], decision: Decision) -> Iterable[Paragraph]:
    """A sub-section's paragraphs; those below "Related work." at the start of a line are related work."""
    found = decision
    for each in unit:
        if each.kind == "heading":
            is_survey = bool(_SURVEY.search(plain_heading(each.text)))
            found = Decision(RELATED, f"The heading “{each.text}” names related work.") if is_survey else decision
        yield replace(each, part=found.part, reason=found.reason)
