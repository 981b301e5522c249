"""A page that comes again goes on where the keyboard was, not at its top: after a form on it, and when its job ends."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import JobState, User
from annotation.models import Campaign
from corpus.models import PoolEntry, PoolRun
from tests.factories.annotation import make_campaign, make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
AGREEMENT = "/c/teas/campaigns/main-round/agreement/"


def tab_to(page: Page, name: str, role: str = "button") -> None:
    """Press Tab until this control has the focus."""
    wanted = page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    for _ in range(60):
        page.keyboard.press("Tab")
        if wanted.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {name}")


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign(make_material(), annotators=False)


@pytest.fixture
def manager(campaign: Campaign) -> User:
    return campaign.collection.memberships.get(role="manager").user


def test_the_next_step_of_the_guide_is_where_the_last_one_was_taken(new_page: NewPage, manager: User) -> None:
    page = new_page(manager)
    page.goto(AGREEMENT)
    tab_to(page, "I judge myself")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I judge myself")).to_have_count(0)
    expect(page.locator("#guide")).to_be_focused()


def test_a_hand_on_the_mouse_is_left_where_it_looks(new_page: NewPage, manager: User) -> None:
    page = new_page(manager)
    page.goto(AGREEMENT)
    page.get_by_role("button", name="I judge myself").click()
    expect(page.get_by_role("button", name="I judge myself")).to_have_count(0)
    expect(page.locator("#guide")).not_to_be_focused()


def test_a_job_that_leaves_nothing_of_itself_leads_on_to_the_guide(new_page: NewPage, campaign: Campaign) -> None:
    """The guide shows the pools while they are built; after that the next step alone."""
    collection, manager = campaign.collection, campaign.collection.memberships.get(role="manager").user
    campaign.delete()
    PoolEntry.objects.filter(topic__collection=collection).delete()
    run = PoolRun.objects.create(collection=collection, requested_by=manager, requested_at=timezone.now(), seed=1)
    page = new_page(manager)
    page.add_init_script("addEventListener('DOMContentLoaded', () => document.body.style.paddingBlockEnd = '200vh')")
    page.goto("/c/teas/")
    expect(page.locator("#guide .job")).to_be_visible()
    looked_at = page.evaluate("scrollTo(0, innerHeight); scrollY")
    PoolRun.objects.filter(pk=run.pk).update(state=JobState.DONE, finished_at=timezone.now())
    expect(page.locator("#guide")).to_be_focused(timeout=15_000)
    assert page.evaluate("scrollY") == looked_at, "who reads on is not led away from there"
