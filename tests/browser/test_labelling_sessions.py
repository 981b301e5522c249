"""Labelling when the session has ended, somebody else signs in, or a second window judges too."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Submission
from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, values
from tests.browser.labelling_network import await_kept, kept_units
from tests.factories.labelling import build_work
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "brew-more-tea-9"


def test_pages_are_forgotten_when_nobody_is_signed_in(new_page):
    page = open_labelling(new_page, build_work(items=3), service_workers="allow")
    await_kept(page, 3)
    page.goto("/accounts/logout/")
    page.locator("main form button[type=submit]").click()
    page.wait_for_url(lambda url: "/logout/" not in url)
    page.goto("/accounts/login/")
    wait_for(lambda: not page.evaluate("caches.has('litmus-pages')"), what="the pages to be forgotten")
    wait_for(lambda: kept_units(page) == 0, what="the units to be forgotten")


def test_after_signing_out_back_shows_nothing_and_answers_that_wait_are_still_sent(new_page):
    built = build_work(items=3)
    ana = built.people["ana"]
    ana.set_password(PASSWORD)
    ana.save()
    page = open_labelling(new_page, built)
    page.on("dialog", lambda dialog: dialog.accept())  # that an answer is not saved yet
    page.route("**/submissions/", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator("[data-part=save-text]")).to_contain_text("1 queued")
    private = f"/c/{built.collection.slug}/"
    page.goto(private)
    page.goto("/accounts/logout/")
    with page.expect_response("**/accounts/logout/") as signed_out:
        page.locator("main form button[type=submit]").click()
    assert signed_out.value.all_headers()["clear-site-data"] == '"cache"'
    page.wait_for_url("**/accounts/login/**")
    page.go_back()
    page.go_back()
    page.wait_for_url(f"**/accounts/login/?next={private}")
    page.unroute("**/submissions/")
    page.locator("[name=login]").fill(ana.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/login/" not in url)
    assert Submission.objects.count() == 0
    go(page, built)
    expect_saved(page)
    assert values(built) == [2, None, None]


def end_sessions() -> None:
    Session.objects.all().delete()


def test_an_ended_session_is_renewed_in_place(new_page):
    built = build_work(items=3)
    ana = built.people["ana"]
    ana.set_password(PASSWORD)
    ana.save()
    page = open_labelling(new_page, built)
    end_sessions()
    page.keyboard.press("2")
    dialog = page.locator("dialog[data-dialog=login]")
    expect(dialog).to_be_visible()
    expect(page.locator("[data-part=save-text]")).to_have_text("Signed out, 1 queued")
    dialog.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(dialog.locator("[data-part=login-error]")).to_be_visible()
    dialog.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect_saved(page)
    expect_unit(page, 1)
    page.keyboard.press("1")
    expect_unit(page, 2)
    expect_saved(page)
    assert values(built) == [2, 1, None]


def test_somebody_else_signing_in_does_not_get_my_answers(new_page):
    built = build_work(items=3)
    ben = built.people["ben"]
    ben.set_password(PASSWORD)
    ben.save()
    page = open_labelling(new_page, built)
    end_sessions()
    page.keyboard.press("2")
    dialog = page.locator("dialog[data-dialog=login]")
    dialog.get_by_label("E-mail").fill(ben.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=notice]")).to_contain_text("belongs to ana@example.org")
    assert Submission.objects.count() == 0


def test_two_windows_of_one_person_show_both_versions(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    other = page.context.new_page()
    go(other, built)
    other.keyboard.press("n")
    other.keyboard.type("from the other window")
    other.keyboard.press("Escape")
    other.keyboard.press("0")
    expect_saved(other)
    page.bring_to_front()
    page.keyboard.press("2")
    dialog = page.locator("dialog[data-dialog=conflict]")
    expect(dialog.locator("[data-part=theirs]")).to_contain_text("Graded 0")
    expect(dialog.locator("[data-part=theirs]")).to_contain_text("from the other window")
    expect(dialog.locator("[data-part=mine]")).to_contain_text("Graded 2")
    page.keyboard.press("Enter")  # meant for the next answer: nothing is chosen by it
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Not saved")
    assert values(built)[0] == 0
    page.set_viewport_size({"width": 900, "height": 800})
    assert page.locator(".screen-progress").evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    page.get_by_role("button", name="Look").click()
    page.get_by_role("button", name="Send again").click()
    dialog.get_by_role("button", name="Send mine instead").click()
    expect_saved(page)
    assert values(built)[0] == 2
