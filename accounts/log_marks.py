"""What each line of the log is about: the request or the job during which it was written.

The number of a request comes from the proxy (`X-Request-ID`) or is made here, and goes back in the answer, so that a
line of the proxy's log, an answer that somebody kept and the lines written meanwhile can be found by one word.
"""

import logging
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
PLAIN = re.compile(r"[\w.:/=+-]{1,100}", re.ASCII)  # what strangers send goes into the log only as this

_marks: ContextVar[dict[str, str]] = ContextVar("log marks")


@contextmanager
def marked(**marks: str) -> Iterator[None]:
    """Name what is done meanwhile in each line of the log: `request_id` or `job`."""
    token = _marks.set(_marks.get({}) | marks)
    try:
        yield
    finally:
        _marks.reset(token)


class Marks(logging.Filter):
    """Adds to each record the request and the job that it was written for."""

    def filter(self, record: logging.LogRecord) -> bool:
        vars(record).update(_marks.get({}))
        if record.name == "gunicorn.access" and isinstance(record.args, dict):  # written once the request is gone
            record.request_id = record.args.get(f"{{{HEADER.lower()}}}o", "-")
        return True


class RequestMarkMiddleware:
    """Gives each request a number and says it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get(HEADER, "")
        number = sent if PLAIN.fullmatch(sent) else uuid.uuid4().hex
        with marked(request_id=number):
            response = self.get_response(request)
        response.headers[HEADER] = number
        return response
