import json
import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats import lines
from engines.formats.json_stream import read_parts
from engines.formats.records import BrokenFile
from tests.engines.formats.reading import stream
from tests.engines.formats.test_jsonl import strings, values


@pytest.mark.slow
@given(st.dictionaries(strings, values, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_parts_are_those_of_the_object_whatever_the_chunk(
    value: dict, size: int, indent: int | None, plain: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    with patch.object(lines.read_chunks, "__kwdefaults__", {"size": size}):
        parts = list(read_parts(stream(text), "f"))
    expected = [
        part
        for key, inner in value.items()
        for part in (
            [(key, n, item) for n, item in enumerate(inner)] if isinstance(inner, list) else [(key, None, inner)]
        )
    ]
    assert [(part.key, part.index, part.value) for part in parts] == expected
    assert all(part.problem is None for part in parts)


def test_lines_are_where_values_begin() -> None:
    text = '\n{"a": [\n {"x": 1},\n\n {"x": \n2}],\n"b":\n3}\n'
    assert [(part.key, part.line) for part in read_parts(stream(text), "f")] == [("a", 3), ("a", 5), ("b", 8)]


def test_values_that_cannot_be_stored_say_so() -> None:
    first, second = read_parts(stream('{"a": ["\\ud800", "\\u00e9"]}'), "f")
    assert "surrogate" in (first.problem or "")
    assert (second.value, second.problem) == ("é", None)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "the file ends in the middle"),
        ("[1]", 1, "{ is expected, not '\\['"),
        ('{"a": [1, 2', 1, "the file ends in the middle"),
        ('{"a"\n', 2, "the file ends in the middle"),
        ('{"a":\n[1,\n{"b": "cut', 3, "is not JSON: Unterminated string"),
        ('{"a": [1,\n x]}', 2, "is not JSON: Expecting value"),
        ('{"a": 1} x', 1, "text follows the end"),
        ("{1: 2}", 1, "a key is not a string"),
        ('{"a": [NaN]}', 1, "holds NaN"),
        ('{"a": [1e999]}', 1, "too large"),
        ('{"a": [' + "[" * 100_000 + "]" * 100_000 + "]}", 1, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_broken(text: str, line: int, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason) as caught:
        list(read_parts(stream(text), "f"))
    assert caught.value.line == line


def test_memory_holds_one_element_at_a_time() -> None:
    def peak(times: int) -> int:
        source = stream('{"a": [' + ",".join(['{"text": "' + "x" * 1000 + '"}'] * times) + "]}")
        tracemalloc.start()
        assert sum(1 for _ in read_parts(source, "f")) == times
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(8_000) < peak(2_000) + 2_000_000
