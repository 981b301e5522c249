"""Commands about questions: calls to authors, and questions that a language model writes."""

from argparse import ArgumentTypeError
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.options import add_renamed_option
from accounts.management.reporting import ReportingCommand, SteppedCommand, plain, text_of, valid
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.models import AuthorInvitation, Collection, MailPurpose, OverlapDefinition, QuestionCall, QuestionRun
from corpus.questions.actions.author_calls import (
    create_call,
    invite_author,
    invite_authors,
    request_mailing,
    revoke_author,
    take_in_questions,
    update_call,
)
from corpus.questions.actions.generation import continue_questions, request_questions
from corpus.questions.actions.questions import change_cutoffs, filter_stored_answers, filter_with
from corpus.questions.forms.authors import AuthorForm, CallForm
from corpus.questions.reads.authors import (
    STATES,
    authors_as_json,
    authors_in_state,
    call_as_json,
    call_details,
    calls_as_json,
    invitations_of,
)
from corpus.questions.reads.generation import (
    estimate_questions,
    filter_of,
    prompt_body,
    run_as_json,
    run_figures,
)
from corpus.questions.reads.mentions import SOURCES, MentionFilter
from corpus.text.overlap import DEFAULT, DEFINITIONS, USUAL

TEXTS = ("name", "source", "deadline_at", "mail_subject")
FILES = ("guideline", "mail_body")  # options that name a file with the text


