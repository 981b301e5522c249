"""The page an author answers on, without an account: what it takes, refuses and forgets."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Refused
from corpus.models import AuthorAnswer, AuthorOptOut, QuestionCall
from corpus.questions.author_answers import BadLink, find_author, withdraw_answer
from corpus.questions.author_calls import revoke_author
from corpus.questions.author_links import author_token
from corpus.questions.authors import calls_of, contributors_of
from tests.corpus.questions.asking import QUESTION, answer, invite, page_of, send
from tests.factories.accounts import AT

pytestmark = pytest.mark.django_db


def test_an_author_who_withdrew_has_not_answered(call: QuestionCall) -> None:
    ann, bob = invite(call), invite(call, "bob@example.org", "D1")
    invite(call, "cy@example.org", "D2")
    answer(ann)
    answer(ann, QUESTION + " And a third?", seen=1)
    answer(bob)
    withdraw_answer(at=AT, token=author_token(bob))
    assert list(calls_of(call.collection).values_list("n_invited", "n_answered")) == [(3, 1)]
    answer(bob, seen=2)
    assert list(calls_of(call.collection).values_list("n_invited", "n_answered")) == [(3, 2)]


def test_an_author_answers_changes_and_withdraws_without_an_account(call: QuestionCall) -> None:
    ann = invite(call)
    invite(call, "bob@example.org", "D1", "Bob Secret")
    client = Client(enforce_csrf_checks=False)
    page = client.get(page_of(ann))
    assert "Steeping, part 0" in page.text
    assert "bob" not in page.text.lower()
    sent = {"text": f"  {QUESTION}\n", "consent": "on", "show_name": "on", "credit_name": "Ann Tee", "seen": "0"}
    assert client.post(page_of(ann), sent).status_code == 302
    page = client.get(page_of(ann)).text
    assert "Thank you" in page
    assert QUESTION in page
    assert client.post(page_of(ann), sent).status_code == 302  # a replay of the same is the same
    assert ann.answers.count() == 1
    stale = client.post(page_of(ann), sent | {"text": QUESTION + " And the day after?"})
    assert stale.status_code == 409
    assert "in another window or on another device" in stale.text
    assert f'<p class="question-large" dir="auto">{QUESTION}</p>' in stale.text  # what the other has sent
    assert "And the day after?" in stale.text  # what was typed here
    form = stale.context["form"]
    assert client.post(page_of(ann), {name: form[name].value() for name in sent}).status_code == 302
    assert [each.revision for each in ann.answers.all()] == [1, 2]
    assert contributors_of(call.collection) == ["Ann Tee"]
    assert client.post(reverse("author_withdrawal", args=[author_token(ann)])).status_code == 302
    assert "withdrawn" in client.get(page_of(ann)).text
    assert contributors_of(call.collection) == []
    assert AuditEvent.objects.filter(verb="withdraw_answer", actor_id=None).count() == 1


def test_the_question_comes_first_and_nothing_of_it_is_kept_before_the_consent(call: QuestionCall) -> None:
    ann, client = invite(call), Client()
    assert list(client.get(page_of(ann)).context["form"].fields) == ["text", "seen", "homepage"]
    first = {"step": "question", "text": QUESTION, "seen": "0"}
    assert client.post(page_of(ann), first | {"text": "Tea?"}).status_code == 422
    page = client.post(page_of(ann), first)
    assert page.status_code == 200
    assert QUESTION in page.text
    assert "I wrote this question" in page.text
    assert not ann.answers.exists()
    answer(ann, f"{QUESTION} Sent from elsewhere.")
    late = client.post(page_of(ann), first)
    assert late.status_code == 409
    assert late.context["form"]["text"].value() == QUESTION
    assert "Sent from elsewhere." in late.text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"consent": ""}, "Without your consent"),
        ({"text": "Tea?"}, "at least 15"),
        ({"text": "x" * 2001}, "This has 2,001 characters, and a question at most 2,000"),
        ({"credit_name": "Ann <script>"}, "A name is plain text"),
        ({"text": f"{QUESTION} \u202etxet desrever"}, "invisible characters"),
        ({"text": "\u200b" * 40}, "It contains no words"),
        ({"seen": "x"}, "reload it"),
        ({"homepage": "http://spam.example"}, "filled in by a program"),
        ({"credit_name": " "}, "Enter the name"),
        ({"text": "Is <b>stirring</b> worth the trouble in the morning?"}, "Write it without HTML"),
        ({"text": "word " * 4_000}, "19,999 characters"),
    ],
)
def test_a_wrong_form_says_so_and_keeps_nothing(call: QuestionCall, change: dict[str, str], words: str) -> None:
    ann = invite(call)
    sent = {"text": QUESTION, "consent": "on", "show_name": "on", "credit_name": "Ann", "seen": "0"}
    page = Client().post(page_of(ann), sent | change)
    assert page.status_code == 422
    assert words in page.text
    assert page.context["form"]["text"].value() == (sent | change)["text"]  # nothing typed is lost
    assert "maxlength" not in page.context["form"]["text"].as_widget()  # browsers would cut what is pasted
    assert not ann.answers.exists()


def test_html_in_a_question_is_text(call: QuestionCall) -> None:
    ann = invite(call)
    answer(ann, "Is <script>alert(1)</script> a way of brewing tea?")
    assert "<script>alert" not in Client().get(page_of(ann)).text


def test_tries_are_limited(call: QuestionCall) -> None:
    ann, client = invite(call), Client()
    answers = [client.post(page_of(ann), {"text": "short", "seen": "0"}).status_code for _ in range(13)]
    assert answers[0] == 422
    assert answers[-1] == 429


def test_forged_and_revoked_links_open_nothing(call: QuestionCall) -> None:
    ann = invite(call)
    forged = reverse("author_answer", args=[f"{ann.pk}.forged"])
    assert Client().get(forged).status_code == 410
    revoke_author(by=call.created_by, at=AT, invitation=ann)
    page = Client().get(page_of(ann))
    assert page.status_code == 410
    assert "revoked" in page.text
    with pytest.raises(BadLink):
        find_author(author_token(ann))


def test_whose_invitation_was_revoked_can_still_opt_out(call: QuestionCall) -> None:
    ann = invite(call)
    revoke_author(by=call.created_by, at=AT, invitation=ann)
    address = reverse("author_opt_out", args=[author_token(ann)])
    assert "ann@example.org" in Client().get(address).text
    assert "no more e-mails" in Client().post(address).text
    assert AuthorOptOut.objects.get().email == "ann@example.org"


@pytest.mark.slow
def test_a_link_opens_one_invitation_and_no_other(call: QuestionCall) -> None:
    ann, bob = invite(call), invite(call, "bob@example.org", "D1")
    number, signature = author_token(ann).split(".")
    for token in (f"{bob.pk}.{signature}", f"0{number}.{signature}", f"{number}.{signature[:-1]}", signature, "1"):
        for name in ("author_answer", "author_opt_out"):
            assert Client().get(reverse(name, args=[token])).status_code == 410, token
        for name in ("author_answer", "author_opt_out", "author_withdrawal"):
            sent = {"text": QUESTION, "consent": "on", "seen": "0"}
            assert Client().post(reverse(name, args=[token]), sent).status_code == 410, token
    assert not AuthorAnswer.objects.exists()
    assert not AuthorOptOut.objects.exists()


def test_opting_out_needs_a_press_and_holds_everywhere(call: QuestionCall) -> None:
    ann = invite(call)
    address = reverse("author_opt_out", args=[author_token(ann)])
    assert Client().get(address).status_code == 200
    assert not AuthorOptOut.objects.exists()  # mail programs follow links
    client = Client(enforce_csrf_checks=True)
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert client.post(address).status_code == 200
    assert AuthorOptOut.objects.get().email == "ann@example.org"
    with pytest.raises(Refused, match="does not want to receive letters"):
        invite(call, docno="D1")
    with pytest.raises(Refused, match="All authors have received"):
        send(call)
