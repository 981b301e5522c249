"""A second person's review of topics."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.models import Collection, Membership, ReviewVerdict, Role, Topic, TopicReview
from corpus.topics.aspects import add_aspect, edit_aspect
from corpus.topics.history import undo_change
from corpus.topics.reviews import (
    ReviewState,
    decide_review,
    not_approved,
    request_review,
    reviews_waiting,
    with_review_state,
    withdraw_review,
)
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, one_member_each
from tests.factories.corpus import TopicFactory, make_tree

APPROVED, CHANGES = ReviewVerdict.APPROVED, ReviewVerdict.CHANGES
Members = dict[Role, Membership]


@pytest.fixture
def topic(db: None) -> Topic:
    topic = TopicFactory(collection=CollectionFactory(slug="tea"), number="1", kind="complex-query")
    make_tree(topic, {"About heat.": ["It measures."], "About pots.": []})
    return topic


@pytest.fixture
def members(topic: Topic) -> Members:
    return one_member_each(topic.collection)


def ask(topic: Topic, members: Members, note: str = "") -> TopicReview:
    return request_review(membership=members[Role.MANAGER], at=AT, topic=topic, note=note)


def decide(topic: Topic, by: Membership, verdict: ReviewVerdict = APPROVED, **more: Any) -> TopicReview:
    return decide_review(membership=by, at=AT, topic=topic, verdict=verdict, **{"seen": topic.versions.count(), **more})


def change(topic: Topic, members: Members, text: str = "More.") -> None:
    add_aspect(by=members[Role.MANAGER].user, at=AT, topic=topic, text=text)


def state(topic: Topic) -> str:
    return with_review_state(Topic.objects.filter(pk=topic.pk)).get().review_state


class TestStates:
    def test_from_nothing_to_approved_to_stale_and_back(self, topic: Topic, members: Members) -> None:
        assert state(topic) == ReviewState.NONE
        ask(topic, members)
        assert state(topic) == ReviewState.WAITING
        decide(topic, members[Role.ADJUDICATOR])
        assert state(topic) == ReviewState.APPROVED
        change(topic, members)
        assert state(topic) == ReviewState.STALE
        undo_change(by=members[Role.MANAGER].user, at=AT, topic=topic, seen=2)
        assert state(topic) == ReviewState.APPROVED
        change(topic, members)
        ask(topic, members)
        decide(topic, members[Role.ADJUDICATOR], CHANGES, note="Say more about pots.")
        assert state(topic) == ReviewState.CHANGES

    def test_a_withdrawn_request_leaves_what_was_before(self, topic: Topic, members: Members) -> None:
        ask(topic, members)
        withdraw_review(membership=members[Role.MANAGER], at=AT, topic=topic)
        assert state(topic) == ReviewState.NONE
        with pytest.raises(Refused, match="No review is waiting"):
            withdraw_review(membership=members[Role.MANAGER], at=AT, topic=topic)

    def test_only_complex_queries_count_as_missing(self, topic: Topic, members: Members) -> None:
        TopicFactory(collection=topic.collection, kind="question")
        other = TopicFactory(collection=topic.collection, kind="complex-query")
        ask(topic, members)
        decide(topic, members[Role.ADJUDICATOR])
        assert list(not_approved(Topic.objects.all())) == [other]


class TestRules:
    def test_it_is_asked_for_once_and_by_managers(self, topic: Topic, members: Members) -> None:
        with pytest.raises(NotAllowed):
            request_review(membership=members[Role.ADJUDICATOR], at=AT, topic=topic)
        ask(topic, members)
        with pytest.raises(Refused, match="asked for already"):
            ask(topic, members)
        decide(topic, members[Role.ADJUDICATOR])
        with pytest.raises(Refused, match="already approved in its current version"):
            ask(topic, members)

    def test_nobody_reviews_their_own(self, topic: Topic, members: Members) -> None:
        second = MembershipFactory(collection=topic.collection, role=Role.MANAGER)
        third = MembershipFactory(collection=topic.collection, role=Role.MANAGER)
        add_aspect(by=second.user, at=AT, topic=topic, text="Mine.")
        ask(topic, members)
        with pytest.raises(Refused, match="You asked for this review"):
            decide(topic, members[Role.MANAGER])
        with pytest.raises(Refused, match="You have changed this topic"):
            decide(topic, second)
        decide(topic, third)
        change(topic, members)
        ask(topic, members)
        decide(topic, second)
        assert state(topic) == ReviewState.APPROVED

    @pytest.mark.parametrize("role", [Role.VIEWER, Role.ANNOTATOR])
    def test_who_may_review(self, topic: Topic, members: Members, role: Role) -> None:
        ask(topic, members)
        with pytest.raises(NotAllowed):
            decide(topic, members[role])

    def test_what_the_reviewer_has_not_seen_is_not_approved(self, topic: Topic, members: Members) -> None:
        ask(topic, members)
        change(topic, members)
        with pytest.raises(Conflict, match="changed since you opened this page"):
            decide(topic, members[Role.ADJUDICATOR], seen=1)
        assert decide(topic, members[Role.ADJUDICATOR]).version.number == 2

    def test_changes_need_words(self, topic: Topic, members: Members) -> None:
        ask(topic, members)
        with pytest.raises(Refused, match="Describe the requested change"):
            decide(topic, members[Role.ADJUDICATOR], CHANGES, remarks={"About pots.": "  "})
        with pytest.raises(Refused, match="at most 4,000"):
            decide(topic, members[Role.ADJUDICATOR], CHANGES, note="x" * 4001)
        assert state(topic) == ReviewState.WAITING
        review = decide(topic, members[Role.ADJUDICATOR], CHANGES, remarks={"About pots.": " Which? ", "x": ""})
        assert [(said.aspect_text, said.text) for said in review.remarks.all()] == [("About pots.", "Which?")]
        with pytest.raises(Conflict, match="No review is waiting"):
            decide(topic, members[Role.ADJUDICATOR])

    @pytest.mark.parametrize(
        "wrong",
        [{"verdict": "open"}, {"verdict": "else"}, {"verdict": "approved"}, {"verdict": "approved", "own": True}],
    )
    def test_the_database_knows_the_rules(self, topic: Topic, members: Members, wrong: dict[str, Any]) -> None:
        first, manager = ask(topic, members), members[Role.MANAGER].user
        decided = {"decided_by": manager, "decided_at": AT} if wrong.pop("own", False) else {}
        with pytest.raises(IntegrityError), transaction.atomic():
            TopicReview.objects.create(
                topic=topic, version=first.version, requested_by=manager, requested_at=AT, **wrong, **decided
            )


class TestPages:
    def client(self, members: Members, role: Role) -> Client:
        client = Client()
        client.force_login(members[role].user)
        return client

    def address(self, name: str, topic: Topic) -> str:
        return reverse(name, args=["tea", topic.pk])

    @pytest.mark.slow
    def test_the_whole_way(self, topic: Topic, members: Members) -> None:
        author, reviewer = self.client(members, Role.MANAGER), self.client(members, Role.ADJUDICATOR)
        author.post(self.address("topic_review_request", topic), {"note": "Please look at pots."})
        assert b"1 topic</a> waits for" in reviewer.get(reverse("topic_list", args=["tea"])).content
        page = reviewer.get(self.address("topic_review", topic))
        assert page.content.count(b'name="remark-') == 3
        assert b"Please look at pots." in page.content
        assert b"Review it" in reviewer.get(self.address("topic_detail", topic)).content
        Collection.objects.update(archived_at=AT)
        assert b"Review it" not in reviewer.get(self.address("topic_detail", topic)).content
        Collection.objects.update(archived_at=None)
        sent = {"seen": "1", "verdict": "changes", "remark-2": "Which pots?"}
        assert reviewer.post(self.address("topic_review", topic), sent).status_code == 302
        shown = author.get(self.address("topic_detail", topic)).content.decode()
        assert "<strong>Reviewer:</strong> <bdi>Which pots?</bdi>" in shown
        place = topic.nodes.get(aspect__text="About pots.")
        edit_aspect(by=members[Role.MANAGER].user, at=AT, node=place, text="About teapots.")
        shown = author.get(self.address("topic_detail", topic)).content.decode()
        assert "<strong>Reviewer:</strong>" not in shown
        assert "“<bdi>About pots.</bdi>”: <bdi>Which pots?" in shown
        author.post(self.address("topic_review_request", topic))
        reviewer.post(self.address("topic_review", topic), {"seen": "2", "verdict": "approved"})
        assert state(topic) == ReviewState.APPROVED
        assert "The last review has been decided" in reviewer.get(self.address("topic_review", topic)).text

    def test_refusals_and_bad_input_are_reported(self, topic: Topic, members: Members) -> None:
        reviewer = self.client(members, Role.ADJUDICATOR)
        assert "Nobody has asked for a review" in reviewer.get(self.address("topic_review", topic)).text
        ask(topic, members)
        for sent in ({}, {"verdict": "open", "seen": "1"}, {"verdict": "changes", "seen": "1"}):
            assert reviewer.post(self.address("topic_review", topic), sent).status_code == 422
        answer = self.client(members, Role.MANAGER).get(self.address("topic_review", topic))
        assert b"You asked for this review" in answer.content
        assert b">Approve<" not in answer.content

    def test_the_list_is_narrowed_by_state(self, topic: Topic, members: Members) -> None:
        TopicFactory(collection=topic.collection, number="2")
        ask(topic, members)
        viewer, address = self.client(members, Role.VIEWER), reverse("topic_list", args=["tea"])
        for review, numbers in (("waiting", ["1"]), ("none", ["2"]), ("approved", []), ("else", ["1", "2"])):
            page = viewer.get(address, {"review": review}).context["page"]
            assert sorted(each.number for each in page) == numbers

    def test_annotators_see_nothing_of_it(self, topic: Topic, members: Members) -> None:
        ask(topic, members, note="secret request")
        decide(topic, members[Role.ADJUDICATOR], CHANGES, note="secret note", remarks={"About pots.": "secret remark"})
        annotator = self.client(members, Role.ANNOTATOR)
        listed = reverse("topic_list", args=["tea"])
        for address in (self.address("topic_detail", topic), listed):
            answer = annotator.get(address)
            assert answer.status_code == 200
            text = answer.content.decode().lower()
            assert not [word for word in ("secret", "review", "versions", "undo") if word in text]
            assert "how hot" in text
        assert len(annotator.get(listed, {"review": "approved"}).context["page"]) == 1


class TestFirstPage:
    def test_it_is_shown_to_those_who_may_review(self, topic: Topic, members: Members) -> None:
        second = MembershipFactory(collection=topic.collection, role=Role.MANAGER)
        add_aspect(by=second.user, at=AT, topic=topic, text="Mine.")
        ask(topic, members)
        waiting = {role: reviews_waiting(member.user) for role, member in members.items()}
        assert waiting == {**{role: [] for role in waiting}, Role.ADJUDICATOR: [(topic.collection, 1)]}
        assert reviews_waiting(second.user) == [], "who changed it since it was approved does not review it"
        client = Client()
        client.force_login(members[Role.ADJUDICATOR].user)
        assert "/c/tea/topics/?review=waiting" in client.get("/").content.decode()
        decide(topic, members[Role.ADJUDICATOR])
        assert reviews_waiting(members[Role.ADJUDICATOR].user) == []
        change(topic, members)
        ask(topic, members)
        assert reviews_waiting(second.user) == [(topic.collection, 1)]


class TestApi:
    def test_versions_and_reviews_are_read(self, topic: Topic, members: Members) -> None:
        api, client = "/api/collections/tea/topics/1/", Client()
        client.force_login(members[Role.VIEWER].user)
        assert client.get(f"{api}versions/").json()["results"] == []
        assert client.get(f"{api}reviews/").json() == {"state": "none", "reviews": []}
        change(topic, members)
        ask(topic, members, "Please.")
        decide(topic, members[Role.ADJUDICATOR], CHANGES, remarks={"More.": "Of what?"})
        newest, first = client.get(f"{api}versions/").json()["results"]
        assert (first["number"], first["change"], first["saved_by"]) == (1, "first", None)
        assert (newest["change"], newest["saved_by"]) == ("added", str(members[Role.MANAGER].user))
        assert [each["text"] for each in newest["content"]["aspects"]] == ["About heat.", "About pots.", "More."]
        result = client.get(f"{api}reviews/").json()
        (review,) = result["reviews"]
        assert (result["state"], review["verdict"], review["version"]) == ("changes", "changes", newest["number"])
        assert (review["request_note"], review["remarks"]) == ("Please.", [{"aspect": "More.", "text": "Of what?"}])
        assert client.get("/api/collections/tea/topics/9/reviews/").status_code == 404
