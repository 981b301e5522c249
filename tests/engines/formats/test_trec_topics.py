import io
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.reading import read_topics
from engines.formats.records import AspectRecord, BrokenFile, TopicRecord
from engines.formats.trec_topics import one_line, read_trec_topics, read_web_topics, write_trec_topics
from tests.engines.formats.reading import problems, records, said_nothing, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path


def read(text: str) -> list:
    return list(read_trec_topics(stream(text), "f"))


def topic(number: str = "1", title: str = "", text: str = "T", narrative: str = "") -> TopicRecord:
    return TopicRecord(number, title, text, narrative, "", "", (), (), "", 0)


def key(item: TopicRecord) -> tuple[str, str, str, str]:
    return item.number, item.title, item.text, item.narrative


# An end tag at the end of a text reads as the end of the field: the format has no way to say otherwise.
texts = phrases.filter(lambda text: "</" not in text)


@pytest.mark.slow
@given(st.lists(st.builds(topic, ids, texts, texts.filter(bool), texts), max_size=3))
def test_written_topics_are_read_back(written: list[TopicRecord]) -> None:
    assert [key(item) for item in records(read("".join(write_trec_topics(written))))] == [key(t) for t in written]


HOSTILE = [
    topic("a", "Topic: of topics", "<title> at the start, p < .01 & q", "Narrative: two\nlines\u2028three"),
    topic("b", "<b> & c", "Number: 7 Description: x\r\n<top>", "<narr> </top> x"),
    topic("10.1/x<y>", "", "<", ""),
]


@pytest.mark.slow
def test_ir_datasets_reads_the_same_topics() -> None:
    from ir_datasets.formats import TrecQueries  # slow to import

    content = "".join(write_trec_topics(HOSTILE)).encode()
    found = list(TrecQueries(SimpleNamespace(stream=lambda: io.BytesIO(content))).queries_iter())
    expected = [tuple(one_line(field) for field in key(item)) for item in HOSTILE]
    assert [tuple(item) for item in found] == expected
    assert [key(item) for item in records(read(content.decode()))] == expected


def test_the_layout_is_that_of_acm_cr() -> None:
    assert "".join(write_trec_topics([topic("7", "T", "D"), topic("8", "T", "D", "N")])) == (
        "<top>\n<num> Number: 7\n<title> T\n\n<desc> Description:\nD\n\n<narr> Narrative:\n\n</top>\n\n"
        "<top>\n<num> Number: 8\n<title> T\n\n<desc> Description:\nD\n\n<narr> Narrative:\nN\n\n</top>\n\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<top>\n<num>101\n<title>Topic: Short title\n<desc>\nFree text,\nover lines.\n<narr>\nWhy.\n</top>\n",
        "<top>\n<num> Number: 101 </num>\n<title> Short title </title>\n<desc> Description: Free text,\n"
        " over lines.</desc>\n<narr> Narrative: Why.</narr>\n</top>",
        "<TOP>\r\n<NUM> Number:  101\r\n<TITLE> Topic:  Short title\r\n\r\n<NARR> Narrative:\r\nWhy.\r\n"
        "<DESC> Description:\r\nFree text,\r\nover lines.\r\n</TOP>\r\n",
        "<top><num>101</num><title>Short title</title><desc>Free text, over lines.</desc><narr>Why.</narr></top>",
    ],
)
def test_many_layouts_are_read(text: str) -> None:
    (item,) = records(read(text))
    assert key(item) == ("101", "Short title", "Free text, over lines.", "Why.")


def test_other_fields_are_kept_and_a_title_can_be_the_text() -> None:
    (item,) = records(
        read("<top>\n<head> Tipster\n<num> 1\n<dom> Domain: Law\n<title> T\n<con> Concept(s):\n1. x\n</top>")
    )
    assert key(item) == ("1", "T", "T", "")
    assert item.extra == {"head": "Tipster", "dom": "Domain: Law", "con": "Concept(s): 1. x"}


