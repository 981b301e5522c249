"""Sending the letters of a call, N per minute. A letter is recorded before it is sent: none is sent twice."""

import time
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Refused
from corpus.models import AuthorInvitation, AuthorLetter, AuthorMailing, LetterState
from corpus.questions.author_links import opt_out_link
from corpus.questions.authors import due_letters, letter_to

MOST_FAILURES = 5  # in a row: then the mail server is away, not the address wrong


def send_letters(mailing: AuthorMailing, progress: jobs.Progress) -> None:
    """Send every letter that is due and that this mailing has not written down yet."""
    done = mailing.letters.count()
    already = mailing.letters.values("invitation")
    due = due_letters(mailing.call, mailing.purpose).exclude(pk__in=already).select_related("call__collection")
    waiting = list(due.order_by("pk"))
    try:
        _send_all(mailing, progress, done, waiting)
    except jobs.Cancelled as cancelled:
        raise jobs.Cancelled(f"Cancelled. {mailing.sent} letters had gone out.") from cancelled
    progress.report(done + len(waiting), done + len(waiting), "done")


def _send_all(mailing: AuthorMailing, progress: jobs.Progress, done: int, waiting: list[AuthorInvitation]) -> None:
    failures = 0
    for place, invitation in enumerate(waiting):
        progress.report(done + place, done + len(waiting), f"writing to {invitation.email}")
        if not due_letters(mailing.call, mailing.purpose).filter(pk=invitation.pk).exists():
            continue  # answered, revoked or opted out while the others were written to
        started = time.monotonic()
        failures = 0 if _send(mailing, invitation) else failures + 1
        _count(mailing)
        if failures == MOST_FAILURES:
            raise Refused(
                f"The mail server did not take {MOST_FAILURES} letters in a row. {mailing.sent} went out. Look at the "
                "reasons in the table; then send again, which goes on with the others."
            )
        if place + 1 < len(waiting):
            _wait(progress, started)
    _count(mailing)


def _send(mailing: AuthorMailing, invitation: AuthorInvitation) -> bool:
    """Write the letter down, send it, say what became of it. False if the mail server did not take it."""
    try:
        with transaction.atomic():
            letter = AuthorLetter.objects.create(
                mailing=mailing, invitation=invitation, purpose=mailing.purpose, at=timezone.now()
            )
    except IntegrityError:  # another mailing has written to this author meanwhile
        return True
    try:
        _message(invitation).send()
    except (SMTPException, OSError, ValueError) as error:
        letter.state, letter.reason = LetterState.FAILED, f"{type(error).__name__}: {error}"[:300]
    else:
        letter.state = LetterState.SENT
    letter.save(update_fields=["state", "reason"])
    return letter.state == LetterState.SENT


def _message(invitation: AuthorInvitation) -> EmailMessage:
    letter = letter_to(invitation)
    headers = {
        "List-Unsubscribe": f"<{opt_out_link(invitation)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(letter.subject, letter.body, None, [letter.to], headers=headers, connection=get_connection())


def _count(mailing: AuthorMailing) -> None:
    mailing.sent = mailing.letters.filter(state=LetterState.SENT).count()
    mailing.failed = mailing.letters.filter(state=LetterState.FAILED).count()
    mailing.save(update_fields=["sent", "failed"])


def _wait(progress: jobs.Progress, started: float) -> None:
    """Keep to the rate, and stay cancellable meanwhile."""
    until = started + (60 / settings.MAIL_RATE if settings.MAIL_RATE else 0)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.5))
        progress.check()
