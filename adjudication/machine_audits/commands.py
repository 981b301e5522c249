"""litmus machine_audit: it only reads, so it is not a verb."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.options import add_option
from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand, valid
from accounts.refusals import Refused
from adjudication.labels.labels import campaign_with
from adjudication.machine_audits.forms import FiguresForm
from adjudication.machine_audits.reading import audits_of
from adjudication.machine_audits.tables import COLUMNS, as_json, lines_of, rows_of
from engines.formats.csv_text import write_csv


class MachineAuditCommand(ReportingCommand):
    """litmus machine_audit SLUG CAMPAIGN [--audit N] [--run NAME …] [--half-width POINTS] [--format csv] [--json]"""

    called = "machine_audit"
    where = IN_CAMPAIGN
    prints = True
    task = "Agree and decide"
    example = "machine_audit demo machine-labels --half-width 3"
    line = "Estimate what people would say of all items that a machine labelled"
    help = (
        "Estimate the figures as if people had judged all items that a machine labelled, from the sample that they"
        " judge: shares of grades, errors by grade, P@k, DCG@k and nDCG@k of runs, with 95% intervals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--audit", type=int, metavar="N", help="its number; without one, the newest")
        parser.add_argument("--format", choices=["text", "csv"], default="text", dest="shape")
        for name, field in FiguresForm.base_fields.items():
            add_option(parser, name, field)

    def carry_out(
        self, *, slug: str, campaign: str, audit: int | None, shape: str, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        audits = audits_of(found)
        one = (audits.filter(pk=audit) if audit else audits).first()
        if one is None:
            raise Refused(f"{found} has no such audit. Draw a sample by draw_audit_sample.")
        one.campaign = found
        form = FiguresForm({name: options[name] for name in FiguresForm.base_fields}, audit=one)
        valid(form)
        shown = form.findings()
        table = "".join(write_csv(COLUMNS, (row.cells for row in rows_of(shown))))
        return table if shape == "csv" else "\n".join(lines_of(shown)), as_json(shown)
