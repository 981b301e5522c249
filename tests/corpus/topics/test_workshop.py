"""The query workshop without a browser: checks while typing, the query reworded, what comes out of it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import AspectNode, Membership, Role, Topic
from corpus.topics.aspects import delete_aspect
from corpus.topics.history import undo_change
from tests.corpus.judging import judge
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import TopicFactory, make_tree

HTMX = {"HX-Request": "true"}
CLEAN = "The paper cleans noisy labels."


@pytest.fixture
def topic(db: None) -> Topic:
    topic = TopicFactory(collection=CollectionFactory(slug="tea"), number="1", kind="complex-query")
    make_tree(topic, {CLEAN: ["Labels are noisy."], "The paper is about tea.": []})
    topic.nodes.filter(aspect__text=CLEAN).update(sentences=[0, 1])
    return topic


@pytest.fixture
def members(topic: Topic) -> dict[Role, Membership]:
    return one_member_each(topic.collection)


@pytest.fixture
def client(members: dict[Role, Membership]) -> Client:
    client = Client()
    client.force_login(members[Role.MANAGER].user)
    return client


def address(name: str, topic: Topic) -> str:
    return reverse(name, args=["tea", topic.pk])


class TestChecks:
    def check(self, client: Client, topic: Topic, **data: Any) -> str:
        answer = client.post(address("topic_check", topic), data, headers=HTMX)
        assert answer.status_code == 200
        return answer.content.decode()

    def test_an_aspect_is_checked_where_it_would_stand(self, client: Client, topic: Topic) -> None:
        parent = topic.nodes.get(aspect__text=CLEAN)
        text = "Labels of images are cleaned by it, slowly."
        assert "outside itself" not in self.check(client, topic, text=text)
        assert "longer than" not in self.check(client, topic, text=text)
        assert "longer than" in self.check(client, topic, text=text, parent=parent.pk)
        assert "outside itself: <em>it</em>" in self.check(client, topic, text="It is slow.")
        assert "already in the tree" in self.check(client, topic, text=CLEAN)
        assert "already in the tree" not in self.check(client, topic, text=CLEAN, node=parent.pk)

    def test_a_query_is_checked_against_its_aspects(self, client: Client, topic: Topic) -> None:
        found = self.check(client, topic, query="How hot should the water be? I wonder.\nAnd milk?")
        assert "“<bdi>Does it matter for white tea?</bdi>” is no longer there" in found
        assert "No aspect comes from sentence 2" in found
        assert "more than one sentence" in found
        assert "2 sentences" in found

    @pytest.mark.parametrize("data", [{}, {"text": ""}, {"node": "x"}, {"parent": "9"}])
    def test_odd_input_stores_and_breaks_nothing(self, client: Client, topic: Topic, data: dict[str, str]) -> None:
        self.check(client, topic, **data)
        self.check(client, topic, query="x" * 50_001)
        assert (topic.nodes.count(), topic.versions.count()) == (3, 0)

    def test_words_are_text(self, client: Client, topic: Topic) -> None:
        assert "<script>" not in self.check(client, topic, query="<script>alert(1)</script>\n<script>alert(1)</script>")


class TestQuery:
    def test_ties_follow_the_sentences(self, client: Client, topic: Topic) -> None:
        lines = "Does it matter for  green tea?\r\n\r\nHow hot should the water be?"
        answer = client.post(address("topic_reword", topic), {"query": lines, "seen": "0"})
        assert answer["Location"].endswith("#aspects")
        topic.refresh_from_db()
        assert topic.text == "Does it matter for green tea? How hot should the water be?"
        assert topic.nodes.get(aspect__text=CLEAN).sentences == [1, 0]

    def test_splitting_saves_nothing(self, client: Client, topic: Topic) -> None:
        for headers in ({}, HTMX):
            sent = {"query": "One thing. Another, e.g. this.", "way": "split"}
            answer = client.post(address("topic_reword", topic), sent, headers=headers)
            assert "One thing.\nAnother, e.g. this.</textarea>" in answer.content.decode()
        assert topic.versions.count() == 0

    def test_refusals_are_reported(self, client: Client, topic: Topic) -> None:
        for sent in ({}, {"query": " \n", "seen": "0"}, {"query": "x", "seen": "-1"}):
            assert client.post(address("topic_reword", topic), sent, headers=HTMX).status_code == 422
        judge(topic)
        answer = client.post(address("topic_reword", topic), {"query": "x", "seen": "0"}, headers=HTMX)
        assert "has been judged" in answer.content.decode()
        assert "Edit the query" not in client.get(address("topic_detail", topic)).content.decode()


def test_what_went_and_came_back_is_exported_as_before(
    client: Client, topic: Topic, members: dict[Role, Membership]
) -> None:
    listed = reverse("api_topic", args=["tea", "1"])
    before = client.get(listed).json()
    by = members[Role.MANAGER].user
    delete_aspect(by=by, at=AT, node=AspectNode.objects.get(aspect__text=CLEAN))
    assert client.get(listed).json() != before
    undo_change(by=by, at=AT, topic=topic, seen=2)
    assert client.get(listed).json() == before
