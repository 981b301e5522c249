"""litmus build_pools, import_pool and pool_report."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.counting import percent
from accounts.management.options import add_option
from accounts.management.reporting import IN_COLLECTION, ReportingCommand
from corpus.collections.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.pools.forms import BuildForm, own_index, own_recipe
from corpus.pools.pool_report import RunHoles, holes_of_runs, overlap_of_methods
from corpus.pools.requests import request_pools


class BuildPools(ReportingCommand):
    """litmus build_pools SLUG [--recipe doris-mae] [--methods NAME…] [--depth N] [--json]"""

    called = "build_pools"
    where = IN_COLLECTION
    task = "Prepare"
    example = "build_pools demo --depth 20"
    line = "Pool the first documents of runs and of searches"
    help = (
        "Pool the first documents of runs and of searches of the collection: their union, with the origin of each. "
        "This replaces earlier results of the same methods; documents that are items of a campaign stay. "
        "Without --recipe and --methods: all runs, or where there are none the recipe doris-mae."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="runs to pool, “targets” for documents known to answer, and bm25, tfidf, citations or dense to search",
        )
        about = "search by query and aspects, as DORIS-MAE did; the options below change its numbers"
        parser.add_argument("--recipe", choices=["doris-mae"], help=about)
        parser.add_argument(
            "--depth", type=int, default=0, help="documents of each (default: 0, all of a run, 100 of a search)"
        )
        own = parser.add_argument_group("numbers of the recipe")
        for name in (*BuildForm.RECIPE, *BuildForm.INDEX):
            add_option(own, name, BuildForm.base_fields[name])

    def carry_out(
        self, *, slug: str, methods: list[str] | None, depth: int, recipe: str | None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        has_recipe, has_index = (
            any(options[name] is not None for name in names) for names in (BuildForm.RECIPE, BuildForm.INDEX)
        )
        collection = collection_with(slug)
        run = request_pools(
            by=None,
            at=timezone.now(),
            collection=collection,
            methods=methods,
            depth=depth,
            recipe=own_recipe(options, collection) if recipe or has_recipe else None,
            index=own_index(options, collection.language) if has_index else None,
            send=False,
        )
        jobs.complete(run)
        seconds = run.parameters["seconds"]
        lines = [
            f"{run.topics:,} topics with {run.pairs:,} pairs of topic and document "
            f"({run.added:,} new, {run.removed:,} removed), in {seconds:.1f} s"
        ]
        lines += [f"  {method}: {count:,}" for method, count in run.methods.items()]
        result = {"topics": run.topics, "pairs": run.pairs, "methods": run.methods, "seconds": seconds}
        return "\n".join(lines), {**result, "added": run.added, "removed": run.removed}


class ImportPool(ImportCommand):
    """litmus import_pool SLUG FILE… [--method NAME] [--dry-run] [--json]"""

    called = "import_pool"
    task = "Bring in"
    example = "import_pool demo pool.txt --method earlier"
    line = "Pairs of topic and document to judge"
    kind = "pool"


class PoolReportCommand(ReportingCommand):
    """litmus pool_report SLUG [--json]"""

    called = "pool_report"
    where = IN_COLLECTION
    prints = True
    task = "Prepare"
    example = "pool_report demo"
    line = "Show the overlap of pool methods and the unjudged documents"
    help = "Show the overlap of pool methods, and how many of each run's top documents are unjudged."

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
    shares = (
        f"@{hole.cut} {percent(hole.unjudged_percent, 1)}" for hole in run.holes if hole.unjudged_percent is not None
    )
    return f"{run.name}, {run.topics:,} topics, unjudged: {', '.join(shares)}"
