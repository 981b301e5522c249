import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.topic_numbers import WAYS, best_way, in_words, matches


@pytest.mark.parametrize(
    ("wanted", "known", "way", "words"),
    [
        (("51", "52"), ("051", "052"), "zeros", "51 and 52 match 051 and 052 without leading zeros"),
        (("051",), ("51", "52"), "zeros", "051 matches 51 without leading zeros"),
        (
            ("1", "2", "3"),
            ("MB001", "MB002", "MB003"),
            "digits",
            "1, 2 and 3 match MB001, MB002 and MB003 by the digits",
        ),
        (("MB001",), ("1",), "digits", "MB001 matches 1 by the digits that they end with"),
        ("1234", ("q1", "q2", "q3", "q4"), "digits", "1, 2 and 2 more match q1, q2 and 2 more by the digits"),
        (("1", "2"), ("1.0", "2.0"), "point", "1 and 2 match 1.0 and 2.0 without “.0”"),
        (("1.0",), ("1", "2"), "point", "1.0 matches 1 without “.0”"),
        (("7", "51"), ("7", "051"), "zeros", "51 matches 051 without leading zeros"),
    ],
)
def test_numbers_written_in_two_ways_are_noticed(wanted, known, way, words) -> None:
    found, pairs = best_way(wanted, known)
    assert found == way
    assert in_words(pairs, found).startswith(words)


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        (("1",), ("01", "001")),  # which of the two?
        (("01", "001"), ("1",)),
        (("1", "01"), ("1", "2")),  # 1 is itself
        (("owls",), ("moths",)),
        (("A1", "B1"), ("C1",)),
        (("1.0",), ("0", "10")),
        (("1.20",), ("20", "0")),
        ((), ("1",)),
    ],
)
def test_what_could_mean_two_topics_matches_nothing(wanted, known) -> None:
    assert best_way(wanted, known) == ("", {})


numbers = st.sets(st.text("0129aQ-.", min_size=1, max_size=4), max_size=8)


@given(numbers, numbers, st.sampled_from(list(WAYS)))
def test_no_two_numbers_become_one_topic(wanted: set[str], known: set[str], way: str) -> None:
    found = matches(wanted, known, way)
    assert not found.keys() & known
    assert not set(found.values()) & wanted
    assert len(set(found.values())) == len(found)
    assert set(found.values()) <= known
