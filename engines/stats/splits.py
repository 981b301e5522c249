"""Dividing units of one or more topics into parts of given shares, evenly over strata."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start


@dataclass(frozen=True)
class Unit:
    """Things that stay together, and the stratum over which the parts are balanced."""

    things: tuple[int, ...]
    stratum: tuple[str, ...] = ()


def divide(units: Sequence[Unit], shares: Mapping[str, float], rng: np.random.Generator) -> dict[int, str]:
    """{member: part}. Units go in random order, stratum by stratum, to the part that lacks most of its share.

    Since strata follow each other in one sequence, parts are balanced in each stratum and over all; for two parts and
    units of one member, each stratum's counts are within one of the shares, and the counts over all are their rounding.
    Larger units of a stratum go first. Errors: ValueError for shares that are not above 0.
    """
    if not shares or min(shares.values()) <= 0:
        raise ValueError("shares must be above 0")
    whole = sum(shares.values())
    order = rng.permutation(len(units)).tolist()
    order.sort(key=lambda place: (units[place].stratum, -len(units[place].things)))
    found: dict[int, str] = {}
    sizes = dict.fromkeys(shares, 0)
    for unit in (units[place] for place in order):
        size = len(found) + len(unit.things)
        part = max(shares, key=lambda name: shares[name] / whole * size - sizes[name])
        sizes[part] += len(unit.things)
        found |= dict.fromkeys(unit.things, part)
    return found


def join(keys: Mapping[int, Iterable[Hashable]]) -> list[tuple[int, ...]]:
    """Groups of things that share a key, directly or through others; in the order of their first member."""
    joined = scipy.cluster.hierarchy.DisjointSet(keys)
    first: dict[Hashable, int] = {}
    for thing, shared in keys.items():
        for key in shared:
            joined.merge(first.setdefault(key, thing), thing)
    groups: dict[int, list[int]] = {}
    for thing in keys:
        groups.setdefault(joined[thing], []).append(thing)
    return [tuple(things) for things in groups.values()]
