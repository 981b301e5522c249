"""litmus build_items SLUG CAMPAIGN [--sample N] [--seed N] [--stratified] [--dry-run] …, and what kinds choose by"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from annotation.campaigns.campaigns import campaign_with
from annotation.campaigns.commands.choice import add_choice_arguments, choice_of
from annotation.campaigns.items import build_items
from annotation.campaigns.pace import fetch_workload


class BuildItems(ReportingCommand):
    called = "build_items"
    where = IN_CAMPAIGN
    task = "Judge"
    example = "build_items demo second-round --dry-run"
    help = "Add missing items to a campaign: pairs of new aspects or of newly pooled documents, or new questions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--sample", type=int, metavar="N", help="add N items drawn by the seed instead of all")
        parser.add_argument("--seed", type=int, metavar="N", help="the campaign's own if absent")
        parser.add_argument("--stratified", action="store_true", help="draw the same number from each topic or source")
        parser.add_argument("--dry-run", action="store_true", help="report how much work it would be, and add nothing")
        add_choice_arguments(parser)

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        drawing = {name: options[name] for name in ("sample", "seed", "stratified")}
        choice = choice_of(found.kind_object, options)
        if options["dry_run"]:
            workload = fetch_workload(found, choice, options["sample"])
            hours = f"about {workload.hours:.1f} hours"
            summary = (
                f"Would make {workload.items:,} items: {workload.judgments:,} judgments, {hours}. Nothing was added."
            )
            return summary, workload.data()
        built = build_items(campaign=found, by=None, at=timezone.now(), choice=choice, **drawing)
        return f"Made {built.created:,} items; {campaign} has {built.items:,} now.", asdict(built)
