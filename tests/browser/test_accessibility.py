"""Every page of the access table and every dialog in Chromium: accessible wide and light, narrow and dark."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from playwright.sync_api import Page

from tests.access_table import ROLES, TABLE, Row
from tests.access_world import World, make_world
from tests.browser.axe import faults_everywhere, faults_of_dialogs
from tests.conftest import sign_in
from tests.test_access import path_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# The last of ROLES has most to see. Pages of refusals are in test_pages.py.
BY_WHAT_ONE_SEES = tuple(reversed(ROLES))
LINES = [line for line in TABLE if line.method == "GET" and not line.name.startswith("api_")]


def reader_of(line: Row) -> str | None:
    """The role that is shown the page, of several the one with most rights."""
    shown = dict(zip(ROLES, line.expected, strict=True))
    return next((role for role in BY_WHAT_ONE_SEES if shown[role] in ("200", "ok")), None)


def pages(world: World, role: str) -> Iterator[str]:
    """The addresses of whole pages that the role is the one to read."""
    client = Client()
    if (user := world.user(role)) is not None:
        client.force_login(user)
    for line in LINES:
        if reader_of(line) == role:
            path = path_of(line, world)
            answer = client.get(path)
            if not answer.streaming and b"<html" in answer.content[:500]:
                yield path


@pytest.mark.timeout(1800)  # more than a hundred pages, twice each
def test_every_page_is_accessible(new_page: Callable[..., Page], live_server: object) -> None:
    world = make_world()
    page, faults, seen = new_page(), [], 0
    for role in ROLES:
        page.context.clear_cookies()
        if (user := world.user(role)) is not None:
            sign_in(page.context, user, str(live_server))
        for address in pages(world, role):
            faults += faults_everywhere(page, address)
            seen += 1
    assert not faults, "\n".join(faults)
    assert seen > 90


# The screens that have dialogs of their own; the palette and the question before a deletion are on every page.
WITH_DIALOGS = (
    ("annotator", "labelling_screen", 7),
    ("annotator", "extraction_detail", 8),
    ("manager", "topic_list", 2),
)


def test_every_dialog_is_accessible(new_page: Callable[..., Page], live_server: object) -> None:
    world = make_world()
    page, faults = new_page(), []
    for role, name, fewest in WITH_DIALOGS:
        page.context.clear_cookies()
        sign_in(page.context, world.user(role), str(live_server))
        page.goto(path_of(next(line for line in LINES if line.name == name), world))
        seen: set[str] = set()
        faults += faults_of_dialogs(page, seen)
        assert len(seen) >= fewest, (name, seen)
    assert not faults, "\n".join(faults)
