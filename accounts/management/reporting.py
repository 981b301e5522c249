"""What our management commands have in common: how they report their result, and how they refuse."""

import json
import sys
from abc import ABC, abstractmethod
from argparse import SUPPRESS
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, ClassVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.forms import Form

from accounts import jobs
from accounts.doors import COMMAND, through
from accounts.files.storage import FilesAway
from accounts.models import Job, User
from accounts.refusals import Refused, as_refusal
from accounts.storage_full import storage_fault

PROGRAM = settings.PROGRAM
# Positional arguments that say where a command does something: {name: help}
IN_COLLECTION = {"slug": "short name of the collection"}
IN_CAMPAIGN = {**IN_COLLECTION, "campaign": "short name of the campaign"}


class ReportingCommand(BaseCommand, ABC):
    """A summary for people on stderr and, with --json, one JSON object on stdout.

    Of a command that `prints`, the text is what it is called for, not about what it did: without --json it is on
    stdout, so that it can be kept in a file.
    Exit code 0: done; 1: refused or invalid input, with the reason; 2: wrong usage.
    In a room it says the name it is `called` by (accounts/management/finder.py). It says the `task` under which `litmus
    help` lists it, and an `example`, of a command with steps one for each; `line` where the first words of `help` are
    not fit for the list (litmus_ir/verbs.py). `where` are the positional arguments with which it begins.
    """

    prints: ClassVar[bool] = False
    where: ClassVar[Mapping[str, str]] = {}
    requires_system_checks = []  # they load all pages, which is half of a command's time; `make check` runs them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object on stdout")
        for name, about in self.where.items():
            parser.add_argument(name, help=about, metavar="number" if name == "pk" else None)

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:  # noqa: ARG002
        try:
            with through(COMMAND):
                summary, result = self.carry_out(**options)
        except Refused as refusal:
            raise CommandError(refusal.reason) from refusal
        except Exception as error:
            if isinstance(translated := as_refusal(error), Refused):
                raise CommandError(translated.reason) from error
            if isinstance(error, FilesAway):
                raise CommandError(str(error)) from error
            if fault := storage_fault(error):
                raise CommandError(fault) from error
            raise
        if summary:
            place = self.stdout if self.printing(**options) and not as_json else self.stderr
            place.write(summary, style_func=str)
        if as_json:
            self.stdout.write(json.dumps(result, ensure_ascii=False))

    def printing(self, **_: Any) -> bool:
        """Whether, called with these, its text is what it is called for."""
        return self.prints

    @abstractmethod
    def carry_out(self, *args: Any, **options: Any) -> tuple[str, dict[str, Any]]:
        """Do it; return the summary, "" for none, and the object. Errors: Refused."""


class SteppedCommand(ReportingCommand):
    """litmus COMMAND SLUG STEP …: the steps of one subject, each a method of the same name, with its own arguments.

    `add_STEP(parser)` adds them. With --dry-run a step that writes is taken and undone, so that it says what it would
    do or why it is refused: nothing is stored, no job is sent and nobody gets an e-mail.
    """

    where = IN_COLLECTION
    reads: ClassVar[dict[str, str]] = {}  # step: what it does
    writes: ClassVar[dict[str, str]] = {}

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        choices = parser.add_subparsers(dest="step", required=True, metavar="STEP")
        for name, words in (self.reads | self.writes).items():
            step = choices.add_parser(name, help=words, description=words)
            # Without SUPPRESS, the step's default would replace a --json before it.
            step.add_argument("--json", action="store_true", dest="as_json", default=SUPPRESS, help="also print JSON")
            if name in self.writes:
                step.add_argument("--dry-run", action="store_true", help="only report what would happen")
            if add := getattr(self, f"add_{_method(name)}", None):
                add(step)

    def carry_out(self, *, step: str, dry_run: bool = False, **options: Any) -> tuple[str, dict[str, Any]]:
        self.is_dry = dry_run
        take = getattr(self, _method(step))
        arguments = {name: value for name, value in options.items() if name not in COMMON}
        if not dry_run:
            summary, result = take(**arguments)
            return summary, result
        with transaction.atomic():
            summary, result = take(**arguments)
            transaction.set_rollback(True)
        return f"Nothing was changed. Without --dry-run: {summary}", {"dry_run": True, **result}

    def printing(self, **options: Any) -> bool:
        return options["step"] in self.reads and "file" not in options  # which the text would only be about

    def work(self, queued: Sequence[Job]) -> None:
        """Do the jobs here and now, except in a dry run. Errors: Refused with the reason of the first that failed."""
        for job in () if self.is_dry else queued:
            jobs.complete(job)


COMMON = {"verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks", "stdout"}
COMMON |= {"stderr"}  # what Django gives to every command


def _method(step: str) -> str:
    return step.replace("-", "_")


def valid(form: Form) -> dict[str, Any]:
    """What a form makes of what was typed. Errors: Refused with all that is wrong, in the words of the page."""
    if form.is_valid():
        return dict(form.cleaned_data)
    raise Refused(" ".join(faults_of(form)))


def faults_of(form: Form) -> list[str]:
    """What is wrong in the form, a sentence or more for each field."""
    return [
        f"{'' if name == '__all__' else f'{form[name].label}: '}{' '.join(map(str, texts))}"
        for name, texts in form.errors.items()
    ]


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """With moments as text, as JSON has them."""
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in found.items()}


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file that has its name only once it is whole; of one that was not finished nothing stays.

    What is no file, such as /dev/stdout, is written as it is. Errors: Refused where it cannot be written.
    """
    is_place = path.is_symlink() or (path.exists() and not path.is_file())
    part = path if is_place else path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as target:
            yield target
        part.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        if not is_place:
            with suppress(OSError):  # it has its name, or there was no place for it
                part.unlink()


def text_of(file: str, most: int = 1_000_000) -> str:
    """The text of a file, or of standard input for “-”. Errors: Refused for what is missing, too long or not UTF-8."""
    try:
        content = sys.stdin.buffer.read(most + 1) if file == "-" else _head_of(Path(file), most + 1)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    if len(content) > most:
        raise Refused(f"{file} has more than {most:,} bytes, which is too long.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not UTF-8 text: byte {error.start:,} does not fit.") from error


def _head_of(path: Path, most: int) -> bytes:
    with path.open("rb") as opened:
        return opened.read(most)


def user_with(email: str) -> User:
    """The person with this address, or a refusal that says how to make the account."""
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise Refused(f"No account has the address {email}. Create it first: {PROGRAM} create_user {email}")
    return user
