"""Words with their counts, and how they decide about words that a line break cut in two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

Vocabulary = Mapping[str, int]

_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
_LAST = re.compile(r"((?:[^\W\d_]+-)*[^\W\d_]+)-$")
_FIRST = re.compile(r"([^\W\d_]+)((?:-[^\W\d_]+)*)")
_PREFIXES = frozenset(
    "anti co cross de inter intra meta micro mis multi non over para per poly post pre pro pseudo re self semi sub "
    "super trans ultra un under".split()
)
_LINKS = frozenset("to of the at in on and by up off as it for with a".split())
_WRITTEN_APART = frozenset("self non cross well multi all ex quasi state user high low real long short".split())


def count_words(texts: Iterable[str], *, least: int = 1) -> Counter[str]:
    """Return how often each word stands in `texts`, lower case; compounds such as "state-of-the-art" count as words.

    The parts of a compound count too. Words seen fewer than `least` times are left out. Give the titles and abstracts
    of a collection to have its vocabulary.
    """
    found: Counter[str] = Counter()
    for text in texts:
        for word in _WORD.findall(text.lower()):
            found[word] += 1
            if "-" in word:
                found.update(word.split("-"))
    return Counter({word: times for word, times in found.items() if times >= least}) if least > 1 else found


def joined_over_break(before: str, after: str, own: Vocabulary, vocabulary: Vocabulary) -> str:
    """Return a line that ends in a hyphen with the one after it: one word, or two with the hyphen kept.

    The paper's own words decide, then the collection's; unknown words join unless both halves are words. A hyphen
    that stands for a word to come ("query- and document-dependent") stays with its blank.
    """
    last, first = _LAST.search(before), _FIRST.match(after)
    if last is None or first is None:
        return before + after
    if first[0] in ("and", "or", "und", "et") and not own.get(last[1].lower() + first[0]):
        return f"{before} {after}"
    keeps = _keeps_hyphen(last[1], first[0], own, vocabulary)
    return before + after if keeps else before[:-1] + after


def _keeps_hyphen(left: str, right: str, own: Vocabulary, vocabulary: Vocabulary) -> bool:
    lower, other = left.lower(), right.lower()
    whole, compound = lower + other, f"{lower}-{other}"
    for words in (own, vocabulary):
        joined, apart = words.get(whole, 0), words.get(compound, 0)
        if joined != apart:
            return apart > joined
    if right[0].isupper() or len(left) == 1 or lower == "self":
        return True
    is_chain = "-" in left or "-" in right
    left, right = lower.rpartition("-")[2], other.partition("-")[0]
    if is_chain and (left in _LINKS | _WRITTEN_APART or right in _LINKS):
        return True
    if is_chain and own.get(left + right, 0) + vocabulary.get(left + right, 0):
        return False
    return _is_word(left, own, vocabulary) and _is_word(right, own, vocabulary)


def _is_word(word: str, own: Vocabulary, vocabulary: Vocabulary) -> bool:
    """Whether a half is a whole word, not only a syllable."""
    if word in _WRITTEN_APART:
        return True
    if word in _PREFIXES or len(word) < 3:
        return False
    return own.get(word, 0) > 0 or vocabulary.get(word, 0) > 1
