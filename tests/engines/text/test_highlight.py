from hypothesis import given
from hypothesis import strategies as st

from engines.formats.reading import read_topics
from engines.text.highlight import highlight_pieces, highlight_spans, highlight_terms
from tests.engines.formats.reading import records
from tests.shared import shared_path

ASPECT = "The paper should discuss retrieving labelled datasets with Transformers."
TEXT = "We study dataset retrieval; a Transformer labels data-sets. Transforming is not retrieved."


def marked(text: str, aspect: str) -> list[str]:
    return [text[start:end] for start, end in highlight_spans(text, highlight_terms(aspect))]


def test_words_with_the_same_stem_are_marked_and_neighbours_joined() -> None:
    assert marked(TEXT, ASPECT) == ["dataset retrieval", "Transformer labels", "Transforming", "retrieved"]


def test_words_of_grammar_and_trade_are_not_marked() -> None:
    assert marked("The paper should discuss a model of the system.", ASPECT) == []
    assert marked("New images have high quality; real data were introduced", "It introduces a new real image.") == [
        "images"
    ]
    assert marked("A research study of ours", "The paper is a research study.") == ["research study"]


def test_case_accents_and_hyphens_do_not_matter() -> None:
    assert marked("NAIVE Bayes, naïve-Bayes", "naïve Bayes") == ["NAIVE Bayes", "naïve-Bayes"]


def test_empty_texts_and_aspects_are_fine() -> None:
    assert marked("", ASPECT) == marked(TEXT, "") == marked(TEXT, "of the") == []
    assert highlight_pieces("", frozenset({"x"})) == []


@given(st.text(), st.text())
def test_pieces_join_to_the_text(text: str, aspect: str) -> None:
    terms = highlight_terms(aspect)
    pieces = highlight_pieces(text, terms)
    assert "".join(piece for piece, _ in pieces) == text
    assert all(piece for piece, _ in pieces)
    assert [piece for piece, is_marked in pieces if is_marked] == [text[a:b] for a, b in highlight_spans(text, terms)]


def test_nearly_every_published_aspect_has_something_to_look_for() -> None:
    topics = records(read_topics(shared_path("data", "doris-mae", "queries.txt")))
    texts = [text for topic in topics for text in topic.item_texts()]
    assert all(highlight_terms(text) for text in texts)
    # Single letters are no words, so only words of the trade remain of one of these.
    only_trade = [text for text in texts if "paper" in highlight_terms(text)]
    assert only_trade == [
        "The paper should discuss different tasks.",
        "The paper should talk about a system for Q&A.",
        "The paper should compare the performance of models.",
    ]
