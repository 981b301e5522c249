"""Tokens of English as the Penn Treebank counts them: the conventions of NLTK's word tokeniser.

Punctuation stands apart, a full stop only where the sentence ends, contractions are cut ("do n't"), numbers keep their
commas. The published counts of ACM-CR were made so (Boudin, JCDL 2021, table 1).
"""

from __future__ import annotations

import re
from typing import NamedTuple


class _Rule(NamedTuple):
    """A pattern and its replacement; without one of `marks` in the text the pattern matches nowhere."""

    pattern: re.Pattern[str]
    replacement: str
    marks: frozenset[str]


def _rules(*rows: tuple[str, str, str]) -> list[_Rule]:
    return [_Rule(re.compile(pattern), replacement, frozenset(marks)) for pattern, replacement, marks in rows]


_BEFORE_CLOSING_QUOTES = _rules(
    # opening quotes
    ("([«“‘„]|[`]+)", r" \1 ", "«“‘„`"),
    (r"^\"", r"``", '"'),
    (r"(``)", r" \1 ", "`"),
    (r"([ \(\[{<])(\"|\'{2})", r"\1 `` ", "\"'"),
    (r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"\1 \2", "'"),
    # punctuation
    (r"([^\.])(\.)([\]\)}>\"\'»”’ ]*)\s*$", r"\1 \2 \3 ", "."),
    (r"([:,])([^\d])", r" \1 \2", ":,"),
    (r"([:,])$", r" \1 ", ":,"),
    (r"\.{2,}", r" \g<0> ", "."),
    (r"[;@#$%&]", r" \g<0> ", ";@#$%&"),
    (r"([^\.])(\.)([\]\)}>\"\']*)\s*$", r"\1 \2\3 ", "."),
    (r"[?!]", r" \g<0> ", "?!"),
    (r"([^'])' ", r"\1 ' ", "'"),
    (r"[*]", r" \g<0> ", "*"),
    # brackets and dashes
    (r"[\]\[\(\)\{\}\<\>]", r" \g<0> ", "[](){}<>"),
    (r"--|[\u2012-\u2015]", r" \g<0> ", "-\u2012\u2013\u2014\u2015"),
)
_CLOSING_QUOTES = _rules(
    ("([»”’])", r" \1 ", "»”’"),
    (r"''", " '' ", "'"),
    (r'"', " '' ", '"'),
    (r"\s+", " ", "'"),  # only the rules that follow look for a blank; at the end any white space separates
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 ", "'"),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ", "'"),
)
_CONTRACTIONS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(can)(not)\b",
        r"\b(d)('ye)\b",
        r"\b(gim)(me)\b",
        r"\b(gon)(na)\b",
        r"\b(got)(ta)\b",
        r"\b(lem)(me)\b",
        r"\b(more)('n)\b",
        r"\b(wan)(na)(?=\s)",
        r" ('t)(is)\b",
        r" ('t)(was)\b",
    )
]
_CONTRACTED = re.compile(r"cannot|d'ye|gimme|gonna|gotta|lemme|more'n|wanna|'tis|'twas", re.IGNORECASE).search


def count_tokens(sentence: str) -> int:
    """Return the number of tokens of one sentence."""
    return len(tokens_of(sentence))


def tokens_of(sentence: str) -> list[str]:
    """Return the tokens of one sentence; a full stop is a token only at its end."""
    marks = set(sentence)
    if '"' in marks:  # it is replaced by these
        marks |= {"`", "'"}
    text = _replaced(sentence, _BEFORE_CLOSING_QUOTES, marks)
    text = _replaced(f" {text} ", _CLOSING_QUOTES, marks)
    if _CONTRACTED(text):
        for contraction in _CONTRACTIONS:
            text = contraction.sub(r" \1 \2 ", text)
    return text.split()


def _replaced(text: str, rules: list[_Rule], marks: set[str]) -> str:
    for rule in rules:
        if not rule.marks.isdisjoint(marks):
            text = rule.pattern.sub(rule.replacement, text)
    return text
