"""manage.py search_sheet SLUG write|read FILE: sampled questions to ask a search engine by hand, back as a run."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand
from accounts.refusals import Refused
from adjudication.evaluation.actions import import_sheet
from adjudication.evaluation.reads.search_sheets import QUESTIONS, RESULTS, SEED, sheet_lines
from adjudication.evaluation.rules import check_can_sample
from corpus.collections.reads.collections import collection_with


class Command(SteppedCommand):
    help = "A sheet of sampled questions to fill with what a search engine found (LitSearch, Table 7), read as a run."
    reads: ClassVar[dict[str, str]] = {"write": "write the empty sheet as CSV"}
    writes: ClassVar[dict[str, str]] = {"read": "read a filled sheet as a run"}

    def add_write(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--questions", type=int, default=QUESTIONS, help=f"of each origin; default: {QUESTIONS}")
        parser.add_argument("--results", type=int, default=RESULTS, help=f"of each question; default: {RESULTS}")
        parser.add_argument("--seed", type=int, default=SEED)

    def add_read(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="of the run, such as the search engine's")

    def write(self, *, slug: str, file: Path, **sample: int) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        check_can_sample(collection, None)
        lines = list(sheet_lines(collection, **sample))
        try:
            with file.open("w", encoding="utf-8", newline="") as out:
                out.writelines(lines)
        except OSError as error:
            raise Refused(f"{file} cannot be written: {error.strerror}.") from error
        questions = (len(lines) - 1) // sample["results"]
        return f"{questions:,} questions in {file}.", {"questions": questions, "file": str(file), **sample}

    def read(self, *, slug: str, file: Path, name: str) -> tuple[str, dict[str, Any]]:
        try:
            with file.open("rb") as stream:
                sheet, run = import_sheet(
                    collection=collection_with(slug),
                    name=name,
                    file=file.name,
                    stream=stream,
                    by=None,
                    at=timezone.now(),
                    send=False,
                )
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        self.work([run])
        counts = {"topics": len(sheet.rankings), "outside": sheet.outside, "unanswered": sheet.unanswered}
        text = f"{name}: {counts['topics']:,} questions, {sheet.outside:,} results outside of the collection."
        return text, {"run": name, **counts}
