"""Queries leave as they stand after every kind of change in the workshop, and come back by the readers of imports."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.refusals import Refused
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from corpus.models import AspectNode, Collection, Document, Topic
from corpus.topics.aspects import add_aspect, delete_aspect, edit_aspect, move_aspect, toggle_tie
from corpus.topics.history import undo_change
from corpus.topics.topics import update_topic
from engines.formats.doris_json import read_doris_topics
from engines.formats.doris_queries import read_doris_queries
from engines.formats.jsonl_topics import read_jsonl_topics
from engines.formats.records import AspectRecord, TopicRecord
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.authors import withdraw_as_author
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_tree

pytestmark = pytest.mark.django_db
SENTENCES = ["I need a pot.", "It keeps heat.", "It pours well."]
# The tree after the changes below: "Pours." was made a sub-aspect of "Is a pot.", "Is round." is gone with what was
# below it, "Keeps heat." reads otherwise, and "Is cheap." is the same aspect in two places.
CHANGED = (
    AspectRecord("Is a pot.", (AspectRecord("Pours.", (), (2,)), AspectRecord("Is cheap.")), sentences=(0,)),
    AspectRecord("Keeps the heat of tea.", (AspectRecord("Is cheap."),), sentences=(0, 1)),
)


@pytest.fixture
def manager() -> User:
    return one_member_each(CollectionFactory(slug="tea"))["manager"].user


@pytest.fixture
def tea(manager: User) -> Collection:
    """One complex query, changed in every way there is, and a question without aspects."""
    tea = Collection.objects.get(slug="tea")
    pot, iron = (DocumentFactory(collection=tea, docno=docno) for docno in ("pot", "iron"))
    topic = TopicFactory(
        collection=tea,
        number="1",
        kind="complex-query",
        sentences=SENTENCES,
        text=" ".join(SENTENCES),
        title="Pots",
        source="us",
        extra={"idea_from": ["iron"], "query_type": "kitchen"},
    )
    make_tree(topic, {"Pours.": [], "Is a pot.": [], "Is round.": ["Is a ball."], "Keeps heat.": ["Is cheap."]})
    make_pool(topic, [pot])
    topic.targets.create(document=iron)
    TopicFactory(collection=tea, number="2", kind="question", text="What is tea?", title="")
    at = {node.aspect.text: node for node in AspectNode.objects.select_related("aspect", "topic")}
    who = {"by": manager, "at": AT}
    toggle_tie(**who, node=at["Is a pot."], sentence=0)
    edit_aspect(**who, node=at["Pours."], sentences=[1, 2])
    toggle_tie(**who, node=at["Pours."], sentence=1)
    move_aspect(**who, node=at["Pours."], parent=at["Is a pot."])
    add_aspect(**who, topic=topic, text="Is cheap.", parent=at["Is a pot."])
    delete_aspect(**who, node=at["Is round."])
    edit_aspect(**who, node=at["Keeps heat."], text="Keeps the heat of tea.", sentences=[0, 1])
    delete_aspect(**who, node=at["Is a pot."])
    undo_change(**who, topic=topic, seen=topic.versions.count())
    return tea


def text_of(tea: Collection, kind: str) -> str:
    return b"".join(open_export(make_options(tea, kind)).pieces).decode()


def bare(record: AspectRecord) -> AspectRecord:
    """Without ties, which `queries.txt` has no place for."""
    return AspectRecord(record.text, tuple(map(bare, record.children)))


def test_doris_json_has_the_tree_and_both_maps_of_ties(tea: Collection) -> None:
    written = json.loads(text_of(tea, "doris-mae"))
    names = written["aspect_id2aspect"]
    query, question = written["Query"]
    pot, heat, pours, cheap = (
        written["aspect2aspect_id"][text] for text in ("Is a pot.", "Keeps the heat of tea.", "Pours.", "Is cheap.")
    )
    assert set(names.values()) == {"Is a pot.", "Pours.", "Is cheap.", "Keeps the heat of tea."}
    assert list(query["aspects"].items()) == [(pot, [pours, cheap]), (heat, [cheap])]
    assert query["aspect_id2sent"] == {pot: SENTENCES[:1], heat: SENTENCES[:2]}
    assert query["sent2aspect_id"] == {SENTENCES[0]: [pot, heat], SENTENCES[1]: [heat], SENTENCES[2]: []}
    docnos = [each["docno"] for each in written["Corpus"]]
    assert [docnos[place] for place in query["idea_from"]] == ["iron"]
    assert [docnos[place] for place in query["candidate_pool"]] == ["pot"]
    assert (query["query_type"], question["aspects"], written["Annotation"]) == ("kitchen", {}, [])
    first = next(iter(read_doris_topics(io.BytesIO(json.dumps(written).encode()), "doris.json")))
    assert isinstance(first, TopicRecord)
    expected = tuple(replace(top, children=bare(top).children) for top in CHANGED)  # its ties are of aspects alone
    assert (first.aspects, first.sentences) == (expected, tuple(SENTENCES))


def test_nothing_judged_is_reported_next_to_the_file(tea: Collection) -> None:
    export = open_export(make_options(tea, "doris-mae"))
    assert [finding.code for finding in export.warnings] == ["not_judged"]
    with pytest.raises(Refused, match="no campaign"):
        make_options(tea, "doris-mae", campaign="nonesuch")


def test_queries_txt_has_the_tree_in_order(tea: Collection) -> None:
    written = text_of(tea, "queries-txt")
    assert "1. Is a pot.\n\ta. Pours.\n\tb. Is cheap.\n\n2. Keeps the heat of tea.\n\ta. Is cheap.\n" in written
    (query,) = read_doris_queries(io.BytesIO(written.encode()), "queries.txt")
    assert isinstance(query, TopicRecord)
    assert (query.number, query.sentences, query.aspects) == ("1", tuple(SENTENCES), tuple(map(bare, CHANGED)))


def test_jsonl_keeps_everything_and_comes_in_again(tea: Collection, tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(text_of(tea, "topics-jsonl"))
    with file.open("rb") as stream:
        query, question = read_jsonl_topics(stream, "topics.jsonl")
    assert isinstance(query, TopicRecord)
    assert isinstance(question, TopicRecord)
    assert (query.aspects, query.targets, query.extra["idea_from"]) == (CHANGED, ("iron",), ["iron"])
    assert (query.title, query.source, question.text) == ("Pots", "us", "What is tea?")
    other = CollectionFactory(slug="again")
    DocumentFactory(collection=other, docno="iron")
    call_command("import_topics", "again", str(file))
    assert text_of(other, "topics-jsonl") == file.read_text()


def test_the_author_of_a_file_is_exported_as_it_is_now(tea: Collection, tmp_path: Path, manager: User) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text('{"number": "3", "text": "Which pot?", "author": "Ann"}')
    call_command("import_topics", tea.slug, str(file))
    update_topic(by=manager, at=AT, topic=Topic.objects.get(number="3"), author="Ben")
    assert json.loads(text_of(tea, "topics-jsonl").splitlines()[-1])["author"] == "Ben"


def test_what_the_layout_cannot_hold_is_refused_by_name(tea: Collection, manager: User) -> None:
    topic = Topic.objects.get(number="1")
    top = topic.nodes.get(aspect__text="Keeps the heat of tea.")
    for number in range(26):
        add_aspect(by=manager, at=AT, topic=topic, text=f"Heat {number}.", parent=top)
    with pytest.raises(Refused, match=r"topic 1: aspect 2 of topic 1 has more than 26 sub-aspects"):
        open_export(make_options(tea, "queries-txt"))
    Topic.objects.filter(pk=topic.pk).update(kind="question")
    topic.nodes.all().delete()
    with pytest.raises(Refused, match="no complex query yet"):
        open_export(make_options(tea, "queries-txt"))


def test_what_an_author_has_withdrawn_is_left_out(tea: Collection) -> None:
    withdraw_as_author(Topic.objects.get(number="1"))
    assert [json.loads(line)["number"] for line in text_of(tea, "topics-jsonl").splitlines()] == ["2"]
    assert Document.objects.filter(collection=tea).exists()
    with pytest.raises(Refused, match="no complex query yet"):
        open_export(make_options(tea, "queries-txt"))


@pytest.mark.parametrize("layout", ["documents-parquet", "documents-s2orc"])
@pytest.mark.parametrize("docnos", [("7", "9"), ("W7", "9")])
def test_documents_as_parquet_come_back_as_they_are(
    manager: User, tmp_path: Path, docnos: tuple[str, ...], layout: str
) -> None:
    collection = Collection.objects.get(slug="tea")
    for docno in docnos:
        DocumentFactory(collection=collection, docno=docno, keywords=["tea"], authors=["Ana"], doi=f"10.1/{docno}")
    out = tmp_path / "documents.parquet"
    call_command("export", "tea", "--format", layout, "--out", str(out))
    CollectionFactory(slug="again")
    call_command("import_documents", "again", str(out))
    wanted = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi")
    one, other = (
        list(Document.objects.filter(collection__slug=slug).order_by("docno").values(*wanted))
        for slug in ("tea", "again")
    )
    assert one == other != []
