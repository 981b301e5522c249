"""Machine annotators of a campaign, for people who oversee it: progress, cost, and replies that could not be read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.jobs import with_live_progress
from annotation.machines.machine_items import quoted, sample_items
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
    ReplyValue,
    UnparsedAnswer,
)
from engines.endpoints.driver import Pace
from engines.endpoints.prices import Prices, Spending
from engines.prompting.prompts import Prompt
from engines.prompting.recipes import Estimate, Recipe, Typical, estimate, tokens_in

SAMPLE = 200  # messages that an estimate measures
NOTHING = Spending(None, 0)
LEAST_REPLIES = 5  # with fewer earlier replies an estimate does not use them
UNCOUNTED = Q(run__kind=MachineKind.ENDPOINT) & (Q(prompt_tokens=None) | Q(completion_tokens=None))


@dataclass(frozen=True)
class RunCounts:
    """Replies of one run. `waiting`: invalid and not decided yet; `uncounted`: a model's, without a count of tokens."""

    items: int = 0
    answered: int = 0
    invalid: int = 0
    waiting: int = field(default=0, metadata={"help": "Invalid, and no person has looked yet"})
    errors: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = field(default=0, metadata={"help": "The endpoint did not count the tokens of so many replies"})
    spending: Spending = NOTHING

    @property
    def sentence(self) -> str:
        """Replies that were read, those that could not be, and missing ones."""
        missing = f", {self.errors:,} without an answer" if self.errors else ""
        return f"{self.answered:,} replies read, {self.invalid:,} invalid{missing}"

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
class ImportedMachine:
    """A machine whose labels were imported."""

    annotator: Annotator
    labels: int
    unparsed: int = 0  # answers that could not be parsed: no labels


def count_replies(runs: Sequence[MachineRun], items: int, key: str = "") -> dict[int, RunCounts]:
    """The counts of each run by its id; with a criterion's key, what its replies state of that one. Two queries.

    A reply to several criteria is invalid if it cannot be read for one of them; `waiting` counts each of those.
    """
    came = ~Q(state=ReplyState.ERROR)
    rows = (
        MachineReply.objects.filter(run__in=runs)
        .values_list("run")
        .annotate(
            answered=Count("id", filter=Q(state=ReplyState.ANSWERED)),
            invalid=Count("id", filter=Q(state=ReplyState.INVALID)),
            errors=Count("id", filter=Q(state=ReplyState.ERROR)),
            tokens_in=Coalesce(Sum("prompt_tokens"), 0),
            tokens_out=Coalesce(Sum("completion_tokens"), 0),
            uncounted=Count("id", filter=came & UNCOUNTED),
            spent=Sum("cost"),
            unpriced=Count("id", filter=came & Q(cost=None)),
        )
    )  # in the order of RunCounts
    about = Q(reply__run__in=runs) & (Q(criterion__key=key) if key else Q())
    unreadable = dict[int, tuple[int, int]]()
    values = ReplyValue.objects.filter(about, ~Q(problem="")).values_list("reply__run")
    for run, each, waiting in values.annotate(n=Count("id"), left=Count("id", filter=Q(decided_at__isnull=True))):
        unreadable[run] = each, waiting
    found = dict[int, RunCounts]()
    for run, answered, invalid, *rest, spent, unpriced in rows:
        each, waiting = unreadable.get(run, (0, 0))
        counted = (answered + invalid - each, each) if key else (answered, invalid)
        counts: tuple[Any, ...] = (items, *counted, waiting, *rest, Spending(spent, unpriced))
        found[run] = RunCounts(*counts)
    return {run.pk: found.get(run.pk, RunCounts(items)) for run in runs}


def run_rows(campaign: Campaign) -> list[RunRow]:
    """The campaign's machine runs, newest first, with the progress that their workers have reported."""
    runs = list(runs_of(campaign))
    counts_by_run = count_replies(runs, campaign.items.count())
    return [RunRow(with_live_progress(run), counts_by_run[run.pk]) for run in runs]


