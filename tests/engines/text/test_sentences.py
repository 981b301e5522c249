"""Sentences that change below the aspects tied to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.sentences import LOOSE, REPEATED, UNTIED, check_sentences, follow_sentences, follow_ties

OLD = ["I brew tea in a glass pot.", "It must not be bitter.", "How hot should water be?"]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, {0: 0, 1: 1, 2: 2}),
        (OLD[::-1], {0: 2, 1: 1, 2: 0}),
        ([OLD[0], "How hot should the water be then?"], {0: 0, 2: 1}),
        (["A first one.", *OLD], {0: 1, 1: 2, 2: 3}),
        ([], {}),
        ([OLD[0], OLD[0]], {0: 0}),
    ],
)
def test_where_sentences_go(new: list[str], expected: dict[int, int]) -> None:
    assert follow_sentences(OLD, new) == expected


@given(st.lists(st.text(max_size=12), max_size=8), st.lists(st.text(max_size=12), max_size=8))
def test_no_two_become_one(old: list[str], new: list[str]) -> None:
    where = follow_sentences(old, new)
    assert len(set(where.values())) == len(where)
    assert set(where) <= set(range(len(old)))
    assert set(where.values()) <= set(range(len(new)))
    assert follow_ties(range(len(old)), follow_sentences(old, old)) == list(range(len(old)))


def test_what_to_look_at_again() -> None:
    found = check_sentences(OLD, [OLD[2], OLD[0], OLD[0].upper()], [("Glass", [0]), ("Bitter", [1, 2])])
    assert [(hint.kind, hint.place, hint.aspect) for hint in found] == [
        (UNTIED, 1, "Bitter"),
        (REPEATED, 2, ""),
        (LOOSE, 2, ""),
    ]
    assert check_sentences([], OLD, []) == []
