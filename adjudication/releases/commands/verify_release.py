"""manage.py verify_release FOLDER [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.reporting import ReportingCommand
from adjudication.releases.jobs.verifying import Verification, verify_release


class Command(ReportingCommand):
    help = "Check every file of a release against its manifest, and make it again where nothing has changed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path)

    def carry_out(self, *, folder: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        found = verify_release(folder)
        self.is_ok = found.is_ok
        return _summary(found), found.as_json()

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 1 where anything differs, after saying what."""
        self.is_ok = True
        super().handle(*args, **options)
        if not self.is_ok:
            raise CommandError("The folder is not the release as it was frozen.")


def _summary(found: Verification) -> str:
    lines = [f"Changed: {_plain(path)}" for path in found.changed]
    lines += [f"Missing: {_plain(path)}" for path in found.missing]
    lines += [f"Not in the release: {_plain(path)}" for path in found.extra]
    lines += [found.other] if found.other else []
    if found.remade is None:
        lines += ["It was not made again.", *found.reasons]
    else:
        lines.append("Made again: every file is the same." if found.remade else "Made again, and files differ:")
        lines += found.differing
    return "\n".join(lines if not found.is_ok else ["Every file is as it was released.", *lines])


def _plain(path: str) -> str:
    """The path on one line: a stranger's folder may have file names that steer a terminal."""
    return path if path.isprintable() else ascii(path)
