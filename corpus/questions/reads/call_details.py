"""A call to authors as commands and the API give it: what it says, how far it is, its authors and their answers."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from corpus.models import AuthorInvitation, Collection, MailPurpose, QuestionCall
from corpus.questions.author_links import answer_link
from corpus.questions.reads.authors import (
    STATES,
    answers_of,
    calls_of,
    count_call,
    due_letters,
    invitations_of,
    letters_of,
    sample_letter,
    standing_answers,
)


def call_as_json(call: QuestionCall) -> dict[str, Any]:
    """What names a call and until when it takes answers."""
    return {"id": call.pk, "name": call.name, "source": call.source, "deadline_at": call.deadline_at}


def calls_as_json(collection: Collection) -> list[dict[str, Any]]:
    """All calls, newest first, with how many authors were invited and how many have answered."""
    rows: Any = calls_of(collection)
    return [call_as_json(each) | {"invited": each.n_invited, "answered": each.n_answered} for each in rows]


def call_details(call: QuestionCall, at: datetime) -> dict[str, Any]:
    """A call as its page shows it. `due` counts whom each mailing would go to, `ready` answers to make topics of."""
    letter = sample_letter(call)
    mailing = call.mailings.order_by("-pk").first()
    return call_as_json(call) | {
        "guideline": call.guideline,
        "mail_subject": call.mail_subject,
        "mail_body": call.mail_body,
        "letter": {"to": letter.to, "subject": letter.subject, "body": letter.body},
        "counts": asdict(count_call(call)),
        "due": {purpose: due_letters(call, purpose).count() for purpose in MailPurpose.values},
        "is_over": call.deadline_at <= at,
        "ready": standing_answers(call).count(),
        "mailing": mailing
        and {"id": mailing.pk, "state": mailing.state, "sent": mailing.sent, "reason": mailing.reason},
    }


def authors_as_json(invitations: list[AuthorInvitation]) -> list[dict[str, Any]]:
    """Invitations from `invitations_of` with their newest letter and answer; `topic` once one was made of it."""
    letters, answers = letters_of(invitations), answers_of(invitations)
    return [_author(each, letters.get(each.pk), answers.get(each.pk)) for each in invitations]


def authors_in_state(call: QuestionCall, state: str) -> Any:
    """The call's invitations, those in one of STATES, or all for ""."""
    rows = invitations_of(call)
    return rows.filter(STATES[state]) if state else rows


def _author(one: Any, letter: Any, answer: Any) -> dict[str, Any]:
    return {
        "id": one.pk,
        "email": one.email,
        "name": one.name,
        "docno": one.document.docno,
        "state": _state(one),
        "link": None if one.revoked_at or one.answer_id else answer_link(one),
        "letter": letter and letter.state,
        "letter_reason": (letter.reason or None) if letter else None,
        "question": answer.text if answer and not answer.withdrawn else None,
        "credit_name": (answer.credit_name or None) if answer else None,
        "answered_at": answer.submitted_at if answer else None,
        "topic": answer.topic_number if answer else None,
    }


def _state(one: Any) -> str:
    """Its name among STATES."""
    if one.answer_id:
        return "withdrawn" if one.has_withdrawn else "answered"
    if one.revoked_at or one.opted_out:
        return "stopped"
    return "waiting" if one.went_out else "unsent"
