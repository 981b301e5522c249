"""manage.py restore FILE"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from config import embedded
from config.apps import close_pools
from config.backups import check, load
from config.dated_backups import unpack_files
from config.outside import check_database


class Command(ReportingCommand):
    task = "Look after"
    example = "restore litmus.backup"
    line = "Fill an empty database from a file of `backup`"
    help = "Fill an empty database from a file of `backup` and bring it up to date with this version."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="as `backup` wrote it")

    def carry_out(self, *, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        check(file)
        check_database()
        with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
            try:
                load(file)
                call_command("migrate", interactive=False, verbosity=0)
            finally:
                close_pools()  # while their server still runs
        files = unpack_files(file)
        words = f" {files:,} files were restored, too." if files else ""
        return f"The database now holds the data of {file}.{words}", {"file": str(file), "files": files}
