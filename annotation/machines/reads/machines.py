"""Machine annotators of a campaign, for those who oversee it: how far, at what cost, and what could not be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, Q, QuerySet, Sum

from accounts.jobs import with_live_progress
from annotation.machines.reads.machine_items import describe_levels, sample_items
from annotation.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    Criterion,
    MachineKind,
    MachineReply,
    MachineRun,
    ReplyState,
    UnparsedAnswer,
)
from annotation.prompting.prompts import Prompt
from annotation.prompting.recipes import Estimate, Prices, Recipe, Typical, estimate, tokens_in
from corpus.collections.reads.endpoints import chat_pace
from corpus.models import Collection, PromptPurpose, PromptTemplate

SAMPLE = 200  # messages that an estimate measures
LEAST_REPLIES = 5  # fewer say nothing about what a reply takes


@dataclass(frozen=True)
class RunCounts:
    """Replies of one run. `waiting`: invalid, and nobody has looked yet. Costs are None while no price is known."""

    items: int = 0
    answered: int = 0
    invalid: int = 0
    waiting: int = 0
    errors: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal | None = None

    @property
    def left(self) -> int:
        """Items without a reply."""
        return max(0, self.items - self.answered - self.invalid)

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class RunRow:
    """A run with its counts."""

    run: MachineRun
    counts: RunCounts


@dataclass(frozen=True)
class Imported:
    """A machine whose labels came as a file."""

    annotator: Annotator
    labels: int
    unparsed: int = 0  # answers that could not be parsed: no labels


def count_replies(runs: Sequence[MachineRun], items: int) -> dict[int, RunCounts]:
    """The counts of each run by its id. One query."""
    state = {name: Count("id", filter=Q(state=name)) for name in ReplyState.values}
    rows = (
        MachineReply.objects.filter(run__in=runs)
        .values("run")
        .annotate(
            waiting=Count("id", filter=Q(state=ReplyState.INVALID, decided_at__isnull=True)),
            tokens_in=Sum("prompt_tokens"),
            tokens_out=Sum("completion_tokens"),
            cost=Sum("cost"),
            **state,
        )
    )
    found: dict[int, dict[str, Any]] = {row["run"]: dict(row) for row in rows}
    return {run.pk: _counts(found.get(run.pk, {}), items) for run in runs}


def _counts(row: dict[str, Any], items: int) -> RunCounts:
    return RunCounts(
        items=items,
        answered=row.get("answered", 0),
        invalid=row.get("invalid", 0),
        waiting=row.get("waiting", 0),
        errors=row.get("error", 0),
        prompt_tokens=row.get("tokens_in") or 0,
        completion_tokens=row.get("tokens_out") or 0,
        cost=row.get("cost"),
    )


def run_rows(campaign: Campaign) -> list[RunRow]:
    """The campaign's machine runs, newest first, with the progress their workers have reported."""
    runs = list(runs_of(campaign))
    counts_by_run = count_replies(runs, campaign.items.count())
    return [RunRow(with_live_progress(run), counts_by_run[run.pk]) for run in runs]


def runs_of(campaign: Campaign) -> QuerySet[MachineRun]:
    """The machine runs of a campaign, newest first, with all that a list shows of them."""
    return campaign.machine_runs.select_related(
        "annotator", "prompt", "criterion", "requested_by", "campaign__collection"
    ).order_by("-pk")


def imported_machines(campaign: Campaign) -> list[Imported]:
    """Machines that Litmus did not run: their labels came by import."""
    machines = list(campaign.annotators.filter(kind=AnnotatorKind.MACHINE, machine_run__isnull=True).order_by("name"))
    done = Assignment.objects.filter(annotator__in=machines, state=AssignmentState.DONE).values("annotator")
    counts = {row["annotator"]: row["n"] for row in done.annotate(n=Count("id")).order_by()}
    by_annotator = (
        UnparsedAnswer.objects.filter(annotator__in=machines).values("annotator").annotate(n=Count("id")).order_by()
    )
    unparsed = {row["annotator"]: row["n"] for row in by_annotator}
    return [Imported(machine, counts.get(machine.pk, 0), unparsed.get(machine.pk, 0)) for machine in machines]


def unparsed_answers(campaign: Campaign) -> QuerySet[UnparsedAnswer]:
    """Answers of imported machines that could not be parsed, with what they are about."""
    found = UnparsedAnswer.objects.filter(item__campaign=campaign)
    return found.select_related("annotator", "criterion", "item__topic", "item__aspect", "item__document").order_by(
        "pk"
    )


def replies_in_state(run: MachineRun, state: str) -> QuerySet[MachineReply]:
    """Replies in this state (invalid or error) with what they are about, those that wait for a person first."""
    replies = run.replies.filter(state=state).select_related(
        "item__topic", "item__aspect", "item__document", "decided_by"
    )
    return replies.order_by("decided_at", "pk") if state == ReplyState.INVALID else replies.order_by("pk")


def prompts_of(collection: Collection) -> QuerySet[PromptTemplate]:
    """Prompts for machine annotators by name, newest version first."""
    return collection.prompt_templates.filter(purpose=PromptPurpose.RELEVANCE).order_by("name", "-version")


def estimate_runs(
    campaign: Campaign, recipe: Recipe, prompt: Prompt | None, prices: Prices, criterion: Criterion, *, runs: int = 1
) -> Estimate:
    """What the runs would take, from the messages of a sample of items and from earlier replies to the same prompt."""
    items = campaign.items.count()
    if recipe.kind == MachineKind.LEXICAL or prompt is None:
        return Estimate(items, items * runs, 0, 0, Decimal(0), items * runs / 20_000, measured=True)
    levels = describe_levels(criterion)
    lengths = [tokens_in(prompt.fill(shown.places(levels))) for shown in sample_items(campaign, SAMPLE)]
    said = MachineReply.objects.filter(
        run__campaign__collection=campaign.collection_id,
        run__recipe__prompt=recipe.prompt,
        run__recipe__model=recipe.model,
    ).exclude(state=ReplyState.ERROR)
    earlier = said.aggregate(
        n=Count("id"), sent=Avg("prompt_tokens"), answer=Avg("completion_tokens"), seconds=Avg("seconds")
    )
    known = earlier["n"] >= LEAST_REPLIES
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    call = Typical(
        prompt_tokens=(known and earlier["sent"]) or mean,
        answer_tokens=(known and earlier["answer"]) or float(recipe.max_tokens),
        seconds=earlier["seconds"] if known else None,
    )
    pace = chat_pace()
    return estimate(items, runs, call, prices, concurrency=pace.concurrency, per_minute=pace.per_minute)
