"""The aspect tree, edited place by place."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from accounts.models import User
from accounts.refusals import NotAllowed, Refused
from corpus.models import Aspect, AspectNode, Role, Topic
from corpus.topics.aspects import (
    add_aspect,
    delete_aspect,
    edit_aspect,
    move_aspect,
    shift_aspect,
    toggle_tie,
)
from corpus.topics.topics import aspect_tree
from tests.corpus.judging import judge, put_in_campaign
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import TopicFactory, make_tree

TREE = {"a": ["b", "c"], "d": [], "b": []}


@pytest.fixture
def topic(db: None) -> Topic:
    topic = TopicFactory(number="1")
    make_tree(topic, TREE)
    return topic


@pytest.fixture
def manager(topic: Topic) -> User:
    return MembershipFactory(collection=topic.collection, role=Role.MANAGER).user


def tree(topic: Topic) -> dict[str, list[str]]:
    return {place.node.aspect.text: [each.node.aspect.text for each in place.below] for place in aspect_tree(topic)}


def node(topic: Topic, text: str, parent: str | None = None) -> AspectNode:
    """The place of this text, on top or below that parent."""
    found = topic.nodes.select_related("aspect", "parent", "topic")
    return found.get(aspect__text=text, **({"parent__aspect__text": parent} if parent else {"parent": None}))


class TestAdding:
    def test_on_top_below_and_in_place(self, topic: Topic, manager: User) -> None:
        add_aspect(by=manager, at=AT, topic=topic, text="  new\n text ")
        add_aspect(by=manager, at=AT, topic=topic, text="below", parent=node(topic, "d"))
        add_aspect(by=manager, at=AT, topic=topic, text="first", place=0)
        assert tree(topic) == {"first": [], "a": ["b", "c"], "d": ["below"], "b": [], "new text": []}

    def test_a_known_text_is_the_same_aspect(self, topic: Topic, manager: User) -> None:
        before = topic.aspects.count()
        add_aspect(by=manager, at=AT, topic=topic, text="c", parent=node(topic, "d"))
        assert topic.aspects.count() == before
        assert [place.repeats for place in aspect_tree(topic)[0].below] == [1, 1]

    @pytest.mark.parametrize("text", ["", "  \n", "x" * 2501, "ä" * 1251])
    def test_texts_that_cannot_be(self, topic: Topic, manager: User, text: str) -> None:
        with pytest.raises(Refused):
            add_aspect(by=manager, at=AT, topic=topic, text=text)

    def test_there_are_two_levels(self, topic: Topic, manager: User) -> None:
        with pytest.raises(Refused, match="only two levels"):
            add_aspect(by=manager, at=AT, topic=topic, text="x", parent=node(topic, "b", "a"))

    def test_a_parent_of_another_topic_is_refused(self, topic: Topic, manager: User) -> None:
        other = TopicFactory(collection=topic.collection)
        make_tree(other, {"x": []})
        with pytest.raises(Refused, match="another topic"):
            add_aspect(by=manager, at=AT, topic=topic, text="y", parent=node(other, "x"))

    def test_only_managers(self, topic: Topic) -> None:
        member = MembershipFactory(collection=topic.collection, role=Role.ANNOTATOR)
        with pytest.raises(NotAllowed):
            add_aspect(by=member.user, at=AT, topic=topic, text="x")


class TestRewording:
    def test_the_only_place_keeps_its_aspect(self, topic: Topic, manager: User) -> None:
        aspect = node(topic, "d").aspect
        item = put_in_campaign(aspect)
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="better")
        item.refresh_from_db()
        assert item.aspect.text == "better"

    def test_one_place_of_several_becomes_another_aspect(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "b"), text="better")
        assert tree(topic) == {"a": ["b", "c"], "d": [], "better": []}

    def test_words_of_another_place_join_it(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="c")
        assert tree(topic) == {"a": ["b", "c"], "c": [], "b": []}
        assert sorted(topic.aspects.values_list("text", flat=True)) == ["a", "b", "c"]

    def test_judged_words_are_fixed(self, topic: Topic, manager: User) -> None:
        judge(node(topic, "d").aspect)
        with pytest.raises(Refused, match="“d” has been judged, so its text can no longer be changed"):
            edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="better")
        with pytest.raises(Refused, match="“d” has been judged, so it has to stay in the tree"):
            edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="c")


class TestMoving:
    @pytest.mark.parametrize(
        ("text", "parent", "way", "wanted"),
        [
            ("d", None, "up", {"d": [], "a": ["b", "c"], "b": []}),
            ("a", None, "up", TREE),
            ("a", None, "down", {"d": [], "a": ["b", "c"], "b": []}),
            ("b", None, "down", TREE),
            ("d", None, "indent", {"a": ["b", "c", "d"], "b": []}),
            ("c", "a", "outdent", {"a": ["b"], "c": [], "d": [], "b": []}),
            ("c", "a", "up", {"a": ["c", "b"], "d": [], "b": []}),
        ],
    )
    def test_steps(
        self, topic: Topic, manager: User, text: str, parent: str | None, way: str, wanted: dict[str, list[str]]
    ) -> None:
        shift_aspect(by=manager, at=AT, node=node(topic, text, parent), way=way)
        assert list(tree(topic).items()) == list(wanted.items())

    @pytest.mark.parametrize(
        ("text", "parent", "way", "reason"),
        [
            ("a", None, "indent", "first aspect cannot become a sub-aspect"),
            ("c", "a", "indent", "sub-aspect already"),
            ("d", None, "outdent", "already at the top level"),
            ("d", None, "sideways", "not a way to move"),
        ],
    )
    def test_steps_that_cannot_be(
        self, topic: Topic, manager: User, text: str, parent: str | None, way: str, reason: str
    ) -> None:
        with pytest.raises(Refused, match=reason):
            shift_aspect(by=manager, at=AT, node=node(topic, text, parent), way=way)
        assert tree(topic) == TREE

    def test_what_has_sub_aspects_stays_on_top(self, topic: Topic, manager: User) -> None:
        with pytest.raises(Refused, match="Move its sub-aspects out first"):
            move_aspect(by=manager, at=AT, node=node(topic, "a"), parent=node(topic, "d"))
        with pytest.raises(Refused, match="below itself"):
            move_aspect(by=manager, at=AT, node=node(topic, "d"), parent=node(topic, "d"))

    def test_to_any_place(self, topic: Topic, manager: User) -> None:
        move_aspect(by=manager, at=AT, node=node(topic, "d"), parent=node(topic, "a"), place=1)
        assert tree(topic) == {"a": ["b", "d", "c"], "b": []}
        move_aspect(by=manager, at=AT, node=node(topic, "b", "a"), parent=None, place=0)
        assert [place.node.aspect.text for place in aspect_tree(topic)] == ["b", "a", "b"]


class TestTies:
    def test_only_sentences_that_are_there(self, topic: Topic, manager: User) -> None:
        place = edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[1, 0, 1, 7])
        assert AspectNode.objects.get(pk=place.pk).sentences == [0, 1]

    def test_one_by_one(self, topic: Topic, manager: User) -> None:
        for sentence, wanted in ((1, [1]), (0, [0, 1]), (1, [0])):
            toggle_tie(by=manager, at=AT, node=node(topic, "d"), sentence=sentence)
            assert node(topic, "d").sentences == wanted
        with pytest.raises(Refused, match="has no sentence 3"):
            toggle_tie(by=manager, at=AT, node=node(topic, "d"), sentence=2)

    def test_ties_by_hand_replace_what_a_file_said_of_sentences(self, topic: Topic, manager: User) -> None:
        place = edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[0])
        AspectNode.objects.filter(pk=place.pk).update(spoken_in=[0, 1])
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[0])
        assert node(topic, "d").spoken_in == [0, 1]
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), sentences=[1])
        assert (node(topic, "d").sentences, node(topic, "d").spoken_in) == ([1], None)

    def test_a_new_aspect_may_come_with_its_ties(self, topic: Topic, manager: User) -> None:
        assert add_aspect(by=manager, at=AT, topic=topic, text="new", sentences=[1, 5]).sentences == [1]

    def test_words_and_ties_are_one_change(self, topic: Topic, manager: User) -> None:
        edit_aspect(by=manager, at=AT, node=node(topic, "d"), text="better", sentences=[0])
        assert [version.change for version in topic.versions.all()] == ["first", "edited"]
        edit_aspect(by=manager, at=AT, node=node(topic, "better"), text="better", sentences=[0])
        assert topic.versions.count() == 2


class TestDeleting:
    def test_a_branch_goes_with_its_aspects(self, topic: Topic, manager: User) -> None:
        delete_aspect(by=manager, at=AT, node=node(topic, "a"))
        assert tree(topic) == {"d": [], "b": []}
        assert sorted(topic.aspects.values_list("text", flat=True)) == ["b", "d"]

    def test_what_a_campaign_needs_stays(self, topic: Topic, manager: User) -> None:
        put_in_campaign(node(topic, "c", "a").aspect)
        with pytest.raises(Refused, match="“c” is in 1 item of a campaign"):
            delete_aspect(by=manager, at=AT, node=node(topic, "a"))
        assert tree(topic) == TREE
        judge(node(topic, "d").aspect)
        with pytest.raises(Refused, match="“d” has been judged, so it has to stay"):
            delete_aspect(by=manager, at=AT, node=node(topic, "d"))

    def test_one_of_several_places_of_a_judged_aspect_may_go(self, topic: Topic, manager: User) -> None:
        item = judge(node(topic, "b").aspect)
        delete_aspect(by=manager, at=AT, node=node(topic, "b"))
        assert tree(topic) == {"a": ["b", "c"], "d": []}
        item.refresh_from_db()
        assert item.aspect.text == "b"


class TestAnyEdits(HypothesisTestCase):
    """Whatever is done, positions stay dense, no aspect is without a place, and there are two levels."""

    @pytest.mark.slow
    @settings(max_examples=20)
    @given(
        st.lists(
            st.tuples(
                st.integers(0, 30), st.sampled_from(["up", "down", "indent", "outdent", "delete", "add", "copy"])
            ),
            max_size=12,
        )
    )
    def test_the_tree_stays_whole(self, edits: list[tuple[int, str]]) -> None:
        topic = TopicFactory()
        make_tree(topic, TREE)
        by = MembershipFactory(collection=topic.collection, role=Role.MANAGER).user
        for number, what in edits:
            nodes = list(topic.nodes.select_related("aspect", "parent", "topic").order_by("pk"))
            if not nodes:
                break
            self.edit(topic, by, nodes[number % len(nodes)], what, number)
        for parent in [None, *topic.nodes.all()]:
            positions = list(topic.nodes.filter(parent=parent).values_list("position", flat=True))
            assert positions == list(range(len(positions)))
        assert not topic.nodes.filter(parent__parent__isnull=False).exists()
        assert not Aspect.objects.filter(topic=topic, nodes=None).exists()

    def edit(self, topic: Topic, by: User, place: AspectNode, what: str, number: int) -> None:
        try:
            if what == "delete":
                delete_aspect(by=by, at=AT, node=place)
            elif what == "add":
                add_aspect(by=by, at=AT, topic=topic, text=f"new {number}", parent=place, place=number % 3)
            elif what == "copy":
                add_aspect(by=by, at=AT, topic=topic, text=place.aspect.text)
            else:
                shift_aspect(by=by, at=AT, node=place, way=what)
        except Refused:
            pass


class TestPages:
    @pytest.fixture
    def client(self, manager: User) -> Client:
        client = Client()
        client.force_login(manager)
        return client

    def address(self, topic: Topic, name: str, place: AspectNode | None = None) -> str:
        return reverse(name, args=[topic.collection.slug, topic.pk, *([place.pk] if place else [])])

    def test_plain_forms_lead_back_to_the_tree(self, topic: Topic, client: Client) -> None:
        back = self.address(topic, "topic_detail")
        answer = client.post(self.address(topic, "aspect_create"), {"text": "new"})
        assert answer["Location"] == f"{back}#aspects"
        client.post(self.address(topic, "aspect_update", node(topic, "new")), {"text": "newer", "sentences": ["1"]})
        client.post(self.address(topic, "aspect_move", node(topic, "newer")), {"way": "up"})
        assert list(tree(topic)) == ["a", "d", "newer", "b"]
        assert node(topic, "newer").sentences == [1]
        client.post(self.address(topic, "aspect_delete", node(topic, "newer")))
        assert list(tree(topic)) == ["a", "d", "b"]
        client.post(self.address(topic, "aspect_tie", node(topic, "d")), {"sentence": "1"})
        assert node(topic, "d").sentences == [1]

    def test_htmx_gets_the_workshop_alone(self, topic: Topic, client: Client) -> None:
        place, parent = node(topic, "d"), node(topic, "a")
        answer = client.post(
            self.address(topic, "aspect_move", place), {"parent": parent.pk, "place": 0}, headers={"HX-Request": "true"}
        )
        assert answer.templates[0].name == "corpus/topics/_workshop.html"
        assert f'data-focus="{place.pk}"' in answer.content.decode()
        assert tree(topic) == {"a": ["d", "b", "c"], "b": []}

    def test_refusals_are_shown_next_to_the_tree(self, topic: Topic, client: Client) -> None:
        judge(node(topic, "d").aspect)
        address = self.address(topic, "aspect_delete", node(topic, "d"))
        answer = client.post(address, headers={"HX-Request": "true"})
        assert answer.status_code == 422
        assert "has been judged, so it has to stay" in answer.content.decode()
        assert "has been judged, so it has to stay" in client.post(address, follow=True).content.decode()

    @pytest.mark.parametrize(
        "data", [{}, {"text": " "}, {"text": "x", "sentences": ["99"]}, {"text": "x", "parent": "z"}]
    )
    def test_bad_input_is_refused(self, topic: Topic, client: Client, data: dict[str, Any]) -> None:
        answer = client.post(self.address(topic, "aspect_create"), data, headers={"HX-Request": "true"})
        assert answer.status_code == 422
        assert tree(topic) == TREE

    def test_nodes_of_other_topics_are_not_there(self, topic: Topic, client: Client) -> None:
        other = TopicFactory(collection=topic.collection)
        make_tree(other, {"x": []})
        address = reverse("aspect_delete", args=[topic.collection.slug, topic.pk, node(other, "x").pk])
        assert client.post(address).status_code == 404


@pytest.mark.django_db
def test_managers_see_what_is_worth_a_second_look(client: Client) -> None:
    collection = CollectionFactory(slug="hints")
    topic = TopicFactory(collection=collection, number="1")
    make_tree(topic, {"It is quick.": [], "Labels are cleaned.": ["Labels of images are cleaned by hand, slowly."]})
    address = reverse("topic_detail", args=["hints", topic.pk])
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    page = client.get(address).content.decode()
    assert "Points at something outside itself: <em>it</em>" in page
    assert "Is longer than the aspect it stands below" in page
    client.force_login(MembershipFactory(collection=collection, role=Role.ANNOTATOR).user)
    assert "outside itself" not in client.get(address).content.decode()
