"""manage.py judge_unjudged SLUG --gold G --run NAME… --depth K (--campaign C | --name NAME) [--topic N…]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from adjudication.evaluation.actions import judge_unjudged
from adjudication.evaluation.reads.rankings import find_runs
from adjudication.evaluation.reads.unjudged import DEPTHS
from adjudication.exporting.exporter import find_campaign
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Make items of the documents that runs rank high and a gold does not know."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--gold", required=True, help="as of evaluate, such as campaign:main")
        parser.add_argument("--run", nargs="+", action="extend", default=[], metavar="NAME", dest="runs")
        parser.add_argument("--depth", type=int, default=DEPTHS[1], help="documents among the first so many of any run")
        parser.add_argument("--topic", nargs="+", action="extend", default=[], metavar="NUMBER", dest="topics")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--campaign", default="", help="short name of the campaign that gets the items")
        where.add_argument("--name", default="", help="name of a new draft")

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        done = judge_unjudged(
            collection=collection,
            gold=options["gold"],
            runs=[run.name for run in find_runs(collection, options["runs"])],
            depth=options["depth"],
            topics=options["topics"] or None,
            campaign=find_campaign(collection, options["campaign"]) if options["campaign"] else None,
            name=options["name"],
            by=None,
            at=timezone.now(),
        )
        return f"{done.items:,} items of {done.documents:,} documents added to {done.campaign}", done.to_json()
