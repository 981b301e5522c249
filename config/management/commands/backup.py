"""manage.py backup FILE"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.backups import dump


class Command(BaseCommand):
    task = "Look after"
    example = "backup litmus.backup"
    help = "Write the whole database to a file; people may go on working. Uploaded files are not in it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **_: Any) -> None:
        size = dump(file)
        self.stderr.write(f"{file}: {size:,} bytes. Copy {settings.MEDIA_ROOT} as well: uploaded files are there.")
