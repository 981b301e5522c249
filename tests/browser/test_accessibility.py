"""Every page of the access table and every dialog in Chromium: accessible wide and light, narrow and dark."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.access_table import ROLES, TABLE, Row
from tests.access_walk import path_of
from tests.access_world import World, make_world
from tests.browser.axe import BOTH_FACES, FACES, SCRIPT, faults_in_both_faces, faults_of_dialogs, show
from tests.conftest import sign_in
from tests.factories.accounts import UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WHOLE = "document.documentElement.lang !== ''"  # fragments name no language
# The last of ROLES has most to see. Pages of refusals are in test_pages.py.
BY_WHAT_ONE_SEES = tuple(reversed(ROLES))
STAFF = "staff"  # see what is refused to every role
READERS = (*ROLES, STAFF)
LINES = [line for line in TABLE if line.method == "GET" and not line.name.startswith("api_")]


def reader_of(line: Row) -> str | None:
    """The role that is shown the page, of several the one with most rights; staff where all are refused."""
    shown = dict(zip(ROLES, line.expected, strict=True))
    role = next((role for role in BY_WHAT_ONE_SEES if shown[role] in ("200", "ok")), None)
    return STAFF if not role and set(line.expected[1:]) == {"403"} else role


def enter(page: Page, reader: str, world: World, address: object) -> None:
    """Be this reader from now on."""
    page.context.clear_cookies()
    user = UserFactory(is_staff=True, name="Staff") if reader == STAFF else world.user(reader)
    if user is not None:
        sign_in(page.context, user, str(address))


def shows_page(page: Page, address: str) -> bool:
    """Whether a whole page is shown at the address: neither a file nor a fragment."""
    try:
        answer = page.goto(address)
    except Error as error:
        if "Download is starting" not in error.message:
            raise
        return False
    assert answer is not None
    return answer.ok and answer.header_value("content-type").startswith("text/html") and page.evaluate(WHOLE)


@pytest.mark.timeout(1800)  # more than a hundred pages, twice each
def test_every_page_is_accessible(new_page: Callable[..., Page], live_server: object) -> None:
    world = make_world()
    page, faults, seen, face = new_page(), [], 0, 0
    page.add_init_script(SCRIPT)
    show(page, *FACES[face])
    for reader in READERS:
        enter(page, reader, world, live_server)
        for line in LINES:
            if reader_of(line) == reader and shows_page(page, path_of(line, world)):
                faults += faults_in_both_faces(page, first=face)
                seen, face = seen + 1, 1 - face  # each is opened in the face that the one before was left in
    assert not faults, "\n".join(faults)
    assert seen > 145


# The screens that have their own dialogs; the palette and the question before a deletion are on every page.
WITH_DIALOGS = (
    ("annotator", "labelling_screen", 7),
    ("annotator", "extraction_detail", 8),
    ("manager", "topic_list", 2),
)


def test_every_dialog_is_accessible(new_page: Callable[..., Page], live_server: object) -> None:
    assert_dialogs_accessible(new_page(), live_server, make_world(), BOTH_FACES)


def assert_dialogs_accessible(page: Page, live_server: object, world: World, faces: Sequence[Any]) -> None:
    faults = []
    for role, name, fewest in WITH_DIALOGS:
        page.context.clear_cookies()
        sign_in(page.context, world.user(role), str(live_server))
        page.goto(path_of(next(line for line in LINES if line.name == name), world))
        seen: set[str] = set()
        faults += faults_of_dialogs(page, seen, faces)
        assert len(seen) >= fewest, (name, seen)
    assert not faults, "\n".join(faults)
