"""Scripted experts: what they press and what their page asks the application for is counted."""

from collections.abc import Callable

from playwright.sync_api import Page, Request


class Hand:
    """A scripted expert: every key that is pressed is counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1


def counted_requests(page: Page) -> list[Request]:
    """All that the page asks the application for from now on; files of the program are not counted."""
    sent: list[Request] = []
    page.on("request", lambda request: None if "/static/" in request.url else sent.append(request))
    return sent


def counted(record_property: Callable[[str, object], None], task: str, **figures: int) -> None:
    """Say what was counted, for bench/keys.py."""
    for name, value in {"task": task, **figures}.items():
        record_property(name, value)
