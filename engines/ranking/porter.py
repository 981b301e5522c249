"""Porter's stemmer with the departures that NLTK makes from it by default (Porter, Program 14(3), 1980; nltk.stem).

They are: a table of irregular words, words of two letters left alone, "ies" and "ied" of four letters cut to "ie",
"y" made "i" only after a consonant that does not begin the word, and a few more endings in the second step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

_Condition = Callable[[str], bool]
_Rule = tuple[str, str, _Condition | None]  # ending, what takes its place, when

_IRREGULAR = {
    **{word: word for word in "sky news inning outing canning howe proceed exceed succeed".split()},
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
}


def nltk_stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_plural, _past, _y_to_i, _double, _ful, _suffix, _final_e, _double_l):
        word = step(word)
    return word


def _is_consonant(word: str, at: int) -> bool:
    if word[at] in "aeiou":
        return False
    return word[at] != "y" or at == 0 or not _is_consonant(word, at - 1)


def _measure(stem: str) -> int:
    """How often a consonant follows a vowel."""
    kinds = [_is_consonant(stem, at) for at in range(len(stem))]
    return sum(after and not before for before, after in pairwise(kinds))


def _has_vowel(stem: str) -> bool:
    return any(not _is_consonant(stem, at) for at in range(len(stem)))


def _is_measured(stem: str) -> bool:
    return _measure(stem) > 0


def _is_long(stem: str) -> bool:
    return _measure(stem) > 1


def _ends_double(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    """Whether it ends with consonant, vowel, consonant (not w, x, y), or is vowel and consonant."""
    last = len(word) - 1
    if last >= 2:
        closed = _is_consonant(word, last - 2) and not _is_consonant(word, last - 1) and _is_consonant(word, last)
        return closed and word[-1] not in "wxy"
    return last == 1 and not _is_consonant(word, 0) and _is_consonant(word, 1)


def _apply(word: str, rules: Sequence[_Rule]) -> str:
    """The first rule whose ending fits decides, whether its condition holds or not."""
    for ending, put, condition in rules:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            return stem + put if condition is None or condition(stem) else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-3] + "ie"
    return _apply(word, [("sses", "ss", None), ("ies", "i", None), ("ss", "ss", None), ("s", "", None)])


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-3] + ("ie" if len(word) == 4 else "i")
    if word.endswith("eed"):
        return word[:-3] + "ee" if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word[: len(word) - len(ending)]
        if word.endswith(ending) and _has_vowel(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """The stem that "ed" or "ing" was cut from, as a word again."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_double(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _y_to_i(word: str) -> str:
    stem = word[:-1]
    return stem + "i" if word.endswith("y") and len(stem) > 1 and _is_consonant(stem, len(stem) - 1) else word


def _rules(table: str, condition: _Condition) -> list[_Rule]:
    """Rules from words such as "ational:ate"; without a colon the ending only goes."""
    pairs = (row.partition(":") for row in table.split())
    return [(ending, put, condition) for ending, _, put in pairs]


_SECOND = _rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize"
    " ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful",
    _is_measured,
)
_THIRD = _rules("icate:ic ative alize:al iciti:ic ical:ic ful ness", _is_measured)


def _double(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _double(word[:-4] + "al")
    if word.endswith("logi"):  # counted with the l, so that "logi" itself stays
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _apply(word, _SECOND)


def _ful(word: str) -> str:
    return _apply(word, _THIRD)


def _ends_s_or_t(stem: str) -> bool:
    return _measure(stem) > 1 and stem[-1] in "st"


_FOURTH = [
    *_rules("al ance ence er ic able ible ant ement ment ent", _is_long),
    ("ion", "", _ends_s_or_t),
    *_rules("ou ism ate iti ous ive ize", _is_long),
]


def _suffix(word: str) -> str:
    return _apply(word, _FOURTH)


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    stem = word[:-1]
    return stem if _measure(stem) > 1 or (_measure(stem) == 1 and not _ends_cvc(stem)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
