"""The history of topics: every change kept, taken back, done again, compared, restored."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from accounts import jobs
from accounts.models import User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.imports.requests import request_import
from corpus.models import Aspect, Role, SubQueryAspect, Topic, TopicVersion
from corpus.topics.aspects import add_aspect, delete_aspect, edit_aspect, shift_aspect
from corpus.topics.history import redo_change, restore_version, undo_change
from corpus.topics.sub_queries import make_sub_queries
from corpus.topics.topics import create_topic, reword_query, update_topic
from corpus.topics.trees import stored_trees
from corpus.topics.versions import compare_versions, fetch_steps, fingerprint_of, read_content
from tests.corpus.judging import judge, put_in_campaign
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import TopicFactory, make_tree

STEPS = ("add", "edit", "delete", "down", "undo", "redo")
TREE = {"a": ["b", "c"], "d": []}


@pytest.fixture
def topic(db: None) -> Topic:
    topic = TopicFactory(collection=CollectionFactory(slug="tea"), number="1", kind="complex-query")
    make_tree(topic, TREE)
    return topic


@pytest.fixture
def manager(topic: Topic) -> User:
    return MembershipFactory(collection=topic.collection, role=Role.MANAGER).user


def node(topic: Topic, text: str) -> Any:
    return topic.nodes.select_related("aspect", "parent", "topic").get(aspect__text=text)


def words(topic: Topic) -> Any:
    """All that annotators read of it, as stored now."""
    topic = Topic.objects.get(pk=topic.pk)
    return topic.title, topic.text, topic.narrative, topic.sentences, stored_trees([topic]).get(topic.pk, ())


def undo(topic: Topic, by: User) -> None:
    undo_change(by=by, at=AT, topic=topic, seen=topic.versions.count())


def redo(topic: Topic, by: User) -> None:
    redo_change(by=by, at=AT, topic=topic, seen=topic.versions.count())


class TestKeeping:
    def test_what_was_there_before_is_the_first(self, topic: Topic, manager: User) -> None:
        before = words(topic)
        add_aspect(by=manager, at=AT, topic=topic, text="e", sentences=[1])
        first, second = topic.versions.all()
        assert (first.change, first.saved_by, first.number) == ("first", None, 1)
        assert (second.change, second.saved_by, second.about) == ("added", manager, "e")
        assert read_content(first.content).tree == before[-1]
        assert second.fingerprint == fingerprint_of(second.content) != first.fingerprint

    def test_what_is_written_here_has_its_writer(self, topic: Topic, manager: User) -> None:
        made = create_topic(by=manager, at=AT, collection=topic.collection, number="2", text="Why?")
        assert [(each.change, each.saved_by) for each in made.versions.all()] == [("written", manager)]

    def test_what_annotators_do_not_read_makes_no_version(self, topic: Topic, manager: User) -> None:
        update_topic(by=manager, at=AT, topic=topic, source="author")
        assert [each.change for each in topic.versions.all()] == ["first"]
        with pytest.raises(Refused):
            edit_aspect(by=manager, at=AT, node=node(topic, "a"), text=" ")
        assert topic.versions.count() == 1

    def test_imports_are_changes_too(self, topic: Topic, manager: User, tmp_path: Path) -> None:
        TopicFactory(collection=topic.collection, number="2", text="Equal.", sentences=[])
        rows = [
            {"number": "1", "text": topic.text, "sentences": list(topic.sentences), "aspects": ["a", "new"]},
            {"number": "2", "text": "Equal."},
            {"number": "3", "text": "Fresh."},
        ]
        file = tmp_path / "topics.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        kind = "topics"
        run = request_import(by=manager, at=AT, collection=topic.collection, kind=kind, files=[file], send=False)
        jobs.carry_out(run)
        found = TopicVersion.objects.order_by("topic__number", "number")
        assert [(each.topic.number, each.change, each.about) for each in found] == [
            ("1", "first", ""),
            ("1", "imported", "topics.jsonl"),
        ]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"number": 0},
            {"number": 1},
            {"change": "else"},
            {"stands_for": 1},
            {"change": "undone"},
            {"change": "undone", "stands_for": 3},
        ],
    )
    def test_the_database_knows_the_rules(self, topic: Topic, wrong: dict[str, Any]) -> None:
        good = {"number": 2, "saved_at": AT, "change": "query", "content": {}, "fingerprint": "0" * 64}
        TopicVersion.objects.create(topic=topic, **good | {"number": 1})
        with pytest.raises(IntegrityError), transaction.atomic():
            TopicVersion.objects.create(topic=topic, **good | wrong)


class TestGoingBack:
    def test_a_deleted_branch_comes_back(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "b"), sentences=[1])
        before = words(topic)
        delete_aspect(by=manager, at=AT, node=node(topic, "a"))
        undo(topic, manager)
        assert words(topic) == before
        redo(topic, manager)
        assert [branch.text for branch in words(topic)[-1]] == ["d"]

    def test_a_reworded_aspect_stays_the_same_row(self, topic: Topic, manager: User) -> None:
        item = put_in_campaign(Aspect.objects.get(text="d"))
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="other words")
        undo(topic, manager)
        item.refresh_from_db()
        assert item.aspect.text == "d"

    def test_sub_queries_keep_their_aspects(self, topic: Topic, manager: User) -> None:
        make_sub_queries(by=manager, at=AT, collection=topic.collection, size=2)
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="other words")
        undo(topic, manager)
        assert set(SubQueryAspect.objects.values_list("aspect__text", flat=True)) == {"a", "d"}

    def test_the_query_comes_back_with_its_ties(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[0, 1])
        before = words(topic)
        reword_query(by=manager, at=AT, topic=topic, sentences=["Else?"], seen=2)
        assert node(topic, "d").sentences == []
        undo(topic, manager)
        assert words(topic) == before

    def test_sentences_that_only_speak_of_it_come_back_too(self, topic: Topic, manager: User) -> None:
        topic.nodes.filter(aspect__text="d").update(sentences=[1, 0], spoken_in=[1])
        before = words(topic)
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[0])
        assert (node(topic, "d").sentences, node(topic, "d").spoken_in) == ([0], None)
        undo(topic, manager)
        assert words(topic) == before
        assert (node(topic, "d").sentences, node(topic, "d").spoken_in) == ([1, 0], [1])

    def test_nothing_to_undo_and_nothing_to_do_again(self, topic: Topic, manager: User) -> None:
        for step in (undo, redo):
            with pytest.raises(Refused, match="nothing to"):
                step(topic, manager)

    def test_somebody_elses_change_is_not_undone_unseen(self, topic: Topic, manager: User) -> None:
        add_aspect(by=manager, at=AT, topic=topic, text="e")
        with pytest.raises(Conflict, match="changed since"):
            undo_change(by=manager, at=AT, topic=topic, seen=1)
        reword_query(by=manager, at=AT, topic=topic, sentences=["One?"], seen=2)
        with pytest.raises(Conflict, match="changed the query meanwhile"):
            reword_query(by=manager, at=AT, topic=topic, sentences=["Two?"], seen=2)

    def test_restoring_is_a_change_that_can_be_undone(self, topic: Topic, manager: User) -> None:
        before = words(topic)
        add_aspect(by=manager, at=AT, topic=topic, text="e")
        shift_aspect(by=manager, at=AT, node=node(topic, "e"), way="up")
        after = words(topic)
        restore_version(by=manager, at=AT, topic=topic, number=1, seen=3)
        assert words(topic) == before
        undo(topic, manager)
        assert words(topic) == after
        with pytest.raises(Refused, match="no version 9"):
            restore_version(by=manager, at=AT, topic=topic, number=9, seen=5)

    def test_only_managers(self, topic: Topic) -> None:
        member = MembershipFactory(collection=topic.collection, role=Role.ADJUDICATOR)
        with pytest.raises(NotAllowed):
            undo(topic, member.user)

    def test_what_judgments_need_stays(self, topic: Topic, manager: User) -> None:
        added = add_aspect(by=manager, at=AT, topic=topic, text="e")
        judge(added.aspect)
        before = words(topic)
        with pytest.raises(Refused, match="“e” has been judged, so it has to stay"):
            undo(topic, manager)
        assert words(topic) == before
        shift_aspect(by=manager, at=AT, node=node(topic, "e"), way="up")
        undo(topic, manager)
        assert words(topic) == before

    def test_judged_words_are_not_taken_back(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="other words")
        judge(Aspect.objects.get(text="other words"))
        with pytest.raises(Refused, match="its text can no longer be changed"):
            undo(topic, manager)
        reworded = TopicFactory(collection=topic.collection, number="2")
        reword_query(by=manager, at=AT, topic=reworded, sentences=["One?"], seen=0)
        judge(reworded)
        with pytest.raises(Refused, match="has been judged"):
            undo(reworded, manager)


class TestAnyHistory(HypothesisTestCase):
    """However one goes back and forth, each version reads as it did when it was kept."""

    @pytest.mark.slow
    @settings(max_examples=10)
    @given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from(STEPS)), max_size=9))
    def test_every_version_can_be_read_again(self, edits: list[tuple[int, str]]) -> None:
        topic = TopicFactory()
        make_tree(topic, TREE)
        by = MembershipFactory(collection=topic.collection, role=Role.MANAGER).user
        for number, what in edits:
            self.edit(topic, by, number, what)
            newest = topic.versions.last()
            if newest is not None:
                assert read_content(newest.content).tree == words(topic)[-1]
                brought_back = topic.versions.filter(number=newest.stands_for).first()
                assert brought_back is None or brought_back.fingerprint == newest.fingerprint
        assert not Aspect.objects.filter(topic=topic, nodes=None).exists()

    def edit(self, topic: Topic, by: User, number: int, what: str) -> None:
        nodes = list(topic.nodes.select_related("aspect", "parent", "topic").order_by("pk"))
        try:
            if what in ("undo", "redo"):
                (undo if what == "undo" else redo)(topic, by)
            elif what == "add" or not nodes:
                add_aspect(by=by, at=AT, topic=topic, text=f"new {number % 4}")
            elif what == "edit":
                edit_aspect(by=by, at=AT, node=nodes[number % len(nodes)], text=f"new {number % 4}")
            elif what == "delete":
                delete_aspect(by=by, at=AT, node=nodes[number % len(nodes)])
            else:
                shift_aspect(by=by, at=AT, node=nodes[number % len(nodes)], way="down")
        except Refused:
            pass


class TestPages:
    @pytest.fixture
    def client(self, manager: User) -> Client:
        client = Client()
        client.force_login(manager)
        return client

    def test_the_last_two_are_compared_unless_others_are_chosen(
        self, topic: Topic, manager: User, client: Client
    ) -> None:
        address = reverse("topic_version_list", args=["tea", topic.pk])
        assert b"No changes yet" in client.get(address).content
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="other words", sentences=[0])
        reword_query(by=manager, at=AT, topic=topic, sentences=["How hot?"], seen=2)
        assert [part.name for part in client.get(address).context["parts"]] == ["Query", "Aspects"]
        page = client.get(address, {"old": "1", "new": "2"})
        assert [part.name for part in page.context["parts"]] == ["Aspects"]
        assert "<ins>other words ← 1</ins>" in page.content.decode()
        for query in ({"old": "x"}, {"old": "77"}, {"new": "0"}):
            assert client.get(address, query).context["new"].number == 3

    def test_one_is_restored(self, topic: Topic, manager: User, client: Client) -> None:
        before = words(topic)
        delete_aspect(by=manager, at=AT, node=node(topic, "d"))
        address = reverse("topic_version_restore", args=["tea", topic.pk, 1])
        assert b"changed since you opened this page" in client.post(address, {"seen": 1}, follow=True).content
        assert words(topic) != before
        assert b"reads as in version 1 again" in client.post(address, {"seen": 2}, follow=True).content
        assert words(topic) == before

    def test_undo_and_redo_by_form(self, topic: Topic, manager: User, client: Client) -> None:
        delete_aspect(by=manager, at=AT, node=node(topic, "d"))
        address = reverse("topic_step", args=["tea", topic.pk])
        assert client.post(address, {"way": "undo", "seen": 2}).status_code == 302
        steps = fetch_steps(topic)
        assert (steps.newest.number, steps.undoes, steps.redoes.number) == (3, None, 2)
        answer = client.post(address, {"way": "redo", "seen": 1}, headers={"HX-Request": "true"})
        assert (answer.status_code, topic.versions.count()) == (422, 3)
        answer = client.post(address, {"way": "redo", "seen": 3}, headers={"HX-Request": "true"})
        assert answer.templates[0].name == "corpus/topics/_workshop.html"
        assert fetch_steps(topic).undoes.number == 2


def test_titles_and_narratives_are_compared_too() -> None:
    base = {"title": "A", "text": "T", "narrative": "N", "sentences": [], "aspects": []}
    old, new = TopicVersion(content=base), TopicVersion(content=base | {"title": "B", "narrative": "N\nM"})
    assert [part.name for part in compare_versions(old, new)] == ["Title", "Narrative"]
    assert compare_versions(old, old) == []
