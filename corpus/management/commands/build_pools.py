"""manage.py build_pools SLUG [--methods NAME…] [--depth N] [--json]"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.told import ToldCommand
from corpus.actions.pools import build_pools
from corpus.queries.collections import collection_with


class Command(ToldCommand):
    help = "Pool the first documents of every run, keeping which method brought what. Pools only grow."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help="runs to pool (default: all)")
        parser.add_argument("--depth", type=int, default=100, help="documents of each ranking (default: 100)")

    def carry_out(self, *, slug: str, methods: list[str], depth: int, **_: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        built = build_pools(collection=collection, by=None, at=timezone.now(), methods=methods, depth=depth)
        told = f"Pools of {built.topics} topics hold {built.pairs:,} pairs, {built.new:,} of them new."
        return told, asdict(built)
