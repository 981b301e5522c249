"""Live previews follow early and fast typing: before the scripts are there, and while an answer is pending."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.settled import wait_for_route
from tests.factories.annotation import make_campaign, make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
PREVIEW = "**/machines/prompts/preview/"
FORM = "answer YES = 1\nanswer NO = 0\n---\n"


def test_the_preview_follows_an_early_and_a_fast_typist(new_page: NewPage) -> None:
    campaign = make_campaign(make_material())
    page = new_page(campaign.collection.memberships.get(role="manager").user, is_early=True)
    scripts = hold_back(page, "**/htmx*.js*")
    page.goto(f"/c/teas/campaigns/{campaign.slug}/machines/prompts/new/", wait_until="commit")
    text = page.get_by_label("Text", exact=True)
    preview = page.locator("#prompt-preview")

    # Typed while the scripts are still on their way.
    text.fill(FORM + "Early words about {aspect}")
    expect(preview).not_to_contain_text("Early words")
    wait_for_route(page, scripts)
    scripts[0].continue_()
    expect(preview).to_contain_text("Early words about")

    # An answer that does not come does not hold up the next one, nor does it overwrite it.
    held = hold_back(page, PREVIEW)
    text.fill(FORM + "Slow words about {aspect}")
    wait_for_route(page, held)
    text.fill(FORM + "Last words about {aspect}")
    expect(preview).to_contain_text("Last words about")


def hold_back(page: Page, address: str) -> list[Route]:
    """The next request to such an address gets no answer until the test lets it go."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(address, hold, times=1)
    return held
