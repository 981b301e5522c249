"""manage.py update_campaign SLUG CAMPAIGN [--name NAME] [--lease-minutes M] [--deadline DATE] [--json]"""

from datetime import date
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from annotation.campaigns.actions.campaigns import update_campaign
from annotation.campaigns.reads.campaigns import campaign_with


class Command(ReportingCommand):
    help = "Change what can be changed of a campaign that is open: its name, leases and deadline."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("--name", help="another name; the short name stays")
        parser.add_argument("--lease-minutes", type=int, metavar="M", help="how long an open queue's item is kept")
        deadline = parser.add_mutually_exclusive_group()
        deadline.add_argument("--deadline", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the last day to judge")
        deadline.add_argument("--no-deadline", action="store_true", help="take the deadline away")

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        names = ("name", "lease_minutes", "deadline")
        changes = {name: options[name] for name in names if options[name] is not None}
        if options["no_deadline"]:
            changes["deadline"] = None
        if not changes:
            raise Refused("Nothing to change. Give --name, --lease-minutes, --deadline or --no-deadline.")
        changed = update_campaign(campaign=found, by=None, at=timezone.now(), **changes)
        result = {
            "slug": changed.slug,
            "name": changed.name,
            "lease_minutes": changed.lease_minutes,
            "deadline": changed.deadline and changed.deadline.isoformat(),
        }
        return f"Changed the campaign {changed.slug}.", result
