"""Fusion and pools by the rules of formats.md 1.6, compared with a plain second reading of them."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engines.ranking.recipe import CITATIONS, DENSE, Lists, Neighbourhood, Recipe, fuse, make_pool


def test_more_lists_come_before_better_ranks_and_smaller_ids_last() -> None:
    assert fuse([[9, 4, 7], [5, 4], [3]]) == [4, 3, 5, 9, 7]


def test_equal_reciprocal_sums_are_equal_in_any_order() -> None:
    """1/2 + 1/3 + 1/6 and 1/6 + 1/3 + 1/2 differ in the last bit when they are simply added."""
    lists = [[70, 1, 71, 72, 73, 2], [74, 2, 1], [75, 76, 2, 77, 78, 1]]
    assert fuse(lists)[:2] == fuse(lists[::-1])[:2] == [1, 2]


def test_without_lists_there_is_nothing() -> None:
    assert fuse([]) == []
    assert make_pool({}, Recipe()) == {}
    assert make_pool({"bm25": Lists([])}, Recipe()) == {}


def test_the_first_of_each_list_come_in_with_their_ranks() -> None:
    recipe = Recipe(query_take=2, fused_take=1, aspect_take=1, least=0, dense=0)
    pool = make_pool({"bm25": Lists([1, 2, 3], [[4, 5], [6, 5]])}, recipe)
    assert pool == {
        1: {"bm25:query": 1},
        2: {"bm25:query": 2},
        5: {"bm25:aspects": 1},
        4: {"bm25:aspects": 2},
        6: {"bm25:aspects": 3},
    }


def test_a_small_pool_grows_by_turns_until_it_is_large_enough() -> None:
    """Steps: B+1; A+1 and C+1 (two aspects); B+1; …"""
    lists = {"bm25": Lists(range(100, 150), [range(200, 250), range(300, 350)])}
    recipe = Recipe(query_take=1, fused_take=1, aspect_take=0, least=4, dense=0)
    # B=2: 100 200 300; then A=2, C=1: 100 101 200 300.
    assert sorted(make_pool(lists, recipe)) == [100, 101, 200, 300]


def test_growing_ends_where_the_lists_end() -> None:
    pool = make_pool({"bm25": Lists([1, 2], [[3], [4]]), "tfidf": Lists([2, 5], [[3], []])}, Recipe(dense=0))
    assert sorted(pool) == [1, 2, 3, 4, 5]
    assert pool[2] == {"bm25:query": 2, "tfidf:query": 1}


def test_source_papers_and_other_categories_stay_out_and_ranks_are_those_before() -> None:
    around = Neighbourhood(excluded={1}, admits=lambda document: document != 2, dense=[1, 2, 3])
    pool = make_pool({"bm25": Lists([1, 2, 3])}, Recipe(least=0, dense=5), around)
    assert pool == {3: {"bm25:query": 3}, 2: {DENSE: 2}}, "vectors know no category filter, but no source papers either"


def test_neighbours_of_source_papers_come_in_from_deep_in_the_lists() -> None:
    recipe = Recipe(query_take=1, fused_take=0, aspect_take=0, least=0, dense=0)
    around = Neighbourhood(neighbours={3, 9, 50})
    pool = make_pool({"bm25": Lists([1, 2, 3], [[8, 9]])}, recipe, around)
    assert pool == {1: {"bm25:query": 1}, 3: {CITATIONS: None}, 9: {CITATIONS: None}}, "50 is in no list"


def test_vectors_add_the_best_that_are_not_in_yet() -> None:
    recipe = Recipe(query_take=2, least=0, dense=2)
    pool = make_pool({"bm25": Lists([1, 2])}, recipe, Neighbourhood(dense=[2, 7, 1, 8, 9]))
    assert pool == {1: {"bm25:query": 1}, 2: {"bm25:query": 2}, 7: {DENSE: 2}, 8: {DENSE: 4}}


def plain_pool(lists: dict[str, Lists], recipe: Recipe) -> set[int]:
    """Steps 4, 6 and 7 as they are written, slowly; lists are long enough not to end."""
    count = max(len(each.aspects) for each in lists.values())
    a, b, c, s = recipe.query_take, recipe.fused_take, recipe.aspect_take, 0
    while True:
        pool: set[int] = set()
        for each in lists.values():
            pool |= {*each.query[:a], *plain_fusion(each.aspects)[:b]}
            pool |= {document for ranked in each.aspects for document in ranked[:c]}
        if len(pool) >= recipe.least or s > 300:
            return pool
        s += 1
        a, b = (a + 1, b) if s % 2 == 0 else (a, b + 1)
        c += s % count == 0


def plain_fusion(lists: Sequence[Sequence[int]]) -> list[int]:
    groups: dict[int, list[int]] = {}
    for document in {document for ranked in lists for document in ranked}:
        groups.setdefault(sum(document in ranked for ranked in lists), []).append(document)

    def gain(document: int) -> float:
        return sum(1 / (ranked.index(document) + 1) for ranked in lists if document in ranked)

    return [
        document
        for size in sorted(groups, reverse=True)
        for document in sorted(groups[size], key=lambda document: (-round(gain(document), 12), document))
    ]


ranked = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(st.lists(st.tuples(ranked, st.lists(ranked, min_size=3, max_size=3)), min_size=1, max_size=2))
def test_pools_are_those_of_the_plain_reading(found: list[tuple[list[int], list[list[int]]]]) -> None:
    lists = {name: Lists(query, aspects) for name, (query, aspects) in zip(("bm25", "tfidf"), found, strict=False)}
    recipe = Recipe(query_take=2, fused_take=3, aspect_take=1, least=20, dense=0, citations=False)
    assert set(make_pool(lists, recipe)) == plain_pool(lists, recipe)
