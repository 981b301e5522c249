"""litmus sample_size: nothing is stored, so it is no verb."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from accounts.refusals import Refused
from adjudication.agreement.sample_size import Aim, items_needed
from adjudication.labels.labels import campaign_with
from engines.stats.statistics import STATISTICS


class SampleSize(ReportingCommand):
    """litmus sample_size SLUG CAMPAIGN [--statistic S] [--half-width H | --difference D] [--check] [--json]"""

    called = "sample_size"
    where = IN_CAMPAIGN
    prints = True
    task = "Agree and decide"
    example = "sample_size demo trial-round --half-width 0.1"
    line = "How many items a narrow interval or a small difference needs"
    help = "How many items for an interval this narrow or a difference this large, with a campaign as pilot."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--criterion", default="", help="key; without one, the campaign's first")
        parser.add_argument("--statistic", choices=list(STATISTICS), default="accuracy")
        aim = parser.add_mutually_exclusive_group()
        aim.add_argument("--half-width", type=float, default=0.05, help="a fraction: 0.05 is ± 5 points (default)")
        aim.add_argument("--difference", type=float, help="people less machine, a fraction")
        parser.add_argument("--power", type=float, default=0.8, help="chance of finding the difference (0.8)")
        parser.add_argument("--independent", action="store_true", help="as if items of a topic were independent")
        parser.add_argument("--check", action="store_true", help="simulate data sets of that size as well")

    def carry_out(self, *, slug: str, campaign: str, check: bool, **options: Any) -> tuple[str, dict[str, Any]]:
        target = campaign_with(slug, campaign)
        criteria = target.criteria.filter(key=options["criterion"]) if options["criterion"] else target.criteria.all()
        criterion = criteria.first()
        if criterion is None:
            raise Refused(f"{target} has no criterion “{options['criterion']}”.")
        difference = options["difference"]
        aim = Aim(
            options["statistic"],
            None if difference else options["half_width"],
            difference,
            options["power"],
            not options["independent"],
        )
        needed = items_needed(target, criterion, aim, check=check)
        words = f"{needed.n_items:,} items ({needed.block}, from a pilot of {needed.pilot_items:,}). {needed.sample}"
        return words.rstrip(), needed.to_json()
