"""Where the sentences of scientific prose end: not after "et al.", "Fig.", "e.g." or initials.

Also at the marks of other scripts: ؟ and ۔ of Arabic, Persian and Urdu, । of Devanagari, 。 of Chinese and Japanese,
which needs no space after it. Thai does not mark where sentences end: a paragraph in Thai is one sentence.
"""

from __future__ import annotations

import re

# Of Chinese and Japanese; before a closing quotation mark only where a space or the end follows it.
_WIDE = r"(?P<wide>[。！？｡]+(?:[”’」』）)\]]+(?=\s|$)|(?![”’」』）)\]。！？｡])))"
_STOP = re.compile(
    r"(?:[.?!…؟۔।॥]+|;(?=\s[A-Z][a-z]+\s[a-z]))(?P<close>[\"'”’)\]»]*)(?P<notes>(?<=[a-z)”\"'])\d{1,2})?(?=\s|$)"
    rf"|{_WIDE}"
)
_NEVER_LAST = frozenset(
    "e.g i.e cf vs viz resp approx ca incl esp et.al al fig figs eq eqs eqn eqns sec secs sect sects tab tabs ch chap "
    "chaps app thm lem prop def defs alg algs ref refs ex dr mr mrs ms prof st jr sr vol vols p pp pg ed eds no nos nr "
    "art para ver a.k.a w.r.t s.t b.c a.d p.m a.m dept univ assoc proc conf int natl trans jan feb mar apr jun jul aug "
    "sep sept oct nov dec mt ft".split()
)
_MAYBE_LAST = frozenset("etc inc ltd corp co u.s u.k e.u ph.d m.sc b.sc al a.m p.m".split())
_BEFORE = re.compile(r"([^\s(\[{\"'“‘/–—]+)$")
_MARKER = re.compile(r"\[[\d\s,;–-]+\](?:\s?[,–-]?\s?\[[\d\s,;–-]+\])*")
_WORD = re.compile(r"\w+")
_OPENED = re.compile(r"[\"'“‘(]*([A-Z][a-z]*)\b")
_TWO_WORDS = re.compile(r"[A-Z][a-z]{2,} [a-z]")
_CAPITAL = re.compile(r"[A-Z][a-z]*\b")
_NEAR = 80  # characters: further away is not searched, or the time would grow with the square of the text's length
_STARTERS = frozenset(
    "the a an this these those we our in on for as it its to however moreover furthermore thus therefore hence while "
    "although since when where with by from at such they their there some many most other others each both if then "
    "here finally first second third also another recent recently similarly specifically unlike following given".split()
)
_CLOSING = {"(": ")", "[": "]"}


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence in order; together they hold all of `text` but white space between them.

    A citation marker after the full stop ("text. [12] The next") ends the sentence before it; one that its own
    sentence needs ("text. [12] proposed") begins the next.
    """
    spans: list[tuple[int, int]] = []
    start = _skip(text, 0)
    for match in _STOP.finditer(text):
        end = match.end()
        if end <= start:
            continue
        end = end if match["wide"] else _end_after(text, match, start)
        if end:
            spans.append((start, end))
            start = _skip(text, end)
    last = len(text.rstrip())
    if start < last:
        spans.append((start, last))
    return spans


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _end_after(text: str, match: re.Match[str], start: int) -> int:
    """Return where the sentence ends that this stop closes, 0 if it closes none."""
    following = _skip(text, match.end())
    if following >= len(text):
        return match.end()
    if _is_inside(text, match, following):
        return 0
    marker = _MARKER.match(text, following)
    if marker is None:
        return match.end()
    after = _skip(text, marker.end())
    is_closed = marker.end() < len(text) and text[marker.end()] in ".;"
    if is_closed or (after < len(text) and text[after].isupper() and not is_abbreviation(text, match, start)):
        return marker.end() + is_closed
    return match.end()


def _is_inside(text: str, match: re.Match[str], following: int) -> bool:
    """Whether a stop is inside a sentence: after an abbreviation or an initial, or before a small letter."""
    first = text[following]
    if not _may_begin(text, following):
        return True
    stop = match.group()
    if stop.startswith(";"):
        return not _starts_commonly(text, following) or _in_brackets(text, match.start())
    if stop[0] in "?!" and match["close"]:
        return first.islower()
    if stop.startswith((".", "…")) and (is_abbreviation(text, match, following) or _numbers_item(text, match)):
        return True
    return _in_brackets(text, match.start()) and not match["close"]


def _shortly_before(text: str, place: int) -> str:
    return text[max(0, place - _NEAR) : place]


def _numbers_item(text: str, match: re.Match[str]) -> bool:
    """Whether the full stop is that of an item's number: "in two ways: 1. …"."""
    before = _BEFORE.search(text, max(0, match.start() - 4), match.start())
    if before is None or not before[1].isdigit() or len(before[1]) > 2:
        return False
    return _shortly_before(text, before.start(1)).rstrip()[-1:] in ("", ":", ";", ".", "]", ",")


