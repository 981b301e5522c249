"""Questions from authors: the call, who is asked, and the letters to them."""

import io

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.jobs import Progress
from accounts.models import JobState
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.models import (
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
from corpus.questions.author_answers import opt_out
from corpus.questions.author_calls import (
    create_call,
    invite_author,
    invite_authors,
    request_mailing,
    update_call,
)
from corpus.questions.author_links import answer_link, author_token, opt_out_link
from corpus.questions.author_mails import send_letters
from corpus.questions.author_words import BODY, SUBJECT
from corpus.questions.authors import count_call
from tests.corpus.questions.asking import answer, invite, send
from tests.factories.accounts import AT, MembershipFactory

pytestmark = pytest.mark.django_db


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
    assert "The deadline has already passed" in page.text
    assert "My *own* words" in page.text
    assert not QuestionCall.objects.exists()


def test_only_managers_ask(call: QuestionCall) -> None:
    viewer = MembershipFactory(role=Role.ADJUDICATOR, collection=call.collection)
    with pytest.raises(NotAllowed):
        invite_author(by=viewer.user, at=AT, call=call, email="a@example.org", docno="D0")


def test_a_file_brings_authors_and_shows_bad_rows(manager: Membership, call: QuestionCall) -> None:
    invite(call, "known@example.org")
    AuthorOptOut.objects.create(email="silent@example.org", opted_out_at=AT)
    rows = "Email;docno;name\nANN@example.org;D0;Ann Ö\nknown@example.org;D0;K\nbad;D1;\nann@example.org;D0;again\n"
    rows += "bob@example.org;D9;\nsilent@example.org;D1;\nbob@example.org;D1;=1+1\n"
    found = invite_authors(
        by=manager.user, at=AT, call=call, file="authors.csv", stream=io.BytesIO(rows.encode("utf-8-sig"))
    )
    assert (found.created, found.known) == (2, 1)
    assert [(each.line, each.reason) for each in found.problems] == [
        (4, "bad is not an e-mail address"),
        (5, "ann@example.org is listed here for D0 twice"),
        (6, "there is no document D9 in the collection"),
        (7, "silent@example.org does not want to receive letters"),
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
    with pytest.raises(Refused, match="All authors have received a letter"):
        send(call)
    jobs.carry_out(mailing)
    assert len(mail.outbox) == 2


def test_what_was_on_its_way_when_the_worker_died_is_not_sent_again(call: QuestionCall) -> None:
    ann, _ = invite(call), invite(call, "bob@example.org", "D1")
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=MailPurpose.INVITATION)
    AuthorLetter.objects.create(mailing=mailing, invitation=ann, purpose=mailing.purpose, at=AT)
    AuthorMailing.objects.filter(pk=mailing.pk).update(state=JobState.RUNNING, attempts=1)
    jobs.carry_out(mailing)
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


def test_without_a_mail_server_no_letter_is_begun_and_links_are_copied(
    manager: Membership, call: QuestionCall, client: Client, settings
) -> None:
    author = invite(call)
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    with pytest.raises(Refused, match="Not sent: no mail server is set up"):
        send(call)
    assert not AuthorMailing.objects.exists()
    client.force_login(manager.user)
    page = client.get(reverse("author_call_detail", args=[call.collection.slug, call.pk])).text
    assert "Send 1 letter" not in page
    assert answer_link(author) in page
    assert "Not sent: no mail server is set up" in page


def test_who_opts_out_or_answers_while_letters_go_out_gets_none(call: QuestionCall, settings) -> None:
    ann, bob, _ = invite(call), invite(call, "bob@example.org", "D1"), invite(call, "cy@example.org", "D2")
    send(call)
    mail.outbox.clear()
    mailing = request_mailing(by=call.created_by, at=timezone.now(), call=call, purpose=MailPurpose.REMINDER)
    messages = []

    class Meanwhile(Progress):
        def report(self, done: int, total: int | None = None, step: str = "") -> None:
            if not messages:
                opt_out(at=AT, token=author_token(ann))
                answer(bob)
            messages.append(step)

    send_letters(mailing, Meanwhile(mailing))
    assert [letter.to for letter in mail.outbox] == [["cy@example.org"]]
    assert messages[0] == "writing to ann@example.org"
    mailing.refresh_from_db()
    assert mailing.sent == 1


def test_a_name_cannot_write_lines_of_a_letter(manager: Membership, call: QuestionCall) -> None:
    rows = b'email,docno,name\n"x@example.org\r\nBcc: y@example.org",D0,X\nz@example.org,D0,"Z\r\nBcc: y@example.org"\n'
    Document.objects.filter(docno="D0").update(title="Steeping\r\nBcc: y@example.org")
    found = invite_authors(by=manager.user, at=AT, call=call, file="a.csv", stream=io.BytesIO(rows))
    assert len(found.problems) == 1
    assert found.problems[0].reason.endswith("is not an e-mail address")
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
    jobs.carry_out(mailing)
    mailing.refresh_from_db()
    assert mailing.state == JobState.CANCELLED
    assert mailing.reason == f"Cancelled. {len(mail.outbox)} letters had gone out."
    assert len(mail.outbox) < 3
