"""A JSON key that is given twice in one object: the last one counts, as JSON has it, and the report says where."""

from pathlib import Path

import pytest

from engines.formats.reading import read_path
from engines.formats.records import PartProblem, Problem, Remark

TOPIC = '{"number": "1", "text": "first", "text": "last"}'
DOCUMENT = '{"docno": "d1", "title": "T", "authors": [{"name": "A", "name": "B"}], "abstract": "x", "abstract": "last"}'
MENTION = (
    '{"source_id": "p", "text": "As [2].", "markers": [{"start": 3, "end": 6, "keys": ["b"]}],'
    ' "references": {"b": {"title": "One"}, "b": {"title": "last"}}}'
)
JUDGMENT = '{"annotator": "a", "topic": "1", "docno": "d", "value": 0, "value": 1}'
S2ORC = '{\n"paper_id": "1", "title": "first", "title": "last", "has_pdf_parse": false}'


@pytest.mark.parametrize(
    ("carried", "text", "notes"),
    [
        ("topics", f'{{"number": "0", "text": "b: c"}}\n\n{TOPIC}\n', [(3, "text")]),
        ("topics", f'[{{"number": "0", "text": "b"}},\n {TOPIC}]', [(2, "text")]),
        ("topics", f'{{"topics": [\n{TOPIC}]}}', [(2, "text")]),
        ("topics", '{"1": {"text": "first",\n"text": "last"}}', [(1, "text")]),
        ("topics", '{\n"number": "1",\n"text": "first",\n"text": "last"\n}', [(4, "text")]),
        ("documents", DOCUMENT, [(1, "name”, “abstract")]),
        ("documents", S2ORC, [(1, "title")]),
        ("mentions", MENTION, [(1, "b")]),
        ("judgments", JUDGMENT, [(1, "value")]),
        ("qrels", '{"1": {"d": 0,\n"e": 1, "d": 1}}', [(1, "d")]),
    ],
)
def test_it_is_noted_by_line_and_key(tmp_path: Path, carried: str, text: str, notes: list[tuple[int, str]]) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    found = list(read_path(carried, path))
    said = [(each.line, each.reason) for each in found if isinstance(each, PartProblem)]
    assert [line for line, _ in said] == [line for line, _ in notes]
    for (_, reason), (_, key) in zip(said, notes, strict=True):
        are = "are" if "”" in key else "is"
        assert reason.endswith(f"“{key}” {are} given twice in one object; the last one counts")
    records = [each for each in found if not isinstance(each, Problem | Remark)]
    assert "last" in repr(records[-1]) or "value='1'" in repr(records[-1]) or "value=1" in repr(records[-1])
    assert "first" not in repr(records)


def test_a_key_in_two_objects_and_a_colon_in_a_text_are_nothing_to_note(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"docno": "d1", "title": "\\"docno\\": x", "m": {"title": "docno"}, "n": [{"a": 1}, {"a": 2}]}\n')
    assert not [each for each in read_path("documents", path) if isinstance(each, Problem)]


def test_problems_of_lists_on_one_line_name_the_element(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(f'[{TOPIC}, 3, {{"number": "2"}},\n{{"number": "3"}}]')
    found = [(each.line, each.reason) for each in read_path("topics", path) if isinstance(each, Problem)]
    assert found == [
        (1, "element 2: is not a JSON object"),
        (1, "element 3: topic 2 has no text"),
        (2, "topic 3 has no text"),
        (1, "element 1: the key “text” is given twice in one object; the last one counts"),
    ]
