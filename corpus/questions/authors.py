"""Author-written questions: the invited authors, their letters and answers, the topics made of them.

`authors_as_json` and `call_details` are for commands and the API.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.counting import moment_with_zone
from corpus.models import (
    AuthorAnswer,
    AuthorInvitation,
    AuthorLetter,
    AuthorOptOut,
    AuthorQuestion,
    Collection,
    LetterState,
    MailPurpose,
    QuestionCall,
    Topic,
)
from corpus.questions.author_links import answer_link, opt_out_link
from engines.text.letters import faults_of, fill

BLANKS = ("name", "paper", "collection", "deadline", "link", "opt_out")
REQUIRED_BLANKS = ("link", "opt_out")
WENT_OUT = (LetterState.SENDING, LetterState.SENT)


@dataclass(frozen=True)
class Letter:
    """What one author gets."""

    to: str
    subject: str
    body: str


@dataclass(frozen=True)
class CallCounts:
    """How many authors of a call were asked and how far they are; each author stands in `invited` and one more."""

    invited: int
    answered: int
    withdrawn: int
    waiting: int  # a letter went out, no answer yet
    unsent: int
    stopped: int  # revoked, or the address wants no letters
    taken: int  # topics made


def invitations_of(call: QuestionCall) -> QuerySet[AuthorInvitation]:
    """The call's invitations with `opted_out`, `went_out` (a letter was handed over), the newest answer's `answer_id`
    and `has_withdrawn`, and `is_taken` (a topic was made of it)."""
    newest = AuthorAnswer.objects.filter(invitation=OuterRef("pk")).order_by("-revision")
    letters = AuthorLetter.objects.filter(invitation=OuterRef("pk"), state__in=WENT_OUT)
    return (
        AuthorInvitation.objects.filter(call=call)
        .select_related("document")
        .annotate(
            opted_out=Exists(AuthorOptOut.objects.filter(email=OuterRef("email"))),
            went_out=Exists(letters),
            answer_id=Subquery(newest.values("pk")[:1]),
            has_withdrawn=Subquery(newest.values("withdrawn")[:1]),
            is_taken=Exists(AuthorQuestion.objects.filter(answer__invitation=OuterRef("pk"))),
        )
    )


STATES = {
    "answered": Q(answer_id__isnull=False, has_withdrawn=False),
    "withdrawn": Q(has_withdrawn=True),
    "stopped": Q(answer_id__isnull=True) & (Q(revoked_at__isnull=False) | Q(opted_out=True)),
    "waiting": Q(answer_id__isnull=True, revoked_at__isnull=True, opted_out=False, went_out=True),
    "unsent": Q(answer_id__isnull=True, revoked_at__isnull=True, opted_out=False, went_out=False),
}


def count_call(call: QuestionCall) -> CallCounts:
    """Invited, in each state, and made into topics: one query."""
    counts = {name: Count("pk", filter=rule) for name, rule in STATES.items()}
    found = invitations_of(call).aggregate(invited=Count("pk"), taken=Count("pk", filter=Q(is_taken=True)), **counts)
    return CallCounts(**found)


def due_letters(call: QuestionCall, purpose: str) -> QuerySet[AuthorInvitation]:
    """The authors of a mailing of this purpose: the unsent ones, or those who have not answered."""
    return invitations_of(call).filter(STATES["unsent" if purpose == MailPurpose.INVITATION else "waiting"])


def letter_to(invitation: AuthorInvitation, call: QuestionCall | None = None) -> Letter:
    """The letter of the invitation's call, or of `call` with other words, with this author's blanks."""
    call = call or invitation.call
    values = {
        "name": invitation.name or "author",
        "paper": invitation.document.name,
        "collection": call.collection.title,
        "deadline": deadline_words(call.deadline_at),
        "link": answer_link(invitation),
        "opt_out": opt_out_link(invitation),
    }
    return _filled(call, values, invitation.email)


def _filled(call: QuestionCall, values: dict[str, str], to: str) -> Letter:
    subject = " ".join(fill(call.mail_subject, values).split())
    return Letter(to, subject[:300], fill(call.mail_body, values))


def letter_faults(call: QuestionCall) -> list[str]:
    """What is wrong with the call's letter, as sentences."""
    return faults_of(call.mail_subject, BLANKS) + faults_of(call.mail_body, BLANKS, REQUIRED_BLANKS)


def sample_letter(call: QuestionCall) -> Letter:
    """The letter to the first author on the list, as a preview; to an invented author while the list is empty.

    `call` may be one that is being typed. Its letter has no faults.
    """
    rows = AuthorInvitation.objects.filter(call=call.pk) if call.pk else AuthorInvitation.objects.none()
    first = rows.select_related("call__collection", "document").first()
    if first:
        return letter_to(first, call)
    address = f"{settings.SITE_URL}/questions/…/"
    values = {
        "name": "author",
        "paper": "The title of the author's paper",
        "collection": call.collection.title,
        "deadline": deadline_words(call.deadline_at) if call.deadline_at else "the last day",
        "link": address,
        "opt_out": f"{address}opt-out/",
    }
    return _filled(call, values, "an author")


