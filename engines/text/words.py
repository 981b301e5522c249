"""Words of a text and a key that makes equal titles equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from engines.text.scripts import SPACELESS_OR_NOT, has_spaceless, is_accent, marks, word_pattern

_WORD = re.compile(r"[^\W_]+")
_LOWER = bytes(range(256)).lower()
_BETWEEN = bytes(each for each in range(128) if not chr(each).isalnum())

# Letters that do not fall apart into a base letter and an accent; letters of Arabic and Persian keyboards that are one,
# and the line that stretches words of both.
_BASE_LETTERS = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n",
    "ك": "ک", "ي": "ی", "ى": "ی", "ـ": "",
})  # fmt: skip


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each word: a run of letters and digits with their marks. Hyphens, apostrophes, dots end it.

    Where a script puts no spaces between words, a run may be a whole clause: see `term_spans`.
    """
    pattern = _WORD if text.isascii() else word_pattern()
    return (match.span() for match in pattern.finditer(text))


def term_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of what texts are compared by: words; of Chinese, Thai and others pairs of characters.

    The pairs overlap. A character that stands alone is one by itself.
    """
    if text.isascii() or not has_spaceless(text):
        yield from word_spans(text)
        return
    for start, end in word_spans(text):
        for piece in SPACELESS_OR_NOT.finditer(text, start, end):
            at, last = piece.span()
            if last - at > 2 and has_spaceless(piece[0]):
                yield from ((left, left + 2) for left in range(at, last - 1))
            else:
                yield at, last


def tokens(text: str) -> list[str]:
    """Return the words of `text`, folded by `fold_word`."""
    return [fold_word(text[start:end]) for start, end in word_spans(text)]


def fold_word(word: str) -> str:
    """Return `word` without case and accents: "Größe" is "grosse", "naïve" is "naive", "①" is "1", "¼" is "14".

    Vowel signs that make another word stay (कि, का); points and signs that are written at will go (שָׁלוֹם is שלום).
    """
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.casefold()).casefold()
    return "".join(char for char in parts if char.isalnum() or _is_letter(char)).translate(_BASE_LETTERS)


def _is_letter(mark: str) -> bool:
    return not mark.isascii() and mark in marks() and not is_accent(mark)


def title_key(title: str) -> str:
    """Return what equal titles have in common, however they are printed: their letters and digits, folded.

    "Re-Ranking: A Survey" and "Reranking – a survey" share a key. A title without letters and digits has the key "";
    such titles must not be taken for equal.
    """
    if title.isascii():  # nearly every title; fifty times as quick
        return title.encode().translate(_LOWER, _BETWEEN).decode()
    return "".join(tokens(title))
