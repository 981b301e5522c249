from contextlib import suppress
from unittest.mock import patch

import pybtex.database
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats import bibtex
from engines.formats.bibtex import Entry, read_entries
from engines.formats.bibtex_words import STANDARD_WORDS
from engines.formats.records import BrokenFile, Problem
from tests.engines.formats.reading import problems, records, stream


def read(text: str) -> list[Entry]:
    return records(read_entries(stream(text), "f"))


def only(text: str) -> Entry:
    (entry,) = read(text)
    return entry


ACM = """@inproceedings{10.1145/0000000.0000001,
author = {M\\"{u}ller, Ana and Lee, Bo},
title = {A {B} C},
year = {2019},
month = jun,
abstract = {First part.Second part with a = b,
and a set {0, 1} over lines.},
doi = {10.1145/0000000.0000001}
}
"""


def test_the_layout_of_the_digital_library() -> None:
    assert only(ACM).fields == {
        "author": 'M\\"{u}ller, Ana and Lee, Bo',
        "title": "A {B} C",
        "year": "2019",
        "month": "June",
        "abstract": "First part.Second part with a = b,\nand a set {0, 1} over lines.",
        "doi": "10.1145/0000000.0000001",
    }


@pytest.mark.parametrize(
    "text",
    [
        "@article{k, title = {T}, year = {2019}, month = jun}",
        '@article{k, title = "T", year = 2019, month = jun,}',
        "@article(k, title = {T}, year = 2019, month = jun)",
        "@Article { k ,\n\tTITLE\t= {T},\n\n year={2019} , month=jun\n}\n",
        '@string{t = "T"}\n@ARTICLE{k, title = t, year = 20 # "19", month = jun}',
        "@article{k, title = {T} year = {2019} month = jun}",
        "@article{k,, title = {T},, year = {2019}, month = jun,,}",
        "@article{k, % note = {no},\n title = {T}, year = {2019},\n% volume = {1},\n %\n month = jun}",
        "\ufeff@article{k,\r\ntitle = {T},\r\nyear = {2019},\r\nmonth = jun\r\n}\r\n",
    ],
)
def test_other_ways_of_writing_give_the_same(text: str) -> None:
    entry = only(text)
    assert (entry.kind, entry.key) == ("article", "k")
    assert entry.fields == {"title": "T", "year": "2019", "month": "June"}


@pytest.mark.parametrize(
    "key",
    [
        "10.1145/3397271.3401051",
        "10.1016/S0020-7373(05)00124-6",
        "10.1002/(SICI)1097-4571(199306)44:5<1::AID>3.0",
        "a.b:c_d-e+f",
    ],
)
def test_keys_may_hold_what_dois_hold(key: str) -> None:
    assert only(f"@article{{{key},\ntitle = {{T}}\n}}\n").key == key
    assert only(f"@article{{{key}, title = {{T}}}}").key == key


def test_comments_preambles_and_text_between_entries_are_passed_over() -> None:
    text = (
        "mail me@example.org {not an entry}\n@comment{jabref-meta: {a} @article{x, title={no}}}\n"
        '@preamble{"\\newcommand{x}"}\n' + ACM + "closing words"
    )
    assert [entry.key for entry in read(text)] == ["10.1145/0000000.0000001"]


def test_commas_between_entries_and_entries_without_a_key_are_read() -> None:
    (first, second) = read("@article{k, title = {T}},\n@article{title = {U}, year = 2001},\n")
    assert (first.key, second.key, second.fields) == ("k", "", {"title": "U", "year": "2001"})


def test_an_at_sign_and_an_entry_within_an_abstract_are_text() -> None:
    inner = "we use\n@article{x, title = {no}}\nand @home"
    (first, second) = read(f"@article{{k,\nabstract = {{{inner}}},\ntitle = {{T}}\n}}\n{ACM}")
    assert first.fields == {"abstract": inner, "title": "T"}
    assert second.key.startswith("10.")


def test_lines_are_counted_from_one() -> None:
    assert [entry.line for entry in read("\n\n" + ACM + "\n\n" + ACM)] == [3, 14]


def test_the_first_of_two_equal_fields_counts_and_the_others_are_kept() -> None:
    text = "@article{k,\ntitle = {first},\ntitle = {second},\ntitle = {first},\ntitle = {third}\n}\n"
    assert only(text).fields == {"title": "first", "title (2)": "second", "title (3)": "third"}


def test_words_that_nothing_defines_stand_for_themselves_and_are_named_with_their_lines() -> None:
    text = "@string{a = {A}}\n@article{k, year = 2019,\n journal = a # { of } # B # c,\n pages = 1-8, "
    text += "month = 7 # {~} # may}"
    entry = only(text)
    assert entry.fields == {"year": "2019", "journal": "A of Bc", "pages": "1-8", "month": "7~May"}
    assert entry.words is not None
    assert {name: (joined.unknown({}), joined.line) for name, joined in entry.words.items()} == {
        "journal": (["B", "c"], 3)
    }
    assert entry.words["journal"].value({"b": "Bees"}) == "A of Beesc"


