"""litmus update_campaign SLUG CAMPAIGN [--name NAME] [--overlap K] … [--config FILE.toml] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import IN_CAMPAIGN, PROGRAM, ReportingCommand
from accounts.refusals import Refused
from annotation.campaigns.campaigns import campaign_with
from annotation.campaigns.changes import change_campaign
from annotation.campaigns.commands.settings import add_deadline, add_setting_arguments, file_of, settings_of
from annotation.models import Campaign

REPORTED = ("slug", "name", "split", "overlap", "order", "strategy", "seed", "lease_minutes", "options")


class UpdateCampaign(ReportingCommand):
    called = "update_campaign"
    where = IN_CAMPAIGN
    task = "Judge"
    example = "update_campaign demo second-round --deadline 2031-05-31"
    help = (
        "Change a campaign: everything while it is a draft, and its name, lease, deadline and guideline while it is"
        " open. Options override the file of --config."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", help="another name; the short name stays")
        add_setting_arguments(parser)
        deadline = parser.add_mutually_exclusive_group()
        add_deadline(deadline)
        deadline.add_argument("--no-deadline", action="store_true", help="remove the deadline")

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        file = file_of(options)
        changes = _checked(settings_of(options, file), found)
        if options["no_deadline"]:
            changes["deadline"] = None
        if file.options is not None:
            changes["options"] = file.options
        if not (changes or file.criteria or file.guideline):
            raise Refused(f"Nothing to change. {PROGRAM} update_campaign --help lists what can be changed.")
        at = timezone.now()
        changed = change_campaign(
            campaign=found, by=None, at=at, criteria=file.criteria, guideline=file.guideline, **changes
        )
        result = {name: getattr(changed, name) for name in REPORTED}
        result["deadline"] = changed.deadline and changed.deadline.isoformat()
        return f"Changed the campaign {changed.slug}.", result


def _checked(settings: dict[str, Any], campaign: Campaign) -> dict[str, Any]:
    """Settings without what only a new campaign has. Errors: Refused where the file wants another kind, or a sample."""
    kind = settings.pop("kind", campaign.kind)
    if kind != campaign.kind:
        raise Refused(f"{campaign} is a {campaign.kind} campaign, and its kind cannot be changed. Create another one.")
    if "sample" in settings:
        raise Refused(f"The sample of a file is drawn for a new campaign. Use {PROGRAM} build_items --sample instead.")
    return settings
