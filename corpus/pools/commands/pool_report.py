"""manage.py pool_report SLUG [--json]"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from corpus.collections.reads.collections import collection_with
from corpus.pools.reads.pool_report import RunHoles, holes_of_runs, overlap_of_methods


class Command(ReportingCommand):
    help = "Show how the methods of pools overlap, and how much of each run's top nobody has judged."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")

    def carry_out(self, *, slug: str, **_: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        overlap, holes = overlap_of_methods(collection), holes_of_runs(collection)
        lines = [f"{overlap.pairs:,} pairs, {overlap.total:,} combinations of methods"]
        lines += [f"  {' + '.join(each.methods)}: {each.pairs:,}" for each in overlap.combinations]
        if overlap.others:
            lines.append(f"  {overlap.others:,} other combinations: {overlap.pairs_of_others:,}")
        lines += [f"{method}: {pairs:,} pairs, alone or with others" for method, pairs in overlap.methods.items()]
        lines += [_line(run) for run in holes]
        return "\n".join(lines), {**asdict(overlap), "holes": [asdict(run) for run in holes]}


def _line(run: RunHoles) -> str:
    shares = (f"@{hole.cut} {hole.unjudged_percent:.1f}%" for hole in run.holes if hole.unjudged_percent is not None)
    return f"{run.name}, {run.topics:,} topics, unjudged: {', '.join(shares)}"
