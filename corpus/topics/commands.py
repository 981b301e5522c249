"""Commands about topics."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.options import add_renamed_option
from accounts.management.reporting import ReportingCommand
from corpus.collections.reads.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.topics.actions.sub_queries import make_sub_queries


class ImportTopics(ImportCommand):
    """manage.py import_topics SLUG FILE… [--format F] [--dry-run] [--json]"""

    kind = "topics"


class MakeSubQueries(ReportingCommand):
    """manage.py make_sub_queries SLUG [--size K] [--json]"""

    help = (
        "Make sub-queries of complex queries: all combinations of K aspects whose sentences speak of no other aspect. "
        "They inherit pools and judgments. Doing it twice changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        about = "aspects of a sub-query (default: 2)"
        add_renamed_option(parser, "--size", former="--aspects", type=int, default=2, metavar="K", help=about)

    def carry_out(self, *, slug: str, size: int, **_: Any) -> tuple[str, dict[str, Any]]:
        counts = make_sub_queries(by=None, at=timezone.now(), collection=collection_with(slug), size=size)
        summary = (
            f"{counts.total:,} sub-queries of {size} aspects: {counts.created:,} made, {counts.updated:,} changed, "
        )
        summary += (
            f"{counts.unchanged:,} as before, {counts.removed:,} removed; {counts.left_out:,} combinations left out"
        )
        return summary, {**asdict(counts), "sub_queries": counts.total, "aspects": size}
