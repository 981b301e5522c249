"""litmus example NAME DIR"""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.demo.sheets import pdf_of

FILES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("litsearch", "doris-mae", "acm-cr")  # each is a folder there


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
        write(FILES / name, folder)
        made = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        return f"{len(made)} files in {folder}: {', '.join(made)}.", {"folder": str(folder), "files": made}


def write(source: Path, folder: Path) -> None:
    """Copy the files; a paper that is kept as text (.txt) becomes a PDF."""
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        target = folder / path.relative_to(source)
        target.parent.mkdir(exist_ok=True)
        if path.suffix == ".txt" and path.parent.name == "papers":
            target.with_suffix(".pdf").write_bytes(pdf_of(path.read_text(encoding="utf-8")))
        else:
            shutil.copyfile(path, target)
