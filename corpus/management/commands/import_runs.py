"""manage.py import_runs SLUG FILE… [--name N] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from corpus.management.importing import ImportCommand, as_json
from corpus.models import ImportKind, ImportRun


class Command(ImportCommand):
    help = "Read TREC runs; each file becomes one run, named by its tag. A run of the same name is replaced."
    kind = ImportKind.RUNS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", default="", help="name of the run, for one file")

    def parameters(self, *, name: str = "", **_: Any) -> dict[str, Any]:
        return {"name": name}

    def as_json(self, run: ImportRun) -> dict[str, Any]:
        """The counts are of rankings: one topic's list in one run."""
        return {**as_json(run), "runs": run.parameters.get("runs", {})}
