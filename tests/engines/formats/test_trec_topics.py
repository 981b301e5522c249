import io
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.reading import read_topics
from engines.formats.records import BrokenFile, PartProblem, TopicRecord
from engines.formats.trec_topics import one_line, read_trec_topics, write_trec_topics
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


others = st.dictionaries(
    st.from_regex(r"x[a-z0-9_.-]{0,9}", fullmatch=True),
    st.lists(texts.filter(bool), min_size=1, max_size=2),
    max_size=2,
)


@st.composite
def topics(draw: st.DrawFn) -> TopicRecord:
    found = {name: values[0] if len(values) == 1 else values for name, values in draw(others).items()}
    return replace(draw(st.builds(topic, ids, texts, texts.filter(bool), texts)), extra=found)


@pytest.mark.slow
@given(st.lists(topics(), max_size=3))
def test_written_topics_are_read_back(written: list[TopicRecord]) -> None:
    found = records(read("".join(write_trec_topics(written))))
    assert [(key(item), item.extra) for item in found] == [(key(item), item.extra) for item in written]


# Tagged files as people have them: tags in any order and case, closed or not, indented, with any further tags.
TAGS = {"title": "title", "desc": "text", "narr": "narrative"}
names = st.sampled_from([*TAGS, "querytime", "docid", "url", "x-y", "HEAD"])
prose = phrases.map(lambda text: text.translate(str.maketrans("", "", "<>:"))).filter(str.strip).map(str.strip)


