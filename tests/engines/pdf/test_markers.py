"""Citation markers, in numbers and in names with years."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.papers import Reference
from engines.pdf.markers import AuthorYears, author_year_markers, label_markers, numeric_markers

KNOWN = {str(number) for number in range(1, 60)}


def keys(text: str) -> list[tuple[str, ...]]:
    return [marker.keys for marker in numeric_markers(text, KNOWN)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("as in [12]", [("12",)]),
        ("as in [13, 14] and [2;3]", [("13", "14"), ("2", "3")]),
        ("in [3–7]", [("3", "4", "5", "6", "7")]),
        ("in [3-5, 9, 11—12]", [("3", "4", "5", "9", "11", "12")]),
        ("in [3]–[5]", [("3",), ("4", "5")]),
        ("in [3] - [4]", [("3",), ("4",)]),
        ("see [e.g., 4] and [see also 5, 6]", [("4",), ("5", "6")]),
        ("in [12, p. 34] and [7, § 2]", [("12",), ("7",)]),
        ("in [7, 7]", [("7", "7")]),
        ("the interval [0, 1]", [("1",)]),
        ("the interval [0.5, 1.5], the index x[i], a year [2019]", []),
        ("out of the list [99]", []),
        ("a bad range [9–3]", [("9", "3")]),
        ("a range of everything [1–900]", [("1",)]),
        ("in [ 4 , 5 ]", [("4", "5")]),
    ],
)
def test_numbers(text: str, expected: list[tuple[str, ...]]) -> None:
    assert keys(text) == expected


def test_a_marker_knows_its_place() -> None:
    text = "as in [13, 14] and"
    (marker,) = numeric_markers(text, KNOWN)
    assert text[marker.start : marker.end] == marker.text == "[13, 14]"


@given(st.lists(st.integers(1, 59), min_size=1, max_size=8, unique=True))
def test_a_list_of_numbers_comes_back(numbers: list[int]) -> None:
    assert keys(f"so [{', '.join(map(str, numbers))}] says") == [tuple(map(str, numbers))]


@given(st.integers(1, 30), st.integers(1, 28))
def test_a_range_is_written_out(first: int, length: int) -> None:
    expected = tuple(str(number) for number in range(first, first + length + 1))
    assert keys(f"[{first}–{first + length}]") == [expected]
    apart = keys(f"[{first}]–[{first + length}]")
    assert tuple(key for each in apart for key in each) == expected


@given(st.text(st.sampled_from("[]0123456789,;–- p.()a"), max_size=60))
def test_any_text_gives_known_keys_in_order(text: str) -> None:
    found = numeric_markers(text, KNOWN)
    assert all(marker.keys and set(marker.keys) <= KNOWN for marker in found)
    assert all(text[marker.start : marker.end] == marker.text for marker in found)
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


def reference(key: str, names: str, year: int, mark: str = "") -> Reference:
    authors = tuple(f"{name}, X." for name in names.split("/"))
    return Reference(key, f"Title {key}", authors, "", year, raw=f"{names} {year}{mark}. Title {key}.")


LIST = AuthorYears([
    reference("1", "Garcia", 2021),
    reference("2", "Lee/Park", 2018),
    reference("3", "O’Neil/Chan/Wu", 2020, "a"),
    reference("4", "O’Neil/Chan/Wu", 2020, "b"),
    reference("5", "Smith/Jones/Müller", 2019),
    reference("6", "van der Berg", 1999),
    reference("7", "Smith", 2019),
    reference("8", "Chen/Xu", 2017),
    reference("9", "Chen/Yu", 2017),
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smith et al. (2019) say", [("5",)]),
        ("Smith (2019) says", [("7",)]),
        ("found (Lee and Park, 2018; Garcia, 2021)", [("2", "1")]),
        ("Lee & Park (2018) found", [("2",)]),
        ("found (Lee & Park 2018)", [("2",)]),
        ("found (see O’Neil et al., 2020a,b, for more)", [("3", "4")]),
        ("found (O'Neil et al., 2020b)", [("4",)]),
        ("van der Berg (1999) wrote", [("6",)]),
        ("written down (van der Berg, 1999)", [("6",)]),
        ("found [Smith et al., 2019, p. 4]", [("5",)]),
        ("However, Garcia (2021) disagrees", [("1",)]),
        ("Garcia’s (2021) view", [("1",)]),
        ("Chen and Yu (2017) and Chen and Xu (2017)", [("9",), ("8",)]),
        ("Chen et al. (2017) could be two", []),
        ("O’Neil et al. (2020) could be two", []),
        ("in spring (May 2018) nothing", []),
        ("Nobody (2019) is in the list", []),
        ("MÜLLER (2019) is no first author", []),
    ],
)
def test_names_and_years(text: str, expected: list[tuple[str, ...]]) -> None:
    assert [marker.keys for marker in author_year_markers(text, LIST)] == expected


@given(st.text(st.sampled_from("Smith et al. (2019), Lee&Park;2018 []"), max_size=80))
def test_any_text_gives_markers_in_order(text: str) -> None:
    found = author_year_markers(text, LIST)
    assert all(text[marker.start : marker.end] == marker.text and marker.keys for marker in found)
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


def test_hostile_texts_take_no_longer_than_their_length() -> None:
    assert author_year_markers("Aa " * 20_000, LIST) == []
    assert author_year_markers("(" * 5_000 + "Smith, " * 5_000, LIST) == []
    assert numeric_markers("[1, " * 20_000, KNOWN) == []


def test_labels_of_names_and_years() -> None:
    keys = {"WS00": "1", "ABC+08": "2", "Uhl99a": "3"}
    text = "As shown [WS00, ABC+08] and [see Uhl99a, p. 4], not [XY00], not [a word], not [WS00, XY00]."
    assert [(each.text, each.keys) for each in label_markers(text, keys)] == [
        ("[WS00, ABC+08]", ("1", "2")), ("[see Uhl99a, p. 4]", ("3",)),
    ]  # fmt: skip
