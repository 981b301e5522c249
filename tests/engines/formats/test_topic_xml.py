from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.encodings import as_utf8
from engines.formats.notes import notes_of
from engines.formats.reading import read_topics
from engines.formats.records import AspectRecord, BrokenFile, PartProblem, TopicRecord
from engines.formats.topic_fields import fields_offered
from engines.formats.topic_xml import read_marked_up_topics, read_xml_topics
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import phrases


def key(item: TopicRecord) -> tuple[str, str, str, str]:
    return item.number, item.title, item.text, item.narrative


def read(text: str, **options: str) -> list:
    return list(read_marked_up_topics(stream(text), "f", **options))


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
    found = list(read_xml_topics(stream(WEB), "f"))
    first, last = (item for item in found if isinstance(item, TopicRecord))
    assert key(first) == ("1", "obama family tree", "Find information on the family.", "")
    assert first.aspects == (AspectRecord("Find the TIME photo essay."), AspectRecord("Where did they come from?"))
    subtopics = [
        {"number": "1", "type": "nav", "text": "Find the TIME photo essay."},
        {"number": "2", "type": "inf", "text": "Where did they come from?"},
    ]
    assert (first.line, first.extra) == (3, {"type": "faceted", "subtopic": subtopics})
    assert key(last) == ("5", "", "only a query", "")
    assert [line for line, _ in problems(found)] == [10, 11]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<topics><topic number='1'>", "line 1: is not well-formed XML: no element found"),
        ("<topics>\n<a></b></topics>", "line 2: is not well-formed XML: mismatched tag"),
        ("", "not well-formed XML: no element found"),
        ("<other/>", "<other> holds no topics: no element in it has a number"),
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
        list(read_xml_topics(stream(text), "f"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<webtrack2010><topic number='51'><query>q</query></topic></webtrack2010>", [(("51", "", "q", ""), {})]),
        (
            "<a><topic number='1'><query>q</query><question>Q?</question><narrative>N</narrative></topic></a>",
            [(("1", "q", "Q?", "N"), {})],
        ),
        (
            "<topics><topic><number>101</number><question>Q?</question><query>q</query><background>B</background>"
            "<disclaimer>D</disclaimer><stance>helpful</stance></topic></topics>",
            [(("101", "q", "Q?", ""), {"background": "B", "disclaimer": "D", "stance": "helpful"})],
        ),
        (
            "<topics task='ct'><topic number='1'>\n A 45 <i>year</i> old\n</topic></topics>",
            [(("1", "", "A 45 year old", ""), {})],
        ),
        (
            "<topics><topic lang='en'><identifier>10.2452/401-AH</identifier><title lang='en'>T</title>"
            "<title lang='de'>D</title><description>X</description></topic></topics>",
            [
                (
                    ("10.2452/401-AH", "T", "X", ""),
                    {"lang": "en", "title lang": "en", "title": {"lang": "de", "text": "D"}},
                )
            ],
        ),
        (
            "<parameters><index>x</index><query><number>751</number><text>#combine(a b)</text></query></parameters>",
            [(("751", "", "#combine(a b)", ""), {})],
        ),
        (
            "<TOPICS><TOPIC><NUM>0001</NUM><TITLE>T</TITLE><NARR><BACK>why</BACK><REL>what</REL></NARR></TOPIC></TOPICS>",
            [(("0001", "T", "T", "why what"), {"NARR parts": {"BACK": "why", "REL": "what"}})],
        ),
        (
            "<a><topic number='1'><field name='age'>45</field><field name='sex'>f</field><text>x</text></topic></a>",
            [(("1", "", "x", ""), {"age": "45", "sex": "f"})],
        ),
        (
            "<?xml version='1.0'?>\n<!DOCTYPE w [\n<!ELEMENT w (topic)*>\n<!ELEMENT query (#PCDATA)>\n]>\n"
            "<w><topic number='1'><query>q</query></topic></w>",
            [(("1", "", "q", ""), {})],
        ),
        (
            "<queries><query><qid>0001</qid><content>c</content><description>d</description></query></queries>",
            [(("0001", "c", "d", ""), {})],
        ),
        (
            "<queries><item id='a'><text>x</text></item><item id='b'><text>y</text></item></queries>",
            [(("a", "", "x", ""), {}), (("b", "", "y", ""), {})],
        ),
    ],
)
def test_many_roots_and_children_are_read(text: str, found: list) -> None:
    assert [(key(item), item.extra) for item in read(text) if isinstance(item, TopicRecord)] == found


def test_what_is_no_topic_is_a_note() -> None:
    found = read("<topics>\n<title>My set</title>\n<topic number='1'><query>q</query></topic></topics>")
    assert [(note.line, note.reason) for note in found if isinstance(note, PartProblem)] == [
        (2, "<title> is not part of a topic; it was left out")
    ]


@pytest.mark.parametrize("end", ["\n", ""])
def test_signs_that_xml_does_not_allow_are_read_and_noted(end: str) -> None:
    text = end.join(
        [
            '<?xml version="1.0" encoding="ISO-8859-1"?><topics>',
            "<!-- R & D --><topic number='1'>",
            "<query>R&D caf\xe9&nbsp;&amp; &rarr; <![CDATA[a & b]]></query>",
            "<narrative>p < .01&#7;?a=1&copy=2 &what;</narrative>",
            "</topic><topic number='2'><query>moths</query></topic></topics>",
        ]
    )
    source = as_utf8(stream(text.encode("latin-1")), "f")
    first, second = read_marked_up_topics(source, "f")
    assert key(first) == ("1", "", "R&D café & → a & b", "p < .01 ?a=1&copy=2 &what;")
    assert key(second) == ("2", "", "moths", "")
    said = [(line, reason.split(" ")[0]) for line, reason in problems(notes_of(source).problems("f"))]
    here = (3, 4) if end else (1, 1)
    assert sorted(set(said)) == sorted(
        {(here[0], "“&”"), (here[0], "“&nbsp;”"), (here[0], "“&rarr;”"), (here[1], "“&”"), (here[1], "“<”")}
        | {(here[1], "“&#7;”")}
    )