def deadline_words(at: datetime) -> str:
    """A moment as letters and pages show it, with the site's time zone."""
    return moment_with_zone(at)


def newest_answer(invitation: AuthorInvitation) -> AuthorAnswer | None:
    return invitation.answers.order_by("-revision").first()


def standing_answers(call: QuestionCall) -> QuerySet[AuthorAnswer]:
    """The newest answers of the call that are not withdrawn and of which no topic was made."""
    newest = AuthorAnswer.objects.filter(invitation=OuterRef("invitation")).order_by("-revision")
    return (
        AuthorAnswer.objects.filter(invitation__call=call, withdrawn=False, pk=Subquery(newest.values("pk")[:1]))
        .filter(~Exists(AuthorQuestion.objects.filter(answer__invitation=OuterRef("invitation"))))
        .select_related("invitation")
        .order_by("invitation_id")
    )


def withdrawn_topics(collection: Collection) -> QuerySet[Topic]:
    """Topics made of questions that their authors have withdrawn since: judged, so kept, but not for publication."""
    newest = AuthorAnswer.objects.filter(invitation=OuterRef("author_question__answer__invitation"))
    return collection.topics.filter(author_question__isnull=False).filter(
        Exists(newest.filter(withdrawn=True, revision__gt=OuterRef("author_question__answer__revision")))
    )


def contributors_of(collection: Collection) -> list[str]:
    """The names for the acknowledgements, sorted: of standing answers with consent whose authors want to be named."""
    newest = AuthorAnswer.objects.filter(invitation=OuterRef("invitation")).order_by("-revision")
    rows = AuthorAnswer.objects.filter(
        pk=Subquery(newest.values("pk")[:1]), invitation__call__collection=collection, withdrawn=False, consent=True
    )
    names = rows.exclude(credit_name="").values_list("credit_name", flat=True).distinct()
    return sorted(names, key=lambda name: (name.split()[-1].casefold(), name.casefold()))


def calls_of(collection: Collection) -> QuerySet[QuestionCall]:
    """The collection's calls, newest first, with `n_invited` and `n_answered` (who withdrew has not)."""
    later = AuthorAnswer.objects.filter(invitation=OuterRef("invitation"), revision__gt=OuterRef("revision"))
    standing = AuthorAnswer.objects.filter(~Exists(later), invitation__call=OuterRef("pk"), withdrawn=False)
    answered = standing.order_by().values("invitation__call").annotate(n=Count("pk")).values("n")
    return collection.question_calls.annotate(
        n_invited=Count("invitations", distinct=True), n_answered=Coalesce(Subquery(answered), 0)
    )


def call_guideline(collection_id: int) -> str:
    """The Markdown that authors were given by the collection's newest call, "" where it has none."""
    found = QuestionCall.objects.filter(collection=collection_id).values_list("guideline", flat=True)
    return found.first() or ""


def letters_of(invitations: list[AuthorInvitation]) -> dict[int, AuthorLetter]:
    """Each invitation's newest letter."""
    letters = AuthorLetter.objects.filter(invitation__in=invitations).order_by("invitation_id", "-pk")
    return {letter.invitation_id: letter for letter in letters.distinct("invitation_id")}


def answers_of(invitations: list[AuthorInvitation]) -> dict[int, AuthorAnswer]:
    """The newest answers of invitations from `invitations_of`, with `topic` and `topic_number` made of them."""
    ids = [invitation.answer_id for invitation in invitations if invitation.answer_id]  # type: ignore[attr-defined]
    rows = AuthorAnswer.objects.filter(pk__in=ids).annotate(
        topic=F("question__topic"), topic_number=F("question__topic__number")
    )
    return {answer.invitation_id: answer for answer in rows}


def call_state(call: QuestionCall, at: datetime) -> dict[str, Any]:
    """The present state of a call. `due` counts the authors of each mailing, `ready` the answers to make topics of."""
    return {
        "letter": sample_letter(call),
        "counts": count_call(call),
        "due": {purpose: due_letters(call, purpose).count() for purpose in MailPurpose.values},
        "is_over": call.deadline_at <= at,
        "ready": standing_answers(call).count(),
        "mailing": call.mailings.order_by("-pk").first(),
    }


def call_details(call: QuestionCall, at: datetime) -> dict[str, Any]:
    """A call as its page shows it."""
    texts = ("id", "name", "source", "deadline_at", "guideline", "mail_subject", "mail_body")
    return {name: getattr(call, name) for name in texts} | call_state(call, at)


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
