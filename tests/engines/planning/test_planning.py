"""The planner: what every plan promises, against brute force and flow oracles."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from engines.planning.order import order_by_aspect, order_by_document
from engines.planning.plan import plan_assignments
from engines.planning.problem import UNLIMITED, CannotPlan, People, Plan, Work

NOBODY = np.zeros((0, 2), dtype=np.int64)


def people(size, weights=None, capacities=None):
    return People(
        tuple(f"p{i}" for i in range(size)),
        np.ones(size) if weights is None else np.array(weights, dtype=float),
        np.full(size, UNLIMITED) if capacities is None else np.array(capacities, dtype=np.int64),
    )


def work(demand, unit=None, assigned=NOBODY, barred=NOBODY):
    demand = np.array(demand, dtype=np.int64)
    unit = np.arange(len(demand)) if unit is None else np.unique(unit, return_inverse=True)[1].astype(np.int64)
    return Work(demand, unit, pairs(assigned), pairs(barred))


def pairs(rows):
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def plan(who, what, seed=0) -> Plan:
    return plan_assignments(who, what, np.random.default_rng(seed))


def couples_of(found: Plan, size: int):
    return found.couples[np.triu_indices(size, 1)]


def check_promises(who: People, what: Work, found: Plan) -> None:
    """What holds for every plan: exact demand, distinct people, nobody asked twice, capacities, true totals."""
    new = list(zip(found.items.tolist(), found.people.tolist(), strict=True))
    assert len(set(new)) == len(new)
    assert np.bincount(found.items, minlength=len(what.demand)).tolist() == what.demand.tolist()
    assert not set(new) & {tuple(row) for row in np.concatenate([what.assigned, what.barred]).tolist()}
    everything = np.concatenate([what.assigned, np.column_stack([found.items, found.people])])
    assert np.bincount(everything[:, 1], minlength=len(who)).tolist() == found.loads.tolist()
    before = np.bincount(what.assigned[:, 1], minlength=len(who))
    assert (found.loads <= np.maximum(who.capacities, before)).all()
    has = np.zeros((len(what.demand), len(who)), dtype=np.int64)
    has[everything[:, 0], everything[:, 1]] = 1
    met = has.T @ has
    np.fill_diagonal(met, 0)
    assert met.tolist() == found.couples.tolist()


@st.composite
def problems(draw, *, most_items=9, units=False, tight=False):
    """Small campaigns in any state: earlier judges, skips, weights and (where tight) capacities."""
    size = draw(st.integers(1, 5))
    count = draw(st.integers(1, most_items))
    cells = st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, size - 1)), unique=True, max_size=count * 2)
    closed = draw(cells)
    split = draw(st.integers(0, len(closed)))
    demand = draw(st.lists(st.integers(0, min(3, size)), min_size=count, max_size=count))
    unit = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)) if units else None
    capacities = draw(st.lists(st.integers(0, count), min_size=size, max_size=size)) if tight else None
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=size, max_size=size))
    return people(size, weights, capacities), work(demand, unit, closed[:split], closed[split:])


def allowed_cells(who, what):
    closed = np.zeros((len(what.demand), len(who)), dtype=bool)
    for rows in (what.assigned, what.barred):
        closed[rows[:, 0], rows[:, 1]] = True
    return ~closed


def room_of(who, what):
    before = np.bincount(what.assigned[:, 1], minlength=len(who))
    return np.clip(who.capacities - before, 0, len(what.demand))


def greatest_flow(who: People, what: Work) -> int:
    """Most judgments that anybody could assign at all, by SciPy's maximum flow."""
    count, size = len(what.demand), len(who)
    edges = np.zeros((count + size + 2, count + size + 2), dtype=np.int32)
    edges[0, 1 : count + 1] = what.demand
    edges[1 : count + 1, count + 1 : -1] = allowed_cells(who, what)
    edges[count + 1 : -1, -1] = room_of(who, what)
    return int(maximum_flow(csr_array(edges), 0, count + size + 1).flow_value)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(problems(tight=True), st.integers(0, 3))
def test_plans_exactly_what_can_be_planned(problem, seed):
    who, what = problem
    if greatest_flow(who, what) == what.demand.sum():
        check_promises(who, what, plan(who, what, seed))
    else:
        with pytest.raises(CannotPlan):
            plan(who, what, seed)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(problems(units=True, tight=True), st.integers(0, 3))
def test_units_keep_the_promises_or_say_why_not(problem, seed):
    who, what = problem
    try:
        found = plan(who, what, seed)
    except CannotPlan:
        # Refused for lack of room or judges, never where everybody has room for everything.
        assert (who.capacities < len(what.demand) * 2).any() or greatest_flow(who, what) < what.demand.sum()
    else:
        check_promises(who, what, found)


