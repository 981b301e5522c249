"""Questions from authors: a call, invitations, letters, the personal page, topics, withdrawal."""

import io
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.jobs import Progress
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.queries.question_set import fetch_question_set
from annotation.models import Campaign, CampaignKind, Item
from corpus.actions.author_answers import BadLink, find_author, opt_out, submit_answer, withdraw_answer
from corpus.actions.author_calls import (
    create_call,
    invite_author,
    invite_authors,
    request_mailing,
    revoke_author,
    take_in_questions,
    update_call,
)
from corpus.author_links import answer_link, author_token, opt_out_link
from corpus.author_words import BODY, GUIDELINE, SUBJECT
from corpus.models import (
    AuthorAnswer,
    AuthorInvitation,
    AuthorLetter,
    AuthorMailing,
    AuthorOptOut,
    Document,
    LetterState,
    MailPurpose,
    Membership,
    QuestionCall,
    Role,
)
from corpus.queries.authors import call_guideline, calls_of, contributors_of, count_call, withdrawn_topics
from corpus.runs.author_mails import run_mailing, send_letters
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db

QUESTION = "Does steeping leaves for longer change what a drinker remembers the next day?"


@pytest.fixture(autouse=True)
def _quick(settings) -> None:
    settings.MAIL_RATE = 0
    cache.clear()


@pytest.fixture
def manager() -> Membership:
    member = MembershipFactory(role=Role.MANAGER, collection=CollectionFactory(slug="tea", title="Tea"))
    for number in range(3):
        Document.objects.create(collection=member.collection, docno=f"D{number}", title=f"Steeping, part {number}")
    return member


@pytest.fixture
def call(manager: Membership) -> QuestionCall:
    return create_call(
        by=manager.user,
        at=AT,
        collection=manager.collection,
        name="authors of 2026",
        source="author-tea",
        guideline=GUIDELINE,
        mail_subject=SUBJECT,
        mail_body=BODY,
        deadline_at=timezone.now() + timedelta(days=7),
    )


def invite(
    call: QuestionCall, email: str = "ann@example.org", docno: str = "D0", name: str = "Ann"
) -> AuthorInvitation:
    return invite_author(by=call.created_by, at=AT, call=call, email=email, docno=docno, name=name)


def answer(invitation: AuthorInvitation, text: str = QUESTION, seen: int = 0, name: str = "") -> AuthorAnswer:
    return submit_answer(
        at=timezone.now(), token=author_token(invitation), seen=seen, text=text, consent=True, credit_name=name
    )


def send(call: QuestionCall, purpose: MailPurpose = MailPurpose.INVITATION) -> AuthorMailing:
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=purpose)
    run_mailing(mailing.pk)
    mailing.refresh_from_db()
    return mailing


def close(call: QuestionCall) -> None:
    QuestionCall.objects.filter(pk=call.pk).update(deadline_at=timezone.now() - timedelta(minutes=1))
    call.refresh_from_db()


def page_of(invitation: AuthorInvitation) -> str:
    return reverse("author_answer", args=[author_token(invitation)])


# --- the call and who is asked ---------------------------------------------------------------------------------------


def test_a_letter_must_carry_the_link_and_known_blanks(manager: Membership, call: QuestionCall) -> None:
    with pytest.raises(Refused, match=r"There is no \{author\}.*\{opt_out\} is missing"):
        update_call(by=manager.user, at=AT, call=call, mail_body="Dear {author}, {link}")
    call.refresh_from_db()
    assert call.mail_body == BODY
    with pytest.raises(Conflict, match="already"):
        create_call(
            by=manager.user,
            at=AT,
            collection=call.collection,
            name=call.name,
            source="x",
            guideline="g",
            mail_subject="s",
            mail_body=BODY,
            deadline_at=call.deadline_at,
        )


def test_a_call_that_nobody_could_answer_is_not_made(client: Client, manager: Membership) -> None:
    client.force_login(manager.user)
    form = {"name": "late", "source": "author", "deadline_at": "2020-02-29", "guideline": "My *own* words"}
    page = client.post(reverse("author_call_create", args=["tea"]), form | {"mail_subject": SUBJECT, "mail_body": BODY})
    assert page.status_code == 422
    assert "The last day is over already" in page.text
    assert "My *own* words" in page.text
    assert not QuestionCall.objects.exists()


def test_only_managers_ask(call: QuestionCall) -> None:
    viewer = MembershipFactory(role=Role.ADJUDICATOR, collection=call.collection)
    with pytest.raises(NotAllowed):
        invite_author(by=viewer.user, at=AT, call=call, email="a@example.org", docno="D0")


