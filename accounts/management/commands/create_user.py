"""litmus create_user EMAIL [--name N] [--staff] [--password-stdin]"""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import mail
from accounts.actions import create_user
from accounts.addresses import validate_address
from accounts.management.passwords import check_password, read_password
from accounts.management.reporting import PROGRAM, ReportingCommand
from accounts.models import User
from accounts.refusals import Conflict, Refused


class Command(ReportingCommand):
    task = "Start"
    example = 'create_user you@example.org --name "Your name" --staff'
    line = "Make an account; with --staff it may create collections"
    help = "Make an account. Staff may create collections."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", help="address by which the person signs in")
        parser.add_argument("--name", default="", help="shown to the people the person works with")
        parser.add_argument("--staff", action="store_true", help="may create collections")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help=(
                "read the password from standard input. Otherwise it is asked for at a terminal; without one, the"
                " account has no password until it is reset by e-mail"
            ),
        )

    def carry_out(
        self, *, email: str, name: str, staff: bool, password_stdin: bool, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        _check_email(email)
        _check_new(email)
        password = read_password(password_stdin)
        if password is not None:
            check_password(password, email, name)
        user = create_user(by=None, at=timezone.now(), email=email, password=password, name=name, is_staff=staff)
        summary = f"{user.email} {'can sign in' if password else 'has an account'}{', as staff' if staff else ''}."
        if password is None:
            summary += f" It has no password: {_how_to_get_one(email)}"
        return summary, {"email": user.email, "name": name, "staff": staff, "password": password is not None}


def _how_to_get_one(email: str) -> str:
    if mail.is_set_up():
        return "use “Forgot your password?” on the sign-in page."
    return f"no mail server is set up to send a link, so set one with {PROGRAM} changepassword {email}"


def _check_new(email: str) -> None:
    """Before a password is asked for."""
    if User.objects.filter(email__iexact=email).exists():
        text = f"{email} has an account already. Sign in with it, or reset its password."
        raise Conflict(text if mail.is_set_up() else f"{text} Without a mail server: {PROGRAM} changepassword {email}")


def _check_email(email: str) -> None:
    try:
        validate_address(email)
    except ValidationError as error:
        raise Refused(f"{email!r} is not an e-mail address. {error.messages[0]}") from error
