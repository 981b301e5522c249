"""Tokens of English as the Penn Treebank counts them: the conventions of NLTK's word tokeniser.

Punctuation stands apart, a full stop only where the sentence ends, contractions are cut ("do n't"), numbers keep their
commas. The published counts of ACM-CR were made so (Boudin, JCDL 2021, table 1).
"""

from __future__ import annotations

import re

_Rule = tuple[re.Pattern[str], str]


def _rules(*pairs: tuple[str, str], flags: int = 0) -> list[_Rule]:
    return [(re.compile(pattern, flags), put) for pattern, put in pairs]


_OPENING_QUOTES = _rules(
    ("([«“‘„]|[`]+)", r" \1 "),
    (r"^\"", r"``"),
    (r"(``)", r" \1 "),
    (r"([ \(\[{<])(\"|\'{2})", r"\1 `` "),
    (r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"\1 \2"),
)
_PUNCTUATION = _rules(
    (r"([^\.])(\.)([\]\)}>\"\'»”’ ]*)\s*$", r"\1 \2 \3 "),
    (r"([:,])([^\d])", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"\.{2,}", r" \g<0> "),
    (r"[;@#$%&]", r" \g<0> "),
    (r"([^\.])(\.)([\]\)}>\"\']*)\s*$", r"\1 \2\3 "),
    (r"[?!]", r" \g<0> "),
    (r"([^'])' ", r"\1 ' "),
    (r"[*]", r" \g<0> "),
)
_BRACKETS = _rules((r"[\]\[\(\)\{\}\<\>]", r" \g<0> "), (r"--|[\u2012-\u2015]", r" \g<0> "))
_CLOSING_QUOTES = _rules(
    ("([»”’])", r" \1 "),
    (r"''", " '' "),
    (r'"', " '' "),
    (r"\s+", " "),
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
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


def count_tokens(sentence: str) -> int:
    """Return the number of tokens of one sentence."""
    return len(tokens_of(sentence))


def tokens_of(sentence: str) -> list[str]:
    """Return the tokens of one sentence; a full stop is a token only at its end."""
    text = _replaced(sentence, [*_OPENING_QUOTES, *_PUNCTUATION, *_BRACKETS])
    text = _replaced(f" {text} ", _CLOSING_QUOTES)
    for contraction in _CONTRACTIONS:
        text = contraction.sub(r" \1 \2 ", text)
    return text.split()


def _replaced(text: str, rules: list[_Rule]) -> str:
    for pattern, put in rules:
        text = pattern.sub(put, text)
    return text
