"""Topics written, changed, put in order and deleted; fixed once somebody has judged them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.models import AspectNode, Collection, Membership, Role, Target, Topic
from corpus.topics.topics import JUDGED, create_topic, delete_topic, move_topic, neighbours, update_topic
from corpus.topics.trees import LONGEST_ASPECT
from tests.corpus.judging import judge, put_in_campaign
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_tree


@pytest.fixture
def manager(members: dict[Role, Membership]) -> User:
    return members[Role.MANAGER].user


def as_role(members: dict[Role, Membership], role: Role) -> Client:
    client = Client()
    client.force_login(members[role].user)
    return client


def numbers(collection: Collection) -> list[str]:
    return list(collection.topics.values_list("number", flat=True))


class TestWriting:
    def test_sentences_make_the_text(self, collection: Collection, manager: User) -> None:
        topic = create_topic(
            by=manager, at=AT, collection=collection, number="7", text="ignored", sentences=["One?", "Two?"]
        )
        assert (topic.text, topic.sentences, topic.position) == ("One? Two?", ["One?", "Two?"], 0)
        assert AuditEvent.objects.get().verb == "create_topic"

    def test_a_number_is_taken_once(self, collection: Collection, manager: User) -> None:
        TopicFactory(collection=collection, number="7")
        with pytest.raises(Conflict, match="number 7 already"):
            create_topic(by=manager, at=AT, collection=collection, number="7", text="Again?")

    def test_only_managers_write(self, collection: Collection, members: dict[Role, Membership]) -> None:
        for role in (Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER):
            with pytest.raises(NotAllowed):
                create_topic(by=members[role].user, at=AT, collection=collection, number="7", text="Mine?")

    def test_aspects_follow_their_sentences(self, collection: Collection, manager: User) -> None:
        topic = TopicFactory(collection=collection, sentences=["One?", "Two?", "Three?"])
        make_tree(topic, {"a": []})
        AspectNode.objects.update(sentences=[0, 2], spoken_in=[1, 2])
        update_topic(by=manager, at=AT, topic=topic, sentences=["Three?", "Two?", "Four?"])
        assert (AspectNode.objects.get().sentences, AspectNode.objects.get().spoken_in) == ([0], [1, 0])
        topic.refresh_from_db()
        assert topic.text == "Three? Two? Four?"

    def test_judged_texts_are_fixed_and_the_rest_is_not(self, collection: Collection, manager: User) -> None:
        topic = TopicFactory(collection=collection, number="7")
        judge(topic)
        for change in ({"text": "Other?"}, {"title": "Other"}, {"number": "8"}, {"sentences": ["Other?"]}):
            with pytest.raises(Refused) as refused:
                update_topic(by=manager, at=AT, topic=topic, **change)
            assert refused.value.reason == JUDGED
        changed = update_topic(by=manager, at=AT, topic=topic, source="author", kind="question")
        assert changed.source == "author"

    def test_items_nobody_has_judged_do_not_fix_the_text(self, collection: Collection, manager: User) -> None:
        topic = TopicFactory(collection=collection)
        put_in_campaign(topic)
        assert update_topic(by=manager, at=AT, topic=topic, text="Better?", sentences=[]).text == "Better?"


class TestDeleting:
    def test_everything_of_a_topic_goes_with_it(self, collection: Collection, manager: User) -> None:
        topic = TopicFactory(collection=collection)
        make_tree(topic, {"a": ["b"]})
        make_pool(topic, [DocumentFactory(collection=collection)])
        Target.objects.create(topic=topic, document=DocumentFactory(collection=collection))
        delete_topic(by=manager, at=AT, topic=topic)
        assert not Topic.objects.exists()
        assert AuditEvent.objects.get().verb == "delete_topic"

    def test_reasons_why_not(self, collection: Collection, manager: User) -> None:
        judged, planned, parent = (TopicFactory(collection=collection) for _ in range(3))
        judge(judged)
        put_in_campaign(planned)
        TopicFactory(collection=collection, parent=parent)
        for topic, reason in ((judged, "has been judged"), (planned, "is in 1 item of"), (parent, "Other topics")):
            with pytest.raises(Refused, match=reason):
                delete_topic(by=manager, at=AT, topic=topic)
        assert Topic.objects.count() == 4
        assert not AuditEvent.objects.exists()


class TestOrder:
    @pytest.mark.parametrize(
        ("number", "move", "wanted"),
        [
            ("c", {"to": 0}, "cabd"),
            ("a", {"to": 3}, "bcda"),
            ("a", {"to": 99}, "bcda"),
            ("b", {"steps": -1}, "bacd"),
            ("a", {"steps": -1}, "abcd"),
            ("d", {"steps": 1}, "abcd"),
            ("c", {"steps": 1}, "abdc"),
        ],
    )
    def test_moving(
        self, collection: Collection, manager: User, number: str, move: dict[str, int], wanted: str
    ) -> None:
        for place, each in enumerate("abcd"):
            TopicFactory(collection=collection, number=each, position=place * 10)
        move_topic(by=manager, at=AT, topic=collection.topics.get(number=number), **move)
        assert "".join(numbers(collection)) == wanted
        assert list(collection.topics.values_list("position", flat=True)) == [0, 1, 2, 3]

    def test_neighbours(self, collection: Collection) -> None:
        first, second, third = (TopicFactory(collection=collection, position=5) for _ in range(3))
        TopicFactory(position=5)
        assert neighbours(second) == (first, third)
        assert neighbours(first) == (None, second)


class TestPages:
    def test_writing_a_topic_in_the_browser(self, collection: Collection, members: dict[Role, Membership]) -> None:
        client = as_role(members, Role.MANAGER)
        address = reverse("topic_create", args=["tea"])
        answer = client.post(address, {"number": "9", "kind": "question", "sentences": "How hot?\r\n\r\n How long? "})
        topic = collection.topics.get()
        assert answer["Location"] == reverse("topic_detail", args=["tea", topic.pk])
        assert (topic.text, topic.sentences) == ("How hot? How long?", ["How hot?", "How long?"])
        again = client.post(address, {"number": "9", "kind": "question", "text": "Again?"})
        assert (again.status_code, b"number 9 already" in again.content) == (422, True)
        blank = client.post(address, {"number": "a b", "kind": "question", "text": "Again?"})
        assert (blank.status_code, b"must not contain spaces" in blank.content) == (422, True)

    def test_several_topics_with_their_aspects_are_written_one_after_the_other(
        self, collection: Collection, members: dict[Role, Membership]
    ) -> None:
        client = as_role(members, Role.MANAGER)
        address = reverse("topic_create", args=["tea"])
        sent = {"kind": "complex-query", "text": "How?", "aspects": "Is hot.\n\n Is long. \nIs hot.", "another": "1"}
        answer = client.post(address, {**sent, "number": "1"}, follow=True)
        assert answer.redirect_chain == [(address, 302)]
        assert "Topic 1 created with 2 aspects." in answer.text
        topic = collection.topics.get()
        nodes = topic.nodes.order_by("position").values_list("aspect__text", flat=True)
        assert list(nodes) == ["Is hot.", "Is long."]
        long = client.post(address, {**sent, "number": "2", "aspects": f"Is hot.\n{'x' * (LONGEST_ASPECT + 1)}"})
        assert (long.status_code, "An aspect has at most" in long.text) == (422, True)
        assert collection.topics.count() == 1, "all of it or nothing"
        del sent["another"]
        assert client.post(address, {**sent, "number": "2"})["Location"] != address
        collection.topics.all().delete()
        TopicFactory(collection=collection, number="3")
        TopicFactory(collection=collection, number="T12")
        assert client.get(address).context["form"]["number"].value() == "4"
        assert 'name="aspects"' not in client.get(address).text, "topics of this collection have none"

    def test_editing_shows_and_keeps_everything(self, collection: Collection, members: dict[Role, Membership]) -> None:
        topic = TopicFactory(collection=collection, number="7", narrative="Only <b>hot</b>.", source="author")
        client, address = as_role(members, Role.MANAGER), reverse("topic_edit", args=["tea", topic.pk])
        form = client.get(address).context["form"]
        before = Topic.objects.values().get()
        assert client.post(address, form.initial).status_code == 302
        assert Topic.objects.values().get() == before

    def test_a_judged_topic_shows_why_it_is_fixed(
        self, collection: Collection, members: dict[Role, Membership]
    ) -> None:
        topic = TopicFactory(collection=collection, number="7")
        judge(topic)
        client, address = as_role(members, Role.MANAGER), reverse("topic_edit", args=["tea", topic.pk])
        page = client.get(address).text
        assert "This topic has been judged" in page
        assert "Judged topics cannot be deleted" in page, "said before it is pressed"
        assert reverse("topic_delete", args=["tea", topic.pk]) not in page
        client.post(address, {"number": "8", "kind": "question", "text": "Forged?", "source": "author"})
        topic.refresh_from_db()
        assert (topic.number, topic.source) == ("7", "author")
        answer = client.post(reverse("topic_delete", args=["tea", topic.pk]), follow=True)
        assert b"Judged topics cannot be deleted" in answer.content

    def test_annotators_read_topics_without_hints(
        self, collection: Collection, members: dict[Role, Membership]
    ) -> None:
        topic = TopicFactory(collection=collection)
        document = DocumentFactory(collection=collection, title="The known answer")
        Target.objects.create(topic=topic, document=document)
        make_pool(topic, [document])
        page = reverse("topic_detail", args=["tea", topic.pk])
        annotator = as_role(members, Role.ANNOTATOR)
        for address in (page, reverse("topic_list", args=["tea"])):
            text = annotator.get(address).content.decode()
            assert "The known answer" not in text
            assert "Pool" not in text
            assert "Targets" not in text
        assert "The known answer" in as_role(members, Role.VIEWER).get(page).content.decode()

    def test_texts_are_escaped(self, collection: Collection, members: dict[Role, Membership]) -> None:
        evil = "<script>alert(1)</script>"
        topic = TopicFactory(collection=collection, title=evil, text=evil, sentences=[evil], narrative=evil)
        make_tree(topic, {evil: []})
        client = as_role(members, Role.MANAGER)
        for name, arguments in (("topic_detail", [topic.pk]), ("topic_list", []), ("topic_edit", [topic.pk])):
            assert evil not in client.get(reverse(name, args=["tea", *arguments])).content.decode()

    def test_moving_answers_with_the_table_to_htmx(
        self, collection: Collection, members: dict[Role, Membership]
    ) -> None:
        first, second = TopicFactory(collection=collection), TopicFactory(collection=collection)
        client, address = as_role(members, Role.MANAGER), reverse("topic_move", args=["tea", second.pk])
        answer = client.post(address, {"way": "up"}, headers={"HX-Request": "true"})
        assert answer.templates[0].name == "corpus/topics/_topic_table.html"
        assert numbers(collection) == [second.number, first.number]
        assert client.post(address, {"place": "1"})["Location"] == reverse("topic_list", args=["tea"])
        assert numbers(collection) == [first.number, second.number]
        assert client.post(address, {"way": "sideways"}).status_code == 422

    def test_filters(self, collection: Collection, members: dict[Role, Membership]) -> None:
        TopicFactory(collection=collection, number="7", text="About pots", kind="complex-query")
        TopicFactory(collection=collection, number="8", text="About cups")
        client, address = as_role(members, Role.VIEWER), reverse("topic_list", args=["tea"])

        def found(**query: str) -> list[str]:
            return [topic.number for topic in client.get(address, query).context["page"]]

        assert found(q="POTS") == found(q="7") == found(kind="complex-query") == ["7"]
        assert found(q="nothing") == []
        assert found(kind="unknown") == ["7", "8"]
        assert client.get(address, {"q": "nothing"}).context["may_reorder"] is False

    @pytest.mark.slow
    def test_the_list_costs_the_same_for_many_topics(
        self, collection: Collection, members: dict[Role, Membership], django_assert_max_num_queries: Any
    ) -> None:
        client = as_role(members, Role.MANAGER)
        for _ in range(30):
            make_tree(TopicFactory(collection=collection), {"a": ["b"], "c": []})
        with django_assert_max_num_queries(6):
            page = client.get(reverse("topic_list", args=["tea"])).context["page"]
        assert [(topic.n_aspects, topic.n_sub_aspects) for topic in page] == [(2, 1)] * 30

    def test_one_topic_costs_the_same_for_many_aspects(
        self, collection: Collection, members: dict[Role, Membership], django_assert_max_num_queries: Any
    ) -> None:
        topic = TopicFactory(collection=collection)
        make_tree(topic, {f"a{i}": [f"b{i}{j}" for j in range(5)] for i in range(8)})
        client = as_role(members, Role.MANAGER)
        with django_assert_max_num_queries(18):
            assert len(client.get(reverse("topic_detail", args=["tea", topic.pk])).context["tree"]) == 8

    def test_topics_of_other_collections_are_not_there(self, members: dict[Role, Membership]) -> None:
        topic = MembershipFactory().collection.topics.create(number="1", text="Elsewhere?")
        client = as_role(members, Role.MANAGER)
        assert client.get(reverse("topic_detail", args=["tea", topic.pk])).status_code == 404


@pytest.mark.django_db
class TestSourcePapers:
    """The papers a query was written from: named by managers, never shown to annotators."""

    def test_they_are_named_changed_and_taken_away(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        for docno in ("D1", "D2"):
            DocumentFactory(collection=collection, docno=docno)
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        fields = {"number": "1", "kind": "complex-query", "text": "How hot?", "source_papers": "D1\nD2 D1"}
        assert client.post(reverse("topic_create", args=["tea"]), fields).status_code == 302
        topic = collection.topics.get()
        assert topic.extra == {"idea_from": ["D1", "D2"]}
        edit = reverse("topic_edit", args=["tea", topic.pk])
        assert "D1\nD2</textarea>" in client.get(edit).content.decode()
        refused = client.post(edit, fields | {"source_papers": "D1 D9"})
        assert (refused.status_code, "There is no document D9" in refused.content.decode()) == (422, True)
        topic.extra["idea_from"] = ["stranger"]
        topic.save()
        assert client.post(edit, fields | {"source_papers": "stranger D2"}).status_code == 302, "what came in stays"
        assert client.post(edit, fields | {"source_papers": ""}).status_code == 302
        topic.refresh_from_db()
        assert topic.source_papers == []

    def test_a_category_is_typed_changed_and_taken_away(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        DocumentFactory(collection=collection, docno="D1")
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        fields = {"number": "1", "kind": "complex-query", "text": "How hot?", "source_papers": "D1", "category": "NLP"}
        assert client.post(reverse("topic_create", args=["tea"]), fields).status_code == 302
        topic = collection.topics.get()
        assert topic.extra == {"idea_from": ["D1"], "query_type": "NLP"}
        edit = reverse("topic_edit", args=["tea", topic.pk])
        assert 'value="NLP"' in client.get(edit).text
        assert client.post(edit, fields | {"source_papers": "", "category": "CV"}).status_code == 302
        topic.refresh_from_db()
        assert topic.extra == {"idea_from": [], "query_type": "CV"}
        assert client.post(edit, fields | {"category": ""}).status_code == 302
        topic.refresh_from_db()
        assert (topic.category, topic.source_papers) == ("", ["D1"])

    def test_known_answers_are_named_changed_and_taken_away(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        for docno in ("D1", "D2", "D3"):
            DocumentFactory(collection=collection, docno=docno)
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        fields = {"number": "1", "kind": "question", "text": "How hot?", "source": "ours", "targets": "D1\nD2 D1"}
        assert client.post(reverse("topic_create", args=["tea"]), fields).status_code == 302
        topic = collection.topics.get()
        first = topic.targets.get(document__docno="D1").pk
        edit = reverse("topic_edit", args=["tea", topic.pk])
        assert "D1\nD2</textarea>" in client.get(edit).content.decode()
        refused = client.post(edit, fields | {"targets": "D1 D9"})
        assert (refused.status_code, "There is no document D9" in refused.content.decode()) == (422, True)
        assert client.post(edit, fields | {"targets": "D1 D3"}).status_code == 302
        assert sorted(topic.targets.values_list("document__docno", "source")) == [("D1", "ours"), ("D3", "ours")]
        assert topic.targets.get(document__docno="D1").pk == first, "what stays is not made again"
        event = AuditEvent.objects.get(verb="update_topic")
        assert event.data == {"before": {"targets": ["D1", "D2"]}, "after": {"targets": ["D1", "D3"]}}

    def test_rest_takes_and_gives_what_the_page_has(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        DocumentFactory(collection=collection, docno="D1")
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        address = reverse("api_topics", args=["tea"])
        topic = {
            "number": "1", "kind": "question", "source": "ours", "author": "Ann Tee", "category": "NLP", "title": "",
            "text": "How hot?", "narrative": "", "sentences": [], "source_papers": ["D7"], "targets": ["D1"],
            "aspects": [],
        }  # fmt: skip
        body = {"topics": [topic]}
        assert client.post(address, body, content_type="application/json").json()["created"] == 1
        assert client.get(reverse("api_topic", args=["tea", "1"])).json() == topic
        assert client.post(address, body, content_type="application/json").json()["unchanged"] == 1

    def test_annotators_do_not_see_them(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        extra = {"idea_from": ["10.1/secret"], "query_type": 7, "querytime": "Tue Feb 08"}
        topic = TopicFactory(collection=collection, number="1", extra=extra)
        assert topic.further_fields == {"query_type": 7, "querytime": "Tue Feb 08"}
        for role, sees in ((Role.VIEWER, True), (Role.ANNOTATOR, False)):
            client.force_login(MembershipFactory(collection=collection, role=role).user)
            for address in (
                reverse("topic_detail", args=["tea", topic.pk]),
                reverse("api_topic", args=["tea", "1"]),
            ):
                page = client.get(address).content.decode()
                assert ("10.1/secret" in page) == sees
                assert ("Tue Feb 08" in page) == (sees and "api" not in address)

    @pytest.mark.slow
    def test_nor_who_wrote_it_and_what_it_was_made_from(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        facts = {"source": "inline-outside", "author": "Ann Tee", "category": "Hot drinks"}
        extra = {"query_type": facts["category"]}
        own = {name: facts[name] for name in ("source", "author")}
        topic = TopicFactory(collection=collection, number="1", extra=extra, **own)
        addresses = {
            reverse("topic_detail", args=["tea", topic.pk]): facts.values(),
            reverse("topic_list", args=["tea"]): ["inline-outside"],
            reverse("api_topic", args=["tea", "1"]): facts.values(),
            reverse("api_topics", args=["tea"]): facts.values(),
        }
        for role in Role:
            client.force_login(MembershipFactory(collection=collection, role=role).user)
            for address, expected in addresses.items():
                page = client.get(address).content.decode()
                assert "How hot" in page
                for word in facts.values():
                    assert (word in page) == (role != Role.ANNOTATOR and word in expected), (role, address, word)
