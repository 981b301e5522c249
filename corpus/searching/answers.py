"""Questions to a chat model whose answers are stored the moment they come: nothing is asked or paid twice (ADR 12)."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from django.utils import timezone

from accounts.refusals import Refused
from corpus.endpoints.endpoints import Service
from corpus.models import Collection, PaidAnswer
from engines.endpoints.chat import Chat, Message, Reply, Unusable
from engines.endpoints.driver import Failure, ask_all

MOST_TEXT = 200_000  # characters of an answer that are stored

Question = tuple[int, list[Message]]


@dataclass(frozen=True)
class Answer:
    """The model's answer; `problem` is why there is nothing to read. The cost is None where it is not known.

    Equal questions share one answer, which was paid for once: `digest` identifies it.
    """

    text: str
    cost: Decimal | None
    problem: str = ""
    digest: str = ""


def digest_of(*request: Any) -> str:
    """A hash of all that is sent."""
    return hashlib.sha256(json.dumps(request, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def ask_model(
    collection: Collection,
    service: Service,
    questions: Iterator[Question],
    report: Callable[[int], None],
    *,
    check: Callable[[], None],
    attempt: int = 1,
    **options: Any,
) -> list[tuple[int, Answer]]:
    """Answers to (key, messages), by their keys; what was answered before is not asked again.

    The model of the service's endpoint is asked. Each `attempt` has its own answers: a second one asks what was asked
    before, and the first answers are kept.
    Errors: Refused, with the number of stored answers, where the endpoint can no longer be used; those of `check`.
    """
    keys: dict[str, list[int]] = {}
    unique: dict[str, list[Message]] = {}  # equal questions are asked once
    for key, messages in questions:
        digest = digest_of(service.endpoint.model, messages, options, *([attempt] if attempt > 1 else []))
        keys.setdefault(digest, []).append(key)
        unique[digest] = messages
    known = _stored_answers(collection, list(unique))
    found = {key: answer for digest, answer in known.items() for key in keys[digest]}
    report(len(found))

    def keep(digest: str, outcome: Reply | Failure) -> None:
        found.update(dict.fromkeys(keys[digest], _store(collection, service, digest, outcome)))
        report(len(found))

    new = [(digest, messages) for digest, messages in unique.items() if digest not in known]
    try:
        with Chat(service.endpoint) as chat:
            ask_all(
                iter(new),
                lambda messages: chat.ask(messages, **options),
                keep,
                service.pace,
                rng=np.random.default_rng(),  # only spreads the pauses of retries
                check=check,
            )
    except Unusable as unusable:
        stored = collection.paid_answers.count()
        reason = unusable.reason[:1].upper() + unusable.reason[1:]
        raise Refused(
            f"{reason}. All {stored:,} answers that came are kept: make the run again, and only the rest is asked."
        ) from None
    return sorted(found.items())


def _stored_answers(collection: Collection, digests: Sequence[str]) -> dict[str, Answer]:
    rows = PaidAnswer.objects.filter(collection=collection, digest__in=digests)
    return {
        digest: Answer(text, cost, digest=digest) for digest, text, cost in rows.values_list("digest", "text", "cost")
    }


def _store(collection: Collection, service: Service, digest: str, outcome: Reply | Failure) -> Answer:
    """Store an answer before the next question is asked; a failure is not stored, so that it is asked again."""
    if isinstance(outcome, Failure):
        return Answer("", Decimal(0), outcome.reason, digest)
    cost = service.prices.cost(outcome.prompt_tokens, outcome.completion_tokens)
    text = outcome.text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MOST_TEXT]
    fields = {
        "text": text,
        "prompt_tokens": outcome.prompt_tokens,
        "completion_tokens": outcome.completion_tokens,
        "cost": cost,
        "received_at": timezone.now(),
    }
    PaidAnswer.objects.bulk_create(  # one statement, where update_or_create has up to six
        [PaidAnswer(collection=collection, digest=digest, **fields)],
        update_conflicts=True,
        unique_fields=["collection", "digest"],
        update_fields=list(fields),
    )
    return Answer(text, cost, digest=digest)
