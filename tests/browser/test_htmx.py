"""What htmx does in our pages: refusals and failures become messages, jobs show their progress until they end."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import JobState
from corpus.models import ImportRun, Membership, Role
from tests.browser.axe import assert_accessible
from tests.factories.accounts import CollectionFactory, UserFactory, one_member_each

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
FETCH = "address => htmx.ajax('GET', address, {target: '#content', swap: 'innerHTML'}).catch(() => null)"


@pytest.fixture
def members() -> dict[Role, Membership]:
    return one_member_each(CollectionFactory(slug="tea", title="Tea"))


def test_a_refusal_is_a_message_and_leaves_the_page_alone(new_page: NewPage, members: dict[Role, Membership]) -> None:
    page = new_page(members[Role.ANNOTATOR].user)
    page.goto("/help/")
    page.evaluate(FETCH, "/c/tea/audit/")
    expect(page.locator("#messages .alert.bad")).to_contain_text("This needs the role of manager in Tea")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()
    assert_accessible(page)


def test_what_is_gone_is_a_message(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/help/")
    page.evaluate(FETCH, "/no/such/page/")
    expect(page.locator("#messages")).to_contain_text("no longer there")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()


def test_who_is_signed_out_meanwhile_keeps_the_page(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/help/")
    page.context.clear_cookies()
    page.evaluate(FETCH, "/collections/")
    expect(page.locator("#messages")).to_contain_text("You are signed out.")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()


def test_a_server_that_is_away_is_a_message_for_writes(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/help/")
    page.context.set_offline(True)
    page.evaluate("htmx.ajax('POST', '/accounts/theme/', {target: '#content'}).catch(() => null)")
    expect(page.locator("#messages")).to_contain_text("The server cannot be reached.")


def test_a_job_shows_its_progress_until_it_ends(new_page: NewPage, members: dict[Role, Membership]) -> None:
    manager, now = members[Role.MANAGER], timezone.now()
    job = ImportRun.objects.create(
        collection=manager.collection,
        kind="documents",
        requested_by=manager.user,
        requested_at=now,
        state=JobState.RUNNING,
        started_at=now,
        done=250,
        total=1000,
        step="reading documents",
    )
    page = new_page(manager.user)
    page.goto(reverse("import_detail", args=["tea", job.pk]))
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_js_property("value", 25)
    assert_accessible(page)
    ImportRun.objects.filter(pk=job.pk).update(done=750)
    expect(bar).to_have_js_property("value", 75)
    ImportRun.objects.filter(pk=job.pk).update(
        state=JobState.FAILED, finished_at=timezone.now(), reason="teas.bib is cut off in line 750."
    )
    expect(page.get_by_text("teas.bib is cut off in line 750.").first).to_be_visible()
    expect(bar).to_have_count(0)
    assert_accessible(page)
