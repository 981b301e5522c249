"""manage.py import_documents SLUG FILE… [--format F] [--dry-run] [--exclude FILE-OF-DOCNOS] [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.refusals import Refused
from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = "Read documents into a collection: new ones are created, known ones updated. A broken file changes nothing."
    kind = ImportKind.DOCUMENTS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--exclude", type=Path, metavar="FILE", help="docnos to leave out, one in each line")

    def parameters(self, *, exclude: Path | None = None, **_: Any) -> dict[str, Any]:
        return {"exclude": read_docnos(exclude)} if exclude else {}


def read_docnos(path: Path) -> list[str]:
    """The docnos in a file of one a line. Errors: Refused when it cannot be read."""
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"The list of exclusions {path} cannot be read: {error}.") from error
    return [line.strip() for line in lines if line.strip()]
