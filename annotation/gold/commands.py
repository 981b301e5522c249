"""litmus import_known_answers and gold_results."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.counting import share_in_percent
from accounts.management.reporting import ReportingCommand
from annotation.campaigns.campaigns import campaign_with
from annotation.gold.known import check_is_graded
from annotation.gold.loading import request_known_answer_import
from annotation.gold.results import PersonResult, gold_results, results_as_json
from corpus.imports.commands import ImportCommand
from corpus.models import ImportRun


class ImportKnownAnswers(ImportCommand):
    called = "import_known_answers"
    task = "Bring in"
    example = "import_known_answers demo questions known.csv --dry-run"
    line = "Import known answers into a campaign"
    kind = "known-answers"

    def add_scope(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")

    def request(self, *, slug: str, files: list[Path], dry_run: bool, **options: Any) -> ImportRun:
        return request_known_answer_import(
            campaign=campaign_with(slug, options["campaign"]),
            by=None,
            at=timezone.now(),
            files=files,
            dry_run=dry_run,
            send=False,
            format=options["format"],
            **self.parameters(**options),
        )


class GoldResultsCommand(ReportingCommand):
    """litmus gold_results SLUG CAMPAIGN [--json]"""

    called = "gold_results"
    prints = True
    task = "Look after"
    example = "gold_results demo main-round"
    line = "How people answer the items of a campaign whose answer is known"
    help = (
        "How people answer the items of a campaign whose answer is known: the share of right answers of each person"
        " with its 95% interval, and by week with --json."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("campaign")

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        check_is_graded(found)
        results = gold_results(found)
        lines = [_line(one) for one in results.people] or ["Nobody has answered an item with a known answer yet."]
        return "\n".join(lines), results_as_json(results)


def _line(one: PersonResult) -> str:
    share = one.share
    if share.value is None:
        return f"{one.annotator}: {share.reason}"
    verdict = f", {one.verdict}" if one.below else ""
    low, high = share_in_percent(share.low), share_in_percent(share.high)
    right = f"{share.hits:,} of {share.n:,} right ({share_in_percent(share.value)}, 95% interval {low} to {high})"
    return f"{one.annotator}: {right}{verdict}"