def test_bad_topics_are_problems() -> None:
    text = (
        "stray\n<top>\n<title> x\n</top>\n<top>\n<num> 1 2\n<title> x\n</top>\n<top>\n<num> 3\n</top>\n"
        "<top>\n<num> 4\n<top>\n<num> 5\n<title> x\n</top>\n<top>\n<num> " + "9" * 101 + "\n<title> x\n</top>\n"
    )
    found = read(text)
    assert [item.number for item in found if isinstance(item, TopicRecord)] == ["5"]
    assert problems(found) == [
        (1, "text stands outside of a topic"),
        (2, "the topic has no number"),
        (5, "the id '1 2' holds white space, which TREC files cannot carry"),
        (9, "topic 3 has neither a title nor a description"),
        (12, "the topic is not closed: another <top> follows"),
        (18, "the id has 101 characters; at most 100 are allowed"),
    ]


def test_a_file_that_is_cut_off_is_broken() -> None:
    with pytest.raises(BrokenFile, match="line 4: the file ends inside the topic"):
        read("<top>\n<num> 1\n</top>\n<top>\n<num> 2\n<title> x\n")


def test_numbers_with_white_space_are_not_written() -> None:
    with pytest.raises(ValueError, match="white space"):
        list(write_trec_topics([topic("a b")]))


WEB = """<?xml version="1.0" encoding="UTF-8"?>
<topics>
 <topic number="1" type="faceted">
  <query>obama family tree</query>
  <description>Find information on
   the family.</description>
  <subtopic number="1" type="nav">Find the <b>TIME</b> photo essay.</subtopic>
  <subtopic number="2" type="inf">Where did they come from?</subtopic>
 </topic>
 <topic number="2 3"><query>x</query></topic>
 <topic number="4"/>
 <topic number="5"><query>only a query</query></topic>
</topics>
"""


def test_web_track_topics_have_their_subtopics_as_aspects() -> None:
    found = list(read_web_topics(stream(WEB), "f"))
    first, last = (item for item in found if isinstance(item, TopicRecord))
    assert key(first) == ("1", "obama family tree", "Find information on the family.", "")
    assert first.aspects == (AspectRecord("Find the TIME photo essay."), AspectRecord("Where did they come from?"))
    assert (first.line, first.extra) == (3, {"type": "faceted"})
    assert key(last) == ("5", "only a query", "only a query", "")
    assert [line for line, _ in problems(found)] == [10, 11]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<topics><topic number='1'>", "line 1: is not well-formed XML: no element found"),
        ("<topics>\n<a></b></topics>", "line 2: is not well-formed XML: mismatched tag"),
        ("", "not well-formed XML: no element found"),
        ("<other/>", "the root element is <other>, not <topics>"),
        (
            '<!DOCTYPE t [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'
            '<topics><topic number="1"><query>&b;</query></topic></topics>',
            "declares XML entities",
        ),
        (
            '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><topics><topic number="1"/></topics>',
            "declares XML entities",
        ),
        ("<topics>" + "<a>" * 10_000, "nested more than 200 levels"),
    ],
)
def test_xml_that_is_broken_or_dangerous_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason):
        list(read_web_topics(stream(text), "f"))


@pytest.mark.shared
def test_the_released_topics_of_acm_cr_come_out_byte_for_byte() -> None:
    path = shared_path("data", "acm-cr", "sentences.topics")
    written = "".join(write_trec_topics(records(read_topics(path))))
    assert written.rstrip("\n") == path.read_text(encoding="utf-8").rstrip("\n")


@pytest.mark.shared
def test_the_number_that_acm_cr_gave_twice_is_reported() -> None:
    found = said_nothing(read_topics(shared_path("data", "acm-cr", "contexts.topics")))
    assert len(found) == 134
    ((line, reason),) = problems(found)
    assert (line, reason) == (1013, "topic 340982510 appears more than once in this file; the first one counts")
