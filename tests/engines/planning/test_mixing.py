"""Units mixed into an order: as many as there is room for, apart, within their groups, after what must come first."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.planning.mixing import Order, mix


@pytest.mark.slow
@given(
    sizes=st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=25),
    offered=st.lists(st.tuples(st.integers(0, 6), st.integers(1, 3), st.integers(-1, 30)), max_size=8),
    most=st.integers(0, 6),
    gap=st.integers(1, 6),
    seed=st.integers(0, 99),
)
def test_whole_units_stand_apart_within_their_groups_and_after_their_own(
    sizes: list[tuple[int, bool]], offered: list[tuple[int, int, int]], most: int, gap: int, seed: int
) -> None:
    """`sizes`: rows of each unit, and whether a group begins with it. `offered`: group, rows, the row to come after."""
    unit = np.repeat(np.arange(len(sizes)), [size for size, _ in sizes]).astype(np.int64)
    groups = np.cumsum([begins for _, begins in sizes], dtype=np.int64)
    group, size, after = (np.array([one[i] for one in offered], dtype=np.int64) for i in range(3))
    rng = np.random.default_rng(seed)
    found = mix(Order(unit, groups[unit]), group, size, after, most=most, gap=gap, rng=rng)

    rows = [(int(place), "own", int(unit[place])) for place in range(len(unit))]
    walked = [(place + int(found.shift[place]), name, number) for place, name, number in rows]
    put = [index for index in range(len(offered)) if found.places[index] >= 0]
    for index in put:
        walked += [(int(found.places[index]) + more, "put", index) for more in range(offered[index][1])]
    walked.sort()
    assert [place for place, *_ in walked] == list(range(len(walked))), "each place is filled once"
    assert [number for _, name, number in walked if name == "own"] == unit.tolist(), "the order stays"
    shown = [entry[1:] for at, entry in enumerate(walked) if not at or walked[at - 1][1:] != entry[1:]]
    assert len(set(shown)) == len(shown), "no unit is torn apart"
    assert len(put) <= most
    places = [at for at, (name, _) in enumerate(shown) if name == "put"]
    for one, other in pairwise(places):
        assert other - one - 1 >= gap
    for index in put:
        at = shown.index(("put", index))
        near = {groups[number] for name, number in shown[max(0, at - 1) : at + 2] if name == "own"}
        if offered[index][0] in groups:
            assert offered[index][0] in near
        elif len(near) == 2:
            assert len(set(near)) == 2
        if 0 <= offered[index][2] < len(unit):
            wanted = ("own", int(unit[offered[index][2]]))
            own = next(place for place, *which in walked if tuple(which) == wanted)
            assert found.places[index] > own


def test_the_same_seed_mixes_the_same() -> None:
    order = Order(np.arange(20), np.arange(20) // 5)
    args = (np.array([0, 2, 9]), np.ones(3, dtype=np.int64), np.full(3, -1))
    found = [mix(order, *args, most=3, gap=3, rng=np.random.default_rng(4)) for _ in range(2)]
    assert found[0].places.tolist() == found[1].places.tolist()
    assert (found[0].places >= 0).all()
