"""The worker's part of a machine run: ask for each item that has no reply yet, store each reply before the next.

A run that was killed, cancelled or refused by its endpoint continues where it stopped: what has a reply is never asked
or paid for again. Reply and label are stored in one transaction, without a slot that a person could hold.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any
from uuid import UUID, uuid4, uuid5

import numpy as np
from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Refused
from annotation.machines.machine_items import ItemText, quoted, unanswered
from annotation.machines.recipes import forms_of, service_of
from annotation.models import (
    Assignment,
    AssignmentState,
    Criterion,
    Judgment,
    MachineKind,
    MachineReply,
    MachineRun,
    PromptTrial,
    ReplyState,
    ReplyValue,
    Submission,
    SubmissionKind,
)
from corpus.endpoints.endpoints import NO_MODEL
from corpus.models import ModelPurpose
from engines.endpoints.chat import Chat, Message, Reply, Unusable
from engines.endpoints.driver import USUAL_ROW, Failure, Pace, UnreadableRow, ask_all
from engines.endpoints.prices import Prices
from engines.formats.judgment_columns import MOST_SAID
from engines.prompting.answers import AnswerForm, Reading
from engines.prompting.lexical import cover, describe, level_of
from engines.prompting.prompts import Prompt, parse_prompt
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
    """The reply for one item: what it states of each criterion by key; nothing where no reply came, for a `problem`.

    Tokens and cost where they are known; `agreement` of a committee's members by criterion.
    """

    item: int
    stated: Mapping[str, Reading] = field(default_factory=dict)
    text: str = ""
    missing: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None
    agreement: Mapping[str, float] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """Why there is no reply, or not every criterion has a value."""
        return self.missing or "; ".join(dict.fromkeys(each.problem for each in self.stated.values() if each.problem))

    @property
    def state(self) -> ReplyState:
        if self.missing:
            return ReplyState.ERROR
        return ReplyState.INVALID if self.problem else ReplyState.ANSWERED


class _Work:
    """One attempt at a run: how its labels are read, and how far it is."""

    def __init__(self, run: MachineRun, progress: jobs.Progress) -> None:
        self.run, self.progress = run, progress
        self.recipe = recipe_from(run.recipe)
        self.language = run.campaign.collection.language
        self.criteria = list(run.criteria.prefetch_related("levels"))
        self.total = run.campaign.items.count()
        self.done = run.replies.exclude(state=ReplyState.ERROR).count()
        self.failed = 0
        self.row = UnreadableRow(run.parameters.get("stop_after", USUAL_ROW))

    def report(self) -> None:
        """Report how far it is. Errors: Cancelled."""
        trouble = f", {self.failed:,} without an answer" if self.failed else ""
        self.progress.report(self.done, self.total, f"annotating{trouble}")

    def compare_words(self) -> None:
        [criterion] = self.criteria
        values = [level.value for level in criterion.levels.all()]
        left = unanswered(self.run)
        while batch := list(islice(left, LEXICAL_BATCH)):
            self.report()
            answers = [self.compare(item, criterion.key, values) for item in batch]
            store_replies(self.run, answers, timezone.now())
            self.done += len(batch)
        self.report()

    def compare(self, item: ItemText, key: str, values: Sequence[int]) -> MachineAnswer:
        coverage = cover(item.aspect, f"{item.title}\n{item.abstract}", self.language)
        value = values[level_of(coverage.share, self.recipe.thresholds)]
        return MachineAnswer(item.item, {key: Reading(value)}, describe(coverage), cost=Decimal(0))

    def ask_endpoint(self) -> None:
        if self.run.prompt is None:
            raise Refused(NO_MODEL[ModelPurpose.CHAT])
        self.prompt = parse_prompt(self.run.prompt.body)
        self.forms = forms_of(self.prompt, self.criteria)
        self.prices = Prices.of(self.run.parameters)
        options = {"temperature": self.recipe.temperature}
        if self.run.seed is not None and self.recipe.seed is not None:
            options["seed"] = self.run.seed
        items = fill_in(self.prompt, unanswered(self.run), self.criteria)
        ask_model(self.run, items, self.store, self.check, max_tokens=self.recipe.max_tokens, **options)
        self.report()

    def check(self) -> None:
        self.report()
        self.row.check()

    def store(self, item: int, outcome: Reply | Failure) -> None:
        """Store one outcome before the next question is asked."""
        if isinstance(outcome, Failure):
            self.failed += 1
            answer = MachineAnswer(item, missing=why_missing(outcome))
        else:
            self.done += 1
            stated = read_reply(outcome, self.prompt, self.forms)
            answer = MachineAnswer(item, stated, outcome.text or outcome.refusal, **measured(outcome, self.prices))
            self.row.note(answer.problem)
        store_replies(self.run, [answer], timezone.now())


Questions = Iterable[tuple[int, list[Message]]]  # of an item by its id


def fill_in(prompt: Prompt, items: Iterable[ItemText], criteria: Sequence[Criterion]) -> Questions:
    """The prompt filled in for each item, made when it is asked."""
    quotes = quoted(criteria)
    return ((item.item, [{"role": "user", "content": prompt.fill(item.placeholders(quotes))}]) for item in items)


def ask_model(
    job: MachineRun | PromptTrial,
    questions: Questions,
    keep: Callable[[int, Reply | Failure], None],
    check: Callable[[], None],
    *,
    max_tokens: int | None = None,
    **options: Any,
) -> None:
    """Ask the job's model at its endpoint and its pace; `keep` gets what came of each item, one after the other.
    Without `max_tokens` the endpoint's own. Errors: Refused without an endpoint, Unusable, and those of `check`."""
    service = service_of(job)
    endpoint = service.asking(job.model)
    with Chat(endpoint if max_tokens is None else replace(endpoint, max_tokens=max_tokens)) as chat:
        ask_all(
            questions,
            lambda messages: chat.ask(messages, **options),
            keep,
            pace_of(job, service.pace),
            rng=np.random.default_rng(job.seed or job.pk),
            check=check,
        )


