"""References to documents of a collection."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.pdf.linking import Link, differing_words, link
from engines.pdf.reference_fields import parse_reference
from engines.pdf.titles import TitleIndex, Work

WORKS = [
    Work("10.1145/1.1", "Long-Tail Questions in Archives", ("Smith, Ada", "Jones, Ben"), 2019, "10.1145/1.1"),
    Work("10.1145/1.2", "Ten Years of Requests", ("Lee, Kim", "Park, Sun"), 2018),
    Work("10.1145/1.3", "Ten Years of Requests", ("Lee, Kim", "Park, Sun"), 2018),
    Work("10.5555/1.4", "Overview of the Drawer Track 2015", ("Chan, Bo",), 2015),
    Work("10.1145/1.5", "The Habits of Keepers", ("O’Neil, Mary", "Chan, Bo"), 2020),
    Work("10.1145/1.6", "Reading or Retrieving: A Comparison of Small Archives", ("Müller, Ana",), 2021),
    Work("10.1145/1.7", "Editorial", (), 2021),
    Work("10.1145/1.8", "Searching by the Drawer", ("Khudyak Kozorovitsky, Anna",), 2011),
]
INDEX = TitleIndex(WORKS)


def linked(raw: str) -> Link:
    return link(parse_reference("1", raw), INDEX)


def summary(raw: str) -> tuple[str, str, bool]:
    found = linked(raw)
    return found.docno, found.refereed, found.is_ambiguous


@pytest.mark.parametrize(
    ("raw", "docno"),
    [
        (
            "Ada Smith and Ben Jones. 2019. Long-tail questions in archives. In Proc. 3–9.",
            "10.1145/1.1",
        ),
        ("Smith, A., Jones, B.: Long tail questions in archives. In: X (2019)", "10.1145/1.1"),
        ("A. Smith, B. Jones, “Long-tail questions in archives,” X, 2020.", "10.1145/1.1"),
        ("Smith. Wrong title. 2019. https://doi.org/10.1145/1.1", "10.1145/1.1"),
        ("Smith. Wrong title. 2019. doi:10.1145/1.1.", "10.1145/1.1"),
        ("A. K. Kozorovitzky. 2011. Searching by the drawer. In X.", "10.1145/1.8"),
        ("Zoe Zhu. 2019. Long-tail questions in archives. In Proc. 3–9.", ""),
        ("Ada Smith. 2009. Long-tail questions in archives. In Proc. 3–9.", ""),
        ("Bo Chan. 2016. Overview of the Drawer Track 2016. In X.", ""),
        ("Bo Chan. 2015. Overview of the Drawer Track 2015. In X.", "10.5555/1.4"),
        ("X. Yz. 2001. Of nothing known. In Proc. 1–2.", ""),
    ],
)
def test_which_document_it_is(raw: str, docno: str) -> None:
    assert summary(raw) == (docno, "", False)


def test_the_same_title_twice_is_reported_and_not_guessed() -> None:
    found = linked("Kim Lee and Sun Park. 2018. Ten years of requests. In Proc.")
    assert (found.docno, found.is_ambiguous) == ("", True)
    assert [each.docno for each in found.candidates[:2]] == ["10.1145/1.2", "10.1145/1.3"]


def test_a_preprint_is_not_its_refereed_version_which_is_named() -> None:
    raw = "Mary O’Neil and Bo Chan. 2019. The habits of keepers. arXiv preprint arXiv:1901.00001."
    assert summary(raw) == ("", "10.1145/1.5", False)


def test_a_printed_doi_of_a_preprint_server_is_that_of_a_preprint() -> None:
    raw = "Mary O’Neil and Bo Chan. 2017. The habits of keepers. https://doi.org/10.48550/arXiv.1901.00001"
    assert summary(raw) == ("", "10.1145/1.5", False)


@pytest.mark.parametrize("known", [("1901.00001", ""), ("d1", "10.48550/arXiv.1901.00001")])
def test_a_collection_of_preprints_has_the_preprint_itself(known: tuple[str, str]) -> None:
    docno, doi = known
    index = TitleIndex([Work(docno, "The Habits of Keepers", ("O’Neil, Mary", "Chan, Bo"), 2019, doi)])
    raw = "Mary O’Neil and Bo Chan. 2019. The habits of keepers. arXiv preprint arXiv:1901.00001v2."
    found = link(parse_reference("1", raw), index)
    assert (found.docno, found.refereed) == (docno, "")


def test_candidates_are_at_most_three_and_show_what_differs() -> None:
    found = linked("A. Müller. 2021. Reading or retrieving: a comparison of large archives. In X.")
    assert not found.docno
    (best,) = [each for each in found.candidates if each.docno == "10.1145/1.6"]
    assert best.has_author
    assert [best.title[start:end] for start, end in best.differing] == ["Small"]
    assert len(found.candidates) <= 3


def test_a_title_without_letters_and_an_empty_index() -> None:
    reference = parse_reference("1", "?!. 2001. —.")
    assert link(reference, TitleIndex([])) == Link("1")
    assert TitleIndex([Work("d", "—!")]).with_title("?") == []


@given(st.text(max_size=60))
def test_any_entry_links_or_does_not(raw: str) -> None:
    assert len(linked(raw).candidates) <= 3


@given(st.text(st.sampled_from("ab c-D"), max_size=20), st.text(st.sampled_from("ab c-D"), max_size=20))
def test_differing_words_are_words_of_the_title(title: str, other: str) -> None:
    assert all(title[start:end].isalnum() for start, end in differing_words(title, other))
    assert differing_words(title, title) == ()
