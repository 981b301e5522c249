"""manage.py annotate SLUG CAMPAIGN --machine lexical|MODEL [--prompt NAME[@VERSION]] [--runs N] [--dry-run] [--json]"""

from decimal import Decimal
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.models import JobState
from accounts.refusals import Refused
from annotation.campaigns.reads.campaigns import campaign_with
from annotation.machines.actions.machines import continue_machine_run, request_machine_runs
from annotation.machines.actions.recipes import Wish, criterion_of, fitting_prompt, recipe_of
from annotation.machines.reads.machines import count_replies, estimate_runs
from annotation.machines.reads.prompts import all_prompts, known_prompts, prompt_named
from annotation.models import Campaign, MachineKind, MachineRun
from corpus.models import PromptPurpose, PromptTemplate


class Command(ReportingCommand):
    help = (
        "Let a machine judge the items of a campaign: “lexical” (words alone, no network) or a model of the endpoint"
        " that is set up. Running it again with --continue asks only for what is missing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument(
            "--machine", required=True, metavar="lexical|MODEL", help="“endpoint”: the model that is set up"
        )
        parser.add_argument(
            "--prompt", default="", metavar="NAME[@VERSION]", help="the newest version unless one is named"
        )
        parser.add_argument("--criterion", default="", metavar="KEY", help="where the campaign has several")
        parser.add_argument("--runs", type=int, default=1, metavar="N")
        parser.add_argument("--temperature", type=float, default=0.0)
        parser.add_argument("--max-tokens", type=int, default=None, metavar="N", help="longest answer")
        parser.add_argument("--seed", type=int, default=None, help="sent to the endpoint")
        parser.add_argument(
            "--thresholds", type=float, nargs="+", default=[], metavar="SHARE", help="of the lexical one"
        )
        parser.add_argument("--concurrency", type=int, default=None, metavar="N", help="questions at once")
        parser.add_argument("--rate", type=int, default=None, metavar="N", help="questions a minute")
        parser.add_argument("--price-in", type=Decimal, default=None, metavar="P", help="of a million tokens sent")
        parser.add_argument("--price-out", type=Decimal, default=None, metavar="P", help="of a million tokens received")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would take")
        parser.add_argument(
            "--continue", action="store_true", dest="go_on", help="take unfinished runs of this machine up again"
        )

    def carry_out(
        self, *, slug: str, campaign: str, dry_run: bool, go_on: bool, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        wish = _wish(found, options)
        if dry_run:
            return _estimate(found, wish)
        at = timezone.now()
        runs = _unfinished(found, wish) if go_on else []
        runs = [continue_machine_run(run=run, by=None, at=at, send=False) for run in runs]
        runs = runs or request_machine_runs(campaign=found, by=None, at=at, wish=wish, send=False)
        for run in runs:
            jobs.carry_out(run)
        return _summary(found, runs)


def _wish(campaign: Campaign, options: dict[str, Any]) -> Wish:
    machine = options["machine"]
    is_lexical = machine == MachineKind.LEXICAL
    return Wish(
        kind=MachineKind.LEXICAL if is_lexical else MachineKind.ENDPOINT,
        prompt=None if is_lexical else _prompt(campaign, options["prompt"]),
        model="" if machine in MachineKind.values else machine,
        thresholds=tuple(options["thresholds"]),
        per_minute=options["rate"],
        **{
            name: options[name]
            for name in (
                "criterion",
                "runs",
                "temperature",
                "max_tokens",
                "seed",
                "concurrency",
                "price_in",
                "price_out",
            )
        },
    )


def _prompt(campaign: Campaign, name: str) -> PromptTemplate:
    """The prompt NAME or NAME@VERSION. Errors: Refused naming those there are."""
    if not name:
        known = known_prompts(all_prompts(campaign.collection, PromptPurpose.RELEVANCE))
        raise Refused(f"Name a prompt with --prompt. {known}")
    return prompt_named(campaign.collection, name)


def _unfinished(campaign: Campaign, wish: Wish) -> list[MachineRun]:
    criterion = criterion_of(campaign, wish.criterion)
    recipe = recipe_of(wish, criterion)
    runs = campaign.machine_runs.filter(recipe_hash=recipe.digest, criterion=criterion).order_by("run_number")
    counts_by_run = count_replies(list(runs), campaign.items.count())
    return [run for run in runs if run.state != JobState.DONE or counts_by_run[run.pk].left]


def _estimate(campaign: Campaign, wish: Wish) -> tuple[str, dict[str, Any]]:
    criterion = criterion_of(campaign, wish.criterion)
    recipe = recipe_of(wish, criterion)
    prompt = fitting_prompt(wish.prompt, criterion) if wish.kind == MachineKind.ENDPOINT else None
    found = estimate_runs(campaign, recipe, prompt, wish.prices, criterion, runs=wish.runs)
    cost = "" if found.cost is None else f", about {found.cost:.2f}"
    summary = (
        f"{found.items:,} items, {found.calls:,} replies, about {found.prompt_tokens:,} tokens to send and"
        f" {found.completion_tokens:,} to receive{cost}, about {found.seconds:,.0f} seconds. Nothing was asked."
    )
    return summary, {"dry_run": True, "recipe": recipe.to_json(), "recipe_hash": recipe.digest, **found.to_json()}


def _summary(campaign: Campaign, runs: list[MachineRun]) -> tuple[str, dict[str, Any]]:
    for run in runs:
        run.refresh_from_db()
    counts_by_run = count_replies(runs, campaign.items.count())
    shapes = [
        {
            "annotator": run.annotator.name,
            "run_number": run.run_number,
            "recipe_hash": run.recipe_hash,
            "state": run.state,
            "reason": run.reason,
            "items": counts.items,
            "answered": counts.answered,
            "invalid": counts.invalid,
            "errors": counts.errors,
            "prompt_tokens": counts.prompt_tokens,
            "completion_tokens": counts.completion_tokens,
            "cost": None if counts.cost is None else float(counts.cost),
        }
        for run, counts in ((run, counts_by_run[run.pk]) for run in runs)
    ]
    failed = [run for run in runs if run.state != JobState.DONE]
    lines = [
        f"{one['annotator']}: {one['answered']:,} answered, {one['invalid']:,} invalid,"
        f" {one['errors']:,} without an answer"
        for one in shapes
    ]
    if failed:
        raise Refused(f"{failed[0].annotator}: {failed[0].reason} Go on with --continue. " + "; ".join(lines))
    return "\n".join(lines), {"runs": shapes}
