import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.jsonl import MAX_DEPTH, read_objects, write_objects
from engines.formats.records import BrokenFile, Problem
from tests.engines.formats.reading import problems, records, stream

strings = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
    max_leaves=8,
)


def read(content: str | bytes) -> list:
    return list(read_objects(stream(content), "f.jsonl"))


@given(st.lists(st.dictionaries(strings, values, max_size=3), max_size=3))
def test_written_objects_are_read_back(objects: list[dict]) -> None:
    assert [item for _, item in records(read("".join(write_objects(objects))))] == objects


def test_line_separators_within_strings_are_characters() -> None:
    assert read('{"a":"x\u2028y\x85z"}\n') == [(1, {"a": "x\u2028y\x85z"})]


def test_marks_line_ends_and_blank_lines_are_tolerated() -> None:
    assert read('\ufeff{"a":1}\r\n\n  \n{"a":2}') == [(1, {"a": 1}), (4, {"a": 2})]
    assert read("") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": NaN}', "holds NaN, which is not JSON"),
        ('{"a": -Infinity}', "holds -Infinity"),
        ('{"a": 1e999}', "1e999, which is too large"),
        ("[1, 2]", "is not a JSON object but a list"),
        ('"text"', "but a string"),
        ("null", "but null"),
        ("12", "but a number"),
        ("{'a': 1}", "is not JSON: Expecting property name"),
        ('{"a": 1} x', "is not JSON: Extra data"),
        ('{"a": "never closed', "is not JSON: Unterminated string starting at character 7"),
        ('{"a": "tab\there"}', "is not JSON: Invalid control character"),
        ('{"a": "\\u0000"}', "NUL character"),
        ('{"\\u0000": 1}', "NUL character"),
        ('{"a": ["\\ud800"]}', "surrogate"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", f"nested more than {MAX_DEPTH} levels"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", f"nested more than {MAX_DEPTH} levels"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
    ],
)
def test_a_bad_line_is_a_problem_and_reading_goes_on(line: str, reason: str) -> None:
    found = read(f'{{"a": 1}}\n{line}\n{{"a": 2}}\n')
    assert [found[0], found[2]] == [(1, {"a": 1}), (3, {"a": 2})]
    assert isinstance(found[1], Problem)
    assert found[1].line == 2
    assert reason in found[1].reason


def test_whole_surrogate_pairs_and_many_brackets_are_fine() -> None:
    assert read('{"a": "\\ud83d\\ude00 \\\\u0000"}') == [(1, {"a": "\U0001f600 \\u0000"})]
    wide = {"a": [{"b": [n]} for n in range(100)]}
    assert read(json.dumps(wide)) == [(1, wide)]


@pytest.mark.parametrize("cut", ['{"a": "b', '{"a": [1, 2', '{"a"', "{", '{"a": {"b": 1}'])
def test_a_file_that_breaks_off_is_broken(cut: str) -> None:
    with pytest.raises(BrokenFile, match="line 2: the last line breaks off"):
        read(f'{{"a": 1}}\n{cut}')
    assert problems(read(f'{{"a": 1}}\n{cut}\n{{"a": 2}}')) != []


def test_writing_refuses_what_is_no_json() -> None:
    for bad in (float("nan"), float("inf"), "\ud800"):
        with pytest.raises(ValueError):  # noqa: PT011 (three kinds, one promise)
            list(write_objects([{"a": bad}]))
