"""The first page: what waits for somebody, and what to do when nothing does."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.campaigns import home
from annotation.campaigns.home import work_of
from annotation.models import (
    Annotator,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Item,
    Strategy,
)
from corpus.models import Collection, Document, Membership, Role, Topic
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> User:
    return UserFactory(email="judge@example.org", name="Yui N.")


@pytest.fixture
def collection(judge: User) -> Collection:
    return MembershipFactory(user=judge, collection=CollectionFactory(slug="tea", title="Tea")).collection


def campaign_of(collection: Collection, slug: str, items: int, **fields: object) -> Campaign:
    campaign = Campaign.objects.create(
        **{
            "collection": collection,
            "slug": slug,
            "name": f"Round {slug}",
            "kind": "relevance",
            "state": CampaignState.OPEN,
            "seed": 1,
            "created_at": AT,
            **fields,
        }
    )
    topic, _ = Topic.objects.get_or_create(collection=collection, number="1", defaults={"text": "Why tea?"})
    for number in range(items):
        document, _ = Document.objects.get_or_create(collection=collection, docno=f"D{number}")
        Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, document=document)
    return campaign


def assign(
    campaign: Campaign, user: User, pending: int, done: int = 0, skipped: int = 0, **fields: object
) -> Annotator:
    annotator = Annotator.objects.create(campaign=campaign, name=user.name, user=user, created_at=AT, **fields)
    states = [AssignmentState.PENDING] * pending + [AssignmentState.DONE] * done + [AssignmentState.SKIPPED] * skipped
    for item, state in zip(campaign.items.all(), states, strict=False):
        Assignment.objects.create(
            item=item,
            annotator=annotator,
            state=state,
            slot=None if state == AssignmentState.SKIPPED else 1,
            finished_at=AT if state == AssignmentState.DONE else None,
        )
    return annotator


def figures(user: User) -> list[tuple[str, int, int]]:
    return [(work.campaign.slug, work.left, work.done) for work in work_of(user)]


def test_what_is_left_of_what_was_assigned(judge: User, collection: Collection) -> None:
    campaign = campaign_of(collection, "a", 6)
    assign(campaign, judge, pending=3, done=2, skipped=1)
    assign(campaign, UserFactory(), pending=0, done=0)
    assert figures(judge) == [("a", 3, 2)]


def test_what_is_begun_comes_first_what_is_done_last(judge: User, collection: Collection) -> None:
    assign(campaign_of(collection, "done", 2), judge, pending=0, done=2)
    assign(campaign_of(collection, "fresh", 5), judge, pending=5)
    assign(campaign_of(collection, "begun", 3), judge, pending=2, done=1)
    assign(campaign_of(collection, "paused", 9), judge, pending=9, state=AnnotatorState.PAUSED)
    assert [slug for slug, _, _ in figures(judge)] == ["begun", "fresh", "done", "paused"]


def test_an_open_queue_counts_items_not_met_yet(judge: User, collection: Collection) -> None:
    campaign = campaign_of(collection, "queue", 4, strategy=Strategy.QUEUE, overlap=2)
    annotator = assign(campaign, judge, pending=0)
    first, *rest = campaign.items.order_by("pk")
    Assignment.objects.create(
        item=first, annotator=annotator, state=AssignmentState.DONE, slot=1, finished_at=AT, queue=campaign
    )
    Assignment.objects.create(item=first, state=AssignmentState.OPEN, slot=2, queue=campaign)
    for item in rest:
        for slot in (1, 2):
            Assignment.objects.create(item=item, state=AssignmentState.OPEN, slot=slot, queue=campaign)
    assert figures(judge) == [("queue", 3, 1)]
    was_in_hand = {"annotator": annotator, "state": AssignmentState.WITHDRAWN, "queue": campaign}
    Assignment.objects.create(item=rest[0], lease_expires_at=AT, **was_in_hand)  # the browser was left
    Assignment.objects.create(item=rest[1], **was_in_hand)  # taken off for good
    assert figures(judge) == [("queue", 2, 1)]


def test_a_long_queue_is_not_counted_to_its_end(
    client: Client, judge: User, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = campaign_of(collection, "queue", 4, strategy=Strategy.QUEUE)
    assign(campaign, judge, pending=0)
    for place, item in enumerate(campaign.items.all()):
        Assignment.objects.create(item=item, state=AssignmentState.OPEN, slot=1, queue=campaign, position=place)
    monkeypatch.setattr(home, "MOST_COUNTED", 4)
    client.force_login(judge)
    assert (work_of(judge)[0].left_text, "0 of 4 judged" in client.get("/").text) == ("4", True)
    monkeypatch.setattr(home, "MOST_COUNTED", 3)
    text = " ".join(client.get("/").text.split())
    assert "More than 3</strong> left" in text
    assert "of 4 judged" not in text


@pytest.mark.parametrize("state", [CampaignState.DRAFT, CampaignState.CLOSED])
def test_campaigns_that_are_not_open_wait_for_nobody(judge: User, collection: Collection, state: CampaignState) -> None:
    assign(campaign_of(collection, "a", 2, state=state), judge, pending=2)
    assert figures(judge) == []


def test_who_was_removed_from_campaign_or_collection_has_no_work(judge: User, collection: Collection) -> None:
    assign(campaign_of(collection, "a", 2), judge, pending=2, state=AnnotatorState.REMOVED)
    assign(campaign_of(CollectionFactory(slug="left"), "b", 2), judge, pending=2)
    assert figures(judge) == []


def test_the_page_leads_on(client: Client, judge: User, collection: Collection) -> None:
    assign(campaign_of(collection, "begun", 3), judge, pending=2, done=1)
    assign(campaign_of(collection, "fresh", 5), judge, pending=5)
    client.force_login(judge)
    text = " ".join(client.get("/").text.split())
    assert text.count(" primary") == 1  # one main button: the one to go on with
    assert f'class="button large primary" href="{reverse("labelling_screen", args=["tea", "begun"])}"' in text
    assert "Continue" in text
    assert "Begin" in text
    assert 'max="3" value="1"' in text


def test_queries_do_not_grow_with_the_work(client: Client, judge: User, django_assert_max_num_queries) -> None:
    for number in range(6):
        collection = MembershipFactory(user=judge).collection
        assign(campaign_of(collection, f"c{number}", 2), judge, pending=1, done=1)
    client.force_login(judge)
    # session, user, work, its counts and the pace, memberships, may create, what waits, questions, answers
    with django_assert_max_num_queries(12):
        client.get("/")


@pytest.mark.parametrize(
    ("staff", "words"), [(True, "Create the first collection"), (False, "A manager of one can invite")]
)
def test_without_a_collection_it_says_what_to_do(client: Client, staff: bool, words: str) -> None:
    client.force_login(UserFactory(is_staff=staff))
    assert words in client.get("/").text


def test_with_archived_collections_alone_it_says_so(client: Client, judge: User, collection: Collection) -> None:
    Collection.objects.update(archived_at=AT)
    client.force_login(judge)
    text = client.get("/").text
    assert "your collection is archived" in text
    assert "not in any collection" not in text


def test_without_work_it_says_which_nothing_it_is(client: Client, judge: User, collection: Collection) -> None:
    client.force_login(judge)
    assert "You are not a judge in any open campaign" in client.get("/").text
    assign(campaign_of(collection, "a", 2), judge, pending=0, done=2)
    assert "Nothing is left for you to judge" in client.get("/").text
    assert "all done" in client.get("/").text
    assert "as soon as a manager assigns them" in client.get("/").text
    Membership.objects.filter(user=judge).update(role=Role.MANAGER)
    led = client.get("/").text
    assert "as soon as a manager assigns them" not in led
    assert re.search(rf"See what comes next in <a href=\"/c/{collection.slug}/\"", led)


def test_managers_see_their_collections_and_a_way_to_make_one(client: Client) -> None:
    client.force_login(MembershipFactory(role=Role.MANAGER).user)
    text = client.get("/").text
    assert reverse("collection_create") in text
    assert '<h1 id="collections-heading">My collections</h1>' in text
    assert "My work</h1>" not in text  # nobody asked them to judge anything


@pytest.mark.usefixtures("somebody")
def test_help_shows_the_persons_own_keys(client: Client) -> None:
    def parts() -> list[str]:
        """The keys of judging, and those of papers and of adjudication, which nobody can choose."""
        return client.get("/help/").text.split('class="table keys"')[1].split("</table>")

    judging, others = parts()[:2]
    assert "<kbd>X</kbd>" in judging
    assert "attach references by number" in others
    assert "send back for one more judge" in others
    client.force_login(UserFactory(preferences={"labelling": {"keys": {"skip": "z"}}}))
    judging = parts()[0]
    assert "<kbd>Z</kbd>" in judging
    assert "<kbd>X</kbd>" not in judging
