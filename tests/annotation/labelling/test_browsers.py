"""An open queue judged in several browsers: leaving one gives back what it alone holds, and nothing of the others."""

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.assignment.open_queue import MOST_BROWSERS
from annotation.assignment.participation import Visit
from annotation.models import Assignment, Strategy
from tests.annotation.labelling.queues import LEASE, PHONE, build_queue, items_of, leave, states, take, visit
from tests.factories.accounts import UserFactory
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import build_work, given, send, send_one, skip, undo

pytestmark = pytest.mark.django_db


def open_page(built: Built, browser: str, at=AT) -> tuple[list[list[int]], Visit]:
    """What a page holds a second after it was opened: its first units and those that fill its hand."""
    first, one = visit(built, "ana", at=at, browser=browser)
    return first + take(built, "ana", have=first, at=at, look_back=True, visit=one), one


def held_by(built: Built) -> list[tuple[int, dict[str, int] | None]]:
    """What is under lease to ana: the item's number, and the browsers that hold it."""
    numbers = {item.pk: number for number, item in enumerate(built.items)}
    rows = Assignment.objects.filter(annotator=built.annotators["ana"], state="pending").order_by("position")
    return [(numbers[row.item_id], row.held_by) for row in rows]


def test_leaving_the_newer_browser_takes_nothing_from_the_older():
    built = build_queue(items=60)
    units, laptop = open_page(built, "laptop")
    first, phone = visit(built, "ana", browser=PHONE)
    assert first == units[:6]
    assert leave(built, "ana", phone, first[:1]) == 0
    assert states(built, "ana") == {"pending": 25}
    assert leave(built, "ana", laptop, units[:1]) == 24


def test_leaving_the_older_browser_gives_back_what_the_newer_does_not_hold():
    built = build_queue(items=60)
    units, laptop = open_page(built, "laptop")
    _, phone = visit(built, "ana", browser=PHONE)
    assert leave(built, "ana", laptop, units[:1]) == 19
    both = {"laptop": laptop.number, "phone": phone.number}
    assert held_by(built) == [(0, both), *((number, {"phone": phone.number}) for number in range(1, 6))]


def test_what_only_the_left_browser_holds_is_free_for_others_at_once():
    built = build_queue(items=120, overlap=1)
    first, _ = visit(built, "ana", browser="laptop")
    units, phone = open_page(built, PHONE)
    assert (units[:6], len(units)) == (first, 25)
    assert leave(built, "ana", phone, units[:1]) == 19
    assert items_of(built, take(built, "ben"))[0] == 6


def test_after_a_crash_the_same_browser_gives_back_what_it_held_before():
    built = build_queue(items=60)
    open_page(built, "laptop")
    first, again = visit(built, "ana", browser="laptop")
    assert leave(built, "ana", again, first[:1]) == 24


def test_what_a_crashed_browser_held_is_free_when_its_lease_ends():
    built = build_queue(items=60, overlap=1)
    open_page(built, "laptop")
    first, phone = visit(built, "ana", browser=PHONE)
    assert leave(built, "ana", phone, first[:1]) == 0
    Assignment.objects.filter(state="open").delete()  # nothing else is left for ben
    assert take(built, "ben", at=AT + LEASE) == []
    assert items_of(built, take(built, "ben", at=AT + LEASE + timedelta(seconds=1))) == [0]
    assert held_by(built) == []


def test_what_a_page_says_it_has_is_noted_after_another_browser_revived_it():
    built = build_queue(items=60)
    units, laptop = open_page(built, "laptop")
    leave(built, "ana", laptop, [])
    _, phone = visit(built, "ana", browser=PHONE)
    assert held_by(built) == [(number, {"phone": phone.number}) for number in range(6)]
    take(built, "ana", have=units[:3], visit=laptop)  # the laptop was left without a network, and is there again
    assert leave(built, "ana", phone, []) == 3
    assert [number for number, _ in held_by(built)][:3] == [0, 1, 2]


def test_a_late_request_of_the_page_before_a_reload_does_not_make_its_visit_the_newest():
    built = build_queue(items=60)
    units, old = open_page(built, "laptop")
    again, new = visit(built, "ana", browser="laptop")
    send(built, "ana", given(units[0][0], 1), have=units[1:], visit=old)
    assert leave(built, "ana", old, units[:1]) == 1, "the unit that was dealt to the old page alone"
    assert leave(built, "ana", new, again[:1]) == 24


def test_what_was_dealt_to_a_client_without_a_browser_is_never_given_back_by_leaving():
    built = build_queue(items=60)
    by_api = take(built, "ana")
    units, laptop = open_page(built, "laptop")
    assert units == by_api
    assert leave(built, "ana", laptop, []) == 0
    assert states(built, "ana") == {"pending": 25}


