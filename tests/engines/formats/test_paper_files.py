"""The table of the order of papers, and parsed papers as stored JSON."""

from io import BytesIO

import pytest

from engines.formats.paper_files import PlaceInOrder, read_order
from engines.formats.papers import (
    Box,
    Marker,
    Paragraph,
    Reference,
    Sentence,
    reference_numbers,
    write_blocks,
    write_references,
)
from engines.formats.records import BrokenFile, Problem


def test_the_order_of_papers_is_read_with_its_numbers() -> None:
    table = 'doi\tfirst_sentence_number\ttitle\n10.1/b\t10\t"A quote\n\t3\t\n10.1/a\t\tx\n10.1/c\t-1\ty\n'
    found = list(read_order(BytesIO(table.encode()), "t"))
    assert [each for each in found if isinstance(each, PlaceInOrder)] == [
        PlaceInOrder("10.1/b", 10, "t", 2),
        PlaceInOrder("10.1/a", None, "t", 4),
    ]
    problems = [(each.line, each.reason) for each in found if isinstance(each, Problem)]
    assert problems == [(3, "the row has no doi"), (5, "first_sentence_number '-1' is not a whole number")]
    with pytest.raises(BrokenFile, match="no column doi"):
        list(read_order(BytesIO(b"id,first\n1,2\n"), "t"))
    with pytest.raises(BrokenFile, match="not text"):
        list(read_order(BytesIO(b"doi,\xff\n"), "t"))


def test_blocks_keep_what_is_there_and_nothing_empty() -> None:
    box, marker = Box(1, 0.0, 2.5, 3.0, 4.0), Marker(5, 8, "[1]", ("1",))
    paragraph = Paragraph("Seen [1].", "Intro", markers=(marker,), sentences=(Sentence(0, 9, ("1",)),), boxes=(box,))
    (block,) = write_blocks([paragraph])
    assert block == {
        "id": 1,
        "text": "Seen [1].",
        "section": "Intro",
        "kind": "paragraph",
        "markers": [{"start": 5, "end": 8, "text": "[1]", "keys": ["1"]}],
        "sentences": [{"start": 0, "end": 9, "cites": ["1"]}],
        "boxes": [{"page": 1, "x": 0.0, "y": 2.5, "width": 3.0, "height": 4.0}],
    }
    assert write_references([Reference("b0", "T", ids={"doi": "10.1/x"})]) == [
        {"number": "1", "key": "b0", "title": "T", "ids": {"doi": "10.1/x"}}
    ]


def test_references_keep_printed_numbers_and_get_their_place_otherwise() -> None:
    assert reference_numbers([Reference("3"), Reference("7")]) == ["3", "7"]
    assert reference_numbers([Reference("b0"), Reference("b1")]) == ["1", "2"]
    assert reference_numbers([Reference("3"), Reference("3")]) == ["1", "2"]
