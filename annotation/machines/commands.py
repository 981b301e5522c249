"""litmus annotate and prompts."""

from collections.abc import Sequence
from decimal import Decimal
from textwrap import indent
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.options import add_renamed_option
from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand, SteppedCommand, text_of
from accounts.models import JobState
from accounts.refusals import Refused
from annotation.campaigns.campaigns import campaign_with
from annotation.machines.api.trials import PromptTrialSerializer
from annotation.machines.committees import with_members
from annotation.machines.machines import count_replies
from annotation.machines.prompts import preview_of, write_prompt_for
from annotation.machines.recipes import ASKED, MachineOptions, criteria_of, estimate_machine, recipe_of
from annotation.machines.requests import continue_machine_run, request_machine_runs
from annotation.machines.trials import TriedItem, read_trial, request_trial
from annotation.models import Campaign, MachineKind, MachineRun
from corpus.collections.collections import collection_with
from corpus.models import PromptPurpose, PromptTemplate
from corpus.questions.prompts import known_prompts, prompt_named, prompt_versions
from corpus.questions.question_runs import PROMPT_NAME
from engines.endpoints.driver import USUAL_ROW


class Annotate(ReportingCommand):
    """litmus annotate SLUG CAMPAIGN [--kind lexical] [--model M] [--prompt NAME[@VERSION]] [--runs N] [--dry-run]
    [--json]"""

    called = "annotate"
    where = IN_CAMPAIGN
    task = "Judge"
    example = "annotate demo trial-round --kind lexical"
    help = (
        "Let a machine judge the items of a campaign: a model of the configured endpoint or, with"
        " --kind lexical, a baseline that matches words, without a network. With --continue it asks"
        " only for missing answers."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--kind", choices=[*ASKED], default=None, help="of the machine (endpoint)")
        add_renamed_option(
            parser, "--model", former="--machine", default="", metavar="MODEL", help="instead of the configured one"
        )
        parser.add_argument("--endpoint", default="", metavar="NAME", help="of the models; else the collection's first")
        parser.add_argument(
            "--prompt", default="", metavar="NAME[@VERSION]", help="the newest version unless one is named"
        )
        parser.add_argument(
            *("--criteria", "--criterion"), nargs="+", default=[], metavar="KEY", help="where the campaign has several"
        )
        parser.add_argument("--runs", type=int, default=1, metavar="N", help="times that it judges each item (1)")
        parser.add_argument("--temperature", type=float, default=0.0, help="sent to the endpoint (0)")
        parser.add_argument("--max-tokens", type=int, default=None, metavar="N", help="longest answer")
        parser.add_argument("--seed", type=int, default=None, help="sent to the endpoint")
        parser.add_argument(
            "--thresholds", type=float, nargs="+", default=[], metavar="SHARE", help="of the lexical baseline"
        )
        parser.add_argument(
            "--stop-after", type=int, default=USUAL_ROW, metavar="N", help="invalid answers in a row; 0: never"
        )
        parser.add_argument("--concurrency", type=int, default=None, metavar="N", help="questions at once")
        add_renamed_option(
            parser, "--per-minute", former="--rate", type=int, default=None, metavar="N", help="questions a minute"
        )
        parser.add_argument("--price-in", type=Decimal, default=None, metavar="P", help="of a million tokens sent")
        parser.add_argument("--price-out", type=Decimal, default=None, metavar="P", help="of a million tokens received")
        parser.add_argument("--dry-run", action="store_true", help="only report what it would take")
        parser.add_argument(
            "--continue", action="store_true", dest="go_on", help="resume unfinished runs of this machine"
        )

    def carry_out(
        self, *, slug: str, campaign: str, dry_run: bool, go_on: bool, **arguments: Any
    ) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        options = _machine_options(found, **arguments)
        if dry_run:
            return _estimate(found, options)
        at = timezone.now()
        runs = _unfinished(found, options) if go_on else []
        runs = [continue_machine_run(run=run, by=None, at=at, send=False) for run in runs]
        runs = runs or request_machine_runs(campaign=found, by=None, at=at, options=options, send=False)
        for run in with_members(runs):
            jobs.carry_out(run)
        return _summary(found, runs)


def _machine_options(
    campaign: Campaign,
    *,
    kind: str | None,
    model: str,
    prompt: str,
    thresholds: list[float],
    criteria: list[str],
    **arguments: Any,
) -> MachineOptions:
    if kind is None and model in ASKED:  # as --machine took it
        kind, model = model, ""
    same = ("endpoint", "runs", "temperature", "max_tokens", "seed", "stop_after")
    pace = ("concurrency", "per_minute", "price_in", "price_out")
    is_lexical = kind == MachineKind.LEXICAL
    if not is_lexical and not prompt:
        known = known_prompts(prompt_versions(campaign.collection, PromptPurpose.RELEVANCE))
        raise Refused(f"Name a prompt with --prompt. {known}")
    return MachineOptions(
        kind=MachineKind.LEXICAL if is_lexical else MachineKind.ENDPOINT,
        prompt=None if is_lexical else prompt_named(campaign.collection, prompt),
        model=model,
        thresholds=tuple(thresholds),
        criteria=tuple(criteria),
        **{name: arguments[name] for name in (*same, *pace)},
    )


def _unfinished(campaign: Campaign, options: MachineOptions) -> list[MachineRun]:
    criteria = criteria_of(campaign, options.criteria)
    recipe = recipe_of(options, criteria)
    runs = campaign.machine_runs.filter(recipe_hash=recipe.digest, criteria=criteria[0]).order_by("run_number")
    counts_by_run = count_replies(list(runs), campaign.items.count())
    return [run for run in runs if run.state != JobState.DONE or counts_by_run[run.pk].left]


def _estimate(campaign: Campaign, options: MachineOptions) -> tuple[str, dict[str, Any]]:
    recipe, found = estimate_machine(campaign, options)
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
            "cost": _number(counts.spending.whole),
            "cost_at_least": _number(counts.spending.known),
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
        raise Refused(f"{failed[0].annotator}: {failed[0].reason} Resume with --continue. " + "; ".join(lines))
    return "\n".join(lines), {"runs": shapes}


def _number(cost: Decimal | None) -> float | None:
    return None if cost is None else float(cost)


class Prompts(SteppedCommand):
    """litmus prompts SLUG list|show|write|preview: prompts for language models, written and read in versions."""

    called = "prompts"
    task = "Judge"
    example = """
    prompts demo write strict.txt --name strict
    prompts demo list
    prompts demo show strict
    prompts demo preview main-round --prompt strict
    prompts demo trial main-round --file stricter.txt --seed 7
    """
    line = "Write and read prompts for machine annotators and generated questions"
    help = "Write prompts for machine annotators (relevance) and for generated questions (questions), and read them."
    reads: ClassVar[dict[str, str]] = {
        "list": "list all versions with their hashes",
        "show": "print one version",
        "preview": "print the message that a prompt produces for an item",
    }
    writes: ClassVar[dict[str, str]] = {
        "write": "store a text as the next version of a prompt",
        "trial": "ask a model about a few items, and print what is read of its answers next to them",
    }

    def add_list(self, parser: CommandParser) -> None:
        parser.add_argument("--purpose", choices=PromptPurpose.values, default="", help="default: all")

    def add_show(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME[@VERSION]", help="the newest version unless one is named")
        _add_purpose(parser)

    def add_write(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a text in UTF-8; -: standard input")
        parser.add_argument(
            "--name", default="", help="required except for questions; a known one gets its next version"
        )
        _add_purpose(parser)

    def add_trial(self, parser: CommandParser) -> None:
        _add_tried(parser)
        parser.add_argument("--items", type=int, nargs="+", default=[], help="ids, at most five; default: drawn")
        parser.add_argument("--seed", type=int, default=None, help="that draws them; default: the campaign's")
        parser.add_argument("--model", default="", help="default: that of the endpoint")
        parser.add_argument("--endpoint", default="", metavar="NAME", help="default: the first of the collection")

    def add_preview(self, parser: CommandParser) -> None:
        _add_tried(parser)
        parser.add_argument("--item", type=int, default=None, help="id of an item; default: the first")

    def list(self, *, slug: str, purpose: str) -> tuple[str, dict[str, Any]]:
        found = [_shape(prompt) for prompt in prompt_versions(collection_with(slug), purpose)]
        lines = [f"{one['purpose']}: {one['prompt']} ({one['sha256'][:12]}…)" for one in found]
        return "\n".join(lines) or "There are no prompts yet.", {"prompts": found}

    def show(self, *, slug: str, name: str, purpose: str) -> tuple[str, dict[str, Any]]:
        prompt = prompt_named(collection_with(slug), name, purpose)
        return prompt.body, {**_shape(prompt), "body": prompt.body}

    def write(self, *, slug: str, file: str, name: str, purpose: str) -> tuple[str, dict[str, Any]]:
        prompt, is_new = write_prompt_for(
            purpose=purpose, collection=collection_with(slug), by=None, at=timezone.now(), name=name, body=text_of(file)
        )
        outcome = "saved" if is_new else "already has the same text, so nothing was saved"
        return f"{prompt}: {outcome}. Its hash is {prompt.sha256}.", {**_shape(prompt), "new": is_new}

    def preview(
        self, *, slug: str, campaign: str, prompt: str, file: str, item: int | None
    ) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        body = _body_of(found, prompt, file)
        preview = preview_of(found, body, item)
        if "problem" in preview:
            raise Refused(preview["problem"])
        result = {**preview, "item": preview["item"].item}
        lines = [f"{{{name}}} is empty for {count:,} items." for name, count in preview["empty"].items()]
        return "\n\n".join([preview["message"], f"How a reply must end: {preview['form']}", *lines]), result

    def trial(
        self, *, slug: str, campaign: str, prompt: str, file: str, items: Sequence[int], seed: int | None, **model: str
    ) -> tuple[str, dict[str, Any]]:
        found, at = campaign_with(slug, campaign), timezone.now()
        body = _body_of(found, prompt, file)
        trial = request_trial(campaign=found, by=None, at=at, body=body, items=items, seed=seed, send=False, **model)
        self.work([trial])
        return "\n".join(map(_answer_in_lines, read_trial(trial))), dict(PromptTrialSerializer(trial).data)


def _add_tried(parser: CommandParser) -> None:
    parser.add_argument("campaign", help="short name of the campaign")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--prompt", default="", metavar="NAME[@VERSION]", help="a stored prompt")
    which.add_argument("--file", default="", help="a text that is not stored; -: standard input")


def _body_of(campaign: Campaign, prompt: str, file: str) -> str:
    return text_of(file) if file else prompt_named(campaign.collection, prompt).body


def _answer_in_lines(one: TriedItem) -> str:
    """What was read of an answer, then the answer itself, for people."""
    read = [f"{key}: {each.value if each.value is not None else each.problem}" for key, each in one.stated.items()]
    if one.answer is None or one.answer.problem:
        return f"Item {one.item.item}: {one.answer.problem if one.answer else 'no answer'}"
    cost = "" if one.answer.cost is None else f", for {one.answer.cost:.4f}"
    head = f"Item {one.item.item}: {'; '.join(read)} ({one.answer.seconds:.1f} s{cost})"
    return f"{head}\n{indent(one.answer.text, '  ')}"


def _add_purpose(parser: CommandParser) -> None:
    parser.add_argument(
        "--purpose",
        choices=PromptPurpose.values,
        default=PromptPurpose.RELEVANCE.value,
        help=f"default: relevance; the one of questions has the name “{PROMPT_NAME}”",
    )


def _shape(prompt: PromptTemplate) -> dict[str, Any]:
    return {
        "id": prompt.pk,
        "purpose": prompt.purpose,
        "prompt": prompt.named,
        "name": prompt.name,
        "version": prompt.version,
        "sha256": prompt.sha256,
        "created_at": prompt.created_at.isoformat(),
    }