def test_a_file_brings_authors_and_tells_bad_rows(manager: Membership, call: QuestionCall) -> None:
    invite(call, "known@example.org")
    AuthorOptOut.objects.create(email="silent@example.org", opted_out_at=AT)
    rows = "Email;docno;name\nANN@example.org;D0;Ann Ö\nknown@example.org;D0;K\nbad;D1;\nann@example.org;D0;again\n"
    rows += "bob@example.org;D9;\nsilent@example.org;D1;\nbob@example.org;D1;=1+1\n"
    found = invite_authors(
        by=manager.user, at=AT, call=call, file="authors.csv", stream=io.BytesIO(rows.encode("utf-8-sig"))
    )
    assert (found.created, found.known) == (2, 1)
    assert [(each.line, each.reason) for each in found.problems] == [
        (4, "bad is no e-mail address"),
        (5, "ann@example.org stands here for D0 twice"),
        (6, "there is no document D9 in the collection"),
        (7, "silent@example.org has asked not to be written to"),
    ]
    assert call.invitations.get(email="ann@example.org").name == "Ann Ö"


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"name,docno\nA,D0\n", b'email,docno\n"a@b.cd,D0\n'])
def test_a_broken_file_changes_nothing(manager: Membership, call: QuestionCall, content: bytes) -> None:
    with pytest.raises(Refused, match="Nobody was invited"):
        invite_authors(by=manager.user, at=AT, call=call, file="x.csv", stream=io.BytesIO(content))
    assert not call.invitations.exists()


def test_the_letter_that_is_being_typed_is_shown_before_it_is_saved(manager: Membership, call: QuestionCall) -> None:
    client = Client()
    client.force_login(manager.user)
    typed = {
        "name": call.name,
        "source": call.source,
        "deadline_at": "2031-05-06",
        "guideline": "Be **brief**.",
        "mail_subject": "On “{paper}”",
        "mail_body": "Dear {name}, until {deadline}: {link} {opt_out}",
        "call": call.pk,
    }
    preview = reverse("author_letter_preview", args=[call.collection.slug])
    nobody_yet = client.post(preview, typed).text
    assert "Dear author, until 6 May 2031, 23:59" in nobody_yet
    assert "/questions/…/opt-out/" in nobody_yet
    ann = invite(call)
    shown = client.post(preview, typed).text
    assert f"To {ann.email}" in shown
    assert f"On “{ann.document.title}”" in shown
    assert "Dear Ann, until" in shown
    assert "<strong>brief</strong>" in shown
    assert "{opt_out} is missing" in client.post(preview, typed | {"mail_body": "{link}"}).text
    # Without script a button asks for it; nothing is saved either way.
    page = client.post(reverse("author_call_edit", args=[call.collection.slug, call.pk]), typed | {"step": "preview"})
    assert "Dear Ann, until 6 May 2031" in page.text
    call.refresh_from_db()
    assert call.mail_body == BODY
    # A call of another collection lends nobody's address.
    other = MembershipFactory(role=Role.MANAGER)
    client.force_login(other.user)
    assert client.post(reverse("author_letter_preview", args=[other.collection.slug]), typed).status_code == 404


# --- letters ---------------------------------------------------------------------------------------------------------


def test_letters_go_out_once_with_the_personal_link(call: QuestionCall) -> None:
    ann, bob = invite(call), invite(call, "bob@example.org", "D1", "")
    mailing = send(call)
    assert (mailing.state, mailing.sent, mailing.failed) == (JobState.DONE, 2, 0)
    first, second = mail.outbox
    assert first.to == ["ann@example.org"]
    assert first.subject == "One question about your paper “Steeping, part 0”"
    assert answer_link(ann) in first.body
    assert answer_link(bob) not in first.body
    assert "Dear author," in second.body
    assert first.extra_headers["List-Unsubscribe"] == f"<{opt_out_link(ann)}>"
    with pytest.raises(Refused, match="Everybody has had a letter"):
        send(call)
    run_mailing(mailing.pk)
    assert len(mail.outbox) == 2


def test_what_was_on_its_way_when_the_worker_died_is_not_sent_again(call: QuestionCall) -> None:
    ann, _ = invite(call), invite(call, "bob@example.org", "D1")
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=MailPurpose.INVITATION)
    AuthorLetter.objects.create(mailing=mailing, invitation=ann, purpose=mailing.purpose, at=AT)
    AuthorMailing.objects.filter(pk=mailing.pk).update(state=JobState.RUNNING, attempts=1)
    run_mailing(mailing.pk)
    assert [letter.to for letter in mail.outbox] == [["bob@example.org"]]
    assert ann.letters.get().state == LetterState.SENDING


