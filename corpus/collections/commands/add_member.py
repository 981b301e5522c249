"""manage.py add_member SLUG EMAIL ROLE [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand, user_with
from corpus.collections.actions.people import add_member
from corpus.collections.reads.collections import collection_with
from corpus.models import Role


class Command(ReportingCommand):
    help = "Add a person who has an account to a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("email")
        parser.add_argument("role", choices=Role.values)

    def carry_out(self, *, slug: str, email: str, role: str, **_: Any) -> tuple[str, dict[str, Any]]:
        collection, user = collection_with(slug), user_with(email)
        add_member(by=None, at=timezone.now(), collection=collection, user=user, role=Role(role), membership=None)
        return f"{user.email} is now {role} of {slug}.", {"slug": slug, "email": user.email, "role": role}
