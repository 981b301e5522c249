"""manage.py export_person EMAIL --json"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.told import ToldCommand, user_with
from corpus.actions.persons import data_of


class Command(ToldCommand):
    help = "Print everything that Litmus stores about a person, as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")

    def carry_out(self, *, email: str, **_: Any) -> tuple[str, dict[str, Any]]:
        told = data_of(user_with(email))
        return f"{len(told['answers']):,} answers, {len(told['actions']):,} actions. Use --json to print them.", told
