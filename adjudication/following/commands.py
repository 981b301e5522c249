"""litmus pay_sheet, costs and quality: what is asked is not changed, so they are no verbs."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
from adjudication.following.costs import WRITERS, cost_sentence, costs_of
from adjudication.following.counting import queue_count
from adjudication.following.figures import every_figure, is_never_counted, newest_count, quality_as_json
from adjudication.following.pay import COLUMNS, csv_rows, current_sheet, sheet_as_json
from adjudication.labels.labels import campaign_with
from engines.formats.csv_text import write_csv


class PaySheetCommand(ReportingCommand):
    """litmus pay_sheet SLUG CAMPAIGN [--json]"""

    called = "pay_sheet"
    where = IN_CAMPAIGN
    prints = True
    task = "Look after"
    example = "pay_sheet demo main-round"
    line = "What everybody has earned in a campaign, as CSV"
    help = (
        "What everybody has earned in a campaign up to now, by the rate of set_pay_rate, as CSV. Litmus makes no"
        " payments."
    )

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        sheet = current_sheet(campaign_with(slug, campaign))
        return "".join(write_csv(COLUMNS, csv_rows(sheet))), sheet_as_json(sheet)


class QualityCommand(ReportingCommand):
    """litmus quality SLUG CAMPAIGN [--json]"""

    called = "quality"
    where = IN_CAMPAIGN
    prints = True
    task = "Look after"
    example = "quality demo main-round"
    line = "How carefully each person judges in a campaign"
    help = (
        "How carefully each person judges in a campaign, by the newest count, which is made now where there is none:"
        " speed, runs, agreement, known answers, repeats, changes over time, with 95% intervals."
        " It has no effect on anybody."
    )

    def carry_out(self, *, slug: str, campaign: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        if is_never_counted(found):
            jobs.complete(queue_count(found.pk, by=None, at=timezone.now()))
        summary = newest_count(found)
        lines = [
            f"{one.name}{f' ({criterion.key})' if criterion else ''}, {each.measure.label}: {each.text}"
            for one, criterion, each in every_figure(summary)
        ]
        return "\n".join(lines) or "Nobody judges here.", quality_as_json(summary)


class CostsCommand(ReportingCommand):
    """litmus costs SLUG CAMPAIGN [--format FORM] [--json]"""

    called = "costs"
    where = IN_CAMPAIGN
    prints = True
    task = "Look after"
    example = "costs demo main-round --format latex"
    line = "What an answer costs, of people and of machines"
    help = "What an answer and an item cost in a campaign, of people and of machines, in time and money."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=[*WRITERS], default="text", dest="shape", help="form of the table")

    def carry_out(self, *, slug: str, campaign: str, shape: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        costs = costs_of(found)
        sentence = cost_sentence(found, costs)
        words = WRITERS[shape](costs) + (f"\n{sentence}" if shape == "text" else "")
        return words or "Nobody has answered here.", {"sentence": sentence, "costs": [asdict(one) for one in costs]}
