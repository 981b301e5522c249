"""A CR within a line of a file whose lines end with LF: read as what it is, noted by line, and never glued."""

from pathlib import Path
from typing import Any

import pytest

from engines.formats.lone_returns import AS_BLANKS, AS_ENDS
from engines.formats.reading import read_path
from tests.engines.formats.reading import problems, remarks

CSV = "is not CSV: a carriage return (CR) is outside of quotes; save the file with line ends LF or CRLF"


@pytest.mark.parametrize(
    ("carried", "name", "text", "expected", "said"),
    [
        ("topics", "t.tsv", "1\towl\r2\tmoth\n3\tbat\n", [("1", "owl"), ("2", "moth"), ("3", "bat")], [(1, AS_ENDS)]),
        ("topics", "t.tsv", "1\towl\rat night\n3\tbat\n", [("1", "owl at night"), ("3", "bat")], [(1, AS_BLANKS)]),
        ("topics", "t.tsv", "1\towl\r\r\n3\tbat\n", [("1", "owl"), ("3", "bat")], []),
        ("topics", "t.csv", "id,query\n1,owl\r2,moth\n3,bat\n", [("3", "bat")], [(2, CSV)]),
        (
            "topics",
            "t.txt",
            "<top>\n<num> 1\r<title> owls\r<desc> ears\n</top>\n",
            [("1", "ears")],
            [(2, AS_ENDS)],
        ),
        (
            "topics",
            "t.jsonl",
            '{"id":"1","text":"a"}\r{"id":"2","text":"b"}\n{"id":"3",\r"text":"c"}\n',
            [("1", "a"), ("2", "b"), ("3", "c")],
            [(1, AS_ENDS)],
        ),
        (
            "documents",
            "d.tsv",
            "id\ttitle\tabstract\n1\tT\tA\rB\n2\tX\tY\r3\tU\tV\n",
            [("1", "A B"), ("2", "Y"), ("3", "V")],
            [(2, AS_BLANKS), (3, AS_ENDS)],
        ),
        ("documents", "d.ris", "TY  - JOUR\nID  - 1\nTI  - T\rAB  - A\nER  - \n", [("1", "A")], [(3, AS_ENDS)]),
        ("qrels", "q.qrels", "1 0 d1 1\r1 0 d2 0\n1 0 d3 1\n", [("1", "d1"), ("1", "d2"), ("1", "d3")], [(1, AS_ENDS)]),
        ("pool", "p.tsv", "1\td1\r1\td2\n2\td1\n", [("1", "d1"), ("1", "d2"), ("2", "d1")], [(1, AS_ENDS)]),
        (
            "judgments",
            "j.csv",
            "annotator,topic,docno,value\na,1,d1,1\ra,1,d2,0\na,1,d3,0\n",
            [("1", "d3")],
            [(2, CSV)],
        ),
    ],
)
def test_a_lone_return(
    carried: str, name: str, text: str, expected: list[Any], said: list[Any], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    found = list(read_path(carried, path))
    assert sorted(problems(found)) == said
    assert remarks(found)[-1].startswith("read as")
    fields = {"topics": ("number", "text"), "documents": ("docno", "abstract")}.get(carried, ("topic", "docno"))
    kept = [item for item in found if hasattr(item, fields[0])]
    assert [tuple(getattr(item, field) for field in fields) for item in kept] == expected
