"""When htmx has put an answer in its place."""

from playwright.sync_api import Error, Page, expect


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