def test_reminders_go_to_those_who_are_silent(call: QuestionCall) -> None:
    ann, _, cy = invite(call), invite(call, "bob@example.org", "D1"), invite(call, "cy@example.org", "D2")
    send(call)
    answer(ann)
    opt_out(at=AT, token=author_token(cy))
    mail.outbox.clear()
    send(call, MailPurpose.REMINDER)
    assert [letter.to for letter in mail.outbox] == [["bob@example.org"]]
    counts = count_call(call)
    assert (counts.answered, counts.waiting, counts.stopped, counts.unsent) == (1, 1, 1, 0)


def test_a_mail_server_that_is_away_stops_the_job_and_the_rest_goes_later(call: QuestionCall, settings) -> None:
    for number in range(7):
        invite(call, f"a{number}@example.org")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 2
    mailing = send(call)
    assert mailing.state == JobState.FAILED
    assert "did not take 5 letters in a row" in mailing.reason
    assert mailing.failed == 5
    assert "ConnectionRefusedError" in AuthorLetter.objects.first().reason
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send(call).sent == 7
    assert len(mail.outbox) == 7


def test_who_opts_out_or_answers_while_letters_go_out_gets_none(call: QuestionCall, settings) -> None:
    ann, bob, _ = invite(call), invite(call, "bob@example.org", "D1"), invite(call, "cy@example.org", "D2")
    send(call)
    mail.outbox.clear()
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=MailPurpose.REMINDER)
    told = []

    class Meanwhile(Progress):
        def report(self, done: int, total: int | None = None, step: str = "") -> None:
            if not told:
                opt_out(at=AT, token=author_token(ann))
                answer(bob)
            told.append(step)

    send_letters(mailing, Meanwhile(mailing))
    assert [letter.to for letter in mail.outbox] == [["cy@example.org"]]
    assert told[0] == "writing to ann@example.org"
    mailing.refresh_from_db()
    assert mailing.sent == 1


def test_a_name_cannot_write_lines_of_a_letter(manager: Membership, call: QuestionCall) -> None:
    rows = b'email,docno,name\n"x@example.org\r\nBcc: y@example.org",D0,X\nz@example.org,D0,"Z\r\nBcc: y@example.org"\n'
    Document.objects.filter(docno="D0").update(title="Steeping\r\nBcc: y@example.org")
    found = invite_authors(by=manager.user, at=AT, call=call, file="a.csv", stream=io.BytesIO(rows))
    assert len(found.problems) == 1
    assert found.problems[0].reason.endswith("is no e-mail address")
    send(call)
    (letter,) = mail.outbox
    assert letter.recipients() == ["z@example.org"]
    assert "\nBcc:" not in letter.body
    message = letter.message()
    assert "Bcc" not in message
    assert "\n" not in letter.subject


def test_a_cancelled_mailing_says_how_many_went(call: QuestionCall, settings) -> None:
    settings.MAIL_RATE = 60
    for number in range(3):
        invite(call, f"a{number}@example.org")
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=MailPurpose.INVITATION)
    AuthorMailing.objects.filter(pk=mailing.pk).update(cancel_requested_at=AT, state=JobState.RUNNING)
    run_mailing(mailing.pk)
    mailing.refresh_from_db()
    assert mailing.state == JobState.CANCELLED
    assert mailing.reason == f"Cancelled. {len(mail.outbox)} letters had gone out."
    assert len(mail.outbox) < 3


# --- the author's page -----------------------------------------------------------------------------------------------


def test_whoever_withdrew_has_not_answered(call: QuestionCall) -> None:
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
    assert "Another window or device" in stale.text
    assert f'<p class="question-large">{QUESTION}</p>' in stale.text  # what the other has sent
    assert "And the day after?" in stale.text  # what was typed here
    form = stale.context["form"]
    assert client.post(page_of(ann), {name: form[name].value() for name in sent}).status_code == 302
    assert [each.revision for each in ann.answers.all()] == [1, 2]
    assert contributors_of(call.collection) == ["Ann Tee"]
    assert client.post(reverse("author_withdrawal", args=[author_token(ann)])).status_code == 302
    assert "withdrawn" in client.get(page_of(ann)).text
    assert contributors_of(call.collection) == []
    assert AuditEvent.objects.filter(verb="withdraw_answer", actor_id=None).count() == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"consent": ""}, "Without your consent"),
        ({"text": "Tea?"}, "at least 15"),
        ({"text": "x" * 2001}, "This has 2001 characters, and a question at most 2,000"),
        ({"credit_name": "Ann <script>"}, "A name is plain text"),
        ({"text": f"{QUESTION} \u202etxet desrever"}, "characters that nobody can see"),
        ({"text": "\u200b" * 40}, "There are no words in it"),
        ({"seen": "x"}, "load it anew"),
        ({"homepage": "http://spam.example"}, "filled in by a program"),
        ({"credit_name": " "}, "Say the name"),
        ({"text": "a\x00b" * 10}, "Null characters"),
        ({"text": "Is <b>stirring</b> worth the trouble in the morning?"}, "Write it without HTML"),
        ({"text": "word " * 4_000}, "19999 characters"),
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
    assert "taken back" in page.text
    with pytest.raises(BadLink):
        find_author(author_token(ann))


