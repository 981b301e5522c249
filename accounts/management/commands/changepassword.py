"""litmus changepassword EMAIL [--password-stdin]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.actions import change_password
from accounts.management.passwords import check_password, read_password
from accounts.management.reporting import ReportingCommand, user_with
from accounts.refusals import Refused


class Command(ReportingCommand):
    """In place of Django's command of this name, which would leave the person's API tokens in use."""

    task = "Look after"
    example = "changepassword you@example.org"
    help = "Give an account another password. Its sessions end and its API tokens are revoked."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", help="address of the account")
        parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input")

    def carry_out(self, *, email: str, password_stdin: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        user = user_with(email)
        password = read_password(password_stdin, may_be_empty=False)
        if not password:
            raise Refused("No password was given. Nothing was changed.")
        check_password(password, user.email, user.name)
        revoked = change_password(by=None, at=timezone.now(), user=user, password=password)
        summary = f"Password of {user.email} changed. Sessions ended; API tokens revoked: {revoked}."
        return summary, {"email": user.email, "revoked_tokens": revoked}
