"""Through which door somebody came, a page, REST or the command line, so that a refusal names only ways that it has.

A worker has none: what it says is read at every door, so it names no place at all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

NO_DOOR, PAGE, REST, COMMAND = "", "page", "rest", "command"
_door: ContextVar[str] = ContextVar("door", default=NO_DOOR)


@contextmanager
def through(door: str) -> Iterator[None]:
    """Whatever is said inside is said at this door."""
    before = _door.set(door)
    try:
        yield
    finally:
        _door.reset(before)


def at_door(*, page: str = "", rest: str = "", command: str = "") -> str:
    """The words for the present door, "" where there are none."""
    return {PAGE: page, REST: rest, COMMAND: command}.get(_door.get(), "")


def where(advice: str, **places: str) -> str:
    """The advice with the place where it is followed, as far as the present door has one: a page, a request, a command
    with its arguments."""
    if command := places.get("command"):
        places["command"] = f"{settings.PROGRAM} {command}"
    place = at_door(**places)
    return f"{advice} ({place})" if place else advice


class DoorMiddleware:
    """Addresses of the API are one door, all others are pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with through(REST if request.path_info.startswith("/api/") else PAGE):
            return self.get_response(request)