def least_unevenness(who: People, what: Work) -> float:
    """The least possible sum of load² / weight, as a linear programme with one arc per further item of a person."""
    count, size = len(what.demand), len(who)
    before = np.bincount(what.assigned[:, 1], minlength=size)
    cells = np.argwhere(allowed_cells(who, what))
    arcs = [(i, step) for i in range(size) for step in range(room_of(who, what)[i])]
    cost = [0.0] * len(cells) + [(2 * (before[i] + step) + 1) / who.weights[i] for i, step in arcs]
    rows = np.zeros((count + size, len(cost)))
    for column, (item, person) in enumerate(cells):
        rows[item, column] = 1
        rows[count + person, column] = -1
    for column, (person, _) in enumerate(arcs):
        rows[count + person, len(cells) + column] = 1
    if not what.demand.sum():
        return float((before**2 / who.weights).sum())
    best = linprog(cost, A_eq=rows, b_eq=np.r_[what.demand, np.zeros(size)], bounds=(0, 1))
    assert best.success
    return float(best.fun + (before**2 / who.weights).sum())


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(problems(most_items=6, tight=True))
def test_loads_are_as_even_as_anybody_could_make_them(problem):
    who, what = problem
    try:
        found = plan(who, what)
    except CannotPlan:
        return
    assert (found.loads**2 / who.weights).sum() == pytest.approx(least_unevenness(who, what))


def test_loads_are_even_by_their_squares_over_the_weights():
    found = plan(people(3, weights=[0.5, 2, 0.5], capacities=[0, 3, 1]), work([1, 1, 1]))
    assert found.loads.tolist() == [0, 2, 1]  # 2²/2 + 1²/0.5 is less than 3²/2
    many = plan(people(31, weights=[100] + [0.5] * 30), work([1] * 138))
    assert sorted(many.loads.tolist()) == [1] * 30 + [108]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 120), st.integers(1, 9), st.data())
def test_equal_people_get_equal_loads_and_even_couples(items, size, data):
    overlap = data.draw(st.integers(1, size))
    found = plan(people(size), work([overlap] * items), data.draw(st.integers(0, 5)))
    assert found.loads.max() - found.loads.min() <= 1
    if size > 1:
        met = couples_of(found, size)
        assert met.max() - met.min() <= 6  # 5 is the most over all sizes here and six seeds each
        if overlap > 1 and items * overlap >= 2 * size:
            assert connected_components(csr_array(found.couples), directed=False)[0] == 1


@pytest.mark.parametrize("seed", range(20))
def test_nobody_is_an_island_where_two_items_each_allow_it(seed):
    found = plan(people(6), work([2] * 6), seed)  # one ring of six, never two of three
    assert connected_components(csr_array(found.couples), directed=False)[0] == 1


def test_couples_meet_equally_often_where_a_perfect_design_exists():
    found = plan(people(6), work([2] * 60))
    assert set(couples_of(found, 6)) == {4}
    assert set(found.loads) == {20}


def test_weights_share_the_load_in_proportion():
    found = plan(people(4, weights=[1, 1, 2, 4]), work([2] * 400))
    assert found.loads.tolist() == [100, 100, 200, 400]


def test_nobody_gets_more_than_one_go_at_an_item_however_heavy_their_weight():
    found = plan(people(3, weights=[1, 1, 100]), work([2] * 50))
    assert found.loads[2] == 50
    assert abs(found.loads[0] - found.loads[1]) <= 1


def test_capacity_caps_a_load_and_the_others_take_over():
    found = plan(people(3, capacities=[10, UNLIMITED, UNLIMITED]), work([2] * 50))
    assert found.loads[0] == 10
    assert found.loads[1:].tolist() == [45, 45]


def test_more_overlap_keeps_earlier_judges_and_evens_out():
    first = plan(people(5), work([2] * 100))
    held = np.column_stack([first.items, first.people])
    who, what = people(6), work([1] * 100, assigned=held)
    second = plan(who, what)
    check_promises(who, what, second)
    assert second.loads[5] == 50  # the newcomer catches up: 300 judgments, 50 each
    assert set(second.loads) == {50}


def test_units_stay_with_the_same_people():
    unit = np.repeat(np.arange(30), 4)
    found = plan(people(5), work([3] * 120, unit))
    judges = {}
    for item, person in zip(found.items, found.people, strict=True):
        judges.setdefault(item, set()).add(int(person))
    assert all(len({frozenset(judges[i]) for i in np.flatnonzero(unit == u)}) == 1 for u in range(30))
    assert found.loads.max() - found.loads.min() <= 4


