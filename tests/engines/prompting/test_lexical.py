"""The lexical baseline: deterministic, rising with overlap, thresholds as parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.prompting.lexical import check_thresholds, cover, describe, level_of, usual_thresholds

ASPECT = "Detects duplicate records without labelled pairs"


def test_stems_are_compared_not_words() -> None:
    covered = cover(ASPECT, "We detect duplicates of a record; pairs need no labels, and labelling is costly.")
    assert covered.share == 1.0
    assert "5 of 5" in describe(covered)


def test_what_is_missing_is_named() -> None:
    covered = cover(ASPECT, "Detecting tea in cups.")
    assert covered.found == 1
    assert "duplic" in describe(covered)


def test_an_aspect_without_content_words_is_covered_by_nothing() -> None:
    assert cover("of the x?", "of the x").share == 0.0


def test_thresholds_place_a_share_on_the_scale() -> None:
    assert usual_thresholds(3) == (0.4, 0.8)
    assert usual_thresholds(2) == (0.5,)
    assert [level_of(share, (0.4, 0.8)) for share in (0.0, 0.39, 0.4, 0.79, 0.8, 1.0)] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("thresholds", "problem"), [((0.5,), "2 thresholds"), ((0.0, 0.5), "above 0"), ((0.8, 0.4), "rise")]
)
def test_bad_thresholds_are_refused(thresholds: tuple[float, ...], problem: str) -> None:
    assert problem in check_thresholds(thresholds, 3)


@given(st.integers(2, 12))
def test_the_usual_thresholds_fit_every_scale(levels: int) -> None:
    assert check_thresholds(usual_thresholds(levels), levels) == ""
