"""One question to an OpenAI-compatible chat endpoint, and what came back.

Errors fall into three kinds, because the caller does three things about them: wait and try again (`Busy`), give up on
this question (`Rejected`), or stop altogether (`Unusable`: wrong key, unknown model). No error contains the key.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engines.endpoints.connections import (
    Busy,
    Connection,
    EndpointError,
    object_in,
    read_body,
    retry_after,
    ways_to_connect,
)
from engines.endpoints.guard import Guard, InnerAddress

if TYPE_CHECKING:
    import openai  # with httpx2 a second of start-up and 40 MB: loaded when a model is asked, not by every process

LONGEST_EXCERPT = 300  # characters of an endpoint's own words in a reason
LONGEST_BODY = 4 << 20  # bytes
LONGEST_TIMES = 5  # an answer may take this many time-outs to arrive
LONGEST_RETRY_AFTER = 600.0  # seconds; an endpoint that asks for more is tried again after this
UNUSABLE = frozenset({401, 402, 403, 404, 405})
WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask and as whom. `timeout`: seconds without a byte; `max_tokens` 0: the endpoint's own limit.

    `guard` None: the address is the operator's, and leads wherever they want.
    """

    base_url: str
    api_key: str = field(repr=False)
    model: str
    timeout: float = 120.0
    max_tokens: int = 0
    guard: Guard | None = None

    def without_key(self, text: str) -> str:
        """What the endpoint says of a failure, which may repeat the key that it was sent."""
        return text.replace(self.api_key, "[key]") if self.api_key else text


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. `finish_reason` is "stop" for a whole answer, "length" for one cut off, "content_filter"
    for one withheld, or the endpoint's own word; tokens are None where it does not count them."""

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    refusal: str = ""


class Rejected(EndpointError):
    """This question will never be answered: the endpoint calls it wrong or too long."""


class Unusable(EndpointError):
    """No question will be answered: wrong address, key or model."""


def _open_client(endpoint: Endpoint) -> openai.OpenAI:
    import httpx2
    import openai

    from engines.endpoints.short_errors import keep_errors_short

    timeout = httpx2.Timeout(endpoint.timeout, connect=min(endpoint.timeout, 15.0))
    client = openai.OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",  # local servers want none, the client insists on one
        timeout=timeout,
        http_client=openai.DefaultHttpxClient(
            timeout=timeout, event_hooks={"response": [keep_errors_short]}, **ways_to_connect(endpoint.guard)
        ),
        max_retries=0,  # the driver waits and counts; retries in here would be paid for unseen
    )
    if endpoint.guard:  # the client takes these from the server's environment, which is none of the endpoint's business
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = {}
    return client


@contextmanager
def endpoint_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn what the client raises into Busy, Rejected and Unusable."""
    import httpx2
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        raise _from_status(error, endpoint) from None
    except InnerAddress as inner:
        raise Unusable(inner.reason) from None
    except (openai.APITimeoutError, httpx2.TimeoutException):
        raise Busy(f"no answer within {endpoint.timeout:g} seconds") from None
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        cause = error.__cause__ or error
        raise Busy(f"the connection failed: {_excerpt(str(cause)) or type(cause).__name__}") from None
    except (httpx2.InvalidURL, openai.OpenAIError) as error:
        raise Unusable(f"the endpoint cannot be asked: {_excerpt(str(error))}") from None


class ModelConnection(Connection["openai.OpenAI"]):
    """An open connection to an endpoint; a context manager, safe for several threads. Errors: Unusable."""

    def __init__(self, endpoint: Endpoint) -> None:
        with endpoint_errors(endpoint):
            super().__init__(_open_client(endpoint))
        self.endpoint = endpoint


class Chat(ModelConnection):
    """Asks questions."""

    def ask(self, messages: Sequence[Message], **options: Any) -> Reply:
        """Ask once. `options` (temperature, seed, …) go into the request as they are.

        Errors: Busy, Rejected, Unusable.
        """
        if self.endpoint.max_tokens:
            options = {"max_tokens": self.endpoint.max_tokens, **options}
        started = time.monotonic()
        with (
            endpoint_errors(self.endpoint),
            self.client.chat.completions.with_streaming_response.create(
                model=self.endpoint.model,
                messages=list(messages),  # type: ignore[arg-type]
                **options,
            ) as response,
        ):
            seconds = LONGEST_TIMES * self.endpoint.timeout
            body = read_body(response.iter_bytes(), LONGEST_BODY, seconds, since=started)
        if body is None:
            raise Busy(f"the answer is longer than {LONGEST_BODY >> 20} MB")
        try:
            return read_reply(body, time.monotonic() - started)
        except Busy as busy:
            raise Busy(self.endpoint.without_key(busy.reason)) from None


def read_reply(body: bytes, seconds: float) -> Reply:
    """The reply in a response's body. Errors: Busy for what is no chat completion (a proxy's page, half an object)."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content"), message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise Busy(f"the answer is not a chat completion: {_excerpt(body[:2000].decode('utf-8', 'replace'))}") from None
    usage = object_in(answer.get("usage"))
    return Reply(
        text if isinstance(text, str) else "",
        str(choice.get("finish_reason") or ""),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        seconds,
        refusal if isinstance(refusal, str) else "",
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _from_status(error: openai.APIStatusError, endpoint: Endpoint) -> EndpointError:
    status = error.status_code
    if status < 400:
        return Unusable(f"the endpoint answered {status}, which leads to another address; redirects are not followed")
    answer = f"{status}: {_excerpt(endpoint.without_key(_words_of(error)))}"
    if status in UNUSABLE or _is_out_of_credit(error):
        return Unusable(f"the endpoint refused the request with {answer}")
    if status in WORTH_ANOTHER_TRY or status >= 500:
        return Busy(f"the endpoint answered {answer}", retry_after(error.response.headers, LONGEST_RETRY_AFTER))
    return Rejected(f"the endpoint rejected the question with {answer}")


def _is_out_of_credit(error: openai.APIStatusError) -> bool:
    """OpenAI says 429 for an empty account too; waiting does not fill it."""
    return error.status_code == 429 and getattr(error, "code", None) == "insufficient_quota"


def _words_of(error: openai.APIStatusError) -> str:
    """The endpoint's own message: of its JSON, else the beginning of its body."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return body if isinstance(body, str) else str(error.response.text)


def _excerpt(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text[: 10 * LONGEST_EXCERPT])
    words = " ".join(printable.split())
    return words if len(words) <= LONGEST_EXCERPT else words[: LONGEST_EXCERPT - 1] + "…"
