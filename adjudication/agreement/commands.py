"""manage.py agreement and sample_size."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from adjudication.agreement.actions import request_agreement
from adjudication.agreement.reads.agreement import as_json, show, why_nothing
from adjudication.agreement.reads.sample_size import Aim, items_needed
from adjudication.labels.reads.labels import campaign_with
from adjudication.models import AgreementRun
from annotation.campaigns.reads.overrides import overrides_in
from engines.stats.intervals import METHODS
from engines.stats.report import read_margin
from engines.stats.statistics import STATISTICS


class MeasureAgreement(ReportingCommand):
    """manage.py agreement SLUG CAMPAIGN [--resamples B] [--seed N] [--cluster topic|item|auto] [--interval …]"""

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
            help="auto: bca, or jackknife_t below 50 items or 100 topics",
        )
        parser.add_argument(
            "--margin",
            type=read_margin,
            help="equivalence margin of people against machine: 0.05, or accuracy=0.05,spearman=0.1 (default: that of"
            " the campaign's Anno-GPT cycle)",
        )
        parser.add_argument("--figures", action="store_true", help="also draw the figures for papers, and keep them")

    def carry_out(self, *, slug: str, campaign: str, cluster: str, **options: Any) -> tuple[str, dict[str, Any]]:
        chosen = {name: options[name] for name in ("resamples", "seed", "interval", "margin", "figures")}
        target = campaign_with(slug, campaign)
        run = request_agreement(campaign=target, by=None, at=timezone.now(), cluster=cluster, send=False, **chosen)
        jobs.complete(run)
        return summary(run), as_json(run)


def summary(run: AgreementRun) -> str:
    """A line per figure that is not about a single pair, and what must be said of the machines among the annotators.

    Figures that are undefined for one reason share a line; where none is defined, there is only the reason.
    """
    lines = [f"{run.n_judgments:,} judgments, {run.seconds:.1f} s, seed {run.seed}"]
    figures = [(one, show(one)) for one in run.results.exclude(scope="pair").order_by("pk")]
    nothing = why_nothing(figure for _, figure in figures)
    undefined: dict[tuple[str, str], list[str]] = {}
    for result, figure in figures:
        where = " ".join(filter(None, [result.criterion, result.block or result.scope, result.model]))
        if figure.why:
            undefined.setdefault((where, figure.why), []).append(result.statistic)
            continue
        interval = f" ({figure.low}, {figure.high}) {figure.method}" if figure.low else f" ({figure.why_no_interval})"
        lines.append(f"{where:<28} {result.statistic:<24} {figure.value}{interval}, n = {figure.n_items:,}")
    if nothing:
        lines.append(nothing)
    else:
        lines += [f"{where:<28} undefined: {why}: {', '.join(names)}" for (where, why), names in undefined.items()]
    lines += [f"Note: {each.text}" for each in overrides_in(run.campaign)]
    return "\n".join(lines)


class SampleSize(ReportingCommand):
    """manage.py sample_size SLUG CAMPAIGN [--statistic S] [--half-width H | --difference D] [--check] [--json]"""

    help = "How many items for an interval this narrow or a difference this large, with a campaign as pilot."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("campaign")
        parser.add_argument("--criterion", default="")
        parser.add_argument("--statistic", choices=list(STATISTICS), default="accuracy")
        aim = parser.add_mutually_exclusive_group()
        aim.add_argument("--half-width", type=float, default=0.05, help="a fraction: 0.05 is ± 5 points (default)")
        aim.add_argument("--difference", type=float, help="people less machine, a fraction")
        parser.add_argument("--power", type=float, default=0.8)
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
        return f"{needed.n_items:,} items ({needed.block}, from a pilot of {needed.pilot_items:,}).", needed.to_json()
