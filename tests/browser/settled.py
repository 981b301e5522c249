"""When a page has done what a test must wait for."""

from collections.abc import Sized

from playwright.sync_api import Error, Page, expect

from tests.processes import wait_for


def expect_settled(page: Page) -> None:
    """No answer is on its way or being put in place: until then scripts still move the focus, as fast as no person."""
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added")).to_have_count(0)


def reload(page: Page) -> None:
    """Load the page again, which it may just be doing by itself because its job has ended."""
    try:
        page.reload()
    except Error as error:
        if "ERR_ABORTED" not in str(error):
            raise
        page.wait_for_load_state()


def wait_for_route(page: Page, held: Sized) -> None:
    """Until the page has asked for what the handler of a route collects."""
    wait_for(lambda: page.wait_for_timeout(1) or len(held), what="what the page asks for")


def open_tab(page: Page, bar: str, group: str, label: str) -> None:
    """Open a page by its menu: `bar` is Collection or Campaign, `group` the menu's name."""
    menu = page.get_by_role("navigation", name=bar, exact=True)
    menu.locator("summary").get_by_text(group, exact=True).click()
    menu.get_by_role("link", name=label, exact=True).click()
