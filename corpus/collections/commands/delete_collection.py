"""manage.py delete_collection SLUG --confirm SLUG [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from corpus.collections.actions.archiving import request_removal
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Delete an archived collection with everything in it. Make a backup first: manage.py backup_collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--confirm", required=True, metavar="SLUG", help="the short name, typed again")

    def carry_out(self, *, slug: str, confirm: str, **_: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        run = request_removal(by=None, at=timezone.now(), collection=collection, typed=confirm, send=False)
        jobs.complete(run)
        rows = sum(run.counts.values())
        return f"Deleted {slug} with {rows:,} rows. The audit log is kept.", {"slug": slug, "rows": run.counts}
