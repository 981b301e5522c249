"""From the answers of authors to topics, and the pages on which a manager does it all."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Conflict, Refused
from adjudication.questions.question_set import fetch_question_set
from annotation.models import Campaign, Item
from corpus.models import AuthorAnswer, Membership, QuestionCall
from corpus.questions.author_answers import withdraw_answer
from corpus.questions.author_calls import take_in_questions
from corpus.questions.author_links import author_token
from corpus.questions.author_words import BODY, GUIDELINE, SUBJECT
from corpus.questions.authors import call_guideline, contributors_of, withdrawn_topics
from tests.corpus.questions.asking import QUESTION, answer, close, invite, page_of, send
from tests.factories.accounts import AT

pytestmark = pytest.mark.django_db


def test_answers_become_topics_after_the_deadline(manager: Membership, call: QuestionCall) -> None:
    ann, bob, cy = invite(call), invite(call, "bob@example.org", "D1"), invite(call, "cy@example.org", "D2")
    answer(ann, name="Ann Tee")
    answer(bob, "Who first wrote down how long green leaves should be left in water?")
    answer(cy)
    withdraw_answer(at=AT, token=author_token(cy))
    with pytest.raises(Refused, match="until the deadline"):
        take_in_questions(by=manager.user, at=timezone.now(), call=call)
    close(call)
    topics = take_in_questions(by=manager.user, at=timezone.now(), call=call).topics
    assert [(each.number, each.source, each.author) for each in topics] == [
        ("author-tea-1", "author-tea", "Ann Tee"),
        ("author-tea-2", "author-tea", ""),
    ]
    assert [each.document.docno for each in topics[1].targets.all()] == ["D1"]
    assert call_guideline(call.collection_id) == GUIDELINE
    with pytest.raises(Refused, match="All answers are already topics"):
        take_in_questions(by=manager.user, at=timezone.now(), call=call)
    with pytest.raises(Refused, match="now part of the collection"):
        answer(ann, "Another question about the very same paper?", seen=1)


def test_equal_questions_become_one_topic_and_the_manager_sees_it(client: Client, call: QuestionCall) -> None:
    ann, bob = invite(call), invite(call, "bob@example.org", "D1")
    invite(call, "cy@example.org", "D2")
    call.collection.topics.create(number="q7", kind="question", text="Is green tea ever boiled?", position=0)
    answer(ann)
    answer(bob, QUESTION.upper())
    answer(call.invitations.get(email="cy@example.org"), "Is green tea ever boiled ?")
    close(call)
    client.force_login(call.created_by)
    page = client.post(reverse("author_question_take_in", args=["tea", call.pk]), follow=True)
    assert "bob@example.org asks what topic author-tea-1 asks" in page.text
    assert "cy@example.org asks what topic q7 asks" in page.text
    assert list(call.collection.topics.values_list("number", flat=True)) == ["q7", "author-tea-1"]
    assert AuthorAnswer.objects.count() == 3


def test_a_topic_with_a_follow_up_outlives_its_withdrawal(manager: Membership, call: QuestionCall) -> None:
    ann = invite(call)
    answer(ann)
    close(call)
    (topic,) = take_in_questions(by=manager.user, at=timezone.now(), call=call).topics
    call.collection.topics.create(number="a.1", kind="question", text="A part of it?", position=9, parent=topic)
    assert Client().post(reverse("author_withdrawal", args=[author_token(ann)])).status_code == 302
    assert list(withdrawn_topics(call.collection)) == [topic]


def test_withdrawing_takes_the_topic_along_unless_a_campaign_has_it(manager: Membership, call: QuestionCall) -> None:
    ann, bob = invite(call), invite(call, "bob@example.org", "D1")
    answer(ann)
    answer(bob, "Does anybody remember what the water was like?", name="Bob")
    close(call)
    _, second = take_in_questions(by=manager.user, at=timezone.now(), call=call).topics
    campaign = Campaign.objects.create(
        collection=call.collection, slug="main", name="Main", kind="rubric", seed=1, created_at=AT
    )
    Item.objects.create(campaign=campaign, split=campaign.split, topic=second)
    withdraw_answer(at=AT, token=author_token(ann))
    withdraw_answer(at=AT, token=author_token(bob))
    assert list(call.collection.topics.all()) == [second]
    assert list(withdrawn_topics(call.collection)) == [second]
    assert contributors_of(call.collection) == []
    with pytest.raises(Conflict):
        withdraw_answer(at=AT, token=author_token(bob))


def test_answering_after_the_deadline_is_refused(call: QuestionCall) -> None:
    ann = invite(call)
    close(call)
    with pytest.raises(Refused, match="were accepted until"):
        answer(ann)
    assert "were accepted until" in Client().get(page_of(ann)).text
    with pytest.raises(Refused, match="deadline has passed"):
        send(call)


@pytest.mark.slow
def test_a_manager_does_it_all_on_pages(client: Client, manager: Membership) -> None:
    client.force_login(manager.user)
    day = (timezone.now() + timedelta(days=3)).date().isoformat()
    form = {"name": "round", "source": "author", "deadline_at": day, "guideline": GUIDELINE}
    form |= {"mail_subject": SUBJECT, "mail_body": BODY}
    made = client.post(reverse("author_call_create", args=["tea"]), form)
    call = QuestionCall.objects.get()
    address = reverse("author_call_detail", args=["tea", call.pk])
    assert made.url == address
    file = SimpleUploadedFile("a.csv", b"email,docno\nann@example.org,D0\nbad,D0\n")
    page = client.post(reverse("author_invitation_import", args=["tea", call.pk]), {"file": file})
    assert "1 invited" in page.text
    assert "Line 3: bad is not an e-mail address" in page.text
    one = {"email": "bob@example.org", "docno": "D1", "name": ""}
    assert client.post(reverse("author_invitation_create", args=["tea", call.pk]), one).status_code == 302
    again = client.post(reverse("author_invitation_create", args=["tea", call.pk]), one)
    assert (again.status_code, "invited for D1 already" in again.text) == (422, True)
    client.post(reverse("author_mailing_create", args=["tea", call.pk]), {"purpose": "invitation"})
    jobs.carry_out(call.mailings.get())
    assert len(mail.outbox) == 2
    answer(call.invitations.get(email="ann@example.org"), name="Ann Tee")
    page = client.get(address, {"state": "answered"})
    assert QUESTION in page.text
    assert "bob@example.org" not in page.text
    close(call)
    client.post(reverse("author_question_take_in", args=["tea", call.pk]))
    assert manager.collection.topics.get().text == QUESTION
    assert "<bdi>Ann Tee</bdi>." in client.get(reverse("author_call_list", args=["tea"])).text


@pytest.mark.slow
def test_the_page_asks_as_often_for_many_as_for_few(
    client: Client, call: QuestionCall, django_assert_max_num_queries
) -> None:
    client.force_login(call.created_by)
    for number in range(30):
        answer(invite(call, f"a{number}@example.org", f"D{number % 3}"))
    with django_assert_max_num_queries(18):
        assert client.get(reverse("author_call_detail", args=["tea", call.pk])).status_code == 200


def test_a_withdrawn_question_is_never_kept(manager: Membership, call: QuestionCall) -> None:
    ann = invite(call)
    answer(ann)
    close(call)
    (topic,) = take_in_questions(by=manager.user, at=timezone.now(), call=call).topics
    topic.extra = {"quality": 2, "specificity": 1}
    topic.save()
    campaign = Campaign.objects.create(
        collection=call.collection, slug="dev", name="Dev", kind="rubric", split="dev", seed=1, created_at=AT
    )
    Item.objects.create(campaign=campaign, split=campaign.split, topic=topic)
    assert [each.text for each in fetch_question_set(call.collection).kept] == [QUESTION]
    withdraw_answer(at=AT, token=author_token(ann))
    found = fetch_question_set(call.collection)
    assert found.kept == []
    assert [(each.state, each.reason) for each in found.questions] == [("discarded", "withdrawn by its author")]
