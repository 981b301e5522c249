import pytest
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


def test_fragments_of_words_are_not_marked() -> None:
    text = "Et al. measured data; data-sets of owls aren't al dente, we don't."
    assert marked(text, "As Smith et al. write, it doesn't use data of owls and isn't small.") == ["owls"]


@pytest.mark.parametrize(
    ("language", "aspect", "text", "found"),
    [
        ("ar", "كيف تسمع البوم في الليل؟", "تسمع البومة 3.5 kHz جيدا في الليل.", ["تسمع البومة", "الليل"]),
        ("he", "איך ינשופים שומעים בחושך", "ינשופים, של יער, שׁוֹמעים.", ["ינשופים", "שׁוֹמעים"]),
        ("fa", "جغدها چگونه می‌شنوند", "و جغدها در شب میشنوند", ["جغدها", "میشنوند"]),
        ("de", "Wie hören die Eulen Mäuse?", "Die Eule hört die Maus und mäuse nicht.", ["Eule", "Maus", "mäuse"]),
        ("hi", "उल्लू कैसे सुनते हैं", "उल्लू रात में सुनता है।", ["उल्लू", "सुनता"]),
        ("zh", "猫头鹰的听觉", "大猫头鹰在夜里用听觉", ["猫头鹰", "听觉"]),
        ("ja", "フクロウの聴覚", "夜のフクロウは聴覚で", ["フクロウ", "聴覚"]),
        ("th", "นกฮูก", "ที่นกฮูกฟัง", ["นกฮูก"]),
        ("vi", "Cú nghe như thế nào", "Cú lợn nghe rất tốt", ["Cú", "nghe"]),
    ],
)
def test_each_language_has_its_stemmer_and_its_words_of_grammar(
    language: str, aspect: str, text: str, found: list[str]
) -> None:
    spans = highlight_spans(text, highlight_terms(aspect, language), language)
    assert [text[start:end] for start, end in spans] == found


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
        "The system mentioned in the paper should be able to analyze the data.",
        "The paper should discuss different tasks.",
        "The paper should talk about a system for Q&A.",
        "The paper should compare the performance of models.",
    ]
