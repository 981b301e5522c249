"""Questions of annotators to their managers: asked once, answered, and seen by nobody who must not see them."""

from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from django.http import Http404
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.assignment.rules import NotNow
from annotation.campaigns.lifecycle import close_campaign
from annotation.inquiries.asking import ask_managers, note_answers_seen
from annotation.inquiries.inquiries import inquiries_of, open_inquiries
from annotation.models import Annotator, Assignment, Campaign, Inquiry, Strategy, VotesSeen
from corpus.models import Role
from tests.factories.adjudication import AT, Built
from tests.factories.inquiries import ANSWERED, ASKED, CAMPAIGN, SOON, answer, ask, client_of
from tests.factories.labelling import assignment_of, build_work, given, send_one

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    return build_work()


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)


def notes_of(built: Built, person: str) -> list[dict[str, Any]]:
    found = client_of(built, person).get(
        reverse("label_questions", args=CAMPAIGN), headers={"accept": "application/json"}
    )
    assert found.status_code == 200
    asked: list[dict[str, Any]] = found.json()["asked"]
    return asked


def every_page_of(built: Built, person: str) -> str:
    """All that an annotator's pages and endpoints of the campaign say."""
    client = client_of(built, person)
    names = (
        "labelling_screen",
        "campaign_detail",
        "label_questions",
        "label_next",
        "label_history",
        "api_own_inquiries",
    )
    pages = [client.get(reverse(name, args=CAMPAIGN)) for name in names] + [client.get("/")]
    assert {page.status_code for page in pages} == {200}
    return "".join(page.content.decode() for page in pages)


# --- asking ----------------------------------------------------------------------------------------------------------


def test_a_question_is_kept_once_however_often_it_is_sent(built: Built) -> None:
    uuid = uuid4()
    assert ask(built, uuid=uuid) == ask(built, uuid=uuid)
    assert Inquiry.objects.get().item == built.items[0]
    assert AuditEvent.objects.filter(verb="ask_managers").count() == 1
    with pytest.raises(Conflict):
        ask(built, uuid=uuid, text="Something else?")
    with pytest.raises(Conflict):
        ask(built, "ben", uuid=uuid)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2_001, "a\x00b", "\ud800"])
def test_a_text_that_is_none_is_refused(built: Built, text: str) -> None:
    with pytest.raises(Refused):
        ask(built, text=text)
    assert not Inquiry.objects.exists()


def test_nobody_asks_about_the_item_of_somebody_else(built: Built) -> None:
    theirs = assignment_of(built, "ben").pk
    who: dict[str, Any] = {"by": built.people["ana"], "at": AT, "uuid": uuid4(), "text": ASKED}
    with pytest.raises(Refused, match="not assigned to you"):
        ask_managers(collection="tea", campaign="main", assignment=theirs, **who)


@pytest.mark.parametrize("why", ["closed", "paused", "archived"])
def test_who_cannot_judge_now_cannot_ask(built: Built, why: str) -> None:
    if why == "closed":
        close_campaign(campaign=built.campaign, by=None, at=AT)
    elif why == "paused":
        Annotator.objects.update(state="paused")
    else:
        type(built.collection).objects.update(archived_at=AT)
    with pytest.raises(NotNow):
        ask(built)
    sent = client_of(built, "ana").post(
        reverse("label_questions", args=CAMPAIGN),
        {"uuid": str(uuid4()), "assignment": assignment_of(built, "ana").pk, "text": ASKED},
        content_type="application/json",
    )
    assert sent.status_code in (409, 422)
    assert not Inquiry.objects.exists()


def test_a_plain_form_asks_and_leads_back_to_the_item(built: Built) -> None:
    mine = assignment_of(built, "ana", 2).pk
    sent = {"uuid": str(uuid4()), "assignment": str(mine), "text": ASKED}
    page = client_of(built, "ana").post(reverse("label_questions", args=CAMPAIGN), sent, follow=True)
    assert page.redirect_chain[0][0].endswith(f"?item={mine}")
    assert ASKED in page.content.decode()
    again = client_of(built, "ana").post(reverse("label_questions", args=CAMPAIGN), sent | {"text": ""}, follow=True)
    assert "The question is missing." in again.content.decode()


def test_malformed_requests_get_a_clear_error(built: Built) -> None:
    client, address = client_of(built, "ana"), reverse("label_questions", args=CAMPAIGN)
    fine = {"uuid": str(uuid4()), "assignment": assignment_of(built, "ana").pk, "text": ASKED}
    for bad in ({"uuid": "x"}, {"assignment": "1"}, {"assignment": 2**63}, {"assignment": True}, {"text": 5}):
        found = client.post(address, fine | bad, content_type="application/json")
        assert (found.status_code, found.json()["code"]) == (400, "malformed"), bad
    seen = client.post(reverse("label_answers_seen", args=CAMPAIGN), {"seen": ["x"]}, content_type="application/json")
    assert seen.status_code == 400


