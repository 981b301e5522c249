"""Words of a text and a key that makes equal titles equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
_LOWER = bytes(range(256)).lower()
_BETWEEN = bytes(each for each in range(128) if not chr(each).isalnum())

# Letters that do not fall apart into a base letter and an accent.
_BASE_LETTERS = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n",
})  # fmt: skip


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each word: a run of letters and digits. Hyphens, apostrophes and dots end a word."""
    return (match.span() for match in _WORD.finditer(text))


def tokens(text: str) -> list[str]:
    """Return the words of `text`, folded by `fold_word`."""
    return [fold_word(text[start:end]) for start, end in word_spans(text)]


def fold_word(word: str) -> str:
    """Return `word` without case and accents: "Größe" is "grosse", "naïve" is "naive", "①" is "1", "¼" is "14"."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.casefold()).casefold()
    return "".join(char for char in parts if char.isalnum()).translate(_BASE_LETTERS)


def title_key(title: str) -> str:
    """Return what equal titles have in common, however they are printed: their letters and digits, folded.

    "Re-Ranking: A Survey" and "Reranking – a survey" share a key. A title without letters and digits has the key "";
    such titles must not be taken for equal.
    """
    if title.isascii():  # nearly every title; fifty times as quick
        return title.encode().translate(_LOWER, _BETWEEN).decode()
    return "".join(tokens(title))
