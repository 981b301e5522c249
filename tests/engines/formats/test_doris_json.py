import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from engines.formats.documents import read_documents
from engines.formats.doris_json import read_doris_documents, read_doris_judgments, read_doris_topics
from engines.formats.doris_json_writer import write_doris_json
from engines.formats.reading import read_judgments, read_topics
from engines.formats.records import AspectRecord, DocumentRecord, JudgmentRow, Problem, Remark, TopicRecord
from tests.engines.formats.reading import problems, records, stream
from tests.shared import shared_path

ABSTRACT = {
    "title": "T",
    "original_abstract": "An abstract.",
    "url": "http://arxiv.org/abs/1901.00001v2",
    "ss_id": "x",
    "categories": ["cs.CL"],
    "incoming_citations": [1],
    "outgoing_citations": [],
}
DATA = {
    "Query": [
        {
            "query_text": "I need A. I need B.",
            "query_type": "NLP",
            "idea_from": [1],
            "candidate_pool": [0, 1],
            "aspects": {"0": ["2", "3"], "1": []},
            "aspect_id2sent": {"0": ["I need A."], "1": ["I need B.", "I need A."]},
            "sent2aspect_id": {"I need A.": ["0", "1"], "I need B.": ["1"]},
        },
        {
            "query_text": "Only B.",
            "query_type": "",
            "idea_from": [],
            "candidate_pool": [0],
            "aspects": {"1": []},
            "aspect_id2sent": {},
            "sent2aspect_id": {},
        },
    ],
    "Corpus": [
        {**ABSTRACT, "abstract_id": 0},
        {**ABSTRACT, "abstract_id": 1, "incoming_citations": [], "outgoing_citations": [0]},
    ],
    "aspect_id2aspect": {"0": "The paper does A.", "1": "The paper does B.", "2": "First of A.", "3": "Rest of A."},
    "aspect2aspect_id": {"The paper does A.": "0"},
    "Annotation": [
        {"aspect_id": "0", "abstract_id": 1, "score": 2, "gpt_response": "... CONCUR"},
        {"aspect_id": "1", "abstract_id": 0, "score": -1, "gpt_response": "?"},
    ],
    "Test_set": {"opaque": True},
}


def written(**changes: object) -> str:
    return json.dumps(DATA | changes)


def test_abstracts_are_documents_named_by_their_position() -> None:
    first, second = records(read_doris_documents(stream(written()), "f"))
    assert first == DocumentRecord(
        "0",
        "T",
        "An abstract.",
        (),
        (),
        "",
        None,
        "",
        "http://arxiv.org/abs/1901.00001v2",
        {"ss_id": "x", "categories": ["cs.CL"], "citations": [], "cited_by": ["1"]},
        "f",
        1,
    )
    assert (second.docno, second.extra["citations"]) == ("1", ["0"])


def test_queries_are_topics_with_tree_sentences_and_pool() -> None:
    first, second = records(read_doris_topics(stream(written()), "f"))
    assert first == TopicRecord(
        "0",
        "",
        "I need A. I need B.",
        "",
        "complex-query",
        "",
        ("I need A.", "I need B."),
        (
            AspectRecord("The paper does A.", (AspectRecord("First of A."), AspectRecord("Rest of A.")), (0,)),
            AspectRecord("The paper does B.", (), (1, 0)),
        ),
        "f",
        1,
        (),
        {"query_type": "NLP", "idea_from": ["1"], "candidate_pool": ["0", "1"]},
    )
    assert (second.sentences, second.aspects) == (("Only B.",), (AspectRecord("The paper does B."),))


def test_a_sentence_may_speak_of_an_aspect_that_comes_from_another_one() -> None:
    """`sent2aspect_id` is kept where it is not the inverse of `aspect_id2sent`, and written again."""
    query = {**DATA["Query"][0], "sent2aspect_id": {"I need A.": ["0", 1], "I need B.": ["0"]}}
    (topic,) = records(read_doris_topics(stream(written(Query=[query])), "f"))
    assert [(each.sentences, each.spoken_in) for each in topic.aspects] == [((0,), (0, 1)), ((1, 0), (0,))]
    (again,) = records(read_doris_topics(stream("".join(write_doris_json([topic], [], [], []))), "f"))
    assert [(each.sentences, each.spoken_in) for each in again.aspects] == [((0,), (0, 1)), ((1, 0), (0,))]
    query["sent2aspect_id"] = {"I need A.": "0"}
    ((_, reason),) = problems(read_doris_topics(stream(written(Query=[query])), "f"))
    assert reason == "query 0: sent2aspect_id has a sentence without a list of aspects"


@pytest.mark.parametrize("order", [list(DATA), list(reversed(DATA))])
def test_annotations_are_judgments_for_every_query_that_asks(order: list[str]) -> None:
    text = json.dumps({key: DATA[key] for key in order})
    found = records(read_doris_judgments(stream(text), "f"))
    assert [(row.topic, row.aspect, row.docno, row.value) for row in found] == [
        ("0", "The paper does A.", "1", "2"),
        ("0", "The paper does B.", "0", "-1"),
        ("1", "The paper does B.", "0", "-1"),
    ]
    assert all(row.machine and row.annotator == "chatgpt" and row.criterion == "relevance" for row in found)
    assert [row.said for row in found] == ["... CONCUR", "?", "?"]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """8,000 more abstracts and answers, 16 MB of text, need only what remembers which of them were seen."""
    peaks = [measure(tmp_path, number) for number in (4_000, 12_000)]
    for (small, few), (large, many), bytes_each in zip(*peaks, (400, 800), strict=True):
        assert (few, many) == (4_000, 12_000)
        assert large < small + 8_000 * bytes_each, (small, large)


