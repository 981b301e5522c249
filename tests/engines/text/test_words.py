import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.words import fold_word, title_key, tokens, word_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("State-of-the-art: BERT's 3D, x_y!", ["state", "of", "the", "art", "bert", "s", "3d", "x", "y"]),
        ("Größe naïve Øre Łódź ŒUVRE", ["grosse", "naive", "ore", "lodz", "oeuvre"]),
        ("", []),
        ("— …", []),
    ],
)
def test_tokens_are_folded_words(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Re-Ranking: A Survey", "Reranking – a survey"),
        ("Müller's Méthode", "MULLERS METHODE"),
        ("O(n²) Search", "O(n2) search"),
        ("ﬁnding a Straße", "Finding a STRASSE"),
        ("“Quoted”, (twice).", "Quoted twice"),
    ],
)
def test_titles_printed_differently_share_a_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other) != ""


def test_different_titles_differ_and_mere_signs_have_no_key() -> None:
    assert title_key("Part 1") != title_key("Part 2")
    assert title_key("???") == ""


@given(st.text())
def test_folding_is_stable_and_spans_cover_words_only(text: str) -> None:
    assert all(text[start:end].isalnum() for start, end in word_spans(text))
    assert all(fold_word(word) == word for word in tokens(text) if word.isascii())
    assert title_key(title_key(text)) == title_key(text)