@st.composite
def tagged(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A topic in the old style, and its fields by name."""
    fields = draw(st.dictionaries(names, prose, min_size=1, max_size=6))
    if not fields.keys() & {"title", "desc"}:  # a narrative alone is the text
        fields["title"] = draw(prose)
    fields = {"num": draw(st.from_regex(r"[A-Z]{0,2}[0-9]{1,4}", fullmatch=True)), **fields}
    lines = [draw(st.sampled_from(["<top>", "<top lang='en'>", "<TOP>", "  <top>"]))]
    for name, text in fields.items():
        label = draw(st.sampled_from({"num": ["", " Number: "], "desc": ["", " Description:\n"]}.get(name, ["", " "])))
        end = draw(st.sampled_from(["", f"</{name}>", f" </{name}>"]))
        lines.append(f"{draw(st.sampled_from(['', '  ', chr(9)]))}<{name}>{label}{text}{end}")
    return "\n".join([*lines, "</top>", ""]), fields


@pytest.mark.slow
@given(st.lists(tagged(), min_size=1, max_size=3))
def test_no_field_of_a_tagged_topic_is_lost_or_glued(written: list[tuple[str, dict[str, str]]]) -> None:
    found = records(read("".join(text for text, _ in written)))
    for item, (_, fields) in zip(found, written, strict=True):
        kept = {"num": item.number, **{tag: getattr(item, name) for tag, name in TAGS.items() if tag in fields}}
        kept |= {name: text for name, text in item.extra.items() if name != "lang"}
        assert kept == {name if name in TAGS else name.lower(): text for name, text in fields.items()}


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
        (2, "the topic has no number (a field such as number, _id, id, query_id, qid)"),
        (5, "the id '1 2' contains white space, which TREC files do not allow"),
        (9, "topic 3 has no text"),
        (12, "topic 4 has no text"),
        (18, "the id has 101 characters; at most 100 are allowed"),
    ]


NOT_CLOSED = "the topic is not closed"


def test_topics_that_are_not_closed_come_in_with_a_note() -> None:
    found = read("<top>\n<num> 1\n<title> a\n<top>\n<num> 2\n<title> b\n")
    assert [(item.number, item.text) for item in found if isinstance(item, TopicRecord)] == [("1", "a"), ("2", "b")]
    notes = [(item.line, item.reason) for item in found if isinstance(item, PartProblem)]
    assert notes == [
        (1, "the topic is not closed: another <top> follows"),
        (4, "the topic is not closed: the file ends"),
    ]


def test_any_tag_opens_a_field_and_repeated_ones_are_not_glued() -> None:
    (item,) = records(
        read(
            '<topics>\n<top lang="en">\n  <num> Number: 051\n  <EN-title> Owls </EN-title>\n<title lang="de"> Eulen\n'
            "<desc> Description:\nHow do\n<b>owls</b> hear?\n<p>Two paragraphs.\n</desc>\n"
            "<docid>a</docid><docid>b</docid>\n</top>\n</topics>\n"
        )
    )
    assert key(item) == ("051", "Owls", "How do <b>owls</b> hear? <p>Two paragraphs.", "")
    assert item.extra == {"lang": "en", "title": "Eulen", "title lang": "de", "docid": ["a", "b"]}


def test_text_directly_in_a_topic_is_its_text() -> None:
    text = (
        '<topic number="1">\nA 45 year old & her owl\n</topic>\n<topic number="2">\n<title>T</title>\nmore\n</topic>\n'
    )
    assert [key(item) for item in records(read(text))] == [
        ("1", "", "A 45 year old & her owl", ""),
        ("2", "T", "more", ""),
    ]


def test_a_topic_that_is_a_document_has_its_id_as_text() -> None:
    text = "<top>\n<num> Number: 321 </num>\n<docid>abc</docid>\n<url>http://a/b</url>\n</top>\n"
    (item,) = records(read(text))
    assert (item.text, item.text_from, item.extra) == ("abc", "docid", {"url": "http://a/b"})
    (item,) = records(read_trec_topics(stream(text), "f", text_from="url"))
    assert (item.text, item.extra) == ("http://a/b", {"docid": "abc"})


def test_a_topic_without_a_known_text_names_its_fields_and_takes_the_one_chosen() -> None:
    text = "<top>\n<num> 1\n<disease> melanoma\n<gene> BRAF\n</top>\n"
    ((_, reason),) = problems(read(text))
    assert reason == (
        "topic 1 has no text under a known name; it has disease, gene: "
        "choose the one that becomes the text with “Text from”"
    )
    (item,) = records(read_trec_topics(stream(text), "f", text_from="disease, gene"))
    assert (item.text, item.extra, item.text_from) == ("melanoma\nBRAF", {}, "disease, gene")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "topics-unknown-tags.txt",
            [
                (("MB001", "owl hearing", "owl hearing", ""), {"querytime": "Tue Feb 08 12:30:27 +0000 2011"}),
                (("002", "moth wings", "moth wings", ""), {"docid": "abc123"}),
            ],
        ),
        (
            "topics-title-matters.txt",
            [(("7", "Barn owl hearing", "How is prey located in complete darkness?", "Any measurement counts."), {})],
        ),
        (
            "topics-051.txt",
            [
                (("051", "Owl hearing", "How do owls hear?", ""), {}),
                (("052", "Moth wings", "Why are moths quiet?", ""), {}),
            ],
        ),
        ("topics-id-tab-text.tsv", [
            (("q1", "", "effect of birdsong on sleep", ""), {}),
            (("q2", "", "cheap sensors for soil moisture", ""), {}),
        ]),
        (
            "topics-covid-question.xml",
            [(
                ("1", "owl hearing", "How do owls locate prey by sound alone?",
                 "Papers that measure localisation in darkness are relevant."), {},
            )],
        ),
        ("topics-number-as-element.xml", [(("101", "owl hearing", "How do owls hear?", "Ears count."), {})]),
    ],
)  # fmt: skip
def test_the_invented_files_of_real_kinds_are_read(name: str, found: list) -> None:
    topics = records(read_topics(shared_path("data", "real-inputs", name)))
    assert [(key(item), item.extra) for item in topics] == found


def test_a_file_that_is_cut_off_is_broken() -> None:
    with pytest.raises(BrokenFile, match="line 4: the file ends inside the topic"):
        read("<top>\n<num> 1\n</top>\n<top>\n<num> 2\n<title> x\n")


def test_numbers_with_white_space_are_not_written() -> None:
    with pytest.raises(ValueError, match="white space"):
        list(write_trec_topics([topic("a b")]))


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


def test_topics_on_one_line_are_not_glued() -> None:
    text = "<topics> <top><num>1</num> <title>owls</title></top><top><num>2</num><title>moths</title></top> </topics>"
    found = records(read_trec_topics(stream(text), "f"))
    assert [(topic.number, topic.title, topic.extra) for topic in found] == [("1", "owls", {}), ("2", "moths", {})]
