"""manage.py open_campaign SLUG CAMPAIGN · close_campaign SLUG CAMPAIGN"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from annotation.campaigns.actions.campaigns import close_campaign, open_campaign
from annotation.campaigns.reads.campaigns import campaign_with
from annotation.models import CampaignState


class _Command(ReportingCommand):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")


class OpenCommand(_Command):
    help = "Open a campaign, so that its annotators can judge; a closed one is reopened."

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        done = "Reopened" if found.state == CampaignState.CLOSED else "Opened"
        opened = open_campaign(campaign=found, by=None, at=timezone.now())
        return f"{done} the campaign {opened.slug}.", {"slug": opened.slug, "state": opened.state}


class CloseCommand(_Command):
    help = "Close a campaign: it takes no further judgments until it is reopened. No judgment is lost."

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        closed = close_campaign(campaign=campaign_with(slug, campaign), by=None, at=timezone.now())
        return f"Closed the campaign {closed.slug}.", {"slug": closed.slug, "state": closed.state}
