"""From a text to the terms that stand for it in an index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import Stemmer

# What is a word: runs of letters and digits; those of two characters or more (as bm25s cuts them by default);
# or nearly Lucene's standard tokens, which dots, colons and apostrophes hold together.
WORDS, PAIRS, LUCENE = "words", "pairs", "lucene"
TOKENS = (WORDS, PAIRS, LUCENE)
STEMMERS = ("none", "porter", "english")

# The words that Lucene's English analyser leaves out.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with".split()
)

_BLANKS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"\b\w\w+\b")
_STANDARD = re.compile(r"\w+(?:(?:(?<=[^\W\d_])[.':’](?=[^\W\d_])|(?<=\d)[.,](?=\d))\w+)*")
_POSSESSIVE = re.compile(r"['’]s$")


@dataclass(frozen=True)
class Analysis:
    """How texts become terms: which tokens, whether words of grammar count, how endings are cut off."""

    tokens: str = WORDS
    stop_words: bool = True  # True: they stay
    stemmer: str = "none"

    def __post_init__(self) -> None:
        if self.tokens not in TOKENS or self.stemmer not in STEMMERS:
            raise ValueError(f"unknown tokens {self.tokens!r} or stemmer {self.stemmer!r}")


def tokenise(text: str, tokens: str = WORDS) -> list[str]:
    """Lower-case tokens of `text`. "words": punctuation is blank (formats.md 1.6, step 1) and accents are dropped."""
    if tokens == PAIRS:
        return _PAIR.findall(text.lower())
    if tokens == LUCENE:
        return [_POSSESSIVE.sub("", word) for word in _STANDARD.findall(text.lower())]
    if text.isascii():
        return text.lower().translate(_BLANKS).split()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(char for char in parts if not unicodedata.combining(char)))


def term_maker(analysis: Analysis) -> Callable[[str], str | None]:
    """A function from a token to its term, None for a token that is left out. Not for several threads at once."""
    stem = _no_stemmer if analysis.stemmer == "none" else Stemmer.Stemmer(analysis.stemmer).stemWord

    def term(token: str) -> str | None:
        return None if not analysis.stop_words and token in STOP_WORDS else stem(token)

    return term


def terms_of(text: str, analysis: Analysis) -> list[str]:
    """The terms of `text` in their order, repeats included."""
    make = term_maker(analysis)
    return [term for token in tokenise(text, analysis.tokens) if (term := make(token)) is not None]


def count_terms(terms: Sequence[str]) -> dict[str, int]:
    """How often each term occurs, sorted by term, so that sums over it are the same on every machine."""
    counts: dict[str, int] = {}
    for term in sorted(terms):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _no_stemmer(token: str) -> str:
    return token
