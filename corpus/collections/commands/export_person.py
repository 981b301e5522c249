"""manage.py export_person EMAIL --json"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand, user_with
from corpus.collections.actions.persons import take_out_data


class Command(ReportingCommand):
    help = "Print everything that Litmus stores about a person, as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")

    def carry_out(self, *, email: str, **_: Any) -> tuple[str, dict[str, Any]]:
        data = take_out_data(by=None, at=timezone.now(), user=user_with(email))
        return f"{len(data['answers']):,} answers, {len(data['actions']):,} actions. Use --json to print them.", data
