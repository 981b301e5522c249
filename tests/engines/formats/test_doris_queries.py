import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.doris_queries import read_doris_queries, write_doris_queries
from engines.formats.reading import read_topics
from engines.formats.records import AspectRecord, BrokenFile, TopicRecord
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path

BLOCK = """Query: 7

I need A.
I need B too.

Aspects:

1. The paper does A.
	a. It does the first half of A.
	b. It does the rest.

2. The paper does B.


==================================================
"""
TOPIC = TopicRecord(
    "7",
    "",
    "I need A. I need B too.",
    "",
    "complex-query",
    "",
    ("I need A.", "I need B too."),
    (
        AspectRecord(
            "The paper does A.",
            (AspectRecord("It does the first half of A."), AspectRecord("It does the rest.")),
        ),
        AspectRecord("The paper does B."),
    ),
    "f",
    1,
)


def read(text: str) -> list:
    return list(read_doris_queries(stream(text), "f"))


def test_a_block_is_a_topic_with_its_tree() -> None:
    assert read(BLOCK) == [TOPIC]
    assert read(BLOCK.replace("\n", "\r\n")) == [TOPIC]
    assert "".join(write_doris_queries([TOPIC])) == BLOCK


# Sentences and texts that do not look like parts of the layout.
lines = phrases.filter(lambda text: text and text != "Aspects:" and not text.startswith("=" * 20))


@st.composite
def topics(draw: st.DrawFn) -> TopicRecord:
    sentences = tuple(draw(st.lists(lines, min_size=1, max_size=3)))
    leaves = st.lists(lines.map(AspectRecord), max_size=3).map(tuple)
    aspects = tuple(draw(st.lists(st.builds(AspectRecord, lines, leaves), max_size=3)))
    return TopicRecord(draw(ids), "", " ".join(sentences), "", "complex-query", "", sentences, aspects, "", 0)


@pytest.mark.slow
@given(st.lists(topics(), max_size=3))
def test_written_queries_are_read_back(written: list[TopicRecord]) -> None:
    found = records(read("".join(write_doris_queries(written))))
    assert [(item.number, item.sentences, item.aspects) for item in found] == [
        (item.number, item.sentences, item.aspects) for item in written
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("Query: 7", "Question: 7", 16, "does not begin with “Query: N”"),
        ("Query: 7", "Query: " + "7" * 101, 16, "at most 100"),
        ("Aspects:", "Parts:", 16, "no line “Aspects:”"),
        ("I need A.\nI need B too.\n", "", 16, "query 7 has no text"),
        ("1. The", "The", 23, "neither an aspect"),
        ("\ta. It", "- It", 24, "neither an aspect"),
    ],
)
def test_a_bad_block_is_a_problem_and_reading_goes_on(old: str, new: str, line: int, reason: str) -> None:
    found = read(BLOCK + BLOCK.replace(old, new, 1) + BLOCK)
    assert [type(item) for item in found][::2] == [TopicRecord, TopicRecord]
    ((at, said),) = problems(found)
    assert (at, reason in said) == (line, True), said


def test_a_file_that_is_cut_off_is_broken() -> None:
    with pytest.raises(BrokenFile, match="line 16: the file ends inside the query"):
        read(BLOCK + BLOCK[:80])


def test_what_the_layout_cannot_carry_is_not_written() -> None:
    many = AspectRecord("x", tuple(AspectRecord(f"x{n}") for n in range(27)))
    for topic in (
        TopicRecord("1", "", "x", "", "", "", (), (many,), "", 0),
        TopicRecord("1", "", "Aspects:", "", "", "", (), (), "", 0),
        TopicRecord("1", "", "x", "", "", "", (), (AspectRecord("=" * 30),), "", 0),
    ):
        with pytest.raises(ValueError, match=r"more than 26|part of the layout"):
            list(write_doris_queries([topic]))


@pytest.mark.shared
def test_the_published_queries_give_the_expected_counts() -> None:
    path = shared_path("data", "doris-mae", "queries.txt")
    expected = json.loads(shared_path("data", "doris-mae", "expected_counts.json").read_text())
    topics = records(read_topics(path))
    totals = expected["totals"]
    assert len(topics) == totals["queries"]
    for topic, counts in zip(topics, expected["per_query"], strict=True):
        assert topic.number == str(counts["id"])
        assert len(topic.sentences) == counts["sentences"]
        assert len(topic.text.split()) == counts["words"]
        assert len(topic.aspects) == counts["aspects"]
        assert [len(aspect.children) for aspect in topic.aspects] == counts["sub_per_aspect"]
        assert len(topic.item_texts()) == counts["distinct_items"]
    assert sum(len(topic.aspects) for topic in topics) == totals["aspects"]
    assert sum(len(aspect.children) for topic in topics for aspect in topic.aspects) == totals["sub_aspects"]
    assert sum(len(topic.item_texts()) for topic in topics) == totals["sum_distinct_items"]
    assert (
        len({text for topic in topics for text in topic.item_texts()}) == totals["distinct_item_texts_over_all_queries"]
    )
    assert "".join(write_doris_queries(topics)) == path.read_text(encoding="utf-8")
