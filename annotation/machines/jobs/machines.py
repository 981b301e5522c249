"""The worker's part of a machine run: ask for each item that has no reply yet, keep each reply before the next.

A run that was killed, cancelled or refused by its endpoint goes on where it stopped: what has a reply is never asked,
or paid for, again.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.audit import Scope
from accounts.refusals import Refused
from annotation.campaigns.jobs import CampaignJob
from annotation.machines.jobs.machine_labels import MachineAnswer, store_replies
from annotation.machines.reads.machine_items import Shown, describe_levels, unanswered
from annotation.models import MachineKind, MachineRun, ReplyState
from annotation.prompting.answers import AnswerForm, read_answer
from annotation.prompting.lexical import cover, describe, level_of
from annotation.prompting.prompts import parse_prompt
from annotation.prompting.recipes import Prices, recipe_from
from corpus.collections.reads.endpoints import NO_MODEL, chat_endpoint, chat_pace
from corpus.endpoints.chat import Chat, Message, Reply, Unusable
from corpus.endpoints.driver import Failure, FirstAnswers, Pace, ask_all

LEXICAL_BATCH = 500


class MachineJob(CampaignJob[MachineRun]):
    """A machine annotator's run over the items."""

    model = MachineRun
    title = "Machine annotator"
    cancel_verb = "cancel_machine_run"
    section = "machines"
    related = ("campaign__collection", "annotator")

    def work(self, job: MachineRun, progress: jobs.Progress) -> None:
        annotate(job, progress)

    def audited(self, job: MachineRun) -> tuple[Model, Scope | None, dict[str, Any]]:
        return job.campaign, job.campaign.collection, {"machine": job.annotator.name}

    def page(self, job: MachineRun) -> str:
        return reverse("machine_detail", args=[*self.where(job), job.pk])


def annotate(run: MachineRun, progress: jobs.Progress) -> None:
    """Ask for every item without a reply. What was kept stays, however this ends."""
    work = _Work(run, progress)
    try:
        work.ask_endpoint() if run.kind == MachineKind.ENDPOINT else work.compare_words()
    except jobs.Cancelled as cancelled:
        raise jobs.Cancelled(
            f"Cancelled. {work.done:,} of {work.total:,} replies are kept; going on asks for the rest only."
        ) from cancelled
    except Unusable as unusable:
        reason = unusable.reason[:1].upper() + unusable.reason[1:]
        raise Refused(
            f"{reason}. {work.done:,} of {work.total:,} replies are kept; going on asks for the rest."
        ) from None


class _Work:
    """One attempt at a run: what its labels are read by, and how far it is."""

    def __init__(self, run: MachineRun, progress: jobs.Progress) -> None:
        self.run, self.progress = run, progress
        self.recipe = recipe_from(run.recipe)
        self.values = sorted(run.criterion.levels.values_list("value", flat=True))
        self.total = run.campaign.items.count()
        self.done = run.replies.exclude(state=ReplyState.ERROR).count()
        self.failed = 0
        self.first = FirstAnswers(self.done)

    def report(self) -> None:
        """Say how far it is; raises Cancelled."""
        trouble = f", {self.failed:,} without an answer" if self.failed else ""
        self.progress.report(self.done, self.total, f"annotating{trouble}")

    def compare_words(self) -> None:
        left = unanswered(self.run)
        while batch := list(islice(left, LEXICAL_BATCH)):
            self.report()
            store_replies(self.run, [self.compare(shown) for shown in batch], timezone.now())
            self.done += len(batch)
        self.report()

    def compare(self, shown: Shown) -> MachineAnswer:
        covered = cover(shown.aspect, f"{shown.title}\n{shown.abstract}")
        value = self.values[level_of(covered.share, self.recipe.thresholds)]
        return MachineAnswer(shown.item, ReplyState.ANSWERED, describe(covered), value, cost=Decimal(0))

    def ask_endpoint(self) -> None:
        endpoint = chat_endpoint()
        if endpoint is None or self.run.prompt is None:
            raise Refused(NO_MODEL)
        prompt = parse_prompt(self.run.prompt.body)
        self.form = prompt.form(self.values)
        self.prices = prices_of(self.run)
        levels = describe_levels(self.run.criterion)
        options = {"temperature": self.recipe.temperature}
        if self.run.seed is not None and self.recipe.seed is not None:
            options["seed"] = self.run.seed
        questions: Iterator[tuple[int, list[Message]]] = (
            (shown.item, [{"role": "user", "content": prompt.fill(shown.places(levels))}])
            for shown in unanswered(self.run)
        )
        rng = np.random.default_rng(self.run.seed or self.run.pk)
        with Chat(replace(endpoint, model=self.recipe.model, max_tokens=self.recipe.max_tokens)) as chat:
            ask_all(
                questions,
                lambda messages: chat.ask(messages, **options),
                self.keep,
                pace_of(self.run),
                rng=rng,
                check=self.check,
            )
        self.report()

    def check(self) -> None:
        self.report()
        self.first.check()

    def keep(self, item: int, outcome: Reply | Failure) -> None:
        """Store one outcome before the next question is asked."""
        if isinstance(outcome, Failure):
            self.failed += 1
            tries = f"asked {outcome.attempts} times" if outcome.attempts > 1 else "asked once"
            said = MachineAnswer(item, ReplyState.ERROR, problem=f"{outcome.reason} ({tries})")
        else:
            self.done += 1
            said = read_reply(item, outcome, self.form, self.prices)
            self.first.note(said.problem)
        store_replies(self.run, [said], timezone.now())


def read_reply(item: int, reply: Reply, form: AnswerForm, prices: Prices) -> MachineAnswer:
    """The reply as it is kept: read strictly, or invalid with the problem."""
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
    """As fast as the run was asked for, and never faster than the operator allows."""
    usual, asked = chat_pace(), run.parameters
    per_minute = [rate for rate in (usual.per_minute, asked.get("per_minute", 0)) if rate]
    return replace(
        usual,
        concurrency=min(usual.concurrency, asked.get("concurrency") or usual.concurrency),
        per_minute=min(per_minute, default=0),
    )


def prices_of(run: MachineRun) -> Prices:
    """The prices the run was asked for with; they are kept as text, exactly."""
    found = (run.parameters.get(name) for name in ("price_in", "price_out"))
    return Prices(*(None if price is None else Decimal(price) for price in found))
