"""manage.py agreement SLUG CAMPAIGN [--resamples B] [--seed N] [--cluster topic|item|auto] [--interval …] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from adjudication.agreement.actions import request_agreement
from adjudication.agreement.reads.agreement import as_json, show
from adjudication.labels.reads.labels import campaign_with
from adjudication.models import AgreementRun
from adjudication.stats.intervals import METHODS
from adjudication.stats.report import read_margin
from annotation.campaigns.reads.overrides import overrides_in


class Command(ReportingCommand):
    help = "Measure the agreement of a campaign's annotators, with intervals, and store it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("campaign")
        parser.add_argument("--resamples", type=int, default=10_000, help="bootstrap samples (default 10,000)")
        parser.add_argument("--seed", type=int, help="without one, the campaign's own")
        parser.add_argument(
            "--cluster",
            choices=["topic", "item", "auto"],
            default="auto",
            help="what is resampled; auto: topics when any has two or more items",
        )
        parser.add_argument(
            "--interval",
            choices=["auto", *METHODS],
            default="auto",
            help="auto: percentile, or jackknife_t for small samples",
        )
        parser.add_argument(
            "--margin",
            type=read_margin,
            help="equivalence margin of people against machine: 0.05, or accuracy=0.05,spearman=0.1",
        )
        parser.add_argument("--figures", action="store_true", help="also draw the figures for papers, and keep them")

    def carry_out(self, *, slug: str, campaign: str, cluster: str, **options: Any) -> tuple[str, dict[str, Any]]:
        chosen = {name: options[name] for name in ("resamples", "seed", "interval", "margin", "figures")}
        target = campaign_with(slug, campaign)
        run = request_agreement(campaign=target, by=None, at=timezone.now(), unit=cluster, send=False, **chosen)
        jobs.complete(run)
        return summary(run), as_json(run)


def summary(run: AgreementRun) -> str:
    """A line per figure that is not about a single pair, and what must be said of the machines among the annotators."""
    lines = [f"{run.n_judgments:,} judgments, {run.seconds:.1f} s, seed {run.seed}"]
    for result in run.results.exclude(scope="pair").order_by("pk"):
        figure = show(result)
        where = " ".join(filter(None, [result.criterion, result.block or result.scope, result.model]))
        interval = f" ({figure.low}, {figure.high}) {figure.method}" if figure.low else f" ({figure.why_no_interval})"
        value = figure.value + interval if not figure.why else f"undefined: {figure.why}"
        lines.append(f"{where:<28} {result.statistic:<24} {value}, n = {figure.n_items:,}")
    lines += [f"Note: {each.text}" for each in overrides_in(run.campaign)]
    return "\n".join(lines)
