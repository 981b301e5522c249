"""manage.py backup FILE|FOLDER"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.files.storage import files
from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.backups import dump
from config.dated_backups import dated_backup, files_of


class Command(ReportingCommand):
    task = "Look after"
    example = "backup litmus.backup"
    line = "Write the whole database to a file, or with the files into a folder"
    help = (
        "Write the whole database to a file; people can continue to work. Uploaded files are not in it. Given an"
        " existing folder, it writes both there, named by the time, and removes old backups: for a timer. Files of a"
        " bucket are in neither: the bucket keeps them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a new file, or a folder that exists")
        parser.add_argument("--keep", type=int, default=14, metavar="N", help="backups kept in a folder (default: 14)")

    def carry_out(self, *, file: Path, keep: int, **_: Any) -> tuple[str, dict[str, Any]]:
        if keep < 1:
            raise Refused(f"--keep {keep}: keep at least 1.")
        if file.is_dir():
            made = dated_backup(file, at=timezone.now(), keep=keep)
            packed, size = files_of(made), made.stat().st_size
            kept = f"At most {keep} backups are kept."
            if settings.BUCKET:
                words = f"{made}: {size:,} bytes. {kept} It has none of the files, which are in {files.address()}."
                return words, {"file": str(made), "bytes": size, "files": None}
            words = f"{made}: {size:,} bytes. Its files: {packed}. {kept}"
            return words, {"file": str(made), "bytes": size, "files": str(packed)}
        size, media = dump(file), files.address()
        words = f"{file}: {size:,} bytes. Copy {media} as well: uploaded files are there."
        return words, {"file": str(file), "bytes": size, "media": media}
