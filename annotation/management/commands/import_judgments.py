"""manage.py import_judgments SLUG CAMPAIGN FILE… [--format F] [--annotator NAME] [--machine] [--dry-run] [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.actions.imports import request_judgment_import
from annotation.queries.campaigns import campaign_with
from corpus.management.importing import ImportCommand
from corpus.models import ImportKind, ImportRun


class Command(ImportCommand):
    help = (
        "Read judgments into a campaign: CSV or JSON Lines with annotator, topic, aspect, docno, criterion, value and"
        " machine (reason, note, flagged, guideline, at, active_ms, model and run are read as well), or TREC qrels"
        " with the annotator in column 2. Importing again changes nothing."
    )
    kind = ImportKind.JUDGMENTS

    def add_scope(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--annotator", default="", metavar="NAME", help="whose labels these are, whatever is written"
        )
        parser.add_argument("--machine", action="store_true", help="every annotator in the files is a machine")

    def request(self, *, slug: str, files: list[Path], dry_run: bool, **options: Any) -> ImportRun:
        return request_judgment_import(
            campaign=campaign_with(slug, options["campaign"]),
            by=None,
            at=timezone.now(),
            files=files,
            dry_run=dry_run,
            send=False,
            **{name: options[name] for name in ("format", "annotator", "machine")},
        )
