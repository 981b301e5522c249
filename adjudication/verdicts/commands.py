"""litmus adjudicate SLUG CAMPAIGN --policy majority [--ties …] [--min-votes N] [--weighted] [--voters …] [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from adjudication.labels.labels import campaign_with
from adjudication.models import Voters
from adjudication.procedure import procedure_of
from engines.stats.policies import DEFAULT, MAJORITY, VOTE_POLICIES, offered_policies


class AdjudicateCommand(ReportingCommand):
    called = "adjudicate"
    where = IN_CAMPAIGN
    task = "Agree and decide"
    example = "adjudicate demo trial-round --policy majority"
    help = (
        "Decide a campaign's items by majority. Decisions by hand are kept; run it again to include newer judgments."
        " In an extraction campaign it accepts the papers in which a majority decides every difference."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--policy", choices=list(VOTE_POLICIES), default=MAJORITY.name)
        parser.add_argument("--ties", choices=list(dict(offered_policies())), default=DEFAULT)
        parser.add_argument(
            "--min-votes",
            type=int,
            help="an item with fewer stays undecided (default: overlap of the campaign; 1 where only machines vote)",
        )
        parser.add_argument("--weighted", action="store_true", help="count each vote by its annotator's weight")
        parser.add_argument("--voters", choices=Voters.values, default=Voters.HUMANS)

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        target = campaign_with(slug, campaign)
        rules = {name: options[name] for name in ("policy", "ties", "min_votes", "weighted", "voters")}
        return procedure_of(target).by_majority(target, **rules)
