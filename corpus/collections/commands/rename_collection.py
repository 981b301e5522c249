"""manage.py rename_collection SLUG NEW-SLUG [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from corpus.collections.actions.collections import rename_collection
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Give a collection another short name. Links with the former one keep working."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("new", help="its new short name")

    def carry_out(self, *, slug: str, new: str, **_: Any) -> tuple[str, dict[str, Any]]:
        renamed = rename_collection(by=None, at=timezone.now(), collection=collection_with(slug), slug=new)
        return f"{renamed.title} is now {renamed.slug}.", {"slug": renamed.slug, "before": slug}
