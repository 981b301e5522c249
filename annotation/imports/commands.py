"""litmus import_judgments SLUG CAMPAIGN FILE… [--format F] [--annotator NAME] [--machine] [--dry-run] [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.campaigns.campaigns import campaign_with
from annotation.imports.importing import request_judgment_import
from corpus.imports.commands import ImportCommand
from corpus.models import ImportRun


class ImportJudgments(ImportCommand):
    called = "import_judgments"
    task = "Bring in"
    example = "import_judgments demo main-round judgments.csv --dry-run"
    line = "Import judgments made elsewhere into a campaign"
    kind = "judgments"

    def add_scope(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")

    def request(self, *, slug: str, files: list[Path], dry_run: bool, **options: Any) -> ImportRun:
        return request_judgment_import(
            campaign=campaign_with(slug, options["campaign"]),
            by=None,
            at=timezone.now(),
            files=files,
            dry_run=dry_run,
            send=False,
            format=options["format"],
            **self.parameters(**options),
        )
