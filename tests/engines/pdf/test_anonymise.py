"""Proposals to take cited authors' names out."""

import pytest

from engines.formats.papers import Reference, Sentence, cited_sentences
from engines.pdf.anonymise import Anonymiser
from engines.pdf.markers import AuthorYears, author_year_markers, numeric_markers

REFERENCES = {
    "1": Reference("1", authors=("Smith, Ada", "Jones, Ben", "Müller, Ana"), year=2019, raw="2019"),
    "2": Reference("2", authors=("Lee, Kim", "Park, Sun"), year=2018, raw="2018"),
    "3": Reference("3", authors=("van der Berg, Piet",), year=1999, raw="1999"),
    "4": Reference("4", authors=("Lee, Kim", "Chan, Bo"), year=2020, raw="2020"),
}


def proposal(text: str, anonymiser: Anonymiser | None = None) -> Sentence:
    markers = numeric_markers(text, REFERENCES)
    (sentence,) = cited_sentences([(0, len(text))], markers)
    return (anonymiser or Anonymiser(REFERENCES)).proposal(sentence, text, markers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smith et al. [1] proposed it.", "[1] proposed it."),
        ("Smith et al [1] proposed it.", "[1] proposed it."),
        ("It was proposed by Smith et al. [1].", "It was proposed by [1]."),
        ("A few years later Smith, Jones, and Müller [1] won.", "A few years later [1] won."),
        ("Lee and Park [2] and van der Berg [3] agree.", "[2] and [3] agree."),
        ("In the work of P. van der Berg [3], it fails.", "In the work of [3], it fails."),
        ("Muller and colleagues [1] say so.", "[1] say so."),
        ("Smith et al.’s [1] tool fails.", "[1] tool fails."),
        ("Schmidt et al. [1] proposed it.", ""),
        ("The model BERT [1] is used.", ""),
        ("Google [1] is used.", ""),
        ("Nothing is cited here.", ""),
        ("Parks [2] are green.", ""),
    ],
)
def test_names_before_markers(text: str, expected: str) -> None:
    assert proposal(text).anonymised == expected


def test_what_is_cut_is_kept() -> None:
    text = "As Smith et al. [1] say."
    sentence = proposal(text)
    (cut,) = sentence.cuts
    assert text[cut.start : cut.start + len(cut.text)] == cut.text == "Smith et al. "
    assert (cut.put, cut.key, sentence.cites, sentence.anonymised_cites) == ("", "1", ("1",), ("1",))


def test_a_name_alone_is_known_where_it_met_a_marker_or_is_the_only_one() -> None:
    anonymiser = Anonymiser(REFERENCES)
    assert proposal("Smith et al. were first.", anonymiser).anonymised == "[1] were first."
    assert proposal("Smith et al. were first.", anonymiser).anonymised_cites == ("1",)
    assert proposal("Lee and Park were last [3].", anonymiser).anonymised_cites == ("2", "3")
    assert proposal("Lee et al. [4] have two authors.", anonymiser).anonymised == "[4] have two authors."
    assert proposal("Later Lee et al. changed it.", anonymiser).anonymised == "Later [4] changed it."
    assert proposal("Google and Microsoft were asked.", anonymiser).anonymised == ""


def test_names_with_years_become_numbers() -> None:
    text = "As Smith et al. (2019) say, and others too (Lee and Park, 2018)."
    markers = author_year_markers(text, AuthorYears(REFERENCES.values()))
    (sentence,) = cited_sentences([(0, len(text))], markers)
    found = Anonymiser(REFERENCES).proposal(sentence, text, markers)
    assert found.anonymised == "As [1] say, and others too (Lee and Park, 2018)."
    assert found.anonymised_cites == found.cites == ("1", "2")
