"""The labelling screen while two things happen at once: an answer and the question which further items there are."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, values
from tests.factories.labelling import build_work
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEXT = re.compile(r"/next/\?")
# What the page does a second after it is loaded waits in `late`; an answer that was stored waits for `held`.
HOLD = """
  window.late = [];
  const later = window.setTimeout;
  window.setTimeout = (act, after, ...rest) => after === 1000 ? window.late.push(act) : later(act, after, ...rest);
  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (name, ...rest) {
    const begun = begin.call(this, name, ...rest);
    if (name === "outbox" && window.held) Object.defineProperty(begun, "oncomplete", {
      set: (then) => begun.addEventListener("complete", async () => {
        window.isStoring = true;
        await window.held;
        then();
      }),
    });
    return begun;
  };
"""
RUN_LATE = "() => window.late.splice(0).forEach(act => act())"


class Held:
    """Answers to `label_next` that the server gives at once and the page gets on `deliver`."""

    def __init__(self, page):
        self.routes = []
        page.route(NEXT, lambda route: self.routes.append((route, route.fetch())))

    def deliver(self):
        for route, answer in self.routes:
            route.fulfill(response=answer)
        self.routes.clear()


def test_units_fetched_while_an_answer_is_being_stored_do_not_bring_its_unit_back(new_page):
    built = build_work(items=2)
    page = new_page(user=built.people["ana"])
    page.add_init_script(HOLD)
    held = Held(page)
    go(page, built)
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect_saved(page)
    page.evaluate("() => { window.held = new Promise(free => { window.free = free; }); }")
    page.keyboard.press("2")
    page.wait_for_function("() => window.isStoring")
    page.evaluate(RUN_LATE)
    page.wait_for_timeout(500)  # what would be asked now is answered before the page goes on
    page.evaluate("() => window.free()")
    wait_for(lambda: values(built) == [1, 2], what="both answers")
    expect_saved(page)
    page.evaluate(RUN_LATE)
    done = page.locator("[data-empty=all-done]")
    wait_for(lambda: held.deliver() or done.is_visible(), what="that all is done")  # two questions, in either order


def test_an_answer_taken_back_while_the_page_asks_what_there_is_stays_on_the_screen(new_page):
    built = build_work(items=1)
    page = open_labelling(new_page, built)
    held = Held(page)
    page.keyboard.press("1")
    expect_saved(page)
    wait_for(lambda: page.evaluate("() => true") and held.routes, what="the question what there is")
    page.keyboard.press("u")
    expect(page.locator("[data-part=unit]")).to_be_visible()
    with page.expect_response(NEXT):
        held.deliver()
    expect_saved(page)
    expect(page.locator("[data-part=unit]")).to_be_visible()
    page.keyboard.press("0")
    wait_for(lambda: values(built) == [0], what="the other answer")