def test_a_new_aspect_goes_to_those_who_have_the_abstract():
    unit = np.repeat(np.arange(20), 3)
    first = plan(people(5), work([2] * 60, unit))
    held = np.column_stack([first.items, first.people])
    wider = np.concatenate([unit, np.arange(20)])
    second = plan(people(5), work([0] * 60 + [2] * 20, wider, held))
    before = {u: set(held[unit[held[:, 0]] == u, 1]) for u in range(20)}
    assert {u: set(second.people[wider[second.items] == u]) for u in range(20)} == before


def test_one_item_of_a_unit_that_needs_another_judge_keeps_the_others_together():
    unit, demand = np.repeat(np.arange(10), 3), [2, 2, 3] * 10
    found = plan(people(4), work(demand, unit))
    for u in range(10):
        judges = [set(found.people[found.items == i].tolist()) for i in np.flatnonzero(unit == u)]
        assert judges[0] == judges[1] < judges[2]


def test_same_seed_same_plan_and_another_seed_another():
    who, what = people(7), work([3] * 200)
    one, again, other = plan(who, what, 5), plan(who, what, 5), plan(who, what, 6)
    assert one.people.tolist() == again.people.tolist()
    assert one.people.tolist() != other.people.tolist()


def test_nothing_to_do_is_an_empty_plan():
    found = plan(people(2), work([0, 0], assigned=[[0, 0], [1, 1]]))
    assert len(found.items) == 0
    assert found.loads.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("who", "what", "words"),
    [
        (people(2), work([3] * 4), "3 different annotators, but only 2"),
        (people(2, capacities=[3, 4]), work([2] * 4), "8 judgments to assign, but the annotators' capacities leave"),
        (people(3), work([2] * 4, barred=[[0, 0], [0, 1]]), "1 item cannot get enough judges"),
        (people(3, capacities=[1, 9, 9]), work([2] * 4, barred=[[0, 1], [1, 1]]), "no capacity left (p0)"),
    ],
)
def test_says_why_there_is_no_plan(who, what, words):
    with pytest.raises(CannotPlan) as refusal:
        plan(who, what)
    assert words in refusal.value.reason


def test_whole_abstracts_that_fit_no_capacity_are_explained():
    unit = np.repeat(np.arange(3), 5)
    with pytest.raises(CannotPlan) as refusal:
        plan(people(2, capacities=[8, 8]), work([1] * 15, unit))
    assert "whole abstracts" in refusal.value.reason


def test_a_large_campaign_stays_exact():
    found = plan(people(20), work([3] * 30_000))
    assert set(np.bincount(found.items)) == {3}
    assert found.loads.tolist() == [4500] * 20
    assert np.ptp(couples_of(found, 20)) <= 3


ids = st.lists(st.integers(1, 5), min_size=0, max_size=40)


@given(ids, st.integers(0, 9))
def test_order_by_aspect_keeps_each_aspect_together(aspects, seed):
    order = order_by_aspect(np.array(aspects, dtype=np.int64), np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(aspects)))
    walked = [aspects[i] for i in order]
    changes = sum(a != b for a, b in pairwise(walked))
    assert changes == max(0, len(set(aspects)) - 1)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(0, 5)), unique=True), st.integers(0, 9))
def test_order_by_document_keeps_abstracts_whole_and_aspects_in_tree_order(items, seed):
    table = np.array(items, dtype=np.int64).reshape(-1, 3)
    order = order_by_document(table[:, 0], table[:, 1], table[:, 2], np.random.default_rng(seed))
    walked = [tuple(table[i]) for i in order]
    assert sorted(walked) == sorted(items)
    for key in (lambda row: row[0], lambda row: row[:2]):
        runs = sum(key(a) != key(b) for a, b in pairwise(walked))
        assert runs == max(0, len({key(row) for row in items}) - 1)
    assert all(a[2] < b[2] for a, b in pairwise(walked) if a[:2] == b[:2])


def test_orders_differ_between_seeds_and_repeat_with_one():
    aspect = np.repeat(np.arange(10), 10)
    one, again = (order_by_aspect(aspect, np.random.default_rng(3)).tolist() for _ in range(2))
    other = order_by_aspect(aspect, np.random.default_rng(4)).tolist()
    assert one == again != other
    assert [aspect[i] for i in one[:10]] != [aspect[i] for i in other[:10]] or one[:10] != other[:10]
