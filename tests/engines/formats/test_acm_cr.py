import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.acm_cr import (
    AnnotatedPaper,
    CitingSentence,
    Context,
    DoisLine,
    read_acm_cr,
    read_dois,
    write_acm_cr,
    write_dois,
)
from engines.formats.acm_cr_topics import paragraph_topics, sentence_topics
from engines.formats.records import BrokenFile, Problem, QrelRow, TopicRecord
from tests.engines.formats.reading import problems, records, stream
from tests.shared import shared_path

PAPER = AnnotatedPaper(
    "10.1145/1234567.7654321",
    "On A & B",
    "We < they.",
    (
        Context(
            "01",
            "introduction",
            (CitingSentence("Plain."), CitingSentence("Seen [1, 2], [2].", ("1", "2", "2"), True)),
        ),
        Context("02", "", (CitingSentence("Only [3]."),)),
        Context("03", "related work", (CitingSentence("Then [3].", ("3",)), CitingSentence("Again [1].", ("1",)))),
    ),
    {"1": "10.1145/1.1", "2": "10.1145/1.1", "3": "10.1145/2.2 ", "4": None, "5": "https://a.b/c?d=1&e=2"},
    "p.xml",
)


def read(text: str) -> AnnotatedPaper:
    return read_acm_cr(stream(text), "p.xml")


def test_a_paper_is_written_and_read_back() -> None:
    assert read("".join(write_acm_cr(PAPER))) == PAPER


xml_texts = st.text(
    st.characters(exclude_categories=["Cs", "Cn"], exclude_characters=[*map(chr, range(9)), "\x0b", "\x0c"]),
    max_size=15,
).filter(lambda text: not any("\x0e" <= char <= "\x1f" for char in text))
numbers = st.integers(1, 99).map(str)
sentences = st.builds(CitingSentence, xml_texts, st.lists(numbers, max_size=3).map(tuple), st.booleans())
contexts = st.builds(Context, numbers, xml_texts, st.lists(sentences, max_size=3).map(tuple))
papers = st.builds(
    AnnotatedPaper,
    st.just("10.1/x.1"),
    xml_texts,
    xml_texts,
    st.lists(contexts, max_size=2).map(tuple),
    st.dictionaries(numbers, st.none() | xml_texts.filter(lambda text: text != "None"), max_size=3),
    st.just("p.xml"),
)


@given(papers)
def test_any_paper_is_written_and_read_back(paper: AnnotatedPaper) -> None:
    assert read("".join(write_acm_cr(paper))) == paper


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<paper/>", "the root element is <paper>, not <doc>"),
        ("<doc><title>x</title></doc>", "doi: the id is empty"),
        ("<doc><doi>a b</doi></doc>", "doi: the id 'a b' contains white space"),
        ("<doc><doi>a</doi>\n<contexts>\n<context/></contexts></doc>", "line 3: a context has no id"),
        (
            '<doc><doi>a</doi><references><reference id="1">x</reference>'
            '<reference id="1">y</reference></references></doc>',
            "reference number '1' is missing or appears twice",
        ),
        ("<doc><doi>a</doi>", "not well-formed"),
    ],
)
def test_broken_papers_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason):
        read(text)


def test_flags_and_cites_are_read_as_meant() -> None:
    text = (
        '<doc><doi>a</doi><contexts><context id="1"><s cites=" 1, 2,,3" anonymised="17">x</s>'
        '<s anonymised="false">y</s></context></contexts></doc>'
    )
    (context,) = read(text).contexts
    assert context.sentences == (CitingSentence("x", ("1", "2", "3"), True), CitingSentence("y"))
    assert (context.section, context.text) == ("", "x y")


def test_characters_that_xml_cannot_carry_are_not_written() -> None:
    with pytest.raises(ValueError, match="XML does not allow"):
        list(write_acm_cr(AnnotatedPaper("a", "x\x01", "", (), {})))


def test_topics_follow_exact_references() -> None:
    collection = {"10.1145/1.1", "10.1145/2.2"}
    (first, rows), (second, more) = paragraph_topics([PAPER], collection)
    assert first == TopicRecord(
        "765432101", "On A & B", "Plain. Seen [1, 2], [2].", "", "context-paragraph", "", (), (), "p.xml", 0
    )
    assert rows == [QrelRow("765432101", "1", "10.1145/1.1", 1, "p.xml")]
    # Reference 3 ends in a blank, so it is not in the collection; reference 1 makes the third context a topic.
    assert (second.number, [row.iteration for row in more]) == ("765432103", ["1"])
    found = list(sentence_topics([PAPER, PAPER], collection, first_number=7))
    assert [topic.number for topic, _ in found] == ["7654327", "7654328", "7654329", "76543210"]
    assert list(paragraph_topics([PAPER], set())) == []


def test_sheets_of_references_are_read_with_their_quirks() -> None:
    text = "[1]\t10.1/a\tcikm-18\n-[2] https://x.y/z   EMNLP'18 \r\n\n[3]\tN/A\nwhat?\n-[4]\t10.1/b"
    found = list(read_dois(stream(text), "f"))
    assert [item for item in found if isinstance(item, DoisLine)] == [
        DoisLine("1", "10.1/a", "cikm-18", False),
        DoisLine("2", "https://x.y/z", "EMNLP'18", True),
        DoisLine("3", "N/A", "", False),
        DoisLine("4", "10.1/b", "", True),
    ]
    assert problems(found) == [(5, "is not “[number] TAB address TAB note”")]
    good = [item for item in found if isinstance(item, DoisLine)]
    assert records(read_dois(stream("".join(write_dois(good))), "f")) == good
    with pytest.raises(ValueError, match="reference 1 is empty or contains white space"):
        list(write_dois([DoisLine("1", "a b", "", False)]))


# --- the release (more of it: tests/adjudication/evaluation/test_acm_cr_collection.py) --------------------------------


@pytest.mark.shared
def test_every_line_of_the_released_sheets_is_read() -> None:
    sheets = sorted(shared_path("data", "acm-cr", "papers").glob("*/*.dois"))
    assert len(sheets) == 25
    found = [line for path in sheets for line in read_dois(stream(path.read_bytes()), path.name)]
    assert not any(isinstance(line, Problem) for line in found)
    assert len(found) > 700
