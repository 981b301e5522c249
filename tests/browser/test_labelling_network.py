"""The labelling screen offline, signed out, in two windows, before a server that fails: what was judged is kept."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import CampaignState, Level, Strategy, Submission
from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, title, values
from tests.browser.labelling_network import HAS_ALL_UNITS, await_kept, await_kept_at, kept_units
from tests.factories.labelling import build_work
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_offline_goes_on_and_flushes_in_order(new_page):
    built = build_work(items=5)
    page = open_labelling(new_page, built)
    page.context.set_offline(True)
    for number, key in enumerate("2101"):
        expect_unit(page, number)
        page.keyboard.press(key)
    expect_unit(page, 4)
    expect(page.locator("[data-part=save-text]")).to_have_text("Offline, 4 queued")
    progress = page.locator("[data-part=progress-text]")
    expect(progress).to_have_text("4 of 5 done, 4 not sent yet")
    page.keyboard.press("u")
    expect_unit(page, 3)
    expect(progress).to_have_text("3 of 5 done, 5 not sent yet")
    page.keyboard.press("0")
    expect_unit(page, 4)
    assert Submission.objects.count() == 0
    page.context.set_offline(False)
    expect_saved(page)
    expect(progress).to_have_text("4 of 5 done")
    assert values(built) == [2, 1, 0, 0, None]
    stored = Submission.objects.order_by("id").values_list("assignment__item", "kind")
    items = [item.pk for item in built.items]
    assert list(stored) == [
        (items[0], "answer"), (items[1], "answer"), (items[2], "answer"),
        (items[3], "answer"), (items[3], "undo"), (items[3], "answer"),
    ]  # fmt: skip
    page.keyboard.press("2")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()


@pytest.mark.parametrize("queue", [False, True], ids=["plan", "queue"])
def test_a_reload_without_a_network_goes_on_where_it_was_left(new_page, queue):
    more = {"strategy": Strategy.QUEUE, "overlap": 2} if queue else {}
    built = build_work(items=50, **more)
    page = open_labelling(new_page, built, service_workers="allow")
    await_kept(page, 25)
    page.keyboard.press("2")
    expect_unit(page, 1)
    expect_saved(page)
    await_kept_at(page, 1, finished=1)
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect_unit(page, 2)
    await_kept_at(page, 2, finished=1)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect_unit(page, 2)
    expect(page.locator("[data-part=save-text]")).to_have_text("Offline, 1 queued")
    expect(page.locator("[data-part=progress-text]")).to_contain_text(
        re.compile("^2 (done by you|of 50 done), 1 not sent yet$")
    )
    for number in range(2, 9):  # past the six that came with the page
        expect_unit(page, number)
        page.keyboard.press("0")
    expect_unit(page, 9)
    page.context.set_offline(False)
    expect_saved(page)
    expect(page.locator("[data-part=announcer]")).to_have_text(
        re.compile("^Saved ")
    )  # who heard of trouble hears its end
    expect(page.locator("[data-part=progress-text]")).to_contain_text(re.compile("^9 (done|of 50)"))
    assert values(built)[:10] == [2, 1, *[0] * 7, None]
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect_unit(page, 9)
    expect(page.locator("[data-part=progress-text]")).to_contain_text(re.compile("^9 (done|of 50)"))


def test_an_answer_that_arrived_before_a_reload_is_counted_once(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)

    loads = []
    page.on("domcontentloaded", lambda _: loads.append(1))

    def arrives_but_is_not_answered(route):
        if loads:
            route.continue_()
        else:  # however often the first page tries again
            route.fetch()
            route.abort()

    page.route("**/submissions/", arrives_but_is_not_answered)
    page.keyboard.press("2")
    expect(page.locator("[data-part=save-text]")).to_contain_text("1 queued")
    assert values(built)[0] == 2
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect_saved(page)
    expect(page.locator("[data-part=progress-text]")).to_have_text("1 of 3 done")


def test_what_was_not_looked_at_is_free_for_others_once_the_page_is_left(new_page):
    built = build_work(items=50, strategy=Strategy.QUEUE, overlap=2)
    page = open_labelling(new_page, built, service_workers="allow")
    held = built.annotators["ana"].assignments.filter(state="pending")
    wait_for(lambda: held.count() == 25, what="the whole hand")
    page.reload()  # the old page leaves after the new one was dealt its units
    page.wait_for_selector("body[data-ready]")
    wait_for(lambda: page.evaluate(HAS_ALL_UNITS), what="the other units")
    assert held.count() == 25
    page.goto("/accounts/profile/")
    wait_for(lambda: held.count() == 1, what="the units given back")
    go(page, built)
    expect_unit(page, 0)
    second = page.context.new_page()
    go(second, built)
    second.goto("/accounts/profile/")
    second.wait_for_load_state("networkidle")
    assert held.count() > 1, "the other window shows them still"
    page.goto("/accounts/profile/")
    wait_for(lambda: held.count() == 1, what="the units given back by the window that was left last")


def test_leaving_on_one_device_takes_nothing_from_another(new_page):
    built = build_work(items=50, strategy=Strategy.QUEUE, overlap=2)
    held = built.annotators["ana"].assignments.filter(state="pending")
    laptop = open_labelling(new_page, built, service_workers="allow")
    wait_for(lambda: held.count() == 25, what="the whole hand")
    phone = open_labelling(new_page, built, viewport={"width": 390, "height": 844})
    on_both = lambda: sum(len(row.held_by) == 2 for row in held.all())  # noqa: E731
    wait_for(lambda: on_both() == 25, what="the whole hand on the phone")
    phone.goto("/accounts/profile/")
    wait_for(lambda: on_both() == 1, what="the phone to hold only what was looked at there")
    assert held.count() == 25
    laptop.context.set_offline(True)
    for number in range(3):
        expect_unit(laptop, number)
        laptop.keyboard.press("2")
    expect_unit(laptop, 3)
    laptop.context.set_offline(False)
    expect_saved(laptop)
    assert values(built)[:4] == [2, 2, 2, None]
    laptop.goto("/accounts/profile/")
    wait_for(lambda: held.count() == 1, what="the units given back by the last device")


def test_a_page_loaded_again_has_the_whole_hand_of_an_open_queue(new_page):
    page = open_labelling(new_page, build_work(items=50, strategy=Strategy.QUEUE, overlap=2), service_workers="allow")
    wait_for(lambda: kept_units(page) == 25, what="the whole hand")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    wait_for(lambda: page.evaluate(HAS_ALL_UNITS), what="the other units")
    wait_for(lambda: kept_units(page) == 25, what="the whole hand again")


def test_a_unit_whose_answer_has_not_arrived_is_not_given_back(new_page):
    built = build_work(items=50, strategy=Strategy.QUEUE, overlap=2)
    page = open_labelling(new_page, built)
    page.on("dialog", lambda dialog: dialog.accept())
    held = built.annotators["ana"].assignments.filter(state="pending")
    wait_for(lambda: held.count() == 25, what="the whole hand")  # what is dealt after leaving stays for its lease
    page.route("**/submissions/", lambda route: route.abort())
    page.keyboard.press("2")
    expect_unit(page, 1)
    page.goto("/accounts/profile/")
    wait_for(lambda: held.count() == 2, what="the units given back")
    assert {row.item for row in held} == set(built.items[:2])
    page.unroute("**/submissions/")
    go(page, built)
    expect_saved(page)
    assert values(built)[0] == 2


def test_many_steps_without_a_network_are_all_taken(new_page):
    built = build_work(items=30)
    page = open_labelling(new_page, built, service_workers="allow")
    await_kept(page, 25)
    page.context.set_offline(True)
    for number in range(15):  # with the units in hand more than the fifty that a request may name
        for key, then in (("2", number + 1), ("u", number), ("1", number + 1)):
            page.keyboard.press(key)
            expect_unit(page, then)
    page.context.set_offline(False)
    expect_saved(page)
    assert values(built)[:16] == [1] * 15 + [None]


def test_what_was_queued_survives_closing_the_page(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.route("**/submissions/", lambda route: route.abort())
    page.keyboard.press("2")
    expect_unit(page, 1)
    expect(page.locator("[data-part=save-text]")).to_contain_text("1 queued")
    page.close(run_before_unload=False)
    assert Submission.objects.count() == 0
    again = page.context.new_page()
    go(again, built)
    expect_saved(again)
    expect_unit(again, 1)
    assert values(built) == [2, None, None]


def test_leaving_with_queued_answers_warns(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.route("**/submissions/", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator("[data-part=save-text]")).to_contain_text("1 queued")
    asked: list[str] = []

    def answer(dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.get_by_role("link", name="History").click()
    page.wait_for_url("**/history/")
    assert asked == ["beforeunload"]


def test_local_storage_serves_where_indexeddb_does_not(new_page):
    built = build_work(items=3)
    page = new_page(user=built.people["ana"])
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
    go(page, built)
    page.context.set_offline(True)
    page.keyboard.press("2")
    expect_unit(page, 1)
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('litmus-labelling:'))")
    assert len(kept) == 1
    page.context.set_offline(False)
    expect_saved(page)
    assert values(built) == [2, None, None]


def test_without_any_storage_the_screen_waits_for_the_server(new_page):
    built = build_work(items=3)
    page = new_page(user=built.people["ana"])
    page.add_init_script(
        "Object.defineProperty(window, 'indexedDB', { value: undefined });"
        "Storage.prototype.setItem = () => { throw new Error('full'); };"
    )
    go(page, built)
    expect(page.locator("[data-part=notice]")).to_contain_text("keeps nothing for later")
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.wait_for_timeout(600)
    expect_unit(page, 0)
    page.context.set_offline(False)
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built) == [2, None, None]


def test_an_answer_the_server_refuses_comes_back_with_the_reason(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    Level.objects.filter(criterion=built.criterion, value=2).delete()
    page.keyboard.press("n")
    page.keyboard.type("Mind this")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator("[data-part=error]")).to_contain_text("2 is not on the scale")
    expect_unit(page, 0)
    expect(page.locator("[data-note]")).to_have_value("Mind this")
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built) == [1, None, None]


def test_a_closed_campaign_says_so_and_keeps_what_was_entered(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    built.campaign.state = CampaignState.CLOSED
    built.campaign.save()
    page.keyboard.press("2")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Not saved")
    expect(page.locator("[data-part=notice]")).to_contain_text("The campaign is closed")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("[data-template=draft], [data-entry]").first).to_contain_text(title(0))
    built.campaign.state = CampaignState.OPEN
    built.campaign.save()
    page.get_by_role("button", name="Send again").click()
    page.keyboard.press("Escape")
    expect_saved(page)
    assert values(built) == [2, None, None]


def test_a_server_that_fails_is_tried_again(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    failures: list[int] = []

    def fail_twice(route) -> None:
        failures.append(1)
        route.fulfill(status=503, body="busy") if len(failures) < 3 else route.continue_()

    page.route("**/submissions/", fail_twice)
    page.keyboard.press("2")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Not saved yet")
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))
    assert len(failures) == 3
    assert values(built) == [2, None, None]


def test_an_answer_lost_on_its_way_back_is_counted_once(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    seen: list[int] = []

    def lose_first(route) -> None:
        seen.append(1)
        if len(seen) == 1:
            route.fetch()  # the server has it, the browser never hears of it
            route.abort()
        else:
            route.continue_()

    page.route("**/submissions/", lose_first)
    page.keyboard.press("2")
    expect_saved(page)
    assert len(seen) == 2
    assert values(built) == [2, None, None]
    assert Submission.objects.count() == 1
