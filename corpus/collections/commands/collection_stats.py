"""manage.py collection_stats SLUG [--json]"""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from corpus.collections.reads.collections import collection_with
from corpus.collections.reads.statistics import collection_statistics


class Command(ReportingCommand):
    help = "Count what a collection holds: documents, topics, aspects, pools and the pairs to judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")

    def carry_out(self, *, slug: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = collection_statistics(collection_with(slug))
        return "\n".join(_lines(found)), found


def _lines(figures: dict[str, Any], above: str = "") -> Iterator[str]:
    """One line for each figure; those of a part, such as contexts, below its name."""
    for name, value in figures.items():
        words = f"{above}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            yield from _lines(value, f"{words}: ")
        elif isinstance(value, int | float):  # lists, such as figures paper by paper, are in the JSON alone
            yield f"{words:<40} {value:>12,}"
