"""What a document is called in a line."""

from engines.text.names import OPENING, document_name


def test_a_title_is_the_name() -> None:
    assert document_name(" Tea\n and sleep ", "We measure.", "d1") == "Tea and sleep"


def test_without_a_title_the_abstract_begins_the_line_and_is_cut_between_words() -> None:
    abstract = "Longwords " * 40
    name = document_name("", abstract, "d1")
    assert name.endswith("Longwords …")
    assert len(name) <= OPENING + 2
    assert document_name("", "We measure tea.", "d1") == "We measure tea."


def test_without_either_the_docno_is_the_name_and_one_endless_word_is_cut() -> None:
    assert document_name("", " ", "d1") == "d1"
    assert document_name("", "x" * 500, "d1") == "x" * OPENING + " …"
