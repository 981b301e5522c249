"""litmus remove_items SLUG CAMPAIGN [--topic NUMBER] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from annotation.campaigns.campaigns import campaign_with
from annotation.campaigns.items import remove_unjudged_items


class RemoveItems(ReportingCommand):
    called = "remove_items"
    where = IN_CAMPAIGN
    task = "Judge"
    example = "remove_items demo second-round --dry-run"
    line = "Remove the items of a campaign that nobody has begun"
    help = "Remove the items of a campaign that nobody has begun, with their assignments."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--topic", default="", metavar="NUMBER", help="only those of this topic")
        parser.add_argument("--dry-run", action="store_true", help="only count them")

    def carry_out(self, *, slug: str, campaign: str, topic: str, dry_run: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        removed = remove_unjudged_items(campaign=found, by=None, at=timezone.now(), topic=topic, dry_run=dry_run)
        result = {"removed": removed, "items": found.items.count(), "dry_run": dry_run}
        return f"{'Would remove' if dry_run else 'Removed'} {removed:,} unjudged items.", result
