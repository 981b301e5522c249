"""What our management commands have in common: how they report their result, and how they refuse."""

import json
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.refusals import Refused
from accounts.storage_full import NO_ROOM, is_no_room


class ReportingCommand(BaseCommand, ABC):
    """A summary for people on stderr and, with --json, one JSON object on stdout.

    Exit code 0: done; 1: refused or invalid input, with the reason; 2: wrong usage.
    """

    requires_system_checks = []  # they load all pages, which is half of a command's time; `make check` runs them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object on stdout")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:  # noqa: ARG002
        try:
            summary, result = self.carry_out(**options)
        except Refused as refusal:
            raise CommandError(refusal.reason) from refusal
        except Exception as error:
            if is_no_room(error):
                raise CommandError(NO_ROOM) from error
            raise
        self.stderr.write(summary, style_func=str)
        if as_json:
            self.stdout.write(json.dumps(result, ensure_ascii=False))

    @abstractmethod
    def carry_out(self, *args: Any, **options: Any) -> tuple[str, dict[str, Any]]:
        """Do it; return the summary and the object. Errors: Refused."""


def user_with(email: str) -> User:
    """The person with this address, or a refusal that says how to make the account."""
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise Refused(f"Nobody has the address {email}. Make the account first: manage.py create_user {email}")
    return user