def test_only_leases_name_browsers():
    built = build_queue(items=60)
    units, laptop = open_page(built, "laptop")
    send_one(built, "ana", given(units[0][0], 1))
    send_one(built, "ana", skip(units[1][0]))
    send_one(built, "ana", sent := given(units[2][0], 1))
    send_one(built, "ana", undo(units[2][0], base=sent.uuid))
    leave(built, "ana", laptop, units[3:4])
    leased = Assignment.objects.exclude(held_by=None)
    assert [(row.pk, row.state, row.held_by) for row in leased] == [(units[3][0], "pending", {"laptop": 1})]
    assert states(built, "ana") == {"pending": 2, "done": 1, "skipped": 1, "withdrawn": 21}


def page_of(client: Client, built: Built) -> dict:
    """The data of the labelling page, as its script reads them."""
    return client.get(reverse("labelling_screen", args=[built.collection.slug, built.campaign.slug])).context["data"]


def leaving(client: Client, built: Built, visit: object) -> int:
    address = reverse("label_leave", args=[built.collection.slug, built.campaign.slug])
    answer = client.post(address, json.dumps({"visit": visit, "seen": []}), "application/json")
    assert answer.status_code == 200
    return answer.json()["left"]


def test_each_browser_has_a_name_which_tells_nothing():
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    laptop, phone = Client(), Client()
    for client in (laptop, phone):
        client.force_login(built.people["ana"])
    visits = [page_of(client, built)["visit"] for client in (laptop, laptop, phone)]
    browsers = [each.split(":")[0] for each in visits]
    assert browsers[0] == browsers[1] != browsers[2]
    shown = str(page_of(laptop, built))
    assert laptop.session.session_key not in shown
    assert laptop.cookies[settings.BROWSER_COOKIE_NAME].value not in shown
    assert leaving(phone, built, visits[2]) == 0, "the laptop has them too"
    assert leaving(laptop, built, visits[1]) == 0, "an older visit of the laptop, which was opened once more"
    assert leaving(laptop, built, f"{browsers[0]}:4") == 6


def test_who_signs_out_and_in_again_is_in_the_same_browser():
    """Its leases would else stay: they would also be held by a browser that is never left again."""
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    client = Client()
    client.force_login(built.people["ana"])
    before = page_of(client, built)["visit"]
    kept = client.cookies[settings.BROWSER_COOKIE_NAME]
    assert (kept["httponly"], kept["samesite"], int(kept["max-age"]) > 300 * 24 * 3600) == (True, "Lax", True)
    client.post(reverse("account_logout"))
    client.force_login(built.people["ben"])
    assert page_of(client, built)["visit"].split(":")[0] != before.split(":")[0], "who share a browser is not stored"
    client.post(reverse("account_logout"))
    client.force_login(built.people["ana"])
    again = page_of(client, built)["visit"]
    assert again.split(":")[0] == before.split(":")[0]
    assert leaving(client, built, again) == 6


@pytest.mark.parametrize("cookie", ["", "x", "guessed.0123456789", "a" * 5_000])
def test_a_forged_cookie_is_replaced(client, cookie):
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    client.force_login(built.people["ana"])
    client.cookies[settings.BROWSER_COOKIE_NAME] = cookie
    visit = page_of(client, built)["visit"]
    assert client.cookies[settings.BROWSER_COOKIE_NAME].value != cookie
    assert leaving(client, built, visit) == 6


def test_a_lease_names_few_browsers_the_newest_of_them():
    built = build_queue(items=60)
    units, laptop = open_page(built, "laptop")
    visits = [visit(built, "ana", browser=f"browser {number}")[1] for number in range(20)]
    names = held_by(built)[0][1]
    assert names == {each.browser: each.number for each in visits[-MOST_BROWSERS:]}
    take(built, "ana", have=units[:1], visit=laptop)
    assert set(held_by(built)[0][1]) == {"laptop", *(each.browser for each in visits[1 - MOST_BROWSERS :])}


def test_head_takes_nothing_and_begins_no_visit(client):
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    client.force_login(built.people["ana"])
    where = [built.collection.slug, built.campaign.slug]
    for name in ("labelling_screen", "label_next", "api_next"):
        answer = client.head(reverse(name, args=where))
        assert (answer.status_code, answer.content) == (200, b""), name
    assert states(built, "ana") == {}
    assert built.annotators["ana"].__class__.objects.get(pk=built.annotators["ana"].pk).visit == 0
    stranger = Client()
    stranger.force_login(UserFactory())
    assert stranger.head(reverse("labelling_screen", args=where)).status_code == 404


@pytest.mark.parametrize("sent", [{}, {"seen": None}, {"seen": [1]}, {"seen": [[]]}, {"seen": [[1]] * 51}])
def test_leaving_without_what_was_seen_names_that(client, sent):
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    client.force_login(built.people["ana"])
    address = reverse("label_leave", args=[built.collection.slug, built.campaign.slug])
    answer = client.post(address, json.dumps({"visit": "x"} | sent), "application/json")
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("seen: ")


@pytest.mark.parametrize("visit", [1, None, "", "laptop:1", ":1", {"browser": "laptop"}])
def test_pages_of_earlier_versions_give_nothing_back(client, visit):
    built = build_work(items=60, strategy=Strategy.QUEUE, overlap=2)
    client.force_login(built.people["ana"])
    page_of(client, built)
    assert leaving(client, built, visit) == 0
    assert states(built, "ana") == {"pending": 6}
