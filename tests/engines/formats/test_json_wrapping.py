"""One JSON object around a list of records: every import reads its own list, and says which one that was."""

import json
from pathlib import Path
from typing import Any

import pytest

from engines.formats.reading import read_path
from engines.formats.records import BrokenFile, Problem, Remark
from tests.engines.formats.reading import problems, remarks

DOCUMENTS = [{"id": "d1", "title": "Owls", "abstract": "Ears."}, {"id": "d2", "title": "Moths"}]
TOPICS = [{"id": "q1", "text": "owl hearing"}, {"id": "q2", "text": "moth wings"}]
JUDGMENTS = [{"annotator": "ada", "topic": "q1", "docno": "d1", "value": "2"}]
MENTIONS = [
    {
        "source_doi": "10.1145/3",
        "text": "As shown [2].",
        "markers": [{"start": 9, "end": 12, "keys": ["b1"]}],
        "references": {"b1": {"title": "Owls"}},
    }
]
OF_SORT = {"documents": DOCUMENTS, "topics": TOPICS, "judgments": JUDGMENTS, "mentions": MENTIONS}


def read(carried: str, content: Any, tmp_path: Path, indent: int | None = None) -> list[Any]:
    path = tmp_path / "set.json"
    path.write_text(json.dumps(content, indent=indent))
    return list(read_path(carried, path))


def ids(found: list[Any]) -> list[str]:
    names = ("docno", "number", "annotator", "source_doi")
    kept = (item for item in found if not isinstance(item, Problem | Remark))
    return [next(getattr(item, name) for name in names if hasattr(item, name)) for item in kept]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("carried", "name"),
    [
        ("documents", "documents"),
        ("documents", "data"),
        ("topics", "queries"),
        ("judgments", "labels"),
        ("mentions", "x"),
    ],
)
def test_the_one_list_of_records_is_read_and_said(carried: str, name: str, indent: int | None, tmp_path: Path) -> None:
    content = {
        "version": 1,
        "title": "My set",
        "about": {"by": "Ada"},
        name: OF_SORT[carried],
        "people": [{"name": "A"}],
    }
    found = read(carried, content, tmp_path, indent)
    assert remarks(found)[0] == f"the file is one object; its records are those of the list “{name}”"
    assert len(ids(found)) == len(OF_SORT[carried])
    assert [reason for _, reason in problems(found)] == [
        f"“{other}” is not part of a record; it was left out" for other in ("version", "title", "about", "people")
    ]


def test_several_lists_are_read_each_by_its_own_import(tmp_path: Path) -> None:
    content = {"corpus": DOCUMENTS, "queries": TOPICS}
    assert ids(read("documents", content, tmp_path)) == ["d1", "d2"]
    assert ids(read("topics", content, tmp_path)) == ["q1", "q2"]
    found = read("topics", {"train": TOPICS[:1], "dev": TOPICS[1:]}, tmp_path)
    assert ids(found) == ["q1", "q2"]
    assert remarks(found)[0].endswith("those of the lists “train” and “dev”")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(("name", "carried"), [("documents", "topics"), ("queries", "documents"), ("labels", "topics")])
def test_a_list_of_another_sort_is_said(name: str, carried: str, indent: int | None, tmp_path: Path) -> None:
    held = {"documents": "documents", "queries": "topics", "labels": "judgments"}[name]
    with pytest.raises(BrokenFile, match=f"it looks like a file of {held}"):
        read(carried, {name: OF_SORT[held]}, tmp_path, indent)


def test_lists_within_a_record_are_no_files_of_records(tmp_path: Path) -> None:
    paper = {"id": "d5", "title": "T", "references": [{"id": "d7", "title": "R", "year": 2000}]}
    assert ids(read("documents", paper, tmp_path)) == ["d5"]
    topic = {"number": "q5", "text": "T", "aspects": [{"id": "1", "text": "R"}]}
    assert ids(read("topics", topic, tmp_path)) == ["q5"]
