"""Actions of an invited author on the personal page: answer, answer again, withdraw, opt out of letters."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from accounts.audit import record_event
from accounts.refusals import Conflict, Refused
from corpus.models import AuthorAnswer, AuthorInvitation, AuthorOptOut, AuthorQuestion, Collection, Topic
from corpus.questions.author_links import author_number
from corpus.questions.authors import deadline_words, newest_answer


class BadLink(Refused):
    """The link does not work (any longer); the reason says why."""


def find_author(token: str, *, for_update: bool = False, even_revoked: bool = False) -> AuthorInvitation:
    """The invitation of a personal link. Errors: BadLink for a forged one, or a revoked one unless it will do."""
    rows = AuthorInvitation.objects.select_related("call__collection", "document")
    if for_update:
        rows = rows.select_for_update(of=("self",))
    found = rows.filter(pk=author_number(token) or 0).first()
    if found is None:
        raise BadLink(_("This link is incomplete. Copy the whole link from the letter."))
    if found.revoked_at and not even_revoked:
        raise BadLink(_("This invitation was revoked by the sender."))
    return found


CHANGED_ELSEWHERE = _(
    "You changed your answer in another window or on another device. Nothing you typed here is lost: "
    "send it again to replace the other version."
)


@transaction.atomic
def submit_answer(*, at: datetime, token: str, seen: int, text: str, consent: bool, credit_name: str) -> AuthorAnswer:
    """Keep the author's question as the newest revision; the same again is the same.

    `seen` is the revision the page showed (0: none). Errors: BadLink, Refused after the deadline, without consent or
    once a topic was made of it, Conflict when another window has sent something since.
    """
    invitation = find_author(token, for_update=True)
    last = newest_answer(invitation)
    revision = last.revision if last else 0
    if last and not last.withdrawn and (last.text, last.credit_name) == (text, credit_name):
        return last
    _check_open(invitation, at)
    if seen != revision:
        raise Conflict(CHANGED_ELSEWHERE)
    if not consent:
        raise Refused(_("Without your consent the question cannot be part of the collection."))
    answer = AuthorAnswer.objects.create(
        invitation=invitation,
        revision=revision + 1,
        text=text,
        consent=True,
        credit_name=credit_name,
        submitted_at=at,
    )
    _record(at, "submit_answer", invitation, revision=answer.revision)
    return answer


@transaction.atomic
def withdraw_answer(*, at: datetime, token: str) -> None:
    """Take the question back, at any time. A topic that nobody has taken up yet goes; a judged one is marked."""
    # Before the invitation, as every action that makes topics or items: else a campaign could take a topic that goes.
    Collection.objects.select_for_update(no_key=True).get(pk=find_author(token).call.collection_id)
    invitation = find_author(token, for_update=True)
    last = newest_answer(invitation)
    if last is None or last.withdrawn:
        raise Conflict(_("There is no question to withdraw."))
    AuthorAnswer.objects.create(invitation=invitation, revision=last.revision + 1, withdrawn=True, submitted_at=at)
    question = AuthorQuestion.objects.filter(answer__invitation=invitation).select_related("topic").first()
    kept = question is not None and not _is_gone(question.topic)
    _record(at, "withdraw_answer", invitation, topic_kept=kept)


@transaction.atomic
def opt_out(*, at: datetime, token: str) -> None:
    """No longer write to this address, from any collection; a repeat changes nothing."""
    invitation = find_author(token, even_revoked=True)
    _, is_new = AuthorOptOut.objects.get_or_create(email=invitation.email, defaults={"opted_out_at": at})
    if is_new:
        _record(at, "opt_out", invitation)


def _is_gone(topic: Topic) -> bool:
    """Delete the topic, unless a campaign or another topic needs it."""
    try:
        with transaction.atomic():
            topic.delete()
    except (ProtectedError, IntegrityError):  # or a release stands on it
        return False
    return True


def why_closed(invitation: AuthorInvitation, at: datetime) -> str:
    """Why the author can no longer change the answer; "" while it can be changed."""
    if AuthorQuestion.objects.filter(answer__invitation=invitation).exists():
        return _("Your question is now part of the collection and can no longer be edited. You can still withdraw it.")
    if invitation.call.deadline_at <= at:
        return _("Questions were accepted until {deadline_words}.").format(
            deadline_words=deadline_words(invitation.call.deadline_at)
        )
    return ""


def _check_open(invitation: AuthorInvitation, at: datetime) -> None:
    if reason := why_closed(invitation, at):
        raise Refused(reason)


def _record(at: datetime, verb: str, invitation: AuthorInvitation, **facts: object) -> None:
    record_event(by=None, at=at, verb=verb, target=invitation, scope=invitation.call.collection, **facts)