def _may_begin(text: str, place: int) -> bool:
    """Whether a sentence may begin here: a capital, a digit, a marker, or one of these after opening punctuation."""
    while place < len(text) and text[place] in "\"'“‘(«":
        place += 1
    if place >= len(text):
        return False
    first = text[place]
    if first.islower():
        return _is_name_in_small_letters(text, place)
    return first.isalnum() or first in "[•–—$#@→" or not first.isascii()


def _is_name_in_small_letters(text: str, place: int) -> bool:
    """Whether a word such as iPhone or word2vec begins here."""
    word = _WORD.match(text, place)
    return word is not None and any(char.isupper() for char in word.group())


def is_abbreviation(text: str, match: re.Match[str], following: int) -> bool:
    """Whether the full stop belongs to the word before it."""
    before = _BEFORE.search(text, max(0, match.start() - 40), match.start())
    if before is None:
        return False
    word = before[1].lstrip("(").lower()
    if word in _MAYBE_LAST:
        return not _begins_plainly(text, following)
    if word in _NEVER_LAST:
        return word not in ("no", "art", "fig", "def", "app", "ex", "mar", "ms", "st", "sec", "int", "para") or (
            _continues_short_word(text, before[1], following)
        )
    return _is_initial(text, before, following)


def _continues_short_word(text: str, word: str, following: int) -> bool:
    """Whether what may be a whole word ("no.", "art.") is the abbreviation: a number or a name follows."""
    return text[following].isdigit() or word[0].isupper() or text[following] in "([" or text[following].islower()


def _is_initial(text: str, before: re.Match[str], following: int) -> bool:
    word = before[1]
    if len(word) != 1 or not word.isupper():
        return bool(re.fullmatch(r"(?:[A-Z]\.)+-?[A-Z]", word)) and not _begins_plainly(text, following)
    left = _shortly_before(text, before.start())
    previous, words = left.rstrip()[-1:], left.split()
    is_name = not words or words[-1][:1].isupper() or words[-1] in ("and", "&", "by", "of") or previous in ",("
    return is_name and not _starts_commonly(text, following)


def _begins_plainly(text: str, place: int) -> bool:
    """Whether what follows reads as a new sentence: a common word with a capital."""
    word = _OPENED.match(text, place)
    return (word is not None and word[1].lower() in _STARTERS) or bool(_TWO_WORDS.match(text, place))


def _starts_commonly(text: str, place: int) -> bool:
    word = _CAPITAL.match(text, place)
    return word is not None and word.group().lower() in _STARTERS


def _in_brackets(text: str, place: int) -> bool:
    """Whether a bracket that opened shortly before is still open here, and closes soon."""
    open_ones: list[str] = []
    for char in reversed(text[max(0, place - 300) : place]):
        if char in ")]":
            open_ones.append(char)
        elif char in "([":
            if not open_ones:
                return _CLOSING[char] in text[place : place + 200]
            open_ones.pop()
    return False
