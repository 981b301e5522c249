"""manage.py make_split SLUG NAME --parts dev=40 test=60 [--within A,B] [--together A,B] [--seed N] [--json]"""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from adjudication.splits.actions import make_split
from adjudication.splits.forms import parse_parts
from adjudication.splits.reads import figures_of
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Draw parts of the topics by a seed and store them: for development and test, or for training."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("name", help="of the split")
        parser.add_argument(
            "--parts", nargs="+", default=["dev=40", "test=60"], metavar="PART=SHARE", help="default: dev=40 test=60"
        )
        parser.add_argument("--within", default="", help="attributes, separated by commas, by which parts are balanced")
        parser.add_argument("--together", default="", help="attributes whose topics of one value stay in one part")
        parser.add_argument("--seed", type=int, default=1)

    def carry_out(self, *, slug: str, name: str, parts: list[str], **options: Any) -> tuple[str, dict[str, Any]]:
        try:
            shares = parse_parts(parts)
        except ValidationError as error:
            raise Refused(error.messages[0]) from None
        names = {each: [one for one in options[each].split(",") if one] for each in ("within", "together")}
        split = make_split(
            by=None,
            at=timezone.now(),
            collection=collection_with(slug),
            name=name,
            parts=shares,
            seed=options["seed"],
            **names,
        )
        found = figures_of(split)
        counts = ", ".join(f"{part} {count:,}" for part, count in found.parts)
        result = {"split": name, "seed": split.seed, **split.parameters, "topics": dict(found.parts)}
        return f"Split {name} of {found.total:,} topics: {counts}.", result
