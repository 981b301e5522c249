"""litmus pay_sheet and quality: what is asked is not changed, so they are no verbs."""

from typing import Any

from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand
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
