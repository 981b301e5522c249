from collections.abc import Callable
from dataclasses import replace
from json import dumps
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.jsonl_topics import read_jsonl_topics, write_beir_queries, write_jsonl_topics
from engines.formats.records import AspectRecord, PartProblem, Problem, TopicRecord
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import ids, phrases, texts


def read(text: str) -> list:
    return list(read_jsonl_topics(stream(text), "f"))


visible = phrases.filter(bool)


@st.composite
def topics(draw: st.DrawFn) -> TopicRecord:
    sentences = tuple(draw(st.lists(visible, max_size=3)))
    places = st.lists(st.integers(0, len(sentences) - 1), max_size=2).map(tuple) if sentences else st.just(())
    leaves = st.lists(st.builds(AspectRecord, visible, st.just(()), places), max_size=2).map(tuple)
    aspects = tuple(draw(st.lists(st.builds(AspectRecord, visible, leaves, places), max_size=2)))
    extra = draw(st.dictionaries(st.from_regex(r"x[a-z]*", fullmatch=True), texts, max_size=2))
    targets = tuple(dict.fromkeys(draw(st.lists(ids, max_size=2))))
    return TopicRecord(
        draw(ids),
        draw(texts),
        draw(visible),
        draw(texts),
        draw(texts),
        draw(texts),
        sentences,
        aspects,
        "f",
        1,
        targets,
        extra,
    )


@pytest.mark.slow
@given(topics())
def test_written_topics_are_read_back(topic: TopicRecord) -> None:
    assert read("".join(write_jsonl_topics([topic]))) == [topic]


@pytest.mark.slow
@given(topics())
def test_beir_keeps_what_annotators_read(topic: TopicRecord) -> None:
    (found,) = records(read("".join(write_beir_queries([topic]))))
    title = "" if topic.title == topic.text else topic.title
    read_back = (found.number, found.title, found.text, found.narrative, found.extra)
    assert read_back == (topic.number, title, topic.text, topic.narrative, {})


def test_the_example_of_the_module() -> None:
    text = (
        '{"number": 1, "text": "I need A. I need B.", "kind": "complex-query", '
        '"sentences": ["I need A.", "I need B."], '
        '"aspects": [{"text": "A", "sentences": [0], "aspects": ["first half of A"]}, "B"], "note": 3}'
    )
    (topic,) = records(read(text))
    assert topic.aspects == (AspectRecord("A", (AspectRecord("first half of A"),), (0,)), AspectRecord("B"))
    assert topic.item_texts() == ["A", "first half of A", "B"]
    assert (topic.number, topic.extra) == ("1", {"note": 3})


def test_beir_queries_keep_their_metadata() -> None:
    (topic,) = records(read('{"_id": "q1", "text": "x", "metadata": {"year": 2020}}'))
    assert replace(topic, extra={}) == TopicRecord("q1", "", "x", "", "", "", (), (), "f", 1)
    assert topic.extra == {"metadata": {"year": 2020}}


def test_the_text_may_come_from_sentences_or_title() -> None:
    by_sentences, by_title = records(read('{"id": "1", "sentences": ["A.", "B."]}\n{"id": "2", "title": "T"}'))
    assert (by_sentences.text, by_title.text) == ("A. B.", "T")


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ('{"text": "x"}', "the topic has no number"),
        ('{"id": "a b", "text": "x"}', "white space"),
        ('{"id": "' + "9" * 101 + '", "text": "x"}', "at most 100"),
        ('{"id": "1"}', "topic 1 has no text"),
        ('{"id": "1", "text": ["a", 2]}', "'text' is not text"),
        ('{"id": "1", "text": "x", "aspects": "A"}', "the aspects of topic 1 are not a list"),
        ('{"id": "1", "text": "x", "aspects": [""]}', "an aspect of topic 1 has no text"),
        ('{"id": "1", "text": "x", "aspects": [{"text": 3}]}', "an aspect of topic 1 has no text"),
        ('{"id": "1", "text": "x", "aspects": [{"text": "a", "sentences": [0]}]}', "names a sentence that"),
        (
            '{"id": "1", "text": "x", "aspects": [{"text": "a", "aspects": [{"text": "b", "aspects": ["c"]}]}]}',
            "nested more than 2 levels",
        ),
        ('{"id": "1", "text": "x", "targets": "d1"}', "'targets' is not a list of document ids"),
        ('{"id": "1", "text": "x", "corpusids": [1, "a b"]}', "'corpusids': the id 'a b' contains white space"),
    ],
)
def test_bad_topics_are_problems(item: str, reason: str) -> None:
    good = '{"id": "x", "text": "T"}'
    found = read(f"{good}\n{item}\n{good}")
    assert [type(entry) for entry in found] == [TopicRecord, Problem, TopicRecord]
    ((line, said),) = problems(found)
    assert (line, reason in said) == (2, True), said


