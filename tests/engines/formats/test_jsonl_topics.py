from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.jsonl_topics import read_jsonl_topics, write_beir_queries, write_jsonl_topics
from engines.formats.records import AspectRecord, Problem, TopicRecord
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
def test_beir_keeps_number_and_text(topic: TopicRecord) -> None:
    (found,) = records(read("".join(write_beir_queries([topic]))))
    assert (found.number, found.text, found.extra) == (topic.number, topic.text, {})


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
        ('{"text": "x"}', "has no id, or an empty one"),
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
        ('{"id": "1", "text": "x", "corpusids": [1, "a b"]}', "'corpusids': the id 'a b' holds white space"),
    ],
)
def test_bad_topics_are_problems(item: str, reason: str) -> None:
    good = '{"id": "x", "text": "T"}'
    found = read(f"{good}\n{item}\n{good}")
    assert [type(entry) for entry in found] == [TopicRecord, Problem, TopicRecord]
    ((line, said),) = problems(found)
    assert (line, reason in said) == (2, True), said
