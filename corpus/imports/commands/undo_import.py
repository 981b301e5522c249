"""manage.py undo_import SLUG NUMBER [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.imports.actions.undoing import undo_import


class Command(ReportingCommand):
    help = "Take an import back while nothing stands on it; its number is at the end of its page's address."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("number", type=int, help="of the import")

    def carry_out(self, *, slug: str, number: int, **_: Any) -> tuple[str, dict[str, Any]]:
        run = collection_with(slug).import_runs.select_related("collection").filter(pk=number).first()
        if run is None:
            raise Refused(f"The collection {slug} has no import {number}.")
        undo_import(by=None, at=timezone.now(), run=run)
        return f"The import {number} of {run.label} was undone.", {"import": number, "kind": run.kind}