def runs_of(campaign: Campaign) -> QuerySet[MachineRun]:
    """The machine runs of a campaign, newest first, with the rows that a list shows."""
    return (
        campaign.machine_runs.select_related("annotator", "prompt", "requested_by", "campaign__collection")
        .prefetch_related("criteria__levels", "members__annotator")
        .order_by("-pk")
    )


def imported_machines(campaign: Campaign) -> list[ImportedMachine]:
    """Machines that Litmus did not run."""
    machines = list(campaign.annotators.filter(kind=AnnotatorKind.MACHINE, machine_run__isnull=True).order_by("name"))
    done = Assignment.objects.filter(annotator__in=machines, state=AssignmentState.DONE)
    counts = dict(done.order_by().values_list("annotator").annotate(n=Count("id")))
    answers = UnparsedAnswer.objects.filter(annotator__in=machines)
    unparsed = dict(answers.order_by().values_list("annotator").annotate(n=Count("id")))
    return [ImportedMachine(machine, counts.get(machine.pk, 0), unparsed.get(machine.pk, 0)) for machine in machines]


def unparsed_answers(campaign: Campaign) -> QuerySet[UnparsedAnswer]:
    """Answers of imported machines that could not be parsed, with their items."""
    found = UnparsedAnswer.objects.filter(item__campaign=campaign)
    return found.select_related("annotator", "criterion", "item__topic", "item__aspect", "item__document").order_by(
        "pk"
    )


def count_invalid_values(campaign: Campaign) -> int:
    """How many invalid values in replies of machines that run here wait for a decision."""
    return ReplyValue.objects.filter(~Q(problem=""), reply__run__campaign=campaign, decided_at__isnull=True).count()


def unreadable_values(run: MachineRun) -> QuerySet[ReplyValue]:
    """What could not be read of the run's replies, with their items, those that wait for a decision first."""
    values = ReplyValue.objects.filter(~Q(problem=""), reply__run=run).select_related(
        "reply__item__topic", "reply__item__aspect", "reply__item__document", "criterion", "decided_by"
    )
    return values.prefetch_related("criterion__levels").order_by(F("decided_at").asc(nulls_first=True), "pk")


def missing_replies(run: MachineRun) -> QuerySet[MachineReply]:
    """Items for which no reply came, and why."""
    replies = run.replies.filter(state=ReplyState.ERROR)
    return replies.select_related("item__topic", "item__aspect", "item__document").order_by("pk")


def estimate_runs(
    campaign: Campaign,
    recipe: Recipe,
    prompt: Prompt | None,
    criteria: Sequence[Criterion],
    *,
    prices: Prices,
    pace: Pace,
    runs: int = 1,
) -> Estimate:
    """What the runs would take: from the messages of a sample of items and earlier replies to the same prompt."""
    items = campaign.items.count()
    if recipe.kind == MachineKind.LEXICAL or prompt is None:
        return Estimate(items, items * runs, 0, 0, Decimal(0), items * runs / 20_000, measured=True)
    quotes = quoted(criteria)
    lengths = [tokens_in(prompt.fill(item.placeholders(quotes))) for item in sample_items(campaign, SAMPLE)]
    replies = MachineReply.objects.filter(
        run__campaign__collection=campaign.collection_id,
        run__recipe__prompt=recipe.prompt,
        run__recipe__model=recipe.model,
    ).exclude(state=ReplyState.ERROR)
    earlier = replies.aggregate(
        n=Count("id"), sent=Avg("prompt_tokens"), answer=Avg("completion_tokens"), seconds=Avg("seconds")
    )
    known = earlier["n"] >= LEAST_REPLIES
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    call = Typical(
        prompt_tokens=(known and earlier["sent"]) or mean,
        answer_tokens=(known and earlier["answer"]) or float(recipe.max_tokens),
        seconds=earlier["seconds"] if known else None,
    )
    return estimate(items, runs, call, prices, concurrency=pace.concurrency, per_minute=pace.per_minute)
