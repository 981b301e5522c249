"""manage.py backup FILE"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from config.backups import dump


class Command(ReportingCommand):
    task = "Look after"
    example = "backup litmus.backup"
    help = "Write the whole database to a file; people can continue to work. Uploaded files are not in it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def carry_out(self, *, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        size, media = dump(file), str(settings.MEDIA_ROOT)
        words = f"{file}: {size:,} bytes. Copy {media} as well: uploaded files are there."
        return words, {"file": str(file), "bytes": size, "media": media}
