"""manage.py build_items SLUG CAMPAIGN [--sample N] [--seed N] [--stratified] [--source S] [--json]"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.told import ToldCommand
from annotation.actions.items import build_items
from annotation.queries.campaigns import campaign_with
from annotation.queries.questions import Choice
from corpus.models import TopicKind


class Command(ToldCommand):
    help = "Add the items that a campaign lacks: pairs of new aspects, of pools that have grown, new questions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("--sample", type=int, metavar="N", help="add N items drawn by the seed instead of all")
        parser.add_argument("--seed", type=int, metavar="N", help="the campaign's own if absent")
        parser.add_argument("--stratified", action="store_true", help="draw the same number from each topic or source")
        parser.add_argument("--source", action="append", default=[], metavar="S", help="rubric: of this source; repeat")
        parser.add_argument("--topic-kind", default="", choices=TopicKind.values, help="rubric: topics of this kind")

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        wanted = {name: options[name] for name in ("sample", "seed", "stratified")}
        choice = Choice(tuple(options["source"]), options["topic_kind"])
        built = build_items(campaign=found, by=None, at=timezone.now(), choice=choice, **wanted)
        return f"Made {built.created:,} items; {campaign} has {built.items:,} now.", asdict(built)