def test_whose_invitation_was_revoked_can_still_opt_out(call: QuestionCall) -> None:
    ann = invite(call)
    revoke_author(by=call.created_by, at=AT, invitation=ann)
    address = reverse("author_opt_out", args=[author_token(ann)])
    assert "ann@example.org" in Client().get(address).text
    assert "no more letters" in Client().post(address).text
    assert AuthorOptOut.objects.get().email == "ann@example.org"


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
    with pytest.raises(Refused, match="not to be written to"):
        invite(call, docno="D1")
    with pytest.raises(Refused, match="Everybody has had"):
        send(call)


# --- from answers to topics ------------------------------------------------------------------------------------------


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
    with pytest.raises(Refused, match="no answer that is not a topic"):
        take_in_questions(by=manager.user, at=timezone.now(), call=call)
    with pytest.raises(Refused, match="part of the collection now"):
        answer(ann, "Another question about the very same paper?", seen=1)


def test_equal_questions_become_one_topic_and_the_manager_is_told(client: Client, call: QuestionCall) -> None:
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
        collection=call.collection, slug="main", name="Main", kind=CampaignKind.RUBRIC, seed=1, created_at=AT
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
    with pytest.raises(Refused, match="were taken until"):
        answer(ann)
    assert "were taken until" in Client().get(page_of(ann)).text
    with pytest.raises(Refused, match="deadline has passed"):
        send(call)


# --- the manager's pages ---------------------------------------------------------------------------------------------


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
    assert "Line 3: bad is no e-mail address" in page.text
    one = {"email": "bob@example.org", "docno": "D1", "name": ""}
    assert client.post(reverse("author_invitation_create", args=["tea", call.pk]), one).status_code == 302
    again = client.post(reverse("author_invitation_create", args=["tea", call.pk]), one)
    assert (again.status_code, "invited for D1 already" in again.text) == (422, True)
    client.post(reverse("author_mailing_create", args=["tea", call.pk]), {"purpose": "invitation"})
    run_mailing(call.mailings.get().pk)
    assert len(mail.outbox) == 2
    answer(call.invitations.get(email="ann@example.org"), name="Ann Tee")
    page = client.get(address, {"state": "answered"})
    assert QUESTION in page.text
    assert "bob@example.org" not in page.text
    close(call)
    client.post(reverse("author_question_take_in", args=["tea", call.pk]))
    assert manager.collection.topics.get().text == QUESTION
    assert "Ann Tee." in client.get(reverse("author_call_list", args=["tea"])).text


def test_the_page_asks_as_often_for_many_as_for_few(
    client: Client, call: QuestionCall, django_assert_max_num_queries
) -> None:
    client.force_login(call.created_by)
    for number in range(30):
        answer(invite(call, f"a{number}@example.org", f"D{number % 3}"))
    with django_assert_max_num_queries(18):
        assert client.get(reverse("author_call_detail", args=["tea", call.pk])).status_code == 200


def test_jobs_know_the_mailing(call: QuestionCall) -> None:
    assert jobs.task_name(AuthorMailing) == "corpus.tasks.run_author_mailing"


def test_a_withdrawn_question_is_never_kept(manager: Membership, call: QuestionCall) -> None:
    ann = invite(call)
    answer(ann)
    close(call)
    (topic,) = take_in_questions(by=manager.user, at=timezone.now(), call=call).topics
    topic.extra = {"quality": 2, "specificity": 1}
    topic.save()
    campaign = Campaign.objects.create(
        collection=call.collection, slug="dev", name="Dev", kind=CampaignKind.RUBRIC, split="dev", seed=1, created_at=AT
    )
    Item.objects.create(campaign=campaign, split=campaign.split, topic=topic)
    assert [each.text for each in fetch_question_set(call.collection).kept] == [QUESTION]
    withdraw_answer(at=AT, token=author_token(ann))
    found = fetch_question_set(call.collection)
    assert found.kept == []
    assert [(each.state, each.reason) for each in found.questions] == [("discarded", "withdrawn by its author")]