def test_open_questions_of_one_person_are_limited(built: Built) -> None:
    first = ask(built)
    same = {"campaign": built.campaign, "item": first.item, "annotator": first.annotator}
    Inquiry.objects.bulk_create(Inquiry(uuid=uuid4(), text="?", asked_at=AT, **same) for _ in range(99))
    with pytest.raises(Refused, match="You have 100 unanswered questions"):
        ask(built)
    assert ask(built, "ben")


# --- answering -------------------------------------------------------------------------------------------------------


def test_an_answer_is_new_until_it_was_seen_and_again_when_it_changes(built: Built) -> None:
    asked = ask(built)
    assert [note["is_new"] for note in notes_of(built, "ana")] == [False]
    answer(built, asked)
    (note,) = notes_of(built, "ana")
    assert (note["answer"], note["is_new"], note["is_mine"], note["text"]) == (ANSWERED, True, True, ASKED)
    who: dict[str, Any] = {"collection": "tea", "campaign": "main", "at": SOON}
    assert note_answers_seen(by=built.people["ben"], **who) == 0
    assert note_answers_seen(by=built.people["ana"], only=[asked.uuid], **who) == 1
    assert not notes_of(built, "ana")[0]["is_new"]
    answer(built, asked, audience="item")  # the words stay: nothing new to read
    assert not notes_of(built, "ana")[0]["is_new"]
    answer(built, asked, text="No, it does not.")
    assert notes_of(built, "ana")[0]["is_new"]
    assert list(AuditEvent.objects.filter(verb="answer_question").order_by("pk").values_list("data", flat=True)) == [
        {"question": asked.pk, "audience": audience} for audience in ("asker", "item", "asker")
    ]


def test_only_managers_answer_and_only_in_their_own_campaign(built: Built) -> None:
    asked = ask(built)
    for person in ("ana", "adjudicator"):
        with pytest.raises(NotAllowed):
            answer(built, asked, by=person)
    other = build_work(slug="coffee")
    with pytest.raises(Http404):
        answer(other, asked)
    type(built.collection).objects.filter(slug="tea").update(archived_at=AT)
    with pytest.raises(Conflict):
        answer(built, asked)


@pytest.mark.parametrize(("text", "audience"), [("", "asker"), ("x" * 5_001, "asker"), (ANSWERED, "everybody")])
def test_an_answer_that_is_none_is_refused(built: Built, text: str, audience: str) -> None:
    asked = ask(built)
    with pytest.raises(Refused):
        answer(built, asked, text, audience)


@pytest.mark.slow
def test_a_manager_reads_and_answers_on_the_pages(built: Built) -> None:
    asked = ask(built, item=1)
    client = client_of(built, "manager")
    assert "1 question from annotators waits" in " ".join(client.get("/").content.decode().split())
    page = client.get(reverse("inquiry_list", args=CAMPAIGN)).content.decode()
    assert ASKED in page
    assert "ana" in page
    assert "Clear filters" not in page  # those that wait are what it shows first
    assert "Clear filters" in client.get(reverse("inquiry_list", args=CAMPAIGN), {"show": "open"}).text
    detail = reverse("inquiry_detail", args=[*CAMPAIGN, asked.pk])
    page = client.get(detail).content.decode()
    assert "On doc00001" in page  # the item as annotators see it
    assert "It brews tea." in page
    assert client.post(detail, {"answer": "", "audience": "asker"}).status_code == 422
    assert client.post(detail, {"answer": ANSWERED, "audience": "topic"}).status_code == 302
    assert "To answer" not in client.get("/").content.decode()
    assert "shown to all" in client.get(reverse("inquiry_list", args=CAMPAIGN)).content.decode()
    ask(built, item=2)
    page = client.get(reverse("inquiry_list", args=CAMPAIGN)).text
    assert 'name="show"' in page  # the answered one is hidden, and can be chosen
    assert "shown to all" not in page
    assert "Clear filters" not in page
    file = b"".join(client.get(reverse("inquiry_list", args=CAMPAIGN) + "?as=csv&show=").streaming_content)  # type: ignore[attr-defined]
    assert ASKED in file.decode()


# --- blindness -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_others_see_nothing_of_a_question_and_its_answer(built: Built) -> None:
    answer(built, ask(built))
    assert ASKED in every_page_of(built, "ana")
    assert ANSWERED in every_page_of(built, "ana")
    theirs = every_page_of(built, "ben")
    assert ASKED not in theirs
    assert ANSWERED not in theirs


def test_an_answer_to_all_comes_without_the_question_and_the_names(built: Built) -> None:
    asked = ask(built, text="Ana is my name. Does a review of green tea count?")
    Annotator.objects.filter(user=built.people["ana"]).update(name="Ana Unmistakable")
    type(built.people["ana"]).objects.filter(pk=built.people["manager"].pk).update(name="Meg Manager")
    answer(built, asked, audience="item")
    theirs = every_page_of(built, "ben")
    assert ANSWERED in theirs
    for hidden in (
        "Ana Unmistakable",
        "Ana is my name",
        "Meg Manager",
        built.people["manager"].email,
        asked.annotator.name,
    ):
        assert hidden not in theirs
    (note,) = notes_of(built, "ben")
    assert (note["text"], note["is_mine"], note["is_new"]) == ("", False, False)
    assert "answered_by" not in note


