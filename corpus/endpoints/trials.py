"""One small question to a model, to see whether its endpoint works."""

from dataclasses import dataclass, replace
from decimal import Decimal

from django.conf import settings

from accounts.refusals import Refused
from corpus.endpoints.endpoints import Service
from corpus.models import ModelPurpose
from engines.endpoints.prices import amount

PATIENCE = 10.0  # seconds without a byte; a whole answer may take five times as long
QUESTION = "Answer with the one word: yes"


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
        counted = self.prompt_tokens is not None and self.completion_tokens is not None
        tokens = f"{self.prompt_tokens:,} tokens sent, {self.completion_tokens:,} received" if counted else ""
        cost = "cost not known" if self.cost is None else f"{amount(self.cost)} {self.currency}"
        known = "; ".join(filter(None, [tokens, cost if counted else ""]))
        said = f"{self.model} at {self.endpoint} answered {self.answer} in {self.seconds:.2f} s"
        return f"{said} ({known})." if known else f"{said}."


def try_service(service: Service, purpose: str) -> Trial:
    """Ask for one word, or for the vector of one. Errors: Refused, with the reason, for an endpoint that fails."""
    from engines.endpoints.connections import EndpointError

    endpoint = service.endpoint
    endpoint = replace(endpoint, timeout=min(endpoint.timeout, PATIENCE))
    service = replace(service, endpoint=endpoint)
    try:
        return _ask_for_vector(service) if purpose == ModelPurpose.EMBEDDINGS else _ask_for_word(service)
    except EndpointError as error:
        raise Refused(f"{endpoint.model} at {service.name} did not answer: {error.reason.rstrip('.')}.") from None


def _ask_for_word(service: Service) -> Trial:
    from engines.endpoints.chat import Chat

    with Chat(service.endpoint) as chat:
        reply = chat.ask([{"role": "user", "content": QUESTION}])
    answer = f"“{service.endpoint.without_key(reply.text.strip()[:80])}”"
    sent, got = reply.prompt_tokens, reply.completion_tokens
    cost = None if sent is None or got is None else service.prices.cost(sent, got)
    names = (service.name, service.endpoint.model)
    return Trial(*names, answer, round(reply.seconds, 2), sent, got, cost, settings.LLM_CURRENCY)


def _ask_for_vector(service: Service) -> Trial:
    import time

    from engines.endpoints.embeddings import Embeddings

    started = time.monotonic()
    with Embeddings(service.endpoint) as embeddings:
        vectors = embeddings.embed(["test"])
    answer = f"with a vector of {vectors.shape[1]:,} numbers"
    return Trial(service.name, service.endpoint.model, answer, round(time.monotonic() - started, 2))