def test_a_string_of_words_that_are_not_defined_is_reported() -> None:
    found = list(read_entries(stream("@string{a = b # {c}}\n@article{k, title = a}"), "f"))
    assert problems(found) == [(1, "@string uses the word “b”, which is not defined before it")]
    assert isinstance(found[1], Entry)
    assert found[1].fields == {"title": "bc"}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("@article{k, title = }", "a field has no value"),
        ("@article{{title} = {T}}", "the entry has no key"),
        ("@article{k, title = {T}, %% what}", "cannot be understood near '@inproc"),
        ("@article{k,\ntitle = {T}},\nyear = {2019}\n}", "a closing brace too many"),
        ("@article{k,\ntitle = {T,\nyear = {2019}\n}", "do not balance"),
        ('@article{k, title = "T, year = 2019}', "do not balance"),
    ],
)
def test_a_bad_entry_is_a_problem_and_reading_goes_on(bad: str, reason: str) -> None:
    found = list(read_entries(stream(f"{ACM}\n{bad}\n{ACM}"), "f"))
    assert [type(item) for item in found] == [Entry, Problem, Entry]
    assert found[1].line == 11
    assert reason in found[1].reason


@pytest.mark.parametrize("cut", range(60, len(ACM) - 2, 17))
def test_a_file_that_is_cut_off_is_broken(cut: int) -> None:
    with pytest.raises(BrokenFile, match="ends inside the entry that begins here") as caught:
        list(read_entries(stream(ACM + ACM[:cut]), "f"))
    assert caught.value.line == 10


def test_an_entry_beyond_measure_is_left_where_it_begins() -> None:
    with patch.object(bibtex, "MAX_ENTRY_CHARS", 10_000):
        found = list(read_entries(stream("@article{k, title = {" + "x\n" * 25_000 + ACM), "f"))
    assert [type(item) for item in found] == [Problem, Entry]
    assert "is longer than 4,194,304 characters, or its braces" in problems(found)[0][1]
    with pytest.raises(BrokenFile, match="is longer than"):  # nothing of it is cut off
        list(read_entries(stream("@article{k, title = {" + "x" * 5_000_000 + "}}"), "f"))


def test_words_beyond_those_that_are_kept_are_named() -> None:
    with patch.object(bibtex, "_MAX_MACROS", 1 + len(STANDARD_WORDS)):
        found = list(read_entries(stream("@string{a={A}}\n@string{b={B}}\n@misc{k, title=a}"), "f"))
    assert [type(item) for item in found] == [Problem, Entry]
    assert problems(found) == [
        (2, f"more than {1 + len(STANDARD_WORDS)} words, or 32 million characters, are defined by @string")
    ]


def test_a_file_of_unclosed_entries_is_given_up_in_time() -> None:
    with pytest.raises(BrokenFile, match="more than 100 entries are never closed"):
        list(read_entries(stream("@a{b,c={\n" * 1_000), "f"))


def test_a_file_without_entries_says_so() -> None:
    assert problems(read_entries(stream("nothing here"), "f")) == [(1, "no BibTeX entry was found in this file")]
    assert list(read_entries(stream(""), "f")) == []


# Values that balance, without the characters that the two delimiters give a special meaning.
plain_values = st.text(st.characters(categories=["L", "N", "P", "S", "Z"], exclude_characters='{}"\\#%'), max_size=30)
values = st.recursive(
    plain_values,
    lambda inner: st.tuples(plain_values, inner, plain_values).map(lambda t: f"{t[0]}{{{t[1]}}}{t[2]}"),
    max_leaves=4,
)
names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
entries = st.dictionaries(names, values, min_size=1, max_size=5)
layouts = st.sampled_from(
    [("{", "}", ",\n", "\n}\n"), ("{", "}", ", ", "}\n"), ('"', '"', ",\n  ", "\n}\n"), ("{", "}", ",\n", ",\n}\n\n")]
)


def write(key: str, fields: dict[str, str], layout: tuple[str, str, str, str]) -> str:
    left, right, between, end = layout
    body = between.join(f"{name} = {left}{value}{right}" for name, value in fields.items())
    return f"@article{{{key}{between}{body}{end}"


@pytest.mark.slow
@given(st.lists(st.tuples(entries, layouts), max_size=4), st.integers(1, 50))
def test_written_entries_are_read_back_in_chunks_of_any_size(items, size: int) -> None:
    text = "".join(write(f"k{n}", fields, layout) for n, (fields, layout) in enumerate(items))
    expected = [(f"k{n}", fields) for n, (fields, _) in enumerate(items)]
    reader = bibtex._Reader((text[at : at + size] for at in range(0, len(text), size)), "f")
    for found in (read(text), records(reader.read())):
        assert [(entry.key, entry.fields) for entry in found] == expected


@pytest.mark.slow
@given(entries, layouts)
def test_pybtex_reads_the_same_values(fields: dict[str, str], layout: tuple[str, str, str, str]) -> None:
    fields = {name: value for name, value in fields.items() if name not in ("author", "editor")} or {"title": "x"}
    text = write("k", fields, layout)
    theirs = pybtex.database.parse_string(text, "bibtex").entries["k"].fields
    assert {name: " ".join(value.split()) for name, value in only(text).fields.items()} == {
        name: " ".join(value.split()) for name, value in theirs.items()
    }


@given(st.text(st.sampled_from(list('@article{}(),="#\n k%\\')), max_size=60))
def test_no_text_makes_the_reader_fail_otherwise(text: str) -> None:
    with suppress(BrokenFile):
        assert all(isinstance(item, Entry | Problem) for item in read_entries(stream(text), "f"))
