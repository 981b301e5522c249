"""What only people know about a collection: the questions, with starters. Asked once, printed in each release.

The keys are those of Croissant's RAI vocabulary where it has one; the others are asked by the check lists of venues.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from adjudication.models import DataStatement
from adjudication.models.releases import is_address
from adjudication.releases.people import AUTHOR
from corpus.models import Collection
from engines.text.languages import LANGUAGES

NOT_STATED = "Not stated."


@dataclass(frozen=True)
class Question:
    """One question: `starter` is text to begin with, `is_required` means that venues ask for it."""

    key: str
    label: str
    help: str
    starter: str = ""
    is_required: bool = True
    is_line: bool = False  # one line, not a text
    is_named: bool = False  # who made it: not in the anonymous variant

    def in_language(self, language: str) -> Self:
        """The question to a collection in this language: no starter says that its texts are English."""
        named = self.starter.replace("English", LANGUAGES[language].name)
        return replace(self, starter=language if self.key == "languages" else named)


QUESTIONS = (
    Question("creators", "Creators", "One a line: name, or name <ORCID>.", is_named=True),
    Question("contact", "Contact", "An address for questions about the data.", is_line=True, is_named=True),
    Question("publisher", "Publisher", "The institution that releases the data.", is_line=True, is_named=True),
    Question("url", "Address of the data", "Where the data will be found: a page or DOI.", is_line=True, is_named=True),
    Question("description", "Description", "Two or three sentences: what the collection measures, and for whom."),
    Question("languages", "Languages", "Language codes separated by spaces, such as en de.", "en", is_line=True),
    Question(
        "dataUseCases",
        "Intended uses",
        "Permitted and excluded uses of the data.",
        "To evaluate retrieval of scientific literature. Not to judge single papers, authors or annotators.",
    ),
    Question(
        "dataSocialImpact",
        "Social impact",
        "Possible benefits and harms.",
        "Better search helps researchers to find related work. Systems tuned to this collection may favour its"
        " fields, languages and years.",
    ),
    Question(
        "dataBiases",
        "Known biases",
        "Which documents, topics or readings are over- or under-represented. What Litmus measured is added.",
        "Documents come from one field and are in English.",
    ),
    Question(
        "dataLimitations",
        "Limitations",
        "What the data cannot show. What Litmus measured is added.",
        "Documents outside of the pools were not judged.",
    ),
    Question(
        "personalSensitiveInformation",
        "Personal and sensitive information",
        "Which data about people are in it.",
        "Documents name their authors. Annotators appear under pseudonyms, with coarse times.",
    ),
    Question(
        "dataReleaseMaintenancePlan",
        "Maintenance",
        "Who corrects errors, how they are reported, how long.",
        "Errors can be reported to the contact. Corrections appear as new versions with a list of changes.",
    ),
    Question(
        "recruitment",
        "Annotators: recruitment",
        "Who judged, and how they were found.",
        "Researchers of the field, asked personally.",
    ),
    Question(
        "annotatorDemographics", "Annotators: background", "Only what cannot identify a person.", is_required=False
    ),
    Question(
        "annotatorKind",
        "Annotators: experts or crowd",
        "expert-generated or crowdsourced, as the Hugging Face Hub calls labels of experts and of crowdworkers.",
        is_required=False,
        is_line=True,
    ),
    Question(
        "syntheticData",
        "Synthetic data",
        "yes or no: whether models wrote texts or labels in imported files. Records of Litmus are added.",
        is_required=False,
        is_line=True,
    ),
    Question(
        "consent", "Annotators: consent", "What they agreed to.", "They agreed to the release of their judgments."
    ),
    Question("payment", "Annotators: pay", "How much, and how it compares with local minimum wages."),
    Question("ethics", "Ethics review", "Which board reviewed it, or why none had to.", is_required=False),
    Question("citation", "Citation", "How to cite it, in BibTeX.", is_required=False, is_named=True),
)


def answers_of(collection: Collection) -> dict[str, str]:
    """{question: answer} as it is stored, without empty answers."""
    found = DataStatement.objects.filter(collection=collection).values_list("answers", flat=True).first()
    return {key: str(text) for key, text in (found or {}).items() if str(text).strip()}


def unanswered(answers: Mapping[str, str]) -> list[Question]:
    """The required questions without an answer."""
    return [question for question in QUESTIONS if question.is_required and not answers.get(question.key)]


def creators_in(answers: Mapping[str, str]) -> list[tuple[str, str]]:
    """(name, ORCID or "") of each line."""
    found = []
    for line in answers.get("creators", "").splitlines():
        name, _, rest = line.partition("<")
        if name.strip():
            found.append((name.strip(), rest.strip().rstrip(">").strip()))
    return found


def names_in(answers: Mapping[str, str]) -> dict[str, str]:
    """{name that the statement gives: what is written where nobody is named}: makers, contact, publisher, address."""
    found = {each: AUTHOR for one in creators_in(answers) for each in one if each}
    words = {"contact": "[contact]", "publisher": "[publisher]", "url": "[address]"}
    return found | {answers[key]: word for key, word in words.items() if answers.get(key)}


def problem_of(key: str, text: str) -> str:
    """What is wrong with an answer that others read as data, "" for nothing: addresses, ORCIDs and codes have forms."""
    if unseen := next((sign for sign in text if not sign.isprintable() and sign != "\n"), ""):
        return f"It contains an invisible character ({unseen!a}). Type it again without it."
    return FORMS[key](text) if text and key in FORMS else ""


def _problem_of_creators(text: str) -> str:
    for line in map(str.strip, text.splitlines()):
        if not is_creator(line):
            return f"“{line[:60]}” is not a name, alone or with an ORCID as in Ada Lovelace <0000-0002-1825-0097>."
    for name, orcid in creators_in({"creators": text}):
        if orcid and not is_orcid(orcid):
            return f"{orcid} of {name} is no ORCID: its last character does not fit the others."
    return ""


def _problem_of_address(text: str) -> str:
    return "" if is_address(text) else "Give an address that begins with https:// or http://, without blanks."


def _problem_of_languages(text: str) -> str:
    return "" if all(map(is_language, text.split())) else "Give codes such as en, de or pt-BR, separated by spaces."


def _problem_of_annotators(text: str) -> str:
    return "" if text in ANNOTATOR_KINDS else f"Write {' or '.join(ANNOTATOR_KINDS)}."


def _problem_of_synthetic(text: str) -> str:
    return "" if text in ("yes", "no") else "Write yes or no."


ANNOTATOR_KINDS = ("expert-generated", "crowdsourced")
FORMS: dict[str, Callable[[str], str]] = {
    "creators": _problem_of_creators,
    "url": _problem_of_address,
    "languages": _problem_of_languages,
    "annotatorKind": _problem_of_annotators,
    "syntheticData": _problem_of_synthetic,
}


def is_orcid(text: str) -> bool:
    """Sixteen digits whose last one is the check digit of ISO 7064, mod 11-2."""
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == text[-1]


is_creator = re.compile(r"[^<>]*[^\W_][^<>]*(<\d{4}-\d{4}-\d{4}-\d{3}[\dX]>)?|").fullmatch
is_language = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*").fullmatch
