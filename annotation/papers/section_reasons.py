"""Why a section was proposed or not, in the reader's language: engines/pdf/sections.py writes it once, in English."""

import re

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop

REASONS = (
    gettext_noop("It is the first section of the paper."),
    gettext_noop("This is a guess: the text begins without a heading, as introductions do."),
    gettext_noop("Nothing is cited in it."),
    gettext_noop("Its heading names related work."),
    gettext_noop("Its heading names the introduction."),
    gettext_noop("Its heading names the paper's own results or its end."),
    gettext_noop("The heading “{heading}” names related work."),
    gettext_noop("It reads like a survey of other work: {evidence}."),
    gettext_noop("It reads like the paper's own work: {evidence}."),
    gettext_noop("“{heading}” reads like a survey of other work: {evidence}."),
)
EVIDENCE = (
    gettext_noop("{count} of {all} paragraphs cite"),
    gettext_noop("{density} citations per 100 words"),
    gettext_noop("{share}% of sentences say “we”"),
    gettext_noop("behind the introduction"),
)


def reason_in_words(stored: str) -> str:
    """The stored reason in the language of the reader; as it is where its words are not known."""
    return _translated(stored, REASONS)


def _translated(stored: str, known: tuple[str, ...]) -> str:
    for text in known:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(text))
        if found := re.fullmatch(pattern, stored):
            return gettext(text).format(**{name: _value(name, value) for name, value in found.groupdict().items()})
    return stored


def _value(name: str, value: str) -> str:
    if name == "evidence":
        return ", ".join(_translated(each, EVIDENCE) for each in value.split(", "))
    return number_format(value) if name == "density" else value
