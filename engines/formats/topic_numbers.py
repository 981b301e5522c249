"""Topic numbers that are written in two ways: 51 and 051, 1 and 1.0, MB001 and 1."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

_LEADING_ZEROS = re.compile(r"0+(?=\w)").match
_WHOLE = re.compile(r"([0-9]+)\.0+").fullmatch
_LAST_DIGITS = re.compile(r"(?<![0-9])(?<![0-9]\.)0*([0-9]+)$").search  # none behind a decimal point


def _without_zeros(number: str) -> str:
    zeros = _LEADING_ZEROS(number)
    return number[zeros.end() :] if zeros else number


def _without_point(number: str) -> str:
    whole = _WHOLE(number)
    return whole[1] if whole else number


def _last_digits(number: str) -> str:
    digits = _LAST_DIGITS(number)
    return digits[1] if digits else ""


@dataclass(frozen=True)
class Way:
    """What two numbers that mean one topic have in common: a key of each, "" for a number without one."""

    words: str
    example: str
    key_of: Callable[[str], str]

    @property
    def label(self) -> str:
        """What people choose."""
        return f"Match {self.words}, such as {self.example}"


# From the surest to the boldest.
WAYS = {
    "zeros": Way("without leading zeros", "51 and 051", _without_zeros),
    "point": Way("without “.0”", "1 and 1.0", _without_point),
    "digits": Way("by the digits that they end with", "1 and MB001", _last_digits),
}


def matches(wanted: Iterable[str], known: Collection[str], way: str) -> dict[str, str]:
    """Map numbers that are not known to the one known number that has the same key.

    A key that two of either side share matches nothing, and neither does a known number that is wanted as it stands.
    """
    key_of = WAYS[way].key_of
    asked = set(wanted)
    unknown = _unique(asked.difference(known), key_of)
    free = _unique((number for number in known if number not in asked), key_of)
    return {number: free[key] for key, number in unknown.items() if key in free}


def _unique(numbers: Iterable[str], key_of: Callable[[str], str]) -> dict[str, str]:
    """The numbers whose key no other has, by it."""
    found = defaultdict(list)
    for number in numbers:
        found[key_of(number)].append(number)
    return {key: group[0] for key, group in found.items() if key and len(group) == 1}


def best_way(wanted: Collection[str], known: Collection[str]) -> tuple[str, dict[str, str]]:
    """The way that matches most numbers, the surer of equals, and what it matches; ("", {}) for none."""
    found = [(way, matches(wanted, known, way)) for way in WAYS]
    way, best = max(found, key=lambda each: len(each[1]))
    return (way, best) if best else ("", {})


def in_words(found: dict[str, str], way: str) -> str:
    """A statement of what matches: “51 and 52 match 051 and 052 without leading zeros”."""
    pairs = sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0]))
    verb = "match" if len(pairs) > 1 else "matches"
    return f"{_some([one for one, _ in pairs])} {verb} {_some([other for _, other in pairs])} {WAYS[way].words}"


def _some(numbers: list[str]) -> str:
    if len(numbers) > 3:
        return f"{', '.join(numbers[:2])} and {len(numbers) - 2:,} more"
    return " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