def test_topics_without_a_root_or_with_a_wrong_tag_are_read_tag_by_tag_also_on_one_line() -> None:
    for text in (
        "<topic number='1'><query>owls</query></topic><topic number='2'><query>moths</query></topic>",
        "<topics><topic number=1><query>owls</query></topic> <topic number=2><query>moths</query></topic></topics>",
        "<topics>\n<topic number='1'>\n<query>owls\n</topic>\n<topic number='2'><query>moths</query></topic></topics>",
    ):
        note, *found = read(text)
        assert [key(topic) for topic in found] == [("1", "", "owls", ""), ("2", "", "moths", "")]
        assert "read tag by tag" in note.reason


def test_a_fault_is_said_with_line_character_and_what_to_do() -> None:
    with pytest.raises(BrokenFile) as caught:
        read('<topics><topic number="1"><query>owls</query></topics>')
    assert str(caught.value) == (
        "f, line 1: is not well-formed XML: mismatched tag at character 48; "
        "close each element by its own end tag, the inner one first"
    )


def test_any_field_can_become_the_text() -> None:
    text = "<topics><topic number='1'><query>q</query><question>Q?</question><disease>d</disease></topic></topics>"
    chosen = {"query": ("", "q"), "disease": ("q", "d"), "question": ("q", "Q?"), "disease, query": ("", "d\nq")}
    for name, (title, words) in chosen.items():
        (topic,) = read(text, text_from=name)
        assert (topic.title, topic.text, topic.text_from) == (title, words, name)
        assert {words, title, *topic.extra.values()} >= {"d", "Q?"} - set(words.split("\n"))
    ((_, reason),) = problems(read(text, text_from="gene"))
    assert reason.startswith("topic 1 has no text 'gene'; it has query, question, disease: choose the one that")
    assert fields_offered(reason) == ["query", "question", "disease"]


prose = phrases.filter(bool)
element = st.sampled_from(["query", "question", "description", "narrative", "title", "docid", "background", "stance"])


@st.composite
def topic_elements(draw: st.DrawFn) -> tuple[str, dict[str, list[str]]]:
    """A topic in XML, and its texts by name."""
    fields = draw(st.dictionaries(element, st.lists(prose, min_size=1, max_size=2), min_size=1, max_size=5))
    fields.setdefault("query", [draw(prose)])
    number = draw(st.from_regex(r"[A-Z]{0,2}[0-9]{1,4}", fullmatch=True))
    as_attribute = draw(st.booleans())
    children = [f"<{name}>{escape(text)}</{name}>" for name, texts in fields.items() for text in texts]
    if not as_attribute:
        children.insert(draw(st.integers(0, len(children))), f"<number>{number}</number>")
    attribute = f" number={quoteattr(number)}" if as_attribute else ""
    return f"<topic{attribute}>{''.join(children)}</topic>", {"number": [number], **fields}


def texts_of(topic: TopicRecord) -> Iterator[str]:
    yield from (topic.number, topic.text, topic.narrative)
    yield from [topic.title] if topic.title_from and topic.title_from != topic.text_from else []
    for value in topic.extra.values():
        yield from value if isinstance(value, list) else [value]


@pytest.mark.slow
@given(st.lists(topic_elements(), min_size=1, max_size=3))
def test_no_text_of_a_well_formed_file_is_lost_or_glued(written: list[tuple[str, dict[str, list[str]]]]) -> None:
    found = records(read(f"<any>{''.join(text for text, _ in written)}</any>"))
    for topic, (_, fields) in zip(found, written, strict=True):
        assert sorted(filter(None, texts_of(topic))) == sorted(text for texts in fields.values() for text in texts)


def test_the_format_is_found_by_any_root(tmp_path) -> None:
    for place, root in enumerate(("topics", "webtrack2010", "trec", "batch")):
        path = tmp_path / f"{place}.xml"
        doctype = f"<!DOCTYPE {root} [\n<!ELEMENT {root} (topic)*>\n]>\n" if place else ""
        path.write_text(f"{doctype}<{root}><topic><num>1</num><title>T</title></topic></{root}>")
        assert [key(item) for item in records(read_topics(path))] == [("1", "T", "T", "")]
    path.write_text("<other><a/></other>")
    with pytest.raises(BrokenFile, match="<other> holds no topics"):
        list(read_topics(path))


def test_topics_at_several_depths_are_all_read_and_what_holds_none_is_noted() -> None:
    text = (
        '<topics>\n<note>old</note>\n<group name="a">\n<about/><topic number="1"><query>owls</query></topic>\n'
        '</group>\n<topic number="2"><query>moths</query></topic>\n</topics>'
    )
    found = list(read_xml_topics(stream(text), "f"))
    assert [topic.number for topic in found if isinstance(topic, TopicRecord)] == ["1", "2"]
    assert [(each.line, each.reason[:8]) for each in found if isinstance(each, PartProblem)] == [
        (2, "<note> i"),
        (4, "<about> "),
    ]
