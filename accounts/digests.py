"""One mail a day to each person with what waits for them, and none where nothing waits (docs/adr/0043).

Each app names in `digest_lines` of its AppConfig the function that gives its lines for a person.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import models
from django.db.models import Q
from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from accounts import mail
from accounts.counting import day
from accounts.extensions import extensions
from accounts.job_kinds import job_kinds
from accounts.languages import in_language_of
from accounts.mail import whole_address
from accounts.models import Digest, Job, JobState, User
from accounts.prepared_statements import run
from accounts.refusals import NotAllowed

logger = logging.getLogger(__name__)

A_DAY = timedelta(days=1)
MOST_LINES = 10  # of one notice in one mail
_ENDED = [JobState.DONE.value, JobState.FAILED.value]
MOST_FAILURES = 5  # in a row: then the mail server is away, not the address wrong


class Notice(models.TextChoices):
    """What a digest reports; each can be switched off by the person."""

    WORK = "work", gettext_noop("Work waiting for me")
    DEADLINE = "deadline", gettext_noop("Deadlines within 3 days")
    JOB = "job", gettext_noop("Jobs I started that have ended")
    ADDED = "added", gettext_noop("Items added to my work later")
    QUESTION = "question", gettext_noop("Annotators' questions waiting for my answer")
    ANSWER = "answer", gettext_noop("Answers to my questions")
    BELOW = "below", gettext_noop("Annotators below a pass mark")
    WEBHOOK = "webhook", gettext_noop("Webhooks that were switched off")


HEADINGS = {
    Notice.WORK: gettext_lazy("To do"),
    Notice.DEADLINE: gettext_lazy("Deadlines"),
    Notice.JOB: gettext_lazy("Your jobs that have ended"),
    Notice.ADDED: gettext_lazy("Added to your work"),
    Notice.QUESTION: gettext_lazy("Questions of annotators"),
    Notice.ANSWER: gettext_lazy("Answers to your questions"),
    Notice.BELOW: gettext_lazy("Below the pass mark"),
    Notice.WEBHOOK: gettext_lazy("Webhooks that were switched off, because their server did not take messages"),
}


@dataclass(frozen=True)
class Line:
    """One thing to report, and the path of the page where the person goes on. Never a label or another's name."""

    notice: Notice
    text: str
    path: str

    @property
    def shown(self) -> str:
        """The text on one line: names of campaigns are typed by people."""
        return " ".join(self.text.split())

    @property
    def address(self) -> str:
        """At the site's configured name, as in all mails."""
        return whole_address(self.path)


Lines = Callable[[User, datetime, datetime], Iterable[Line]]  # of a person, after the first time until the second


def switched_off(user: User) -> set[str]:
    """The notices that the person does not want."""
    return set(user.preferences.get("mail_off", []))


def lines_for(user: User, since: datetime, now: datetime) -> list[Line]:
    """What waits for the person now, and what has happened to them after `since`, without what they switched off."""
    sources: dict[str, Lines] = extensions("digest_lines")
    off = switched_off(user)
    if off >= set(Notice.values):
        return []
    return [line for source in sources.values() for line in source(user, since, now) if line.notice not in off]


def job_lines(user: User, since: datetime, now: datetime) -> Iterator[Line]:
    """The person's own jobs that ended, as far as they may still see them."""
    ended = Q(finished_at__gt=since, finished_at__lte=now, state__in=_ENDED)
    for kind in _kinds_ended(user, since, now):
        rows = kind.model._default_manager.filter(ended, requested_by=user).order_by("-finished_at")
        for job in islice(rows, MOST_LINES + 1):
            if _is_visible(kind, job, user):
                heading = " ".join(filter(None, (kind.words(job), kind.subject(job))))
                yield Line(Notice.JOB, f"{heading} ({job.get_state_display()})", kind.address(job))


def _kinds_ended(user: User, since: datetime, now: datetime) -> list[Any]:
    """The kinds of jobs of which the person has any that ended in that time. One query: most have none."""
    kinds = list(job_kinds().values())
    own = "requested_by_id = %(user)s AND finished_at > %(since)s AND finished_at <= %(now)s AND state = ANY(%(ended)s)"
    queries = (
        f"SELECT {place} AS place WHERE EXISTS (SELECT FROM {kind.model._meta.db_table} WHERE {own})"
        for place, kind in enumerate(kinds)
    )
    found = run(" UNION ALL ".join(queries), {"user": user.pk, "since": since, "now": now, "ended": _ENDED})
    return [kinds[row.place] for row in sorted(found)]


def _is_visible(kind: Any, job: Job, user: User) -> bool:
    try:
        kind.fetch(job.pk, user)
    except (Http404, NotAllowed):
        return False
    return True


def send_due(now: datetime) -> int:
    """Send the digests of today that are due, at most a minute's share of the mail rate; returns how many were sent.

    Run by beat each minute. A digest is claimed before it is composed, so it is never sent twice, whatever runs at the
    same time or dies. What a lost one would have reported is in the next, because `covered_until` moves with a success.
    """
    today = timezone.localtime(now)
    if not mail.is_set_up() or today.hour < settings.DIGEST_HOUR:
        return 0
    due = User.objects.filter(is_active=True).exclude(digest__day__gte=today.date()).order_by("pk")
    if not due.exists() or not _server_answers():
        return 0
    sent = failures = 0
    for user in due.iterator():
        success = _send(user, now) if _claim(user, now) else None
        if success is not None:
            sent, failures = (sent + 1, 0) if success else (sent, failures + 1)
        if failures == MOST_FAILURES or sent == (settings.MAIL_RATE or None):
            break
    return sent


def _server_answers() -> bool:
    """Whether there is a mail server to hand anything to; until there is, nobody's digest is claimed."""
    try:
        connection = get_connection()
        connection.open()
        connection.close()
    except (SMTPException, OSError):
        logger.warning("Daily mails are delayed: the mail server cannot be reached.", exc_info=True)
        return False
    return True


def _claim(user: User, now: datetime) -> bool:
    """Whether this call, and no other, sends the person's digest of today."""
    today = timezone.localdate(now)
    first = {"day": today - A_DAY, "covered_until": now - A_DAY}
    Digest.objects.get_or_create(user=user, defaults=first)
    return Digest.objects.filter(user=user, day__lt=today).update(day=today) == 1


def _send(user: User, now: datetime) -> bool | None:
    """Whether the mail server took the person's digest; None where there was nothing to report."""
    digest = Digest.objects.get(user=user)
    try:
        with in_language_of(user):
            lines = lines_for(user, digest.covered_until, now)
            if lines:
                _message(user, lines, now).send()
    except (SMTPException, OSError):
        logger.exception("The daily mail to person %s could not be sent", user.pk)
        return False
    Digest.objects.filter(user=user).update(covered_until=now)
    return True if lines else None


def _message(user: User, lines: list[Line], now: datetime) -> EmailMessage:
    groups = [(HEADINGS[notice], [line for line in lines if line.notice == notice]) for notice in HEADINGS]
    context = {
        "user": user,
        "groups": [(head, found[:MOST_LINES], len(found) > MOST_LINES) for head, found in groups if found],
        "home": f"{settings.SITE_URL}/",
        "profile": whole_address(reverse("account_profile")),
    }
    headers = {"Auto-Submitted": "auto-generated", "List-Unsubscribe": f"<{context['profile']}>"}
    text = render_to_string("accounts/digest_mail.txt", context)
    return EmailMessage(_("Litmus: your work on {day}").format(day=day(now)), text, None, [user.email], headers=headers)