def measure(folder: Path, number: int) -> list[tuple[int, int]]:
    """Peak of memory and number of records, for documents and for judgments of a file of so many abstracts."""
    path = folder / f"{number}.json"
    asked = {**DATA["Query"][0], "candidate_pool": list(range(number))}
    with path.open("w") as file:
        file.write(json.dumps({key: DATA[key] for key in ("aspect_id2aspect", "Test_set")})[:-1])
        file.write(f', "Query": [{json.dumps(asked)}], "Corpus": [')
        words = "words " * 150
        file.writelines(f'{"," * (n > 0)}{{"title": "T{n}", "original_abstract": "{words}"}}' for n in range(number))
        file.write('], "Annotation": [')
        answer = '"aspect_id": "0", "score": 1, "gpt_response": "' + words
        file.writelines(f'{"," * (n > 0)}{{{answer}", "abstract_id": {n}}}' for n in range(number))
        file.write("]}")
    found = []
    for read in (read_documents, read_judgments):
        tracemalloc.start()
        count = sum(1 for item in read(path) if not isinstance(item, Problem | Remark))
        found.append((tracemalloc.get_traced_memory()[1], count))
        tracemalloc.stop()
    return found


def test_bad_parts_are_problems() -> None:
    corpus = [{**ABSTRACT, "abstract_id": 7}, "x", {"title": ""}, {**ABSTRACT, "outgoing_citations": ["a"]}]
    assert [reason for _, reason in problems(read_doris_documents(stream(written(Corpus=corpus)), "f"))] == [
        "abstract 0: abstract_id differs from the position",
        "Corpus 1: is not an object",
        "abstract 2: has neither a title nor an abstract",
        "abstract 3: outgoing_citations is not a list of abstract ids",
    ]
    queries = [{"query_text": ""}, 3, {"query_text": "x", "aspects": {"9": []}}, {"query_text": "x", "aspects": []}]
    queries.append({"query_text": "x", "aspects": [1]})
    assert [reason for _, reason in problems(read_doris_topics(stream(written(Query=queries)), "f"))] == [
        "query 1: is not an object",
        "query 0: has no text",
        "query 2: aspect 9 has no text in aspect_id2aspect",
        "query 4: aspects, aspect_id2sent and sent2aspect_id must be objects",
    ]
    rows = [
        {"aspect_id": "0", "abstract_id": 1, "score": 2},
        {"aspect_id": "0", "abstract_id": 1, "score": 1},
        {"aspect_id": "0", "abstract_id": 1, "score": 3},
        {"aspect_id": "0", "abstract_id": "1", "score": 1},
        {"aspect_id": "0", "abstract_id": 5, "score": 1},
        None,
    ]
    found = list(read_doris_judgments(stream(written(Annotation=rows)), "f"))
    assert isinstance(found[0], JudgmentRow)
    assert [reason for _, reason in problems(found)] == [
        "annotation 1: aspect 0 and abstract 1 are annotated twice; the first one counts",
        "annotation 2: the score 3 is none of -1, 0, 1, 2",
        "annotation 3: abstract_id '1' is not a whole number",
        "annotation 4: no query has aspect 0 and abstract 5 in its pool",
        "annotation 5: abstract_id None is not a whole number",
    ]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    topics = records(read_doris_topics(stream(written()), "f"))
    documents = records(read_doris_documents(stream(written()), "f"))
    judgments = records(read_doris_judgments(stream(written()), "f"))
    path = tmp_path / "v1.json"
    # The same annotation serves both queries: it is written once, or reading would find it twice.
    path.write_text("".join(write_doris_json(topics, ["0", "1"], documents, judgments)))
    for again, before in (
        (records(read_topics(path)), topics),
        (records(read_documents(path)), documents),
        (records(read_judgments(path)), judgments),
        (records(read_topics(path, "doris-mae")), topics),
    ):
        bare = [replace(item, file="", line=0) for item in again]
        if isinstance(again[0], DocumentRecord):
            bare = [replace(item, extra={k: v for k, v in item.extra.items() if k != "docno"}) for item in bare]
        assert bare == [replace(item, file="", line=0) for item in before]


def test_what_the_format_lacks_is_not_written() -> None:
    topics = records(read_doris_topics(stream(written()), "f"))
    documents = records(read_doris_documents(stream(written()), "f"))
    row = JudgmentRow("a", "0", "The paper does A.", "1", "relevance", "2", True)
    for docnos, rows, reason in (
        (["1", "0"], [], "document 0 is not number 0"),
        (["0"], [], "document 1 is not number 1"),
        (["0", "1", "2"], [], "document 2 is listed, but did not come"),
        (["0", "1"], [replace(row, docno="9")], "document 9 or aspect"),
        (["0", "1"], [replace(row, aspect="?")], "is not in the export"),
        (["0", "1"], [replace(row, value="3")], "the value 3 is none of"),
        (["0", "1"], [row, replace(row, value="1")], "has two scores for the aspect"),
    ):
        with pytest.raises(ValueError, match=reason):
            list(write_doris_json(topics, docnos, documents, rows))


@pytest.mark.shared
def test_the_published_queries_survive_the_json_form() -> None:
    topics = records(read_topics(shared_path("data", "doris-mae", "queries.txt")))
    again = records(read_doris_topics(stream("".join(write_doris_json(topics, [], [], []))), "f"))
    assert [topic.item_texts() for topic in again] == [topic.item_texts() for topic in topics]
    assert [topic.sentences for topic in again] == [topic.sentences for topic in topics]
    assert not any(isinstance(topic, Problem) for topic in again)
