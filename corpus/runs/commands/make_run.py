"""manage.py make_run SLUG NAME --recipe R [--topics KIND] [--depth N] [options of the recipe] [--json]"""

from typing import Any, cast

from django import forms
from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.runs.actions import recipe_named, request_run
from corpus.runs.recipes.registry import RECIPES, all_options


class Command(ReportingCommand):
    help = (
        "Make a retrieval run over the documents of a collection. The same recipe over the same collection gives the "
        "same run, byte for byte. Recipes: " + "; ".join(f"{each.name}: {each.about}" for each in RECIPES.own.values())
    ).replace("%", "%%")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("name", help="name of the run, without spaces")
        parser.add_argument("--recipe", required=True, choices=list(RECIPES))
        for name, field in all_options().items():
            add_option(parser, name, field)

    def carry_out(self, *, slug: str, name: str, recipe: str, **options: Any) -> tuple[str, dict[str, Any]]:
        asked = {option: options[option] for option in all_options() if options[option] is not None}
        job = request_run(
            by=None,
            at=timezone.now(),
            collection=collection_with(slug),
            name=name,
            recipe=recipe_named(recipe),
            asked=asked,
            send=False,
        )
        jobs.complete(job)
        if job.run is None:
            raise Refused("The run was not made.")
        made = job.run.parameters
        summary = f"{name}: {made['topics']:,} topics, {made['lines']:,} lines, in {made['seconds']:.1f} s"
        counts = [f"  {what}: {count:,}" for what, count in made["counts"].items()]
        if made["without_documents"]:
            counts.append(f"  without any document: {made['without_documents']:,} topics")
        wanted = ("recipe_hash", "topics", "lines", "seconds", "cost")
        result = {"run": name, **{key: made[key] for key in wanted}, "counts": made["counts"]}
        return "\n".join([summary, *counts]), {**result, "without_documents": made["without_documents"]}


def add_option(parser: CommandParser, name: str, field: forms.Field) -> None:
    """An option of recipes as an argument; None unless it is given."""
    flag = "--" + name.replace("_", "-")
    about = str(field.help_text).replace("%", "%%")
    if isinstance(field, forms.ChoiceField):
        words = [str(word) for word, _ in cast(Any, field.choices)]
        parser.add_argument(flag, dest=name, help=about, choices=words)
    elif isinstance(field, forms.FloatField | forms.IntegerField):
        sort = int if type(field) is forms.IntegerField else float
        parser.add_argument(flag, dest=name, help=about, type=sort, metavar="N")
    elif getattr(field, "many", False):
        parser.add_argument(flag, dest=name, help=about, nargs="+", metavar=name.upper())
    else:
        parser.add_argument(flag, dest=name, help=about, metavar=name.upper())
