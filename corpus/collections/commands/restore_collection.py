"""manage.py restore_collection FILE [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from corpus.collections.jobs.collection_backup import restore_backup


class Command(ReportingCommand):
    help = "Bring a deleted collection back from its backup, as an archived one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def carry_out(self, *, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        try:
            with file.open("rb") as stream:
                collection = restore_backup(stream)
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        return f"Restored {collection.slug}. It is archived.", {"slug": collection.slug, "title": collection.title}
