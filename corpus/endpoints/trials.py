"""One small question to a model, to see whether its endpoint works."""

import time
from dataclasses import dataclass, replace
from decimal import Decimal

from django.conf import settings

from accounts.refusals import Refused
from corpus.endpoints.endpoints import Service
from corpus.models import ModelPurpose
from engines.endpoints.prices import amount

PATIENCE = 10.0  # seconds without a byte; a whole answer may take five times as long
QUESTION = [{"role": "user", "content": "Answer with the one word: yes"}]


@dataclass(frozen=True)
class Trial:
    """What the endpoint answered. Tokens and cost are None where they are not known."""

    endpoint: str
    model: str
    answer: str
    seconds: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: Decimal | None = None
    currency: str = ""

    def __str__(self) -> str:
        said = f"{self.model} at {self.endpoint} answered {self.answer} in {self.seconds:.2f} s"
        if self.prompt_tokens is None or self.completion_tokens is None:
            return f"{said}."
        cost = "cost not known" if self.cost is None else f"{amount(self.cost)} {self.currency}"
        return f"{said} ({self.prompt_tokens:,} tokens sent, {self.completion_tokens:,} received; {cost})."


def try_service(service: Service, purpose: str) -> Trial:
    """Ask for one word, or for the vector of one. Errors: Refused, with the reason, for an endpoint that fails."""
    from engines.endpoints.chat import Chat
    from engines.endpoints.connections import EndpointError
    from engines.endpoints.embeddings import Embeddings

    endpoint = replace(service.endpoint, timeout=min(service.endpoint.timeout, PATIENCE))
    counts: tuple[int | None, int | None] = (None, None)
    try:
        if purpose == ModelPurpose.EMBEDDINGS:
            with Embeddings(endpoint) as embeddings:
                started = time.monotonic()  # what it takes to load the client is not the endpoint's time
                answer = f"with a vector of {embeddings.embed(['test']).shape[1]:,} numbers"
        else:
            with Chat(endpoint) as chat:
                started = time.monotonic()
                reply = chat.ask(QUESTION)
            answer = f"“{endpoint.without_key(reply.text.strip()[:80])}”"
            counts = reply.prompt_tokens, reply.completion_tokens
    except EndpointError as error:
        raise Refused(f"{endpoint.model} at {service.name} did not answer: {error.reason.rstrip('.')}.") from None
    sent, got = counts
    cost = service.prices.cost(sent, got)
    seconds = round(time.monotonic() - started, 2)
    return Trial(service.name, endpoint.model, answer, seconds, sent, got, cost, settings.LLM_CURRENCY)
