"""Word overlap of questions with the texts of their targets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.highlight import words_of_grammar
from engines.text.overlap import (
    DEFINITIONS,
    LITSEARCH_CODE,
    WORDS,
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
    assert word_overlap(question, texts, WORDS) == pytest.approx(share)


@pytest.mark.parametrize(("question", "texts"), [("?!", ["tea"]), ("tea", []), ("tea", ["", "…"])])
def test_without_words_on_either_side_there_is_no_share(question, texts):
    assert word_overlap(question, texts, WORDS) is None


def test_titles_and_abstracts_are_distinguished():
    targets = [("Green tea", "It is served with milk."), ("Mate", "")]
    assert overlap_with("green milk mate sugar", targets, WORDS) == Overlap(titles=2 / 4, texts=3 / 4)
    assert overlap_with("green", [], WORDS) == Overlap(None, None)


def calculate_ngram_overlap(query: str, text: str) -> float:
    """What LitSearch's published code of this name gives."""
    asked, known = set(query.split()), set(text.split())
    return len(asked & known) / len(asked)


@given(
    st.text(alphabet="aA. ?\t\x1c\x1f\x85\xa0\u2028\u3000\ufeffé", max_size=30),
    st.text(alphabet="aA. \x85é", max_size=30),
)
def test_as_litsearch_coded_it_case_and_punctuation_count(question, title):
    share = word_overlap(question, [title], LITSEARCH_CODE)
    if share is None:
        assert not question.split() or not title.split()
    else:
        assert share == calculate_ngram_overlap(question, title)


def test_the_paper_s_cutoffs_belong_to_its_code_and_each_definition_has_its_own():
    assert (DEFINITIONS[LITSEARCH_CODE].inside, DEFINITIONS[LITSEARCH_CODE].outside) == (0.3, 0.1)
    # A question that LitSearch would keep: its words stand in the title, but not in the same form.
    question, title = "Which works study parsing, tagging and chunking?", "Parsing, Tagging and Chunking in One Model"
    shares = {name: word_overlap(question, [title], name) for name in DEFINITIONS}
    assert shares == {LITSEARCH_CODE: 1 / 7, WORDS: 4 / 7}
    for name, own in DEFINITIONS.items():
        assert own.inside == own.outside or name == LITSEARCH_CODE
    targets = [("green tea", "Which is")]
    assert overlap_with("Which tea is green?", targets, LITSEARCH_CODE) == Overlap(titles=1 / 4, texts=3 / 4)
    assert overlap_with("Which tea is green?", targets, WORDS) == Overlap(titles=2 / 4, texts=1.0)


def test_a_question_is_filtered_above_its_cutoff_only():
    assert is_filtered("green tea", ["green"], 0.49, WORDS)
    assert not is_filtered("green tea", ["green"], 0.5, WORDS)
    assert not is_filtered("green tea", ["green"], None, WORDS)
    assert not is_filtered("green tea", [], 0.0, WORDS)


def test_shared_words_are_found_where_they_stand():
    text = "Tea: GREEN-tea, naïve"
    assert [text[a:b] for a, b in shared_spans(text, "green naive tea?", WORDS)] == ["Tea", "GREEN", "tea", "naïve"]
    assert [text[a:b] for a, b in shared_spans(text, "naïve Tea tea?", LITSEARCH_CODE)] == ["naïve"]


def test_words_of_grammar_count_but_are_not_marked():
    text = "The hearing of owls, et al."
    for name, marked in ((WORDS, ["hearing", "owls"]), (LITSEARCH_CODE, ["hearing"])):
        found = shared_spans(text, "What is The hearing of owls et al. about?", name, words_of_grammar("en"))
        assert [text[a:b] for a, b in found] == marked


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4), st.sampled_from(list(DEFINITIONS)))
def test_shares_lie_between_none_and_all(question, texts, definition):
    share = word_overlap(question, texts, definition)
    assert share is None or 0 <= share <= 1
    if share is not None:
        assert word_overlap(question, [*texts, question], definition) == 1.0


@pytest.mark.parametrize(
    ("share", "written"), [(1 / 8, "0.13"), (0.285, "0.28"), (1 / 3, "0.33"), (1.0, "1.00"), (None, "–")]
)
def test_shares_are_rounded_in_the_same_way_everywhere_halves_up(share, written):
    """As JavaScript's toFixed(2) rounds them: 0.125 is a half, 0.285 is stored as a little less than one."""
    assert format_share(share) == written
