"""litmus author_calls."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.options import add_renamed_option
from accounts.management.reporting import SteppedCommand, plain, text_of, valid
from accounts.refusals import Refused
from corpus.collections.collections import collection_with
from corpus.models import AuthorInvitation, MailPurpose, QuestionCall
from corpus.questions.api.author_calls import (
    CallDetailsSerializer,
    CallSerializer,
    CountedCallSerializer,
    InvitedSerializer,
    TakenInSerializer,
)
from corpus.questions.author_calls import (
    create_call,
    invite_author,
    invite_authors,
    request_mailing,
    revoke_author,
    take_in_questions,
    update_call,
)
from corpus.questions.authors import (
    STATES,
    authors_as_json,
    authors_in_state,
    call_details,
    calls_of,
    invitations_of,
)
from corpus.questions.forms.authors import AuthorForm, CallForm

TEXTS = ("name", "source", "deadline_at", "mail_subject")
FILES = ("guideline", "mail_body")  # options that name a file with the text


class AuthorCalls(SteppedCommand):
    """litmus author_calls SLUG STEP: asking authors for questions, by the steps of the pages."""

    called = "author_calls"
    task = "Prepare"
    example = """
    author_calls demo list
    author_calls demo show "Authors of the demo's papers"
    author_calls demo authors "Authors of the demo's papers" --state waiting
    author_calls demo create "Spring call" --deadline-at 2031-05-31
    author_calls demo change "Authors of the demo's papers" --deadline-at 2031-06-30
    author_calls demo invite "Authors of the demo's papers" author@example.org LD-001
    author_calls demo invite-file "Authors of the demo's papers" authors.csv
    author_calls demo revoke "Authors of the demo's papers" author@example.org LD-001
    author_calls demo mail "Authors of the demo's papers" invitation --dry-run
    author_calls demo take-in "Authors of the demo's papers"
    """
    help = "Ask authors for questions about their papers: write a call, invite, send letters, make topics of answers."
    reads: ClassVar[dict[str, str]] = {
        "list": "list the calls of the collection",
        "show": "show a call: its progress, and the letter as the first author gets it",
        "authors": "list who was asked, with their links and answers",
    }
    writes: ClassVar[dict[str, str]] = {
        "create": "write a call",
        "change": "change the texts of a call, or its deadline",
        "invite": "ask one author about one paper",
        "invite-file": "ask everybody in a CSV file with the columns email, docno and, if you have it, name",
        "revoke": "revoke an invitation: its link no longer works",
        "mail": "send the letters that are due",
        "take-in": "make topics of the answers, after the last day",
    }

    def add_show(self, parser: CommandParser) -> None:
        parser.add_argument("call", help="name of the call")

    def add_authors(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("--state", choices=list(STATES), default="", help="default: all")

    def add_create(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the call, for you")
        _add_deadline(parser, required=True)
        _add_texts(parser)

    def add_change(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("--name", default=None, help="another name")
        _add_deadline(parser)
        _add_texts(parser)

    def add_invite(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("email", help="address of the author")
        parser.add_argument("docno", help="the author's paper")
        parser.add_argument("--name", default="", help="of the author")

    def add_invite_file(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("file", help="a CSV file")

    def add_revoke(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("email", help="address of the author")
        parser.add_argument("docno", help="the author's paper")

    def add_mail(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("purpose", choices=MailPurpose.values)

    def add_take_in(self, parser: CommandParser) -> None:
        self.add_show(parser)

    def list(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        found = CountedCallSerializer(calls_of(collection_with(slug)), many=True).data
        lines = [f"{one['name']}: {one['answered']:,} of {one['invited']:,} have answered" for one in found]
        return "\n".join(lines) or "There are no calls yet.", {"calls": found}

    def show(self, *, slug: str, call: str) -> tuple[str, dict[str, Any]]:
        asked = _call(slug, call)
        found = CallDetailsSerializer(call_details(asked, timezone.now())).data
        counts = ", ".join(f"{name} {count:,}" for name, count in found["counts"].items())
        letter = found["letter"]
        lines = [f"{found['name']}, until {asked.deadline_at:%Y-%m-%d}: {counts}. {found['ready']:,} to take in."]
        return "\n".join([*lines, f"\nTo {letter['to']}: {letter['subject']}\n\n{letter['body']}"]), found

    def authors(self, *, slug: str, call: str, state: str) -> tuple[str, dict[str, Any]]:
        found = authors_as_json(list(authors_in_state(_call(slug, call), state)))
        lines = [f"{one['email']} ({one['docno']}): {one['state']}; {one['link'] or 'no link'}" for one in found]
        return "\n".join(lines) or "No authors.", {"authors": [plain(one) for one in found]}

    def create(self, *, slug: str, **typed: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        standard = {name: field.initial for name, field in CallForm.base_fields.items() if field.initial}
        fields = valid(CallForm(standard | _written(typed)))
        return _summary(create_call(by=None, at=timezone.now(), collection=collection, **fields), "written")

    def change(self, *, slug: str, call: str, **typed: Any) -> tuple[str, dict[str, Any]]:
        found = _call(slug, call)
        fields = valid(CallForm(dict(CallForm.of(found).initial) | _written(typed)))
        return _summary(update_call(by=None, at=timezone.now(), call=found, **fields), "changed")

    def invite(self, *, slug: str, call: str, email: str, docno: str, name: str) -> tuple[str, dict[str, Any]]:
        found = _call(slug, call)
        fields = valid(AuthorForm({"email": email, "docno": docno, "name": name}))
        invitation = invite_author(by=None, at=timezone.now(), call=found, **fields)
        return f"{invitation.email} is on the list. Send the letters when it is full.", _author(invitation)

    def invite_file(self, *, slug: str, call: str, file: str) -> tuple[str, dict[str, Any]]:
        found = _call(slug, call)
        try:
            with Path(file).open("rb") as stream:
                invited = invite_authors(by=None, at=timezone.now(), call=found, file=Path(file).name, stream=stream)
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        lines = [f"{invited.created:,} invited, {invited.known:,} were, {len(invited.problems):,} rows left out"]
        lines += [f"line {each.line}: {each.reason}" for each in invited.problems]
        return "\n".join(lines), InvitedSerializer(invited).data

    def revoke(self, *, slug: str, call: str, email: str, docno: str) -> tuple[str, dict[str, Any]]:
        rows = _call(slug, call).invitations.select_related("call__collection", "document")
        found = rows.filter(email=email.lower(), document__docno=docno).first()
        if found is None:
            raise Refused(f"{email} is not invited for {docno}.")
        revoke_author(by=None, at=timezone.now(), invitation=found)
        return f"The link of {found.email} no longer works.", _author(found)

    def mail(self, *, slug: str, call: str, purpose: str) -> tuple[str, dict[str, Any]]:
        found = _call(slug, call)
        mailing = request_mailing(by=None, at=timezone.now(), call=found, purpose=MailPurpose(purpose), send=False)
        self.work([mailing])
        due = mailing.total or 0
        words = (
            f"{due:,} letters are due." if self.is_dry else f"{mailing.sent:,} letters sent, {mailing.failed:,} failed."
        )
        return words, {"due": due, "sent": mailing.sent, "failed": mailing.failed}

    def take_in(self, *, slug: str, call: str) -> tuple[str, dict[str, Any]]:
        taken_in = take_in_questions(by=None, at=timezone.now(), call=_call(slug, call))
        lines = [f"{len(taken_in.topics):,} topics made of the answers."]
        lines += [f"{each.email} asks what topic {each.topic} asks." for each in taken_in.equal]
        return "\n".join(lines), TakenInSerializer(taken_in).data


def _add_deadline(parser: CommandParser, *, required: bool = False) -> None:
    about = "last day on which authors can answer"
    add_renamed_option(
        parser, "--deadline-at", former="--last-day", required=required, metavar="YYYY-MM-DD", help=about
    )


def _add_texts(parser: CommandParser) -> None:
    parser.add_argument("--source", default=None, help="of the topics made of the answers; author unless said")
    parser.add_argument(
        "--guideline", default=None, metavar="FILE", help="Markdown that authors see; -: standard input"
    )
    add_renamed_option(parser, "--mail-subject", former="--subject", default=None, help="subject of the letter")
    about = "the letter, with {link} and {opt_out}; -: standard input"
    add_renamed_option(parser, "--mail-body", former="--letter", default=None, metavar="FILE", help=about)


def _written(typed: dict[str, Any]) -> dict[str, str]:
    """What was typed, as the form has it; texts are read from their files."""
    words = {name: typed[name] for name in TEXTS if typed[name] is not None}
    return words | {name: text_of(typed[name]) for name in FILES if typed[name] is not None}


def _call(slug: str, name: str) -> QuestionCall:
    found: QuestionCall | None = (
        collection_with(slug).question_calls.select_related("collection").filter(name=name).first()
    )
    if found is None:
        raise Refused(f"There is no call named {name} in {slug}.")
    return found


def _summary(call: QuestionCall, words: str) -> tuple[str, dict[str, Any]]:
    return f"{call.name} is {words}.", CallSerializer(call).data


def _author(invitation: AuthorInvitation) -> dict[str, Any]:
    return plain(authors_as_json(list(invitations_of(invitation.call).filter(pk=invitation.pk)))[0])
