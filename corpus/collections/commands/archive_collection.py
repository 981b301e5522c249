"""manage.py archive_collection SLUG [--reopen] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from corpus.collections.actions.archiving import archive_collection, reopen_collection
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Make a collection read-only, or take it out of the archive again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--reopen", action="store_true", help="take it out of the archive")

    def carry_out(self, *, slug: str, reopen: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        act = reopen_collection if reopen else archive_collection
        collection = act(by=None, at=timezone.now(), collection=collection_with(slug))
        state = "archived" if collection.archived_at else "open"
        return f"{collection.slug} is {state}.", {"slug": collection.slug, "state": state}
