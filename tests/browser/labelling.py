"""The labelling screen for browser tests: opened, and what it must show."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from annotation.models import (
    Judgment,
)
from tests.factories.adjudication import Built


def path_of(built: Built) -> str:
    return f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}/label/"


def open_labelling(new_page: Callable[..., Page], built: Built, person: str = "ana", **options: object) -> Page:
    """The labelling screen of a person, ready for keys."""
    page = new_page(user=built.people[person], **options)
    go(page, built)
    return page


def go(page: Page, built: Built, query: str = "") -> None:
    page.goto(path_of(built) + query)
    page.wait_for_selector("body[data-ready]")


def title(number: int) -> str:
    return f"On doc{number:05d}"


def expect_unit(page: Page, number: int) -> None:
    expect(page.locator("[data-part=title]")).to_have_text(title(number))


def expect_saved(page: Page) -> None:
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))


def values(built: Built, person: str = "ana") -> list[int | None]:
    """The values that count, by item."""
    found = dict(
        Judgment.objects.filter(assignment__annotator=built.annotators[person]).values_list("assignment__item", "value")
    )
    return [found.get(item.pk) for item in built.items]
