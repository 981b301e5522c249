"""A topic's title, description and narrative are read wherever it is judged, adjudicated and explained, and leave with
the exports that can hold them."""

import io
import json
import zipfile
from pathlib import Path

import lxml.html
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from corpus.models import Topic
from engines.formats.reading import read_topics
from engines.formats.records import TopicRecord
from tests.adjudication.exports.exporting import text_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign
from tests.factories.labelling import build_work
from tests.factories.rubrics import build_rubric

pytestmark = pytest.mark.django_db

LABELS = [[1, 1, 2], [1, 1, 2]]
TITLE, TEXT, NARRATIVE = "Barn owl hearing", "How is prey located in complete darkness?", "Any measurement counts."
TEXTS = {"title": TITLE, "text": TEXT, "narrative": NARRATIVE}


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS)
    Topic.objects.update(sentences=[], **TEXTS)
    vote(found)
    return found


def order_of(page: str) -> list[str]:
    """The texts of the topic in the order of the page's main part."""
    text = " ".join(lxml.html.fromstring(page).xpath("string(//main)").split())
    return sorted((each for each in TEXTS.values() if each in text), key=text.index)


def read(client: Client, built: Built, name: str, *more: object, query: str = "") -> str:
    return client.get(reverse(name, args=[built.collection.slug, *more]) + query).text


def test_title_stands_above_the_description_where_a_document_is_judged(client: Client) -> None:
    built = build_work(items=2)
    Topic.objects.update(sentences=[], **TEXTS)
    client.force_login(built.people["ana"])
    page = read(client, built, "labelling_screen", built.campaign.slug)
    assert order_of(page) == [TITLE, TEXT, NARRATIVE]
    Topic.objects.update(title=TEXT)
    shown = lxml.html.fromstring(read(client, built, "labelling_screen", built.campaign.slug))
    (title,) = shown.xpath("//*[@data-part='topic-title']")
    assert (title.text_content().strip(), "hidden" in title.attrib) == ("", True)  # the text is not read twice


def test_title_stands_above_a_question_that_is_rated(client: Client) -> None:
    rubric = build_rubric()
    Topic.objects.update(**TEXTS)
    client.force_login(rubric.people["ana"])
    where = [rubric.collection.slug, rubric.campaign.slug]
    assert order_of(client.get(reverse("labelling_screen", args=where)).text) == [TITLE, TEXT, NARRATIVE]


PLACES = ["adjudication_screen", "relevance_detail", "line_detail", "topic_detail", "pool_detail"]


@pytest.mark.parametrize("name", PLACES)
def test_all_three_are_read_whole_where_it_is_decided_and_explained(client: Client, built: Built, name: str) -> None:
    client.force_login(built.people["manager"])
    item = built.items[0]
    query = f"?topic={item.topic.number}&docno={item.document.docno}" if name == "line_detail" else ""
    query = f"?verdict={item.verdicts.get().pk}" if name == "adjudication_screen" else query
    where = {
        "relevance_detail": [built.campaign.slug, item.topic_id],
        "adjudication_screen": [built.campaign.slug],
        "line_detail": [],
    }.get(name, [item.topic_id])
    assert order_of(read(client, built, name, *where, query=query)) == [TITLE, TEXT, NARRATIVE]
    long = f"{NARRATIVE} " * 50 + "To the end."
    Topic.objects.update(title=TEXT, text=TEXT, narrative=long)
    page = lxml.html.fromstring(read(client, built, name, *where, query=query))
    for field in page.xpath("//textarea | //details[@id='query-edit']"):
        field.drop_tree()
    shown = " ".join(page.xpath("string(//main)").split())
    assert long in shown
    assert shown.count(TEXT) == 1


def test_the_command_explains_with_all_three(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    item = built.items[0]
    call_command("explain", built.collection.slug, item.topic.number, item.document.docno)
    said = capsys.readouterr()
    assert all(text in said.out + said.err for text in TEXTS.values())


def test_exports_hold_all_three(built: Built, tmp_path: Path) -> None:
    for kind, name in {"topics": "a.topics", "topics-jsonl": "a.jsonl"}.items():
        path = tmp_path / name
        path.write_text(text_of(built, kind))
        found = [topic for topic in read_topics(path) if isinstance(topic, TopicRecord)]
        assert {(topic.title, topic.text, topic.narrative) for topic in found} == {(TITLE, TEXT, NARRATIVE)}, kind
    pieces = open_export(make_options(built.collection, "beir")).pieces
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        query = json.loads(archive.read("queries.jsonl").splitlines()[0])
    assert (query["text"], query["metadata"]) == (TEXT, {"title": TITLE, "narrative": NARRATIVE})
