"""litmus gold_results."""

from typing import Any

from accounts.counting import share_in_percent
from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from annotation.campaigns.campaigns import campaign_with
from annotation.gold.api import GoldResultsSerializer
from annotation.gold.known import check_is_graded
from annotation.gold.results import PersonResult, gold_results


class GoldResultsCommand(ReportingCommand):
    """litmus gold_results SLUG CAMPAIGN [--json]"""

    called = "gold_results"
    where = IN_CAMPAIGN
    prints = True
    task = "Look after"
    example = "gold_results demo main-round"
    line = "How people answer the items of a campaign whose answer is known"
    help = (
        "How people answer the items of a campaign whose answer is known: the share of right answers of each person"
        " with its 95% interval, and by week with --json."
    )

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        check_is_graded(found)
        results = gold_results(found)
        lines = [_line(one) for one in results.people] or ["Nobody has answered an item with a known answer yet."]
        return "\n".join(lines), GoldResultsSerializer(results).data


def _line(one: PersonResult) -> str:
    share = one.share
    if share.value is None:
        return f"{one.annotator}: {share.reason}"
    verdict = f", {one.verdict}" if one.below else ""
    low, high = share_in_percent(share.low), share_in_percent(share.high)
    right = f"{share.hits:,} of {share.n:,} right ({share_in_percent(share.value)}, 95% interval {low} to {high})"
    return f"{one.annotator}: {right}{verdict}"
