"""Asking a language model about sampled mentions: each reply is stored before the next question is paid for.

A job that was killed, cancelled or gave up goes on with what has no answer yet. An answer that was stored but not
read when the worker died is read then, and not asked for again.
"""

import random

import numpy as np
from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.refusals import Refused
from corpus.models import GenerationReply, Outcome, QuestionRun
from corpus.questions.generation import service_of
from corpus.questions.question_reading import Known, known_questions, read_reply
from engines.endpoints.chat import Chat, Reply, Unusable
from engines.endpoints.driver import Failure, UnreadableRow, ask_all

LONGEST_FINISH_REASON = 60


def generate_questions(run: QuestionRun, progress: jobs.Progress) -> None:
    """Ask what has not been answered yet, and turn the answers into questions and topics."""
    service = service_of(run)
    known = known_questions(run.collection)
    for reply in run.replies.filter(outcome=Outcome.UNREAD):
        with transaction.atomic():  # a worker that dies in the middle leaves it waiting, not half processed
            read_reply(reply, known)
    waiting = list(run.replies.filter(outcome=Outcome.WAITING).values_list("pk", flat=True))
    total = run.replies.count()
    count = {"done": total - len(waiting)}
    row = UnreadableRow()

    def keep(pk: int, outcome: Reply | Failure) -> None:
        reply = keep_answer(pk, outcome, known)
        count["done"] += 1
        if reply.outcome != Outcome.NO_ANSWER:
            row.note(reply.problem)

    def check() -> None:
        progress.report(count["done"], total, "asking the model")
        row.check()

    seed = run.seed if run.seed is not None else random.getrandbits(32)
    with Chat(service.asking(run.model)) as chat:
        questions = ((pk, [{"role": "user", "content": _prompt(pk)}]) for pk in waiting)
        try:
            ask_all(
                questions,
                chat.ask,
                keep,
                service.pace,
                rng=np.random.default_rng(seed),
                check=check,
            )
        except jobs.Cancelled as cancelled:
            raise jobs.Cancelled(f"Cancelled. {_kept_words(count['done'], total)}") from cancelled
        except Unusable as unusable:
            raise Refused(f"{_sentence(unusable.reason)} {_kept_words(count['done'], total)}") from unusable
    progress.report(total, total, "asking the model")
    record_event(
        by=run.requested_by,
        at=timezone.now(),
        verb="generate_questions",
        target=run,
        scope=run.collection,
        replies=total,
        model=run.model,
        template=run.template.sha256,
    )


def keep_answer(pk: int, outcome: Reply | Failure, known: Known) -> GenerationReply:
    """Store what came back, whole, and only then try to understand it."""
    reply = GenerationReply.objects.select_related("run__collection", "mention").get(pk=pk)
    reply.answered_at = timezone.now()
    if isinstance(outcome, Failure):
        reply.outcome = Outcome.NO_ANSWER
        reply.problem = f"{_sentence(outcome.reason)} Tries: {outcome.attempts}."
        reply.save()
        return reply
    reply.outcome = Outcome.UNREAD
    reply.text, reply.refusal = _storable(outcome.text), _storable(outcome.refusal)
    reply.finish_reason = _storable(outcome.finish_reason)[:LONGEST_FINISH_REASON]
    reply.prompt_tokens = _of_all(reply, reply.prompt_tokens, outcome.prompt_tokens)
    reply.completion_tokens = _of_all(reply, reply.completion_tokens, outcome.completion_tokens)
    reply.seconds = outcome.seconds
    reply.save()
    with transaction.atomic():
        read_reply(reply, known)
    return reply


def _of_all(reply: GenerationReply, before: int | None, now: int | None) -> int | None:
    """The tokens of an answer with those of earlier ones; None where one of them was not counted."""
    if now is None or (reply.earlier and before is None):
        return None
    return now + (before or 0)


def _prompt(pk: int) -> str:
    return GenerationReply.objects.values_list("prompt", flat=True).get(pk=pk)


def _storable(text: str) -> str:
    """PostgreSQL stores neither NUL nor halves of surrogate pairs: they become the replacement character."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:].rstrip(".") + "."


def _kept_words(done: int, total: int) -> str:
    return f"{done:,} of {total:,} answers are kept; you can continue at any time, they are not asked for again."
