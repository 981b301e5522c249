"""litmus example NAME DIR"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.example_files import NAMES, write_files


class Command(ReportingCommand):
    task = "Start"
    example = "example litsearch questions"
    line = "Write small invented files to try a paper's workflow"
    help = (
        "Write small files, all invented, into a new folder: questions rated by a rubric (litsearch), abstracts judged "
        "by the aspects of complex queries (doris-mae), or papers with their citation contexts (acm-cr). The tutorial "
        "of the same name starts with them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", choices=NAMES)
        parser.add_argument("folder", type=Path, metavar="DIR", help="made by the command; nothing is overwritten")

    def carry_out(self, *, name: str, folder: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise Refused(f"There is a {folder} already. Name a folder that does not exist yet.") from None
        except OSError as error:
            raise Refused(f"{folder} cannot be made: {error.strerror}.") from error
        made = write_files(name, folder)
        return f"{len(made)} files in {folder}: {', '.join(made)}.", {"folder": str(folder), "files": made}
