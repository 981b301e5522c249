"""The models that the operator has set up, if any, their prices, and the limits of requests to them."""

from decimal import Decimal

from django.conf import settings

from accounts.refusals import Refused
from engines.endpoints.chat import Endpoint
from engines.endpoints.driver import Pace
from engines.endpoints.prices import Prices

NO_MODEL = (
    "No language model is set up here. The operator of this installation sets LITMUS_LLM_BASE_URL and LITMUS_LLM_MODEL"
    " (docs/configuration.md)."
)

NO_EMBEDDINGS = (
    "Vectors need an endpoint that makes embeddings, and this installation has none. The operator of this Litmus sets"
    " LITMUS_EMBEDDINGS_BASE_URL and LITMUS_EMBEDDINGS_MODEL (docs/configuration.md)."
)


def chat_endpoint() -> Endpoint | None:
    """The endpoint of the settings, or None where there is none."""
    if not (settings.LLM_BASE_URL and settings.LLM_MODEL):
        return None
    return Endpoint(
        settings.LLM_BASE_URL,
        settings.LLM_API_KEY,
        settings.LLM_MODEL,
        timeout=float(settings.LLM_TIMEOUT),
        max_tokens=settings.LLM_MAX_TOKENS,
    )


def require_chat_endpoint() -> Endpoint:
    """The endpoint of the settings. Errors: Refused where there is none."""
    endpoint = chat_endpoint()
    if endpoint is None:
        raise Refused(NO_MODEL)
    return endpoint


def chat_pace() -> Pace:
    """The limits of requests: at once, per minute, and for each question."""
    return Pace(concurrency=settings.LLM_CONCURRENCY, per_minute=settings.LLM_RATE, attempts=settings.LLM_ATTEMPTS)


def embeddings_endpoint() -> Endpoint | None:
    """The endpoint that makes vectors of texts, or None where there is none."""
    if not (settings.EMBEDDINGS_BASE_URL and settings.EMBEDDINGS_MODEL):
        return None
    return Endpoint(
        settings.EMBEDDINGS_BASE_URL,
        settings.EMBEDDINGS_API_KEY,
        settings.EMBEDDINGS_MODEL,
        timeout=float(settings.LLM_TIMEOUT),
    )


def require_embeddings_endpoint() -> Endpoint:
    """The endpoint that makes vectors of texts. Errors: Refused where there is none."""
    endpoint = embeddings_endpoint()
    if endpoint is None:
        raise Refused(NO_EMBEDDINGS)
    return endpoint


def embeddings_pace() -> Pace:
    """As for language models, but with another limit: a request carries many texts."""
    return Pace(
        concurrency=settings.LLM_CONCURRENCY, per_minute=settings.EMBEDDINGS_RATE, attempts=settings.LLM_ATTEMPTS
    )


def cost_of(prompt_tokens: int, completion_tokens: int) -> Decimal | None:
    """The cost of these tokens in LITMUS_LLM_CURRENCY; None while a price is not known."""
    return Prices(settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT).cost(prompt_tokens, completion_tokens)
