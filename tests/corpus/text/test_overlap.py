"""Word overlap of questions with the texts of their targets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.text.overlap import (
    Overlap,
    format_share,
    is_filtered,
    overlap_with,
    shared_spans,
    word_overlap,
)


@pytest.mark.parametrize(
    ("question", "texts", "share"),
    [
        ("Which tea is green?", ["Green tea"], 2 / 4),
        ("Which tea is green?", ["Green", "tea, which is cold"], 1.0),
        ("tea tea tea milk", ["Tea"], 1 / 2),  # each distinct word counts once
        ("Fine-tuning?", ["fine tuning"], 1.0),
        ("Größe naïve", ["grosse NAIVE"], 1.0),
        ("coffee", ["tea"], 0.0),
    ],
)
def test_the_share_of_distinct_words_without_case_and_accents(question, texts, share):
    assert word_overlap(question, texts) == pytest.approx(share)


@pytest.mark.parametrize(("question", "texts"), [("?!", ["tea"]), ("tea", []), ("tea", ["", "…"])])
def test_without_words_on_either_side_there_is_no_share(question, texts):
    assert word_overlap(question, texts) is None


def test_titles_and_abstracts_are_distinguished():
    targets = [("Green tea", "It is served with milk."), ("Mate", "")]
    assert overlap_with("green milk mate sugar", targets) == Overlap(titles=2 / 4, texts=3 / 4)
    assert overlap_with("green", []) == Overlap(None, None)


def test_as_litsearch_coded_it_case_and_punctuation_count():
    assert word_overlap("Which tea is green? tea", ["green tea"], str.split) == pytest.approx(1 / 4)
    assert word_overlap("Green tea", ["green tea"], str.split) == pytest.approx(1 / 2)
    assert word_overlap(" ", ["green tea"], str.split) is None
    targets = [("green tea", "Which is")]
    assert overlap_with("Which tea is green?", targets, "litsearch-code") == Overlap(titles=1 / 4, texts=3 / 4)
    assert overlap_with("Which tea is green?", targets, "words") == Overlap(titles=2 / 4, texts=1.0)


def test_a_question_is_filtered_above_its_cutoff_only():
    assert is_filtered("green tea", ["green"], 0.49)
    assert not is_filtered("green tea", ["green"], 0.5)
    assert not is_filtered("green tea", ["green"], None)
    assert not is_filtered("green tea", [], 0.0)


def test_shared_words_are_found_where_they_stand():
    text = "Tea: GREEN-tea, naïve"
    assert [text[a:b] for a, b in shared_spans(text, "green naive tea?")] == ["Tea", "GREEN", "tea", "naïve"]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_shares_lie_between_none_and_all(question, texts):
    share = word_overlap(question, texts)
    assert share is None or 0 <= share <= 1
    if share is not None:
        assert word_overlap(question, [*texts, question]) == 1.0


@pytest.mark.parametrize(
    ("share", "written"), [(1 / 8, "0.13"), (0.285, "0.28"), (1 / 3, "0.33"), (1.0, "1.00"), (None, "–")]
)
def test_shares_are_rounded_in_the_same_way_everywhere_halves_up(share, written):
    """As JavaScript's toFixed(2) rounds them: 0.125 is a half, 0.285 is stored as a little less than one."""
    assert format_share(share) == written
