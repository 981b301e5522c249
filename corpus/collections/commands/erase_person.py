"""manage.py erase_person EMAIL --labels keep|exclude --confirm EMAIL [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand, user_with
from corpus.collections.actions.persons import request_person_erasure
from corpus.collections.reads.persons import pseudonym_of


class Command(ReportingCommand):
    help = "Replace a person's name and address by a pseudonym everywhere. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument("--labels", choices=("keep", "exclude"), required=True, help="what becomes of their labels")
        parser.add_argument("--confirm", required=True, metavar="EMAIL", help="the address, typed again")

    def carry_out(self, *, email: str, labels: str, confirm: str, **_: Any) -> tuple[str, dict[str, Any]]:
        user, at = user_with(email), timezone.now()
        run = request_person_erasure(by=None, at=at, user=user, typed=confirm, keep_labels=labels == "keep", send=False)
        jobs.complete(run)
        pseudonym = pseudonym_of(user)[0]
        return f"Erased. The person is now {pseudonym}.", {"pseudonym": pseudonym, "labels": labels}
