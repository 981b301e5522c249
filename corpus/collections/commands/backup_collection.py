"""manage.py backup_collection SLUG FILE [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from corpus.collections.jobs.collection_backup import backup_pieces
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Write one collection with the files of its papers to a zip file, for restore_collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", type=Path)

    def carry_out(self, *, slug: str, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        try:
            with file.open("xb") as target:
                size = sum(target.write(piece) for piece in backup_pieces(collection))
        except FileExistsError as error:
            raise Refused(f"{file} exists. Choose another name, or remove it first.") from error
        except OSError as error:
            raise Refused(f"{file} cannot be written: {error.strerror}.") from error
        return f"{file}: {size:,} bytes.", {"slug": slug, "file": str(file), "bytes": size}
