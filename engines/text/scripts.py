r"""Scripts: which marks belong to a word, and which scripts put no spaces between words.

Ranges are written so that Python's `re`, PostgreSQL's regular expressions and, with \u{…} for \U…, JavaScript read
them alike: corpus/migrations/_languages.py and static/js/annotation/labelling/overlap.js hold the same, by a test.
"""

from __future__ import annotations

import functools
import re
import unicodedata

# Thai, Lao, Burmese and Khmer letters; Korean, whose endings no stemmer cuts; Chinese characters; Japanese kana.
# Digits of these scripts are not among them: a number is a word.
SPACELESS = (
    r"\u0E01-\u0E3A\u0E40-\u0E4E\u0E81-\u0EBD\u0EC0-\u0ECE\u0EDC-\u0EDF\u1000-\u103F\u1050-\u1089\u109A-\u109D"
    r"\u1780-\u17D3\u17D7\u17DC\u17DD\u1100-\u11FF\u3131-\u318E\uAC00-\uD7A3\uD7B0-\uD7FB\u2E80-\u2FD5\u3005-\u3007"
    r"\u3021-\u3029\u3038-\u303B\u3041-\u3096\u3099\u309A\u309D-\u309F\u30A1-\u30FA\u30FC-\u30FF\u31F0-\u31FF"
    r"\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF"
)
# Marks that texts write or leave out at will: accents, points of Hebrew, vowel signs of Arabic, variants of emoji. All
# other marks are letters of their script (Devanagari, Thai, …).
ACCENTS = (
    r"\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670"
    r"\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08CA-\u08FF\u180B-\u180D\u180F\u1AB0-\u1AFF\u1DC0-\u1DFF"
    r"\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U000E0100-\U000E01EF"
)
# One picture is one word.
PICTURES = r"\u2600-\u27BF\U0001F000-\U0001FAFF"
JOINERS = r"\u200C\u200D"  # join or part letters inside of a word: Persian, Hindi

_LEFT_OUT = re.compile(f"[{ACCENTS}{JOINERS}]+")
is_accent = re.compile(f"[{ACCENTS}]").match
has_spaceless = re.compile(f"[{SPACELESS}]").search
find_pictures = re.compile(f"[{PICTURES}]").findall
stands_alone = re.compile(f"[{SPACELESS}{PICTURES}]").search  # a character that is a word by itself
SPACELESS_OR_NOT = re.compile(f"[{SPACELESS}]+|[^{SPACELESS}]+")


def plain(text: str) -> str:
    """The text in small letters, each with its accent in one; marks that are written at will, and joiners, are gone."""
    if text.isascii():
        return text.lower()
    return _LEFT_OUT.sub("", unicodedata.normalize("NFC", text).lower())


@functools.cache
def marks() -> frozenset[str]:
    """All marks that stand on, under or between letters (Mn and Mc)."""
    return frozenset(char for char in map(chr, range(0x300, 0x1F000)) if unicodedata.category(char) in ("Mn", "Mc"))


@functools.cache
def word_pattern() -> re.Pattern[str]:
    """A word of any script: letters and digits with their marks and joiners."""
    inside = "".join(sorted(marks())) + JOINERS
    return re.compile(rf"[^\W_]+(?:[{inside}]+[^\W_]*)*")
