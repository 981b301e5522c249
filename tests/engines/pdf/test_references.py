"""Entries of lists of references: cut apart, read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.pdf.composites import split_works
from engines.pdf.lines import Line
from engines.pdf.reference_fields import parse_reference, printed_ids, split_authors
from engines.pdf.references import references_of, split_entries, works_of


def lines(*texts: str) -> list[Line]:
    """Lines below each other; a text that begins with blanks is indented."""
    found = []
    for place, text in enumerate(texts):
        left, base = 50.0 + 10 * text.startswith("  "), 10.0 * place + 7
        found.append(Line(1, 0, [], left, 290, base - 7, base + 1, base, 8, 0, 0, 0, text.strip()))
    return found


def raws(*texts: str) -> list[tuple[str, str]]:
    return [(each.key, each.raw) for each in references_of(lines(*texts), {}, {})]


def test_numbers_in_brackets() -> None:
    assert raws("[1] A. One. 2001.", "[2] B. Two begins", "  [7] is no label here. 2002.", "[3] C. Three. 2003.") == [
        ("1", "A. One. 2001."), ("2", "B. Two begins [7] is no label here. 2002."), ("3", "C. Three. 2003."),
    ]  # fmt: skip


def test_numbers_with_full_stops() -> None:
    assert raws("1. A. One.", "  more 2001.", "2. B. Two. 2002.", "3. C.", "  2003. Three.") == [
        ("1", "A. One. more 2001."), ("2", "B. Two. 2002."), ("3", "C. 2003. Three."),
    ]  # fmt: skip


def test_labels_of_names_and_years() -> None:
    found = references_of(lines("[Smi19] A. Smith. One.", "  2019.", "[LP18a] K. Lee. Two. 2018."), {}, {})
    assert [each.key for each in found] == ["1", "2"]


@pytest.mark.parametrize("label", ["({})", "{}"])
def test_other_numbers(label: str) -> None:
    texts = (f"{label.format(place)} Name {chr(64 + place)}. One. 200{place}." for place in range(1, 4))
    assert [key for key, _ in raws(*texts)] == ["1", "2", "3"]


def test_numbers_of_lines_are_no_numbers_of_works() -> None:
    texts = (f"{place} Each line of this text has a number." for place in range(1, 9))
    assert len(raws(*texts)) == 1


def test_the_works_of_composite_entries() -> None:
    found = works_of(lines(
        "[1] A. Uhl and B. Kauz, J. Birds 1, 2 (1999); C. Eule,",
        "  ibid. 3, 4 (2000); 5, 6 (2001); Nature 7, 8 (2002).",
        "[2] (a) D. Strix, J. Owls 2003, 12, 34. (b) E. Tyto, Angew. Chem. 2004, 1, 2.",
        "[3] F. Bubo; G. Asio; H. Ninox. A title; with a stop. Owl Press, 2005.",
    ), {}, {})  # fmt: skip
    assert [(each.key, each.authors, each.venue, each.year) for each in found.references[:6]] == [
        ("1", ("Uhl, A.", "Kauz, B."), "J. Birds 1, 2 (1999)", 1999),
        ("1b", ("Eule, C.",), "J. Birds 3, 4 (2000)", 2000),
        ("1c", ("Eule, C.",), "J. Birds 5, 6 (2001)", 2001),
        ("1d", ("Eule, C.",), "Nature 7, 8 (2002)", 2002),
        ("2", ("Strix, D.",), "J. Owls 2003, 12, 34", 2003),
        ("2b", ("Tyto, E.",), "Angew. Chem. 2004, 1, 2", 2004),
    ]
    assert found.composites == {"1": ("1", "1b", "1c", "1d"), "2": ("2", "2b")}
    assert [each.key for each in found.references[6:]] == ["3"]


def test_hanging_indents() -> None:
    texts = ("Lee, K. One.", "  In X. 2001.", "Park, S. Two. 2002.", "van der Berg, P.", "  Three. 2003.")
    assert [raw for _, raw in raws(*texts)] == [
        "Lee, K. One. In X. 2001.",
        "Park, S. Two. 2002.",
        "van der Berg, P. Three. 2003.",
    ]


def test_no_labels_and_no_indents() -> None:
    texts = (
        "Lee, K. 2001. One. In X.",
        "Park, S. 2002. A long title that goes on",
        "over two lines. Y.",
        "Wu, X. 2003. Z.",
    )
    assert len(raws(*texts)) == 3


def test_addresses_cut_by_line_ends_are_whole_again() -> None:
    texts = (
        "[1] A. One. https://doi.org/10.1145/",
        "  3397271.3401103",
        "[2] B. Two. https:",
        "  //a.example/b-",
        "  c.pdf. More.",
    )
    found = references_of(lines(*texts), {}, {})
    assert found[0].ids["doi"] == "10.1145/3397271.3401103"
    assert found[1].ids["url"] == "https://a.example/b-c.pdf"


def test_an_empty_list() -> None:
    assert split_entries([]) == []


@given(st.lists(st.text(st.sampled_from("[1] 2.aB,"), max_size=12), max_size=12))
def test_any_lines_give_entries_of_these_lines(texts: list[str]) -> None:
    given_lines = lines(*texts)
    found = [line for entry in split_entries(given_lines) for line in entry.lines]
    assert all(any(line is each for each in given_lines) for line in found)
    assert [line.base for line in found] == sorted(line.base for line in found)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Ada Smith, Ben C. Jones, and Ana Müller", ["Smith, Ada", "Jones, Ben C.", "Müller, Ana"]),
        ("Smith, A., Jones, B. C., & Müller, A.", ["Smith, A", "Jones, B. C", "Müller, A"]),
        ("A. Smith and C. J. van Rijsbergen", ["Smith, A.", "van Rijsbergen, C. J."]),
        ("Smith A, Jones BC", ["Smith, A", "Jones, BC"]),
        ("Smith, Ada; Jones, Ben", ["Smith, Ada", "Jones, Ben"]),
        ("Smith, A., et al.", ["Smith, A"]),
        ("Lee Wei, Yi Wu", ["Wei, Lee", "Wu, Yi"]),
        ("", []),
    ],
)
def test_authors(printed: str, expected: list[str]) -> None:
    assert split_authors(printed) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("see doi:10.1000/a.b(c).", {"doi": "10.1000/a.b(c)"}),
        ("https://doi.org/10.1000/abc, accessed", {"doi": "10.1000/abc"}),
        ("https: //doi.org/10. 1000/abc", {"doi": "10.1000/abc"}),
        ("arXiv preprint arXiv:1901.00001v2 (2019)", {"arxiv": "1901.00001"}),
        ("arXiv:cs/0101001", {"arxiv": "cs/0101001"}),
        ("https://arxiv.org/abs/1901.00001", {"arxiv": "1901.00001", "url": "https://arxiv.org/abs/1901.00001"}),
        (
            "https://aclanthology.org/2020.acl-main.1",
            {"acl": "2020.acl-main.1", "url": "https://aclanthology.org/2020.acl-main.1"},
        ),
        ("PMID: 12345678; PMC7654321", {"pmid": "12345678", "pmcid": "PMC7654321"}),
        ("(see http://a.example/x_(y)).", {"url": "http://a.example/x_(y)"}),
        ("pages 10.1 to 10.2", {}),
    ],
)
def test_printed_ids(raw: str, expected: dict[str, str]) -> None:
    assert printed_ids(raw) == expected


@pytest.mark.parametrize(
    ("raw", "title", "authors"),
    [
        ("A. Uhl and B. Kauz, Ears of owls, J. Birds 11, 100 (1999).", "Ears of owls", ("Uhl, A.", "Kauz, B.")),
        ("A. Uhl and B. Kauz, J. Birds 11, 100 (1999).", "", ("Uhl, A.", "Kauz, B.")),
        ("A. Uhl et al. (Owl Collaboration), Phys. Rev. Lett. 115, 072001 (2015).", "", ("Uhl, A.",)),
        ("A. Uhl, in Proceedings of the 3rd Conference on Owls, Ears, and Nights (2000) pp. 1–9.", "", ("Uhl, A.",)),
        ("A. Uhl, Nature 177, 393 (1972).", "", ("Uhl, A.",)),
        ("A. Uhl, Ann. Phys. (Leipzig) 17, 891 (1905).", "", ("Uhl, A.",)),
        ("A. Uhl, private communication.", "", ("Uhl, A.",)),
        ("A. Uhl, Owls of the North (Owl Press, Bergen, 1999).", "Owls of the North", ("Uhl, A.",)),
        ("Ada Uhl, Bo C. Kauz, and Dora Eule, Ears, eyes, and wings of owls, J. Birds 3 (2001), 1–9.",
         "Ears, eyes, and wings of owls", ("Uhl, Ada", "Kauz, Bo C.", "Eule, Dora")),
        ("A. Uhl, B. Kauz, Ears of owls, in: Proceedings of the Conference on X, Y, and Z, 2020, pp. 3–4.",
         "Ears of owls", ("Uhl, A.", "Kauz, B.")),
        ("Ada Uhl, Bo Kauz, and Dora Eule. 2019. Owls of the North. In Proceedings of the Owl Conference, OWL 2019, "
         "Bergen, Norway. 1–9.", "Owls of the North", ("Uhl, Ada", "Kauz, Bo", "Eule, Dora")),
        ("Ada Uhl. 2019. What do owls hear? A study of ears. In Proceedings of Owls. 1–9.",
         "What do owls hear? A study of ears", ("Uhl, Ada",)),
        ("Uhl A. B., Kauz C., 2008, J. Birds, 60, 732", "", ("Uhl, A. B", "Kauz, C")),
        ("Ada Uhl, Bo Kauz, and Dora Eule. Tap, swipe, or move: A study. In Proc. Owls, 2012.",
         "Tap, swipe, or move: A study", ("Uhl, Ada", "Kauz, Bo", "Eule, Dora")),
        ("Ada B. Uhl and Bo C. Kauz. Owls of the far north. J. Birds, 56:193–196, 1997.", "Owls of the far north",
         ("Uhl, Ada B.", "Kauz, Bo C.")),
        ("Uhl, A. & Kauz, B. Cinemagazer: A system for owls. J. Birds 3, 4–5 (1999).",
         "Cinemagazer: A system for owls", ("Uhl, A", "Kauz, B")),
        ("A. Uhl, B. Kauz, Visbia 2018: Ears of owls, in: Proceedings of Owls, 2018.", "Visbia 2018: Ears of owls",
         ("Uhl, A.", "Kauz, B.")),
    ],
)  # fmt: skip
def test_titles_between_commas_and_none_where_none_is_printed(raw: str, title: str, authors: tuple[str, ...]) -> None:
    found = parse_reference("1", raw)
    assert (found.title, found.authors) == (title, authors)


@given(st.text(max_size=200))
def test_any_entry_is_read(raw: str) -> None:
    found = parse_reference("1", raw)
    assert found.raw == raw
    assert found.year is None or 1800 <= found.year <= 2099


def test_hostile_entries_take_no_longer_than_their_length() -> None:
    for piece in (
        "Aa, B. ",
        "(2001 ",
        "10.1000/",
        "http://",
        "a.b. ",
        "“a ",
        "A. B, ",
        "Aa Bb ",
        "(a) ",
        "A. Bb, 3, 4 (2000); ",
        "A.",
    ):
        assert parse_reference("1", piece * 4_000).raw == piece * 4_000
        assert split_works(piece * 4_000)
