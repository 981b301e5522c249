"""manage.py evaluate SLUG --run NAME… [--campaign C] [--measure M…] [--aspects A] [--resamples B] [--seed N]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from adjudication.exporting.forms import ASPECTS, EVERY, UNRESOLVED
from adjudication.exporting.options import make_options
from adjudication.exports.evaluation import MEASURES, evaluate_runs
from adjudication.stats.retrieval import measure_names
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Measure runs against the verdicts of a campaign, with intervals over queries and tests of each pair."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--run", nargs="+", required=True, metavar="NAME", dest="names")
        parser.add_argument("--campaign", default="", help="needed when there are several")
        parser.add_argument("--criterion", default="")
        known = ", ".join(measure_names())
        parser.add_argument(
            "--measure", nargs="+", default=list(MEASURES), metavar="M", dest="measures", help=f"some of {known}"
        )
        parser.add_argument("--unresolved", choices=UNRESOLVED, default="refuse")
        parser.add_argument(
            "--aspects", choices=ASPECTS, default=EVERY, help="score over every aspect of a topic, or the judged only"
        )
        parser.add_argument("--resamples", type=int, default=10_000)
        parser.add_argument("--seed", type=int, default=1)

    def carry_out(self, *, slug: str, names: list[str], **options: Any) -> tuple[str, dict[str, Any]]:
        where = {name: options[name] for name in ("campaign", "criterion", "unresolved", "aspects")}
        how = {name: options[name] for name in ("measures", "resamples", "seed")}
        found = evaluate_runs(make_options(collection_with(slug), "qrels", **where), list(dict.fromkeys(names)), **how)
        return _summary(found), found


def _summary(found: dict[str, Any]) -> str:
    """A line per run and measure, and one per test."""
    lines = [f"Note: {note}" for note in found["notes"]]
    lines.append(f"{found['queries']} queries, seed {found['seed']}")
    for name, means in found["runs"].items():
        for measure, mean in means.items():
            reason = mean.get("problem", mean["reason"])
            value = f"{mean['value']:.4f}" if mean["value"] is not None else f"undefined ({reason})"
            interval = f" ({mean['low']:.4f}, {mean['high']:.4f})" if mean["low"] is not None else ""
            lines.append(f"{name:<24} {measure:<12} {value}{interval}")
    for test in found["tests"]:
        p = f"p = {test['p']:.4f}" if test["p"] is not None else f"no p ({test['reason']})"
        lines.append(f"{test['a']} – {test['b']}: {test['measure']}, {p}")
    return "\n".join(lines)
