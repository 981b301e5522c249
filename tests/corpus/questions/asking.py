"""A call for questions and its authors, for tests."""

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from corpus.models import (
    AuthorAnswer,
    AuthorInvitation,
    AuthorMailing,
    Document,
    MailPurpose,
    Membership,
    QuestionCall,
    Role,
)
from corpus.questions.author_answers import submit_answer
from corpus.questions.author_calls import create_call, invite_author, request_mailing
from corpus.questions.author_links import author_token
from corpus.questions.author_words import BODY, GUIDELINE, SUBJECT
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

QUESTION = "Does steeping leaves for longer change what a drinker remembers the next day?"


def new_manager() -> Membership:
    """The manager of a collection with three documents."""
    member = MembershipFactory(role=Role.MANAGER, collection=CollectionFactory(slug="tea", title="Tea"))
    for number in range(3):
        Document.objects.create(collection=member.collection, docno=f"D{number}", title=f"Steeping, part {number}")
    return member


def new_call(manager: Membership) -> QuestionCall:
    """A call that is open for a week."""
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
    jobs.carry_out(mailing)
    mailing.refresh_from_db()
    return mailing


def close(call: QuestionCall) -> None:
    QuestionCall.objects.filter(pk=call.pk).update(deadline_at=timezone.now() - timedelta(minutes=1))
    call.refresh_from_db()


def page_of(invitation: AuthorInvitation) -> str:
    return reverse("author_answer", args=[author_token(invitation)])
