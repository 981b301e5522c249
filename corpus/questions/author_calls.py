"""Asking authors for questions: calls, whom they go to, sending letters, making topics of the answers."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import BinaryIO

from django.db import transaction

from accounts import jobs, mail
from accounts.addresses import is_address
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from corpus.collections.rules import check_manager
from corpus.loading.sources import read_upload
from corpus.models import (
    AuthorAnswer,
    AuthorInvitation,
    AuthorMailing,
    AuthorOptOut,
    AuthorQuestion,
    Collection,
    MailPurpose,
    QuestionCall,
    Target,
    Topic,
    TopicKind,
)
from corpus.questions.authors import due_letters, letter_faults, standing_answers
from corpus.topics.topics import next_position
from engines.formats.csv_text import read_csv
from engines.formats.records import BrokenFile, Problem
from engines.text.words import title_key

MOST_AUTHORS = 20_000  # rows of one file
NO_MAIL = "Not sent: no mail server is set up. Copy the link next to each author and hand it over."
NOT_OVER = "Authors may change their questions until the deadline."
TOPIC_SOURCE = "author"  # of the targets


@dataclass(frozen=True)
class Invited:
    """The result of a file of authors; `problems` are the rows left out."""

    created: int
    known: int
    problems: list[Problem]


@dataclass(frozen=True)
class Equal:
    """An answer that asks what a topic asks, so that none was made of it."""

    email: str
    topic: str  # its number


@dataclass(frozen=True)
class TakenIn:
    """Topics made of answers, and the answers left."""

    topics: list[Topic]
    equal: list[Equal]

    @property
    def numbers(self) -> list[str]:
        return [topic.number for topic in self.topics]


@transaction.atomic
def create_call(*, by: User | None, at: datetime, collection: Collection, **fields: object) -> QuestionCall:
    """A new round. Errors: Refused for a letter whose blanks are wrong, Conflict for a name that is taken."""
    check_manager(collection, by)
    call = QuestionCall(collection=collection, created_by=by, created_at=at, **fields)
    if call.deadline_at <= at:
        raise Refused("The deadline has already passed, so nobody could answer. Choose a later date.")
    _save(call)
    record_event(by=by, at=at, verb="create_question_call", target=call, scope=collection)
    return call


@transaction.atomic
def update_call(*, by: User | None, at: datetime, call: QuestionCall, **fields: object) -> QuestionCall:
    """Change a round; its source only while no topics were made of it."""
    check_manager(call.collection, by)
    call = QuestionCall.objects.select_for_update().select_related("collection").get(pk=call.pk)
    changed = {name: value for name, value in fields.items() if getattr(call, name) != value}
    if not changed:
        return call
    if "source" in changed and AuthorQuestion.objects.filter(answer__invitation__call=call).exists():
        raise Refused(f"Topics were made with the source {call.source} already, so it cannot be changed.")
    for name, value in changed.items():
        setattr(call, name, value)
    _save(call)
    record_event(by=by, at=at, verb="update_question_call", target=call, scope=call.collection, changed=sorted(changed))
    return call


@transaction.atomic
def invite_author(
    *, by: User | None, at: datetime, call: QuestionCall, email: str, docno: str, name: str = ""
) -> AuthorInvitation:
    """Ask one author about one paper of the collection; the letter goes out with the next mailing."""
    check_manager(call.collection, by)
    document = call.collection.documents.filter(docno=docno).only("pk", "docno", "collection_id").first()
    if document is None:
        raise Refused(f"There is no document {docno} in the collection.")
    if AuthorOptOut.objects.filter(email=email.lower()).exists():
        raise Refused(f"{email} does not want to receive letters.")
    found, is_new = AuthorInvitation.objects.get_or_create(
        call=call, email=email.lower(), document=document, defaults={"name": name, "created_at": at}
    )
    if not is_new:
        raise Conflict(f"{email} is invited for {docno} already.")
    record_event(by=by, at=at, verb="invite_author", target=found, scope=call.collection, docno=docno)
    return found


@transaction.atomic
def invite_authors(*, by: User | None, at: datetime, call: QuestionCall, file: str, stream: BinaryIO) -> Invited:
    """Ask everybody in a CSV file with the columns email, docno and, optionally, name.

    Rows that are wrong are left out and reported; a file that is broken as a whole changes nothing (Refused).
    """
    check_manager(call.collection, by)
    rows: list[tuple[int, str, str, str]] = []
    problems: list[Problem] = []
    try:
        for row in read_upload(partial(read_csv, required=("email", "docno")), stream, file):
            if isinstance(row, Problem):
                problems.append(row)
            elif len(rows) == MOST_AUTHORS:
                raise Refused(f"{file} has more than {MOST_AUTHORS:,} authors. Split it.")
            else:
                line, cells = row
                name = " ".join(cells.get("name", "").split())  # it stands in a letter, so on one line
                rows.append((line, cells["email"].strip().lower(), cells["docno"].strip(), name))
    except BrokenFile as broken:
        raise Refused(f"{broken}. Nobody was invited.") from broken
    good = _divide(call, file, rows, problems)
    before = call.invitations.count()
    AuthorInvitation.objects.bulk_create(
        [AuthorInvitation(call=call, email=e, name=n, document_id=d, created_at=at) for e, d, n in good],
        ignore_conflicts=True,
    )
    created = call.invitations.count() - before
    record_event(by=by, at=at, verb="invite_authors", target=call, scope=call.collection, created=created)
    return Invited(created, len(good) - created, sorted(problems, key=lambda each: each.line))


@transaction.atomic
def revoke_author(*, by: User | None, at: datetime, invitation: AuthorInvitation) -> None:
    """The link no longer works; refused once there is an answer, which is the author's to withdraw."""
    call = invitation.call
    check_manager(call.collection, by)
    invitation = AuthorInvitation.objects.select_for_update().get(pk=invitation.pk)
    if invitation.answers.exists():
        raise Refused(
            "This author has answered, so the invitation cannot be revoked. Leave the question out of the campaign"
            " instead."
        )
    if invitation.revoked_at:
        raise Conflict("This invitation has been revoked already.")
    invitation.revoked_at = at
    invitation.save(update_fields=["revoked_at"])
    record_event(by=by, at=at, verb="revoke_author", target=invitation, scope=call.collection)


