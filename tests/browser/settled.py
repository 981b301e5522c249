"""When htmx has put an answer in its place."""

from playwright.sync_api import Page, expect


def expect_settled(page: Page) -> None:
    """No answer is on its way or being put in place: until then scripts still move the focus, as fast as no person."""
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added")).to_have_count(0)
