"""manage.py assign SLUG CAMPAIGN [--overlap K] [--strategy planned|queue] [--seed N] [--repeat-percent P] [--dry-run]
[--json]"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.options import add_renamed_option
from accounts.management.reporting import ReportingCommand
from annotation.assignment.actions.assignments import PlanRequest, assign_items
from annotation.assignment.jobs import Summary
from annotation.campaigns.reads.campaigns import campaign_with
from annotation.models import Strategy
from engines.definitions.settings import USUAL_GAP

SHOWN_PAIRS = 15


class Command(ReportingCommand):
    help = (
        "Give every item of a campaign the annotators it still needs: distinct people, even loads, couples met evenly."
        " What is assigned already stays."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("--overlap", type=int, metavar="K", help="annotators per item, from now on")
        parser.add_argument("--strategy", choices=Strategy.values, help="assigned in advance, or an open queue")
        parser.add_argument("--seed", type=int, metavar="N", help="the campaign's own if absent")
        add_renamed_option(
            parser,
            "--repeat-percent",
            former="--repeats",
            type=int,
            default=0,
            metavar="PERCENT",
            help="of each person's new items, asked a second time without a sign of it",
        )
        parser.add_argument(
            "--repeat-gap", type=int, default=USUAL_GAP, metavar="N", help="other items in between, at least"
        )
        parser.add_argument("--dry-run", action="store_true", help="show the plan, write nothing")

    def carry_out(self, *, slug: str, campaign: str, dry_run: bool, **options: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        request = {name: options[name] for name in PlanRequest.__annotations__}
        summary = assign_items(campaign=found, by=None, at=timezone.now(), dry_run=dry_run, **request)
        return summary_text(summary, dry_run), {**asdict(summary), "dry_run": dry_run}


def summary_text(summary: Summary, dry_run: bool) -> str:
    """The plan in lines for a person."""
    head = "Dry run, nothing was written. " if dry_run else ""
    if summary.strategy == Strategy.QUEUE:
        return f"{head}{summary.judgments:,} free slots of {summary.items:,} items are in the open queue."
    lines = [f"{head}{summary.judgments:,} judgments of {summary.items:,} items are assigned (seed {summary.seed})."]
    lines += [
        f"  {name}: {new:,} new, {summary.loads[name]:,} in all{_again(summary.repeats.get(name, 0))}"
        for name, new in sorted(summary.annotators.items())
    ]
    pairs = sorted(summary.pairs.items())
    lines += [f"  {' and '.join(pair.split('|'))} share {count:,}" for pair, count in pairs[:SHOWN_PAIRS]]
    if len(pairs) > SHOWN_PAIRS:
        lines.append(f"  … and {len(pairs) - SHOWN_PAIRS:,} more pairs, from {min(summary.pairs.values()):,} items")
    return "\n".join(lines)


def _again(count: int) -> str:
    return f", {count:,} asked again" if count else ""