@transaction.atomic
def request_mailing(
    *, by: User | None, at: datetime, call: QuestionCall, purpose: MailPurpose, send: bool = True
) -> AuthorMailing:
    """Send the letters that are due; without `send` no worker is asked to, because the caller does it.

    Errors: Refused when none is due or the deadline has passed, Conflict while others are being sent.
    """
    check_manager(call.collection, by)
    QuestionCall.objects.select_for_update().get(pk=call.pk)
    if call.deadline_at <= at:
        raise Refused("The deadline has passed. Set a later one first.")
    if not mail.is_set_up():
        raise Refused(NO_MAIL)
    if call.mailings.exclude(state__in=FINAL_STATES).exists():
        raise Conflict("Letters of this call are already being sent. Wait until this has finished, or cancel it first.")
    due = due_letters(call, purpose).count()
    if not due:
        raise Refused(
            "All authors have received a letter. Invite more authors first."
            if purpose == MailPurpose.INVITATION
            else "All authors who received a letter have answered."
        )
    mailing = jobs.new_job(AuthorMailing, by=by, at=at, send=send, call=call, purpose=purpose, total=due)
    record_event(by=by, at=at, verb="request_mailing", target=mailing, scope=call.collection, purpose=purpose, due=due)
    return mailing


@transaction.atomic
def take_in_questions(*, by: User | None, at: datetime, call: QuestionCall) -> TakenIn:
    """Make topics of the answers, each with the author's paper as target; their text is fixed for the author then.

    Only once the deadline has passed, because authors may change their question until then. An answer that equals a
    question of the collection stays as it is: two topics that ask the same would be rated and counted twice.
    """
    collection = call.collection
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if call.deadline_at > at:
        raise Refused("Authors can change their questions until the deadline. Make topics after the deadline.")
    answers = list(standing_answers(call).select_for_update(of=("self", "invitation")))
    if not answers:
        raise Refused("All answers are already topics.")
    fresh, again = _without_equals(collection, answers)
    topics = _make_topics(call, fresh)
    numbers = {title_key(topic.text): topic.number for topic in topics}
    equal = [Equal(answer.invitation.email, number or numbers[title_key(answer.text)]) for answer, number in again]
    if topics:
        record_event(by=by, at=at, verb="take_in_questions", target=call, scope=collection, topics=len(topics))
    return TakenIn(topics, equal)


