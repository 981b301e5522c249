"""LaTeX accents to Unicode, and nothing else: `%`, `$`, `&`, `#`, `_`, `~` and `^` are plain characters.

A full LaTeX reader takes `%` for a comment and `$` for mathematics and so loses text of bibliographic exports,
which never escape them. Only accents over a letter and the macros of letters are decoded; any other macro stays
as it is written.
"""

from __future__ import annotations

import re
import unicodedata

COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "v": "\u030c", "c": "\u0327", "u": "\u0306", "r": "\u030a", "H": "\u030b", "k": "\u0328", "b": "\u0331",
    "d": "\u0323",
}  # fmt: skip
_LETTERS = {
    "i": "ı", "j": "ȷ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ",
    "OE": "Œ", "aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "NG": "Ŋ", "texttimes": "×",
}  # fmt: skip

# Four ways of writing: \'{e} and \'{\i} (any accent, braces), \'e and \'\i (marks only), \v c (letters only).
# The group {…} around the whole goes with it. \d and \b without braces are left: they are regular expressions.
_BRACED = r"\\(?P<mark>['`^\"~=.]|[vcurHkbd])\s*\{\s*\\?(?P<braced>(?<=\\)[ij]|(?<!\\)[^\W\d_])\s*\}"
_BARE = r"\\(?P<sign>['`^\"~])(?:(?P<bare>[^\W\d_])|\\(?P<dotless>[ij])(?![A-Za-z])(?:\{\}|\s+)?)"
_SPACED = r"\\(?P<word>[vcurHk])\s+(?P<spaced>[^\W\d_])(?![^\W_])"
_ACCENT = re.compile(rf"{_BRACED}|{_BARE}|{_SPACED}")
_GROUP = re.compile(rf"\{{\s*(?:{_BRACED}|{_BARE}|{_SPACED})\s*\}}")
_ESCAPED_QUOTE = re.compile(r"\\\"(?![A-Za-z\\]|\s*\{)")
_NAMES = "|".join(sorted(_LETTERS, key=len, reverse=True))
_LETTER = re.compile(rf"\{{\\({_NAMES})\s*\}}|\\({_NAMES})(?![A-Za-z])(?:\{{\}}|\s+)?")


def decode_accents(text: str) -> str:
    """Return `text` with LaTeX accents and letter macros as (composed) Unicode characters.

    Where a quote is seen to be escaped (\\"word\\" ends before a non-letter), unbraced \\" is a quote throughout.
    """
    if "\\" not in text:
        return text
    replace = _accent_but_no_quote if _ESCAPED_QUOTE.search(text) else _accent
    if "{\\" in text or "{ \\" in text:
        text = _GROUP.sub(replace, text)
    text = _ACCENT.sub(replace, text)
    return _LETTER.sub(_letter, text)


def _accent(match: re.Match[str]) -> str:
    """Compose the letter; a dotless one loses its dot to the accent anyway, so the plain letter is composed."""
    accent = match["mark"] or match["sign"] or match["word"]
    letter = match["braced"] or match["bare"] or match["dotless"] or match["spaced"]
    composed = unicodedata.normalize("NFC", letter + COMBINING[accent])
    # Without braces it may be no accent at all: only letters that exist with it are decoded.
    return composed if match["braced"] or len(composed) == 1 else match[0]


def _accent_but_no_quote(match: re.Match[str]) -> str:
    return match[0] if match["sign"] == '"' else _accent(match)


def _letter(match: re.Match[str]) -> str:
    return _LETTERS[match[1] or match[2]]
