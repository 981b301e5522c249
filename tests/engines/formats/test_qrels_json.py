import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.qrels_json import read_json_qrels
from engines.formats.reading import read_qrels_of_path
from engines.formats.records import BrokenFile
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import ids

objects = st.dictionaries(ids, st.dictionaries(ids, st.integers(-127, 127), min_size=1, max_size=3), max_size=3)


@given(objects, st.sampled_from([None, 2]))
def test_what_json_says_is_read(written: dict[str, dict[str, int]], indent: int | None) -> None:
    found: dict[str, dict[str, int]] = {}
    for row in records(read_json_qrels(stream(json.dumps(written, indent=indent)), "f")):
        found.setdefault(row.topic, {})[row.docno] = row.value
    assert found == written


def test_it_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text('{\n "q_1": {"d_12": 5.0, "d_25": 3}, "q_2": {"d_11": 6}}')
    rows = records(read_qrels_of_path(tmp_path / "qrels.json"))
    assert [(row.topic, row.docno, row.value) for row in rows] == [
        ("q_1", "d_12", 5), ("q_1", "d_25", 3), ("q_2", "d_11", 6),
    ]  # fmt: skip


def test_bad_values_are_problems() -> None:
    found = problems(read_json_qrels(stream('{"1": {"a": 0.5, "b": true},\n"2": [1], "3": {"d e": 1}}'), "f"))
    assert [reason for _, reason in found] == [
        "the value '0.5' is not a whole number",
        "the value 'True' is not a whole number",
        "topic 2 has no object of grades by document",
        "docno: the id 'd e' contains white space, which TREC files do not allow",
    ]


@pytest.mark.parametrize("text", ['{"1": {"a": 1}', "[1]", '{"1": {"a": NaN}}'])
def test_what_is_no_such_object_is_broken(text: str) -> None:
    with pytest.raises(BrokenFile):
        list(read_json_qrels(stream(text), "f"))