def measured(reply: Reply, prices: Prices) -> dict[str, Any]:
    """Tokens, cost and seconds of a reply; tokens None where the endpoint does not count them, and cost where it does
    not follow."""
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": prices.cost(reply.prompt_tokens, reply.completion_tokens),
        "seconds": round(reply.seconds, 3),
    }


def why_missing(failure: Failure) -> str:
    """Why an item has no reply, and how often it was asked for."""
    tries = f"asked {failure.attempts} times" if failure.attempts > 1 else "asked once"
    return f"{failure.reason} ({tries})"


def read_reply(reply: Reply, prompt: Prompt, forms: Mapping[str, AnswerForm]) -> dict[str, Reading]:
    """What a reply states of each criterion, read strictly; nothing of any where the endpoint declined."""
    if reply.refusal or reply.finish_reason == "content_filter":
        return dict.fromkeys(forms, Reading(None, "was withheld or declined by the endpoint"))
    return prompt.read(reply.text, forms, cut_off=reply.finish_reason == "length")


def pace_of(run: MachineRun | PromptTrial, usual: Pace) -> Pace:
    """The pace that was requested for the run, never faster than its endpoint allows."""
    parameters = run.parameters
    per_minute = [rate for rate in (usual.per_minute, parameters.get("per_minute", 0)) if rate]
    return replace(
        usual,
        concurrency=min(usual.concurrency, parameters.get("concurrency") or usual.concurrency),
        per_minute=min(per_minute, default=0),
    )


@transaction.atomic
def store_replies(run: MachineRun, answers: Sequence[MachineAnswer], at: datetime) -> None:
    """Store these replies, and a label for each value that was read. They replace earlier errors on the same items.

    Only the worker that holds the run's claim calls this; unique constraints hold should there be two.
    """
    run.replies.filter(item__in=[each.item for each in answers], state=ReplyState.ERROR).delete()
    replies = MachineReply.objects.bulk_create(
        MachineReply(
            run=run,
            item_id=each.item,
            state=each.state,
            text=each.text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MOST_SAID],
            problem=_problem(each.problem),
            prompt_tokens=each.prompt_tokens,
            completion_tokens=each.completion_tokens,
            cost=each.cost,
            seconds=each.seconds,
            received_at=at,
        )
        for each in answers
    )
    criteria = dict(run.criteria.values_list("key", "pk"))
    ReplyValue.objects.bulk_create(
        ReplyValue(
            reply=reply,
            criterion_id=criteria[key],
            value=reading.value,
            problem=_problem(reading.problem),
            agreement=answer.agreement.get(key),
        )
        for reply, answer in zip(replies, answers, strict=True)
        for key, reading in answer.stated.items()
    )
    read = (
        (each.item, {key: one.value for key, one in each.stated.items() if one.value is not None}) for each in answers
    )
    if labels := [(item, values) for item, values in read if values]:
        add_labels(run, criteria, labels, at)


def _problem(text: str) -> str:
    return text.replace("\0", "")[:MOST_PROBLEM]


def add_labels(
    run: MachineRun, criteria: Mapping[str, int], labels: Sequence[tuple[int, Mapping[str, int]]], at: datetime
) -> None:
    """A finished assignment without a slot, its submission and its judgments, for each (item, values by criterion)."""
    done = {"annotator_id": run.annotator_id, "state": AssignmentState.DONE, "finished_at": at}
    assignments = Assignment.objects.bulk_create(Assignment(item_id=item, **done) for item, _ in labels)
    submissions = Submission.objects.bulk_create(
        submission_of(run, assignment, values, at) for assignment, (_, values) in zip(assignments, labels, strict=True)
    )
    Judgment.objects.bulk_create(
        Judgment(assignment=assignment, criterion_id=criteria[key], value=value, submission=submission)
        for assignment, submission, (_, values) in zip(assignments, submissions, labels, strict=True)
        for key, value in values.items()
    )


def submission_of(
    run: MachineRun, assignment: Assignment, values: Mapping[str, int], at: datetime, *, note: str = ""
) -> Submission:
    """The submission of these values, not saved; a machine's id follows from run, item and values.

    What changes later (`note`: by a person's decision) may be repeated and undone, so each such step has another id.
    """
    said = ",".join(map(str, values.values()))
    return Submission(
        uuid=uuid4() if note else uuid5(NAMESPACE, f"{run.pk}|{assignment.item_id}|{said}||"),
        assignment=assignment,
        kind=SubmissionKind.ANSWER,
        answers=dict(values),
        note=note,
        device=DEVICE,
        received_at=at,
    )
