"""What every page has around it: messages that move nothing and wait to be read, and what paper gets."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.access_table import TABLE
from tests.access_walk import path_of
from tests.access_world import make_world
from tests.conftest import sign_in
from tests.factories.accounts import CollectionFactory, MembershipFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
PROFILE = "/accounts/profile/"
TOP = "document.querySelector('h1').getBoundingClientRect().top + window.scrollY"


def _save_profile(page: Page) -> None:
    page.goto(PROFILE)
    page.get_by_label("Name").fill("Ada")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#messages")).to_contain_text("Profile saved.")


def test_what_is_shown_once_is_sent_once_however_often_it_is_pressed(new_page: NewPage) -> None:
    """A second press made a second token, and ended the time of a webhook's former secret."""
    page = new_page(UserFactory())
    page.goto(reverse("token_list"))
    page.get_by_label("What is it for?").fill("nightly export")
    button = page.get_by_role("button", name="Create token")
    prevented = button.evaluate("""button => {
      const prevented = [];
      addEventListener("submit", (event) => { prevented.push(event.defaultPrevented); event.preventDefault(); });
      for (let press = 0; press < 3; press++) button.click();
      return prevented;
    }""")
    assert prevented == [False, True, True]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_message_moves_nothing_and_hides_no_control(new_page: NewPage, width: int) -> None:
    page = new_page(UserFactory(), viewport={"width": width, "height": 700})
    page.goto(PROFILE)
    top = page.evaluate(TOP)
    _save_profile(page)
    assert page.evaluate(TOP) == top
    for control in page.locator("main :is(a, button, input, select):visible").all():
        control.click(trial=True)  # Playwright refuses what another element would receive


def test_what_went_well_goes_when_it_was_read(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.clock.install()
    _save_profile(page)
    message = page.locator("#messages .alert")
    page.clock.run_for(7000)
    expect(message).to_be_visible()
    message.hover()
    page.clock.run_for(20_000)
    expect(message).to_be_visible()
    page.mouse.move(5, 5)
    page.clock.run_for(3000)
    expect(message).to_have_count(0)


def test_warnings_stay_until_they_are_closed(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.clock.install()
    page.goto(PROFILE)
    page.route("**/accounts/theme/", lambda route: route.abort())
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name="Dark").click()
    message = page.locator("#messages .alert.warn")
    expect(message).to_contain_text("could not be stored")
    page.clock.run_for(600_000)
    message.get_by_role("button", name="Dismiss").click()
    expect(message).to_have_count(0)


PRINTED = ("collection_dashboard", "member_list", "campaign_detail", "judgment_list", "topic_detail")
TO_PRESS = ":is(nav, button, .button, input, select, textarea, .masthead, #messages, details:not([open])):visible"


def test_paper_has_no_controls(new_page: NewPage, live_server: object) -> None:
    world, page = make_world(), new_page()
    user = world.user("manager")
    assert isinstance(user, User)
    sign_in(page.context, user, str(live_server))
    page.emulate_media(media="print")
    for name in PRINTED:
        line = next(line for line in TABLE if line.name == name)
        page.goto(path_of(line, world))
        expect(page.locator("h1")).to_be_visible()
        assert page.locator(TO_PRESS).all() == [], name
        assert len(page.locator("main").inner_text().split()) > 10, name


@pytest.mark.parametrize(
    ("language", "first", "later"), [("ja", "Hiragino Sans", "PingFang SC"), ("zh", "PingFang SC", "Hiragino Sans")]
)
def test_characters_of_east_asia_are_drawn_as_the_collection_writes_them(
    new_page: NewPage, language: str, first: str, later: str
) -> None:
    member = MembershipFactory(collection=CollectionFactory(slug="tea", language=language))
    page = new_page(member.user)
    page.goto("/c/tea/")
    fonts = page.locator("main").evaluate("main => getComputedStyle(main).fontFamily")
    assert first in fonts
    assert later not in fonts