X_AND_Y = [("x", "", "a", ""), ("y", "", "b", "")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"qid": 1, "query": "a"},\n {"qid": 2, "query": "b"}]', [("1", "", "a", ""), ("2", "", "b", "")]),
        (
            '{"query_id": "x", "query": "a"}\n{"query_id": "y", "query": "b"}\n',
            [("x", "", "a", ""), ("y", "", "b", "")],
        ),
        ('{\n "id": 7,\n "title": "T",\n "question": "Q?"\n}\n', [("7", "T", "Q?", "")]),
        ('{"version": 2, "topics": [{"number": 1, "query": "a"}]}', [("1", "", "a", "")]),
        ('{"1": "how", "2": "why"}', [("1", "", "how", ""), ("2", "", "why", "")]),
        ('{"1": {"title": "T", "desc": "D", "narr": "N"}}', [("1", "T", "D", "N")]),
        ('{"id": "116", "topic": "t", "question": "Q?", "narrative": "N"}', [("116", "t", "Q?", "N")]),
        ('{"topic": 5, "query": "a"}', [("5", "", "a", "")]),
        ('{"query_id": "1", "query": "short", "description": "long"}', [("1", "short", "long", "")]),
        (
            '{"_id": "1", "text": "what is", "metadata": {"query": "origin", "narrative": "seeking"}}',
            [("1", "origin", "what is", "seeking")],
        ),
        (
            '{"topic_id": "1", "topics": [{"topic_title": "T", "topic_description": "D"}, {"lang": "zho"}]}',
            [("1", "T", "D", "")],
        ),
    ],
)
def test_many_spellings_and_layouts_are_read(text: str, found: list[tuple[str, str, str, str]]) -> None:
    topics = [item for item in read(text) if isinstance(item, TopicRecord)]
    assert [(topic.number, topic.title, topic.text, topic.narrative) for topic in topics] == found


def test_what_is_next_to_lists_and_translations_is_not_dropped_in_silence() -> None:
    note, topic, remark = read('{"version": 2, "topics": [{"number": 1, "query": "a", "lang": "en"}]}')
    assert remark.text == "the file is one object; its records are those of the list “topics”"
    assert (type(note), note.reason) == (PartProblem, "“version” is not part of a record; it was left out")
    assert topic.extra == {"lang": "en"}
    (topic,) = records(read('{"topic_id": "1", "topics": [{"lang": "eng", "topic_title": "T"}, {"topic_title": "U"}]}'))
    assert topic.extra == {"topics": [{"lang": "eng", "topic_title": "T"}, {"topic_title": "U"}], "lang": "eng"}


def test_any_key_can_be_the_text() -> None:
    text = '{"id": 1, "query": "q", "narrative": "n", "gist": "g"}'
    for name, expected in {"narrative": ("q", "n", ""), "gist": ("q", "g", "n")}.items():
        (topic,) = records(read_jsonl_topics(stream(text), "f", text_from=name))
        assert (topic.title, topic.text, topic.narrative) == expected
    (problem,) = read_jsonl_topics(stream('{"id": 1, "sentences": ["A."], "x": "y"}'), "f", text_from="x")
    assert "has sentences" in problem.reason


texts_of_others = st.dictionaries(
    st.sampled_from(["query", "question", "title", "description", "narrative", "x", "y"]), visible, max_size=5
)


@pytest.mark.slow
@given(
    st.dictionaries(ids, texts_of_others.map(lambda found: {"query": "q"} | found), min_size=1, max_size=3),
    st.sampled_from([dumps, lambda items: dumps(items, indent=1), lambda items: "\n".join(map(dumps, items))]),
)
def test_no_text_of_foreign_objects_is_lost(written: dict[str, dict[str, str]], layout: Callable[[Any], str]) -> None:
    found = records(read(layout([{"qid": number, **fields} for number, fields in written.items()])))
    for topic, (number, fields) in zip(found, written.items(), strict=True):
        kept = [text for text in (topic.title, topic.text, topic.narrative, *topic.extra.values()) if text]
        assert (topic.number, sorted(kept)) == (number, sorted(fields.values()))


@pytest.mark.parametrize("layout", ["[{}]", "{}"])
def test_a_topic_that_no_page_could_show_is_refused(layout: str) -> None:
    found = read(layout.replace("{}", dumps({"qid": "1", "query": "x" * 2_000_000})))
    assert problems(found) == [(1, "topic 1 has 2,000,000 characters; at most 1,048,576 are allowed")]
