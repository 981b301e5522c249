"""manage.py collection_stats SLUG [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.told import ToldCommand
from corpus.queries.collections import collection_with
from corpus.queries.statistics import collection_statistics


class Command(ToldCommand):
    help = "Count what a collection holds: documents, topics, aspects, pools and the pairs to judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")

    def carry_out(self, *, slug: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = collection_statistics(collection_with(slug))
        lines = [
            f"{name.replace('_', ' '):<28} {value:>10,}" for name, value in found.items() if not isinstance(value, dict)
        ]
        return "\n".join(lines), found
