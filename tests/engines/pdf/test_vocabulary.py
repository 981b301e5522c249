"""Words that a line end cut in two."""

import pytest

from engines.pdf.vocabulary import count_words, joined_over_break

COLLECTION = count_words(
    ["state-of-the-art retrieval", "information systems", "learning-to-rank", "seeking", "recommendation", "follow up"]
    * 3
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a recommen-", "dation system", "a recommendation system"),
        ("the retri-", "eval", "the retrieval"),
        ("of state-of-", "the-art work", "of state-of-the-art work"),
        ("of state-", "of-the-art work", "of state-of-the-art work"),
        ("a learning-", "to-rank model", "a learning-to-rank model"),
        ("information-", "seeking users", "information-seeking users"),
        ("query-", "and document-based", "query- and document-based"),
        ("the MDP-", "DIV model", "the MDP-DIV model"),
        ("the K-", "means", "the K-means"),
        ("an unheard-", "ofword", "an unheardofword"),
        ("a self-", "made thing", "a self-made thing"),
        ("multi-", "turn", "multi-turn"),
    ],
)
def test_hyphens_at_line_ends(before: str, after: str, expected: str) -> None:
    assert joined_over_break(before, after, count_words(["turn"]), COLLECTION) == expected


def test_the_papers_own_words_come_first() -> None:
    assert joined_over_break("re-", "ranking", count_words(["re-ranking"]), {"reranking": 900}) == "re-ranking"
    assert joined_over_break("re-", "ranking", count_words(["reranking"]), {"re-ranking": 900}) == "reranking"
    assert joined_over_break("re-", "ranking", {}, {"re-ranking": 900, "reranking": 5}) == "re-ranking"


def test_counting() -> None:
    assert count_words(["State-of-the-art is art."]) == {
        "state-of-the-art": 1,
        "state": 1,
        "of": 1,
        "the": 1,
        "art": 2,
        "is": 1,
    }
    assert count_words(["one two two"], least=2) == {"two": 2}