class AuthorCalls(SteppedCommand):
    """manage.py author_calls SLUG STEP: asking authors for questions, by the steps of the pages."""

    help = "Ask authors for questions about their papers: write a call, invite, send letters, make topics of answers."
    reads: ClassVar[dict[str, str]] = {
        "list": "list the calls of the collection",
        "show": "show a call: how far it is, and the letter as the first author gets it",
        "authors": "list who was asked, with their links and answers",
    }
    writes: ClassVar[dict[str, str]] = {
        "create": "write a call",
        "change": "change what a call says, or its last day",
        "invite": "ask one author about one paper",
        "invite-file": "ask everybody in a CSV file with the columns email, docno and, if you have it, name",
        "revoke": "take an invitation back: its link no longer works",
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
        parser.add_argument("--name", default=None)
        _add_deadline(parser)
        _add_texts(parser)

    def add_invite(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("email")
        parser.add_argument("docno", help="the author's paper")
        parser.add_argument("--name", default="", help="of the author")

    def add_invite_file(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("file")

    def add_revoke(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("email")
        parser.add_argument("docno", help="the author's paper")

    def add_mail(self, parser: CommandParser) -> None:
        self.add_show(parser)
        parser.add_argument("purpose", choices=MailPurpose.values)

    def add_take_in(self, parser: CommandParser) -> None:
        self.add_show(parser)

    def list(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        found = calls_as_json(collection_with(slug))
        lines = [f"{one['name']}: {one['answered']:,} of {one['invited']:,} have answered" for one in found]
        return "\n".join(lines) or "There are no calls yet.", {"calls": [plain(one) for one in found]}

    def show(self, *, slug: str, call: str) -> tuple[str, dict[str, Any]]:
        found = call_details(_call(slug, call), timezone.now())
        counts = ", ".join(f"{name} {count:,}" for name, count in found["counts"].items())
        letter = found["letter"]
        lines = [f"{found['name']}, until {found['deadline_at']:%Y-%m-%d}: {counts}. {found['ready']:,} to take in."]
        return "\n".join([*lines, f"\nTo {letter['to']}: {letter['subject']}\n\n{letter['body']}"]), plain(found)

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
        return "\n".join(lines), invited.as_json()

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
        lines += [f"{email} asks what topic {number} asks." for email, number in taken_in.equal]
        return "\n".join(lines), taken_in.as_json()


def _add_deadline(parser: CommandParser, *, required: bool = False) -> None:
    about = "last day on which authors may answer"
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
    return f"{call.name} is {words}.", plain(call_as_json(call))


def _author(invitation: AuthorInvitation) -> dict[str, Any]:
    return plain(authors_as_json(list(invitations_of(invitation.call).filter(pk=invitation.pk)))[0])


class ImportMentions(ImportCommand):
    """manage.py import_mentions SLUG FILE… [--format F] [--only-linked] [--dry-run] [--json]"""

    kind = "mentions"


OWN_CUTOFFS = "; ".join(
    f"{name}: {each.inside:g} inside, {each.outside:g} outside" for name, each in DEFINITIONS.items()
)


def share(text: str) -> float | str | None:
    """A share from 0 to 1, "none", or "usual" for the one that belongs to the definition."""
    if text == USUAL:
        return USUAL
    try:
        value = None if text == "none" else float(text)
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1, nor “none”")
    return value


class GenerateQuestions(ReportingCommand):
    """manage.py generate_questions SLUG [--sample N] [--seed S] [--source inside|outside] [--dry-run] [--json]"""

    help = (
        "Ask the language model of LITMUS_LLM_BASE_URL for literature-search questions about citation mentions. What"
        " has been answered is not asked again: --continue goes on with a run that was stopped or gave up. --again with"
        " --overlap-definition or a cut-off asks nothing: the runs that asked about these mentions are filtered again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--sample", type=int, default=0, help="so many mentions at random (default: all)")
        parser.add_argument("--seed", type=int, default=0, help="of the sample; the same seed takes the same mentions")
        parser.add_argument("--source", choices=SOURCES, default="", help="source papers inside or outside only")
        parser.add_argument("--words", default="", help="only paragraphs with these words")
        parser.add_argument("--again", action="store_true", help="also mentions that were asked about before")
        add_cutoffs(parser)
        parser.add_argument("--dry-run", action="store_true", help="only show what it would take")
        parser.add_argument("--continue", type=int, dest="run", metavar="RUN", help="go on with this run")
        parser.add_argument(
            "--ask-again",
            action="store_true",
            help="with --continue: ask again where the kept answer could not be read, was a refusal or was cut off",
        )

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        used = "" if options["again"] else "no"
        criteria = MentionFilter(
            source=options["source"], used=used, text=options["words"], sample=options["sample"], seed=options["seed"]
        )
        if options["dry_run"]:
            return estimate_summary(collection, criteria)
        if options["ask_again"] and not options["run"]:
            raise Refused("Name the run whose answers are asked for again: --continue RUN --ask-again.")
        filters = cutoffs_given(options)
        if options["again"] and filters:
            criteria = replace(criteria, used="yes")
            runs, changed = filter_stored_answers(
                by=None, at=timezone.now(), collection=collection, criteria=criteria, **filters
            )
            summary = f"Nothing was asked. Runs filtered again: {', '.join(map(str, runs))}. {changed}"
            return summary, {"runs": runs, **asdict(changed)}
        run = self.begin(collection, criteria, options)
        jobs.carry_out(run)
        run.refresh_from_db()
        if run.state != JobState.DONE:
            raise Refused(f"Run {run.pk}: {run.reason}")
        return run_summary(run)

    def begin(self, collection: Collection, criteria: MentionFilter, options: dict[str, Any]) -> QuestionRun:
        """The job's row, not sent to a worker."""
        if options["run"]:
            found = run_numbered(collection, options["run"])
            again = options["ask_again"]
            return continue_questions(by=None, at=timezone.now(), run=found, again=again, send=False)
        return request_questions(
            by=None,
            at=timezone.now(),
            collection=collection,
            criteria=criteria,
            send=False,
            **cutoffs_given(options),
        )


class ChangeCutoffs(ReportingCommand):
    """manage.py change_cutoffs SLUG RUN [--overlap-definition D] [--cutoff-inside S] [--cutoff-outside S] [--json]"""

    help = (
        "Filter the questions of a run again by other cut-offs, or by another way of counting overlap with the cut-offs"
        " that belong to it. Nothing is asked. What a person has decided stays, and what a campaign has."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("run", type=int, help="number of the run")
        add_cutoffs(parser)

    def carry_out(self, *, slug: str, run: int, **options: Any) -> tuple[str, dict[str, Any]]:
        found = run_numbered(collection_with(slug), run)
        if not (given := cutoffs_given(options)):
            what = "--overlap-definition, --cutoff-inside or --cutoff-outside"
            raise Refused(f"Say what to change: {what}. {found.overlap_rule}")
        changed = change_cutoffs(by=None, at=timezone.now(), run=found, **filter_with(found, given))
        found.refresh_from_db()
        result = {"run": found.pk, **asdict(changed), **filter_of(found)}
        return f"Run {found.pk}: {changed} {found.overlap_rule}", result


def add_cutoffs(parser: CommandParser) -> None:
    """The options of a filter by overlap."""
    about = f"how words count (usually {DEFAULT})"
    choices = OverlapDefinition.values
    add_renamed_option(parser, "--overlap-definition", former="--overlap", choices=choices, help=about)
    text = f"highest overlap with titles for sources %s the collection, or none; cut-offs of their own: {OWN_CUTOFFS}"
    for name in ("inside", "outside"):
        parser.add_argument(f"--cutoff-{name}", type=share, default=USUAL, help=text % name)


def cutoffs_given(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the actions that the options of a filter name; {} for none."""
    given = {name: options[name] for name in ("cutoff_inside", "cutoff_outside") if options[name] != USUAL}
    definition = options["overlap_definition"]
    return given | ({"overlap_definition": OverlapDefinition(definition)} if definition else {})


def run_numbered(collection: Collection, number: int) -> QuestionRun:
    """Errors: Refused where the collection has no such run."""
    found = collection.question_runs.filter(pk=number).select_related("collection").first()
    if found is None:
        raise Refused(f"There is no run {number} in {collection.slug}.")
    return found


def estimate_summary(collection: Collection, criteria: MentionFilter) -> tuple[str, dict[str, Any]]:
    """What asking would take."""
    found = estimate_questions(collection, criteria, prompt_body(collection))
    cost = None if found.cost is None else float(found.cost)
    summary = (
        f"{found.mentions:,} mentions ({found.inside:,} inside, {found.outside:,} outside), about "
        f"{found.prompt_tokens:,} tokens to send and {found.completion_tokens:,} to receive"
        f"{'' if cost is None else f', for about {cost:.4f}'}; nothing was asked"
    )
    names = ("mentions", "inside", "outside", "prompt_tokens", "completion_tokens")
    return summary, {name: getattr(found, name) for name in names} | {"cost": cost, "minutes": found.minutes}


def run_summary(run: QuestionRun) -> tuple[str, dict[str, Any]]:
    """What came of a run: all its counts."""
    figures = run_figures(run.collection, run)
    cost = None if figures.cost is None else float(figures.cost)
    summary = [
        f"Run {run.pk}: {figures.asked:,} mentions, {figures.questions:,} questions; {run.overlap_rule}",
        f"  answers: {_counted(figures.outcomes)}",
        f"  questions: {_counted(figures.states)}",
    ]
    summary += [f"  {each.source}: {each.about_filter}" for each in figures.sources]
    return "\n".join(summary), run_as_json(run, figures) | {
        "run": run.pk,
        "prompt_tokens": figures.prompt_tokens,
        "completion_tokens": figures.completion_tokens,
        "cost": cost,
    }


def _counted(counts: list[tuple[str, str, int]]) -> str:
    return ", ".join(f"{count:,} {label}" for _, label, count in counts) or "none"
