from pathlib import Path

import pytest

from engines.formats.reading import read_topics
from engines.formats.records import BrokenFile, TopicRecord
from tests.engines.formats.reading import problems, records

CONTENTS = {
    "trec": "<top>\n<num> 1\n<title> T\n</top>\n",
    "jsonl": '{"number": "1", "text": "T"}\n',
    "beir": '{"_id": "1", "text": "T"}\n',
    "doris-mae": "Query: 1\n\nT\n\nAspects:\n\n" + "=" * 50 + "\n",
}
WEB = '<?xml version="1.0"?>\n<topics><topic number="1"><query>T</query></topic></topics>\n'


@pytest.mark.parametrize(("format_", "content"), [*CONTENTS.items(), ("trec", WEB), ("trec-xml", WEB)])
def test_formats_are_named_or_detected(tmp_path: Path, format_: str, content: str) -> None:
    path = tmp_path / "upload"
    path.write_text(content)
    for choice in ("auto", format_):
        assert [(topic.number, topic.text) for topic in records(read_topics(path, choice))] == [("1", "T")]


def test_a_number_that_occurs_again_is_a_problem_in_its_file_only(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(CONTENTS["jsonl"] * 2)
    (tmp_path / "b.jsonl").write_text(CONTENTS["jsonl"])
    found = list(read_topics(tmp_path, name="set"))
    assert [item.file for item in found if isinstance(item, TopicRecord)] == ["set/a.jsonl", "set/b.jsonl"]
    assert problems(found) == [(2, "topic 1 appears more than once in this file; the first one counts")]


def test_progress_is_reported_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(CONTENTS["jsonl"])
    steps: list[int] = []
    records(read_topics(path, watch=steps.append))
    assert sum(steps) >= path.stat().st_size


def test_what_holds_no_topics_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("1 0 d1 1\n")
    with pytest.raises(BrokenFile, match="holds no topics: it looks like a file of judgments"):
        list(read_topics(path))
    with pytest.raises(ValueError, match="unknown format 'word'; known are auto, jsonl"):
        list(read_topics(path, "word"))