def _without_equals(
    collection: Collection, answers: list[AuthorAnswer]
) -> tuple[list[AuthorAnswer], list[tuple[AuthorAnswer, str]]]:
    """The answers that ask something new, and the others with the number of the topic there is ("": of this batch)."""
    rows = collection.topics.filter(kind=TopicKind.QUESTION).values_list("text", "number")
    known = {title_key(text): number for text, number in rows.iterator()}
    fresh, again = [], []
    for answer in answers:
        key = title_key(answer.text)
        if key and key in known:
            again.append((answer, known[key]))
        else:
            known[key] = ""
            fresh.append(answer)
    return fresh, again


def _make_topics(call: QuestionCall, answers: list[AuthorAnswer]) -> list[Topic]:
    collection = call.collection
    known = set(collection.topics.filter(number__startswith=f"{call.source}-").values_list("number", flat=True))
    numbers = (number for n in range(1, len(answers) + len(known) + 1) if (number := f"{call.source}-{n}") not in known)
    topics = Topic.objects.bulk_create(
        Topic(
            collection=collection,
            number=number,
            kind=TopicKind.QUESTION,
            source=call.source,
            author=answer.credit_name,
            text=answer.text,
            position=place,
        )
        for place, (number, answer) in enumerate(zip(numbers, answers, strict=False), start=next_position(collection))
    )
    Target.objects.bulk_create(
        Target(topic=topic, document_id=answer.invitation.document_id, source=TOPIC_SOURCE)
        for topic, answer in zip(topics, answers, strict=True)
    )
    AuthorQuestion.objects.bulk_create(
        AuthorQuestion(topic=topic, answer=answer) for topic, answer in zip(topics, answers, strict=True)
    )
    return topics


def _divide(
    call: QuestionCall, file: str, rows: list[tuple[int, str, str, str]], problems: list[Problem]
) -> list[tuple[str, int, str]]:
    """The rows that can be invited, as (email, document, name); the others go to the problems."""
    docnos = {docno for _, _, docno, _ in rows}
    documents = dict(call.collection.documents.filter(docno__in=docnos).values_list("docno", "pk"))
    silent = set(AuthorOptOut.objects.values_list("email", flat=True)) if rows else set()
    good: dict[tuple[str, int], str] = {}
    for line, email, docno, name in rows:
        reason = _fault(email, docno, name, documents, silent)
        if reason is None and (email, documents[docno]) in good:
            reason = f"{email} is listed here for {docno} twice"
        if reason:
            problems.append(Problem(file, line, reason))
        else:
            good[email, documents[docno]] = name
    return [(email, document, name) for (email, document), name in good.items()]


def _fault(email: str, docno: str, name: str, documents: dict[str, int], silent: set[str]) -> str | None:
    if not is_address(email):
        return f"{email or 'an empty cell'} is not an e-mail address"
    if len(name) > 150:
        return "the name is too long"
    if docno not in documents:
        return f"there is no document {docno} in the collection"
    return f"{email} does not want to receive letters" if email in silent else None


def _save(call: QuestionCall) -> None:
    if faults := letter_faults(call):
        raise Refused(" ".join(faults))
    reason = f"There is a call named {call.name} already. Choose another name."
    with taken_is_conflict(reason, "question_call_name_unique"):
        call.save()
