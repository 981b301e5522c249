"""manage.py move_files folder|bucket"""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.moving import Moving, both, look, move
from config.running import running

SHOWN = 20  # problems
BETWEEN = 2.0  # seconds between two words on how far it is


class Command(ReportingCommand):
    """Exit code 1 where a file could not be moved, after saying which."""

    task = "Look after"
    example = "move_files bucket --dry-run"
    line = "Copy all files from the folder into the bucket, or back"
    help = (
        "Copy all uploaded files and releases from LITMUS_MEDIA_ROOT into the bucket of LITMUS_BUCKET_URL, or back, and"
        " compare each by its SHA-256. Start it again where it broke off. Nothing is deleted unless you say so."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("target", choices=["bucket", "folder"], help="where the files are to be")
        parser.add_argument("--dry-run", action="store_true", help="only count what would be copied")
        parser.add_argument(
            "--delete-source", action="store_true", help="afterwards delete them where they were, if all are the same"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.problems = 0
        super().handle(*args, **options)
        if self.problems:
            raise CommandError("Not all files were moved. None was deleted where they were.")

    def carry_out(self, *, target: str, dry_run: bool, delete_source: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        if delete_source and not dry_run and running(settings.DATA_DIR):
            raise Refused("Litmus is running on this data. Stop it before you delete files.")
        moving = Moving(*both(target))
        if dry_run:
            look(moving)
        else:
            move(moving, delete=delete_source, report=self.report)
        self.problems = len(moving.problems)
        found = {name: getattr(moving, name) for name in ("files", "bytes", "copied", "there", "deleted", "problems")}
        return _summary(moving, dry_run=dry_run), {"target": moving.target.address(), "dry_run": dry_run, **found}

    reported_at = 0.0

    def report(self, words: str) -> None:
        """Say how far it is, now and then."""
        if time.monotonic() - self.reported_at > BETWEEN:
            self.reported_at = time.monotonic()
            self.stderr.write(words, style_func=str)


def _summary(moving: Moving, *, dry_run: bool) -> str:
    where = f"from {moving.source.address()} to {moving.target.address()}"
    size = f"{moving.files:,} files, {moving.bytes / 1e6:,.1f} MB {where}"
    if dry_run:
        return f"{size}: {moving.copied:,} would be copied, {moving.there:,} are there in the same size."
    lines = [f"{name}: {words}." for name, words in list(moving.problems.items())[:SHOWN]]
    lines += [f"{len(moving.problems) - SHOWN:,} more."] if len(moving.problems) > SHOWN else []
    ended = f"{moving.deleted:,} deleted where they were." if moving.deleted else "None was deleted where they were."
    return "\n".join([*lines, f"{size}: {moving.copied:,} copied, {moving.there:,} were there. {ended}"])
