"""The worker's part of a machine run: ask for each item that has no reply yet, store each reply before the next.

A run that was killed, cancelled or refused by its endpoint continues where it stopped: what has a reply is never asked
or paid for again. Reply and label are stored in one transaction, without a slot that a person could hold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import islice
from uuid import UUID, uuid4, uuid5

import numpy as np
from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Refused
from annotation.machines.machine_items import ItemText, describe_levels, unanswered
from annotation.models import (
    Assignment,
    AssignmentState,
    Judgment,
    MachineKind,
    MachineReply,
    MachineRun,
    ReplyState,
    Submission,
    SubmissionKind,
)
from corpus.collections.endpoints import NO_MODEL, chat_pace, require_chat_endpoint
from engines.endpoints.chat import Chat, Message, Reply, Unusable
from engines.endpoints.driver import Failure, FirstAnswers, Pace, ask_all
from engines.endpoints.prices import Prices
from engines.formats.judgment_columns import MOST_SAID
from engines.prompting.answers import AnswerForm, read_answer
from engines.prompting.lexical import cover, describe, level_of
from engines.prompting.prompts import parse_prompt
from engines.prompting.recipes import recipe_from

LEXICAL_BATCH = 500
NAMESPACE = UUID("7c7f1a0e-4b35-5e0c-8d1e-6a2b9f0c3d52")  # of submissions made by machine runs
DEVICE = "machine"
MOST_PROBLEM = 500


def annotate(run: MachineRun, progress: jobs.Progress) -> None:
    """Ask for every item without a reply. What was stored stays, however this ends."""
    work = _Work(run, progress)
    try:
        work.ask_endpoint() if run.kind == MachineKind.ENDPOINT else work.compare_words()
    except jobs.Cancelled as cancelled:
        raise jobs.Cancelled(
            f"Cancelled. {work.done:,} of {work.total:,} replies are kept; continuing asks only for the rest."
        ) from cancelled
    except Unusable as unusable:
        reason = unusable.reason[:1].upper() + unusable.reason[1:]
        raise Refused(
            f"{reason}. {work.done:,} of {work.total:,} replies are kept; continuing asks for the rest."
        ) from None


@dataclass(frozen=True)
class MachineAnswer:
    """The reply for one item: the value that was read, or why there is none; tokens and cost where they are known."""

    item: int
    state: ReplyState
    text: str = ""
    value: int | None = None
    problem: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None


class _Work:
    """One attempt at a run: how its labels are read, and how far it is."""

    def __init__(self, run: MachineRun, progress: jobs.Progress) -> None:
        self.run, self.progress = run, progress
        self.recipe = recipe_from(run.recipe)
        self.language = run.campaign.collection.language
        self.values = sorted(run.criterion.levels.values_list("value", flat=True))
        self.total = run.campaign.items.count()
        self.done = run.replies.exclude(state=ReplyState.ERROR).count()
        self.failed = 0
        self.first = FirstAnswers(self.done)

    def report(self) -> None:
        """Report how far it is. Errors: Cancelled."""
        trouble = f", {self.failed:,} without an answer" if self.failed else ""
        self.progress.report(self.done, self.total, f"annotating{trouble}")

    def compare_words(self) -> None:
        left = unanswered(self.run)
        while batch := list(islice(left, LEXICAL_BATCH)):
            self.report()
            store_replies(self.run, [self.compare(item) for item in batch], timezone.now())
            self.done += len(batch)
        self.report()

    def compare(self, item: ItemText) -> MachineAnswer:
        coverage = cover(item.aspect, f"{item.title}\n{item.abstract}", self.language)
        value = self.values[level_of(coverage.share, self.recipe.thresholds)]
        return MachineAnswer(item.item, ReplyState.ANSWERED, describe(coverage), value, cost=Decimal(0))

    def ask_endpoint(self) -> None:
        endpoint = require_chat_endpoint()
        if self.run.prompt is None:
            raise Refused(NO_MODEL)
        prompt = parse_prompt(self.run.prompt.body)
        self.form = prompt.form(self.values)
        self.prices = prices_of(self.run)
        levels = describe_levels(self.run.criterion)
        options = {"temperature": self.recipe.temperature}
        if self.run.seed is not None and self.recipe.seed is not None:
            options["seed"] = self.run.seed
        questions: Iterator[tuple[int, list[Message]]] = (
            (item.item, [{"role": "user", "content": prompt.fill(item.placeholders(levels))}])
            for item in unanswered(self.run)
        )
        with Chat(replace(endpoint, model=self.recipe.model, max_tokens=self.recipe.max_tokens)) as chat:
            ask_all(
                questions,
                lambda messages: chat.ask(messages, **options),
                self.store,
                pace_of(self.run),
                rng=np.random.default_rng(self.run.seed or self.run.pk),
                check=self.check,
            )
        self.report()

    def check(self) -> None:
        self.report()
        self.first.check()

    def store(self, item: int, outcome: Reply | Failure) -> None:
        """Store one outcome before the next question is asked."""
        if isinstance(outcome, Failure):
            self.failed += 1
            tries = f"asked {outcome.attempts} times" if outcome.attempts > 1 else "asked once"
            answer = MachineAnswer(item, ReplyState.ERROR, problem=f"{outcome.reason} ({tries})")
        else:
            self.done += 1
            answer = read_reply(item, outcome, self.form, self.prices)
            self.first.note(answer.problem)
        store_replies(self.run, [answer], timezone.now())


def read_reply(item: int, reply: Reply, form: AnswerForm, prices: Prices) -> MachineAnswer:
    """The reply as it is stored: with the value that was read strictly, or invalid with the problem."""
    reading = read_answer(reply.text, form, cut_off=reply.finish_reason == "length")
    problem, value = reading.problem, reading.value
    if reply.refusal or reply.finish_reason == "content_filter":
        problem, value = "was withheld or declined by the endpoint", None
    return MachineAnswer(
        item,
        ReplyState.ANSWERED if value is not None else ReplyState.INVALID,
        reply.text or reply.refusal,
        value,
        problem,
        reply.prompt_tokens,
        reply.completion_tokens,
        prices.cost(reply.prompt_tokens or 0, reply.completion_tokens or 0),
        round(reply.seconds, 3),
    )


def pace_of(run: MachineRun) -> Pace:
    """The pace that was requested for the run, never faster than the operator allows."""
    usual, parameters = chat_pace(), run.parameters
    per_minute = [rate for rate in (usual.per_minute, parameters.get("per_minute", 0)) if rate]
    return replace(
        usual,
        concurrency=min(usual.concurrency, parameters.get("concurrency") or usual.concurrency),
        per_minute=min(per_minute, default=0),
    )


def prices_of(run: MachineRun) -> Prices:
    """The prices that the run was requested with; they are stored as text, exactly."""
    found = (run.parameters.get(name) for name in ("price_in", "price_out"))
    return Prices(*(None if price is None else Decimal(price) for price in found))


@transaction.atomic
def store_replies(run: MachineRun, answers: Sequence[MachineAnswer], at: datetime) -> None:
    """Store these replies, and a label for each that was read. They replace earlier errors on the same items.

    Only the worker that holds the run's claim calls this; unique constraints hold should there be two.
    """
    run.replies.filter(item__in=[each.item for each in answers], state=ReplyState.ERROR).delete()
    MachineReply.objects.bulk_create(
        MachineReply(
            run=run,
            item_id=each.item,
            state=each.state,
            text=each.text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MOST_SAID],
            value=each.value,
            problem=each.problem.replace("\0", "")[:MOST_PROBLEM],
            prompt_tokens=each.prompt_tokens,
            completion_tokens=each.completion_tokens,
            cost=each.cost,
            seconds=each.seconds,
            received_at=at,
        )
        for each in answers
    )
    if labels := [(each.item, each.value) for each in answers if each.value is not None]:
        add_labels(run, labels, at)


def add_labels(run: MachineRun, labels: Sequence[tuple[int, int]], at: datetime) -> None:
    """A finished assignment without a slot, its submission and its judgment, for each (item, value)."""
    done = {"annotator_id": run.annotator_id, "state": AssignmentState.DONE, "finished_at": at}
    assignments = Assignment.objects.bulk_create(Assignment(item_id=item, **done) for item, _ in labels)
    submissions = Submission.objects.bulk_create(
        submission_of(run, assignment, value, at) for assignment, (_, value) in zip(assignments, labels, strict=True)
    )
    Judgment.objects.bulk_create(
        Judgment(assignment=assignment, criterion_id=run.criterion_id, value=value, submission=submission)
        for assignment, submission, (_, value) in zip(assignments, submissions, labels, strict=True)
    )


def submission_of(run: MachineRun, assignment: Assignment, value: int, at: datetime, *, note: str = "") -> Submission:
    """The submission of this value, not saved; a machine's id follows from run, item and value.

    A person's decision (`note`) may be repeated and undone, so each such step has another id.
    """
    return Submission(
        uuid=uuid4() if note else uuid5(NAMESPACE, f"{run.pk}|{assignment.item_id}|{value}||"),
        assignment=assignment,
        kind=SubmissionKind.ANSWER,
        answers={run.criterion.key: value},
        note=note,
        device=DEVICE,
        received_at=at,
    )