@pytest.mark.slow
def test_an_answer_belongs_next_to_its_item_or_to_the_whole_topic(built: Built) -> None:
    asked = ask(built, item=0)
    for audience, shown in (("asker", [0, 0]), ("item", [1, 0]), ("topic", [1, 1])):
        answer(built, asked, audience=audience)
        for item, count in zip((0, 2), shown, strict=True):
            mine = assignment_of(built, "ben", item).pk
            page = client_of(built, "ben").get(reverse("labelling_screen", args=CAMPAIGN) + f"?item={mine}")
            assert len(page.context["notes"]) == count


@pytest.mark.slow
def test_a_manager_who_still_has_the_item_reads_nothing_about_it(built: Built) -> None:
    """Judge first: also where the same is asked about in another campaign."""
    asked, done = ask(built, "ben", 0), ask(built, "ben", 1)
    built.collection.memberships.filter(user=built.people["ana"]).update(role=Role.MANAGER)
    send_one(built, "ana", given(assignment_of(built, "ana", 1)))
    client = client_of(built, "ana")
    assert list(inquiries_of(built.campaign, built.people["ana"])) == [done]
    page = client.get(reverse("inquiry_list", args=CAMPAIGN)).content.decode()
    assert "1 question is about items that you still have to judge" in " ".join(page.split())
    assert client.get(reverse("inquiry_detail", args=[*CAMPAIGN, asked.pk])).status_code == 403
    assert [each.count for each in open_inquiries(built.people["ana"])] == [1]
    with pytest.raises(NotAllowed, match="You still have to judge this item"):
        answer(built, asked, by="ana")
    assert client.get(reverse("api_inquiries", args=CAMPAIGN)).json()["results"][0]["id"] == done.pk
    send_one(built, "ana", given(assignment_of(built, "ana", 0)))
    assert answer(built, asked, by="ana")


def test_in_an_open_queue_what_could_still_be_dealt_is_hidden_too() -> None:
    built = build_work(strategy=Strategy.QUEUE, overlap=2, slug="coffee")
    ana, ben = built.annotators["ana"], built.annotators["ben"]
    mine = Assignment.objects.filter(item=built.items[0]).first()
    assert mine is not None
    Assignment.objects.filter(pk=mine.pk).update(state="pending", annotator=ben, lease_expires_at=SOON)
    asked = ask(built, "ben")
    built.collection.memberships.filter(user=ana.user).update(role=Role.MANAGER)
    assert not inquiries_of(built.campaign, built.people["ana"]).exists()
    VotesSeen.objects.create(item=built.items[0], user=built.people["ana"], at=AT)
    assert inquiries_of(built.campaign, built.people["ana"]).get() == asked


# --- cost ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_lists_cost_the_same_however_many_questions_there_are(built: Built, django_assert_max_num_queries: Any) -> None:
    for item in range(4):
        for person in ("ana", "ben"):
            answer(built, ask(built, person, item), audience="item")
        ask(built, "cai", item)
    client = client_of(built, "manager")
    client.get(reverse("inquiry_list", args=CAMPAIGN))
    with django_assert_max_num_queries(14):
        client.get(reverse("inquiry_list", args=CAMPAIGN))
    with django_assert_max_num_queries(2):
        open_inquiries(built.people["manager"])
    annotator = client_of(built, "ana")
    annotator.get(reverse("label_questions", args=CAMPAIGN))
    with django_assert_max_num_queries(5):
        annotator.get(reverse("label_questions", args=CAMPAIGN))


def test_questions_through_the_api(built: Built) -> None:
    mine, uuid = assignment_of(built, "ana").pk, str(uuid4())
    sent = {"uuid": uuid, "assignment": mine, "text": ASKED}
    ana, manager = client_of(built, "ana"), client_of(built, "manager")
    own = reverse("api_own_inquiries", args=CAMPAIGN)
    assert ana.post(own, sent, content_type="application/json").json()["asked"][0]["text"] == ASKED
    (row,) = manager.get(reverse("api_inquiries", args=CAMPAIGN) + "?open=true").json()["results"]
    assert (row["docno"], row["aspect"], row["text"]) == ("doc00000", "It brews tea.", ASKED)
    where = reverse("api_inquiry_answer", args=[*CAMPAIGN, row["id"]])
    answered = manager.put(where, {"answer": ANSWERED, "audience": "item"}, content_type="application/json")
    assert answered.json()["answer"] == ANSWERED
    assert manager.get(reverse("api_inquiries", args=CAMPAIGN) + "?open=true").json()["results"] == []
    assert client_of(built, "ben").get(own).json()["asked"][0]["text"] == ""
    assert Campaign.objects.filter(inquiries__uuid=uuid).exists()
