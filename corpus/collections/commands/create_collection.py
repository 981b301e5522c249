"""manage.py create_collection SLUG --title T [--description D] [--licence L] [--manager EMAIL] [--json]"""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.core.validators import validate_slug
from django.utils import timezone

from accounts.management.reporting import ReportingCommand, user_with
from accounts.refusals import Refused
from corpus.collections.actions.collections import create_collection


class Command(ReportingCommand):
    help = "Make a collection. Without --manager nobody is in it until add_member adds somebody."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name in addresses and file names; cannot be changed")
        parser.add_argument("--title", required=True)
        parser.add_argument("--description", default="")
        parser.add_argument("--licence", default="")
        parser.add_argument("--manager", metavar="EMAIL", help="who manages it; needs an account")

    def carry_out(self, *, slug: str, manager: str | None, **options: Any) -> tuple[str, dict[str, Any]]:
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise Refused(f"{slug!r} cannot be a short name: use letters, digits, hyphens and underscores.") from error
        collection = create_collection(
            by=None,
            at=timezone.now(),
            slug=slug,
            manager=user_with(manager) if manager else None,
            **{name: options[name] for name in ("title", "description", "licence")},
        )
        result = {"slug": collection.slug, "title": collection.title, "manager": manager}
        if manager:
            return f"Made the collection {collection.slug}, managed by {manager}.", result
        advice = f"Nobody is in it yet: manage.py add_member {collection.slug} EMAIL manager"
        return f"Made the collection {collection.slug}. {advice}", result
