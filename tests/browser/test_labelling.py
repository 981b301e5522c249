"""The labelling screen in a real browser, mostly by keys alone: nothing lost, nothing twice, nothing in the way."""

import re
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.models import (
    Annotator,
    Assignment,
    CampaignState,
    Criterion,
    Guideline,
    Judgment,
    Level,
    Order,
    Strategy,
    Submission,
)
from corpus.models import Collection, Topic
from tests.browser.axe import assert_accessible
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import assignment_of, build_work, given, send_one, values_of
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "brew-more-tea-9"


def path_of(built: Built) -> str:
    return f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}/label/"


def open_labelling(new_page: Callable[..., Page], built: Built, person: str = "ana", **options: object) -> Page:
    """The labelling screen of a person, ready for keys."""
    page = new_page(user=built.people[person], **options)
    go(page, built)
    return page


def go(page: Page, built: Built, query: str = "") -> None:
    page.goto(path_of(built) + query)
    page.wait_for_selector("body[data-ready]")


def title(number: int) -> str:
    return f"On doc{number:05d}"


def expect_unit(page: Page, number: int) -> None:
    expect(page.locator("[data-part=title]")).to_have_text(title(number))


def expect_saved(page: Page) -> None:
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))


def values(built: Built, person: str = "ana") -> list[int | None]:
    """The values that count, by item."""
    found = dict(
        Judgment.objects.filter(assignment__annotator=built.annotators[person]).values_list("assignment__item", "value")
    )
    return [found.get(item.pk) for item in built.items]


# --- the road --------------------------------------------------------------------------------------------------------


def test_a_digit_judges_and_goes_on(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    expect_unit(page, 0)
    expect(page.locator("[data-part=progress-text]")).to_have_text("0 of 3 done")
    page.keyboard.press("2")
    expect_unit(page, 1)
    page.keyboard.press("0")
    expect_unit(page, 2)
    page.keyboard.press("1")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    expect(page.locator("[data-part=progress-text]")).to_have_text("3 of 3 done")
    assert values(built) == [2, 0, 1]
    stored = Submission.objects.order_by("id").first()
    assert (stored.device, stored.guideline.version) == ("keyboard", 1)
    assert 0 < stored.active_ms < 60_000
    assert stored.client_at is not None


def test_grades_and_definitions_are_in_sight_and_examples_unfold(new_page):
    built = build_work(items=2)
    criterion = Criterion.objects.get(campaign=built.campaign)
    definition = "At least one key component is met, in so many words or by one obvious step, but not each of them."
    Criterion.objects.filter(pk=criterion.pk).update(question="How far does this abstract meet the requirement?")
    criterion.levels.update(definition=definition, example="It brews tea, yet says nothing of the water. " * 4)
    Topic.objects.filter(collection=built.collection).update(sentences=["I want to know all about tea. "] * 40)
    page = open_labelling(new_page, built, viewport={"width": 1280, "height": 800})
    actions = page.locator(".label-actions").bounding_box()
    for part in page.locator(".levels .level, .cell-more").all():  # a person who presses F sees the flag
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= actions["y"]
    examples = page.locator(".level-examples dl")
    expect(examples).to_be_hidden()
    page.locator(".level-examples summary").click()
    expect(examples).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect(examples).to_be_visible()
    assert page.locator(".label-work").evaluate("pane => pane.scrollTop") == 0  # the next unit starts at its top


def test_enter_submits_at_once_and_twice_is_once(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built) == [1, None, None]
    assert Submission.objects.count() == 1


def test_a_key_held_down_judges_once(new_page):
    built = build_work(items=4)
    page = open_labelling(new_page, built)
    page.keyboard.down("2")
    for _ in range(30):
        page.keyboard.down("2")  # the browser marks these as repeats
    page.keyboard.up("2")
    expect_unit(page, 1)
    page.wait_for_timeout(600)
    expect_unit(page, 1)
    assert values(built) == [2, None, None, None]


def test_u_in_the_delay_takes_the_digit_back(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("2")
    page.keyboard.press("u")
    page.wait_for_timeout(600)
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input:checked")).to_have_count(0)
    assert Submission.objects.count() == 0


@pytest.mark.parametrize("key", ["u", "Control+z"])
def test_undo_brings_the_item_back_with_its_answer(new_page, key):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.keyboard.press("2")
    expect_unit(page, 1)
    page.keyboard.press(key)
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input[value='2']")).to_be_checked()
    expect_saved(page)
    expect(page.locator("[data-part=progress-text]")).to_have_text("0 of 3 done")
    assert values(built) == [None, None, None]
    page.keyboard.press("0")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built)[0] == 0
    kinds = list(Submission.objects.order_by("id").values_list("kind", flat=True))
    assert kinds == ["answer", "undo", "answer"]


def test_undo_reaches_back_before_this_visit(new_page):
    built = build_work(items=3)
    send_one(built, "ana", given(assignment_of(built, "ana"), 2))
    page = open_labelling(new_page, built)
    expect_unit(page, 1)
    page.keyboard.press("u")
    expect_unit(page, 0)
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built) == [1, None, None]


def test_skip_asks_a_reason_and_keys_rest_meanwhile(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("x")
    dialog = page.locator("dialog[data-dialog=skip]")
    expect(dialog).to_be_visible()
    page.keyboard.press("2")
    assert Submission.objects.count() == 0
    dialog.get_by_role("radio", name="Another reason").check()
    dialog.get_by_role("button", name="Skip it").click()
    expect(dialog.locator("[data-part=skip-error]")).to_be_visible()
    dialog.get_by_label("In your words").fill("The text is cut off")
    page.keyboard.press("Enter")
    expect_unit(page, 1)
    expect_saved(page)
    stored = Submission.objects.get()
    assert (stored.kind, stored.reason) == ("skip", "The text is cut off")
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect_unit(page, 1)


def test_note_and_flag_by_keys(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("f")
    page.keyboard.press("n")
    page.keyboard.type("12 unsure, see §2 x u")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect_saved(page)
    stored = Submission.objects.get()
    assert (stored.note, stored.flagged, stored.answers) == ("12 unsure, see §2 x u", True, {"relevance": 1})
    expect(page.locator("[data-note]")).to_have_value("")
    expect(page.locator("[data-flag]")).not_to_be_checked()


def test_a_note_being_written_survives_a_reload(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("n")
    page.keyboard.type("Half a thought")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("[data-note]")).to_have_value("Half a thought")


def test_my_history_by_arrows_and_a_changed_answer(new_page):
    built = build_work(items=4)
    send_one(built, "ana", given(assignment_of(built, "ana", 0), 0))
    page = open_labelling(new_page, built)
    page.keyboard.press("1")
    expect_unit(page, 2)
    page.keyboard.press("ArrowLeft")
    expect_unit(page, 1)
    expect(page.locator("[data-part=past-text]")).to_have_text("From your history, 1 back")
    page.keyboard.press("ArrowLeft")
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input[value='0']")).to_be_checked()
    page.keyboard.press("ArrowLeft")
    expect_unit(page, 0)
    page.keyboard.press("2")
    page.wait_for_timeout(500)
    expect_unit(page, 0)  # in the past a digit chooses and the submit key saves
    page.keyboard.press("Enter")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built)[:2] == [2, 1]
    page.keyboard.press("ArrowRight")
    expect_unit(page, 2)
    expect(page.locator("[data-part=past]")).to_be_hidden()


def test_highlights_guideline_help_and_their_keys(new_page):
    built = build_work(items=2, triples=[("1", "Covers doc00000", "doc00000"), ("1", "Covers doc00000", "doc00001")])
    page = open_labelling(new_page, built)
    expect(page.locator("[data-part=abstract] mark")).to_have_text("doc00000")
    with page.expect_response("**/preferences/"):
        page.keyboard.press("h")
    expect(page.locator("body")).to_have_class(re.compile("plain-text"))
    page.keyboard.press("g")
    expect(page.locator("[data-part=guideline-body]")).to_be_focused()
    expect(page.locator("[data-part=guideline-body]")).to_contain_text("Judge calmly.")
    page.keyboard.press("g")
    expect(page.locator("[data-part=title]")).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("dialog[data-dialog=help]")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("body")).to_have_class(re.compile("plain-text"))


def test_keys_can_be_changed_and_switched_off(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.keyboard.press("?")
    dialog = page.locator("dialog[data-dialog=help]")
    dialog.get_by_label("Flag for the adjudicators").focus()
    page.keyboard.press("x")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator("[data-part=preferences-error]")).to_contain_text("same key")
    dialog.get_by_label("Flag for the adjudicators").focus()
    page.keyboard.press("m")
    dialog.get_by_label("After a digit").select_option("")
    expect(dialog.get_by_label("Mark the words")).to_be_checked()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.keyboard.press("m")
    expect(page.locator("[data-flag]")).to_be_checked()
    page.keyboard.press("2")
    page.wait_for_timeout(500)
    expect_unit(page, 0)
    page.keyboard.press("?")
    dialog.get_by_label("Shortcuts are on").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input:checked")).to_have_count(0)
    assert Submission.objects.count() == 0


def test_a_pointer_judges_like_a_digit_and_arrows_in_a_group_do_not(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.locator(".level[data-grade='2']").click()
    expect_unit(page, 1)
    expect_saved(page)
    assert Submission.objects.get().device == "mouse"
    page.locator("[data-cell] input[value='0']").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(1500)
    expect_unit(page, 1)
    expect(page.locator("[data-cell] input[value='1']")).to_be_checked()
    page.keyboard.press("Enter")
    expect_unit(page, 2)
    expect_saved(page)
    assert values(built) == [2, 1, None]


def test_a_level_that_wants_a_reason_waits_for_it(new_page):
    built = build_work(items=2)
    Level.objects.filter(criterion=built.criterion, value=0).update(reasons=["too broad", "too easy"])
    page = open_labelling(new_page, built)
    page.keyboard.press("0")
    select = page.locator("[data-reason-for='0'] select")
    expect(select).to_be_focused()
    page.wait_for_timeout(500)
    expect_unit(page, 0)
    select.select_option("too easy")
    expect_unit(page, 1)
    expect_saved(page)
    assert Judgment.objects.get().reason == "too easy"


def test_two_criteria_are_graded_one_after_the_other(new_page):
    built = build_work(items=2)
    second = Criterion.objects.create(campaign=built.campaign, key="clarity", label="Clarity", position=1)
    Level.objects.bulk_create(Level(criterion=second, value=value, label=str(value)) for value in (1, 2))
    page = open_labelling(new_page, built)
    page.keyboard.press("2")
    page.wait_for_timeout(500)
    expect_unit(page, 0)
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect_saved(page)
    assert Submission.objects.get().answers == {"relevance": 2, "clarity": 1}


# --- the network, the session, other windows -------------------------------------------------------------------------


def test_offline_goes_on_and_flushes_in_order(new_page):
    built = build_work(items=5)
    page = open_labelling(new_page, built)
    page.context.set_offline(True)
    for number, key in enumerate("2101"):
        expect_unit(page, number)
        page.keyboard.press(key)
    expect_unit(page, 4)
    expect(page.locator("[data-part=save-text]")).to_have_text("Offline, 4 queued")
    page.keyboard.press("u")
    expect_unit(page, 3)
    page.keyboard.press("0")
    expect_unit(page, 4)
    assert Submission.objects.count() == 0
    page.context.set_offline(False)
    expect_saved(page)
    assert values(built) == [2, 1, 0, 0, None]
    stored = Submission.objects.order_by("id").values_list("assignment__item", "kind")
    items = [item.pk for item in built.items]
    assert list(stored) == [
        (items[0], "answer"), (items[1], "answer"), (items[2], "answer"),
        (items[3], "answer"), (items[3], "undo"), (items[3], "answer"),
    ]  # fmt: skip
    page.keyboard.press("2")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()


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
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Not saved")
    assert values(built)[0] == 0
    page.get_by_role("button", name="Look").click()
    page.get_by_role("button", name="Send again").click()
    dialog.get_by_role("button", name="Send mine in its place").click()
    expect_saved(page)
    assert values(built)[0] == 2


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
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"), timeout=20_000)
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


# --- guidelines, empty states, the queue -----------------------------------------------------------------------------


def test_a_changed_guideline_announces_itself_once(new_page):
    built = build_work(items=4)
    page = open_labelling(new_page, built)
    news = page.locator("[data-part=guideline-news]")
    expect(news).to_be_hidden()
    Guideline.objects.create(
        campaign=built.campaign, version=2, body="Judge **boldly**.", created_at=AT, created_by=built.people["manager"]
    )
    page.keyboard.press("2")
    expect(news).to_contain_text("version 2")
    expect(page.locator("[data-part=guideline-body] strong")).to_have_text("boldly")
    news.get_by_role("button", name="I have read it").click()
    expect(news).to_be_hidden()
    page.keyboard.press("1")
    expect_unit(page, 2)
    expect_saved(page)
    versions = list(Submission.objects.order_by("id").values_list("guideline__version", flat=True))
    assert versions == [1, 2]
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(news).to_be_hidden()
    assert Annotator.objects.get(pk=built.annotators["ana"].pk).guideline_seen == 2


def test_nothing_assigned_and_waiting_for_others(new_page):
    empty = build_work(items=0)
    page = open_labelling(new_page, empty)
    expect(page.locator("[data-empty=nothing-assigned]")).to_be_visible()
    queue = build_work(items=1, overlap=1, strategy=Strategy.QUEUE, slug="coffee")
    first = open_labelling(new_page, queue, "ana")
    expect_unit(first, 0)
    second = open_labelling(new_page, queue, "ben")
    expect(second.locator("[data-empty=waiting]")).to_be_visible()
    first.keyboard.press("x")
    first.locator("dialog[data-dialog=skip]").get_by_role("button", name="Skip it").click()
    expect_saved(first)
    second.get_by_role("button", name="Look again").click()
    expect_unit(second, 0)
    second.keyboard.press("1")
    expect(second.locator("[data-empty=all-done]")).to_be_visible()


def test_an_archived_collection_is_said_and_nothing_can_be_taken_back(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("1")
    expect_saved(page)
    Collection.objects.update(archived_at=AT)
    page.keyboard.press("1")
    expect(page.locator("[data-empty=archived] h2")).to_be_focused()  # said by the script
    go(page, built)
    expect(page.locator("[data-empty=archived]")).to_be_visible()  # and by the server
    empty = page.locator("[data-part=empty]")
    expect(empty.get_by_role("button", name="Look again")).to_be_visible()
    expect(empty.get_by_role("button", name="Undo my last")).to_be_hidden()
    assert_accessible(page)
    assert values(built) == [1, None]


def test_two_browsers_on_one_queue_share_it_without_loss(new_page):
    built = build_work(items=6, overlap=1, people=("ana", "ben"), strategy=Strategy.QUEUE)
    pages = [open_labelling(new_page, built, person) for person in ("ana", "ben")]
    for _ in range(6):
        for page in pages:
            if page.locator("[data-part=unit]").is_visible():
                before = page.locator("[data-part=title]").inner_text()
                page.keyboard.press("1")
                page.wait_for_function(
                    "before => document.querySelector('[data-part=unit]').hidden"
                    " || document.querySelector('[data-part=title]').textContent !== before",
                    arg=before,
                )
    for page in pages:
        expect(page.locator("[data-empty=all-done], [data-empty=waiting]").locator("visible=true")).to_have_count(1)
    done = Assignment.objects.filter(state="done").values_list("item", flat=True)
    assert sorted(done) == sorted(item.pk for item in built.items)


# --- one abstract, all aspects ---------------------------------------------------------------------------------------


def build_grid() -> Built:
    triples = [("1", f"Aspect number {a}.", f"doc{d:05d}") for d in range(2) for a in range(3)]
    return build_work(order=Order.BY_DOCUMENT, triples=triples)


def test_a_grid_by_arrows_and_digits_is_sent_at_once(new_page):
    built = build_grid()
    Criterion.objects.update(question="How far does this abstract meet the requirement?")
    page = open_labelling(new_page, built)
    expect(page.get_by_text("How far does this abstract meet")).to_have_count(1)  # once, not next to each aspect
    assert page.locator(".cell-aspect").first.bounding_box()["width"] > 100
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/submissions/" in request.url else None)
    expect(page.locator("[data-cell]")).to_have_count(3)
    page.keyboard.press("2")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("[data-cell][data-chosen] .cell-error")).to_have_text("Choose a grade for Relevance first.")
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect_unit(page, 1)
    expect_saved(page)
    assert len(requests) == 1
    assert values(built)[:3] == [1, 0, 1]


def test_undo_in_a_grid_brings_all_of_it_back(new_page):
    built = build_grid()
    page = open_labelling(new_page, built)
    for key in ("2", "0", "1", "Enter"):
        page.keyboard.press(key)
    expect_unit(page, 1)
    page.keyboard.press("u")
    expect_unit(page, 0)
    expect_saved(page)
    assert values(built) == [None] * 6
    expect(page.locator("[data-cell] input:checked")).to_have_count(3)
    page.keyboard.press("x")
    page.locator("dialog[data-dialog=skip]").get_by_role("button", name="Skip it").click()
    expect(page.locator("[data-part=skipped]").first).to_contain_text("Outside my field")
    page.keyboard.press("Enter")
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built)[:3] == [None, 0, 1]


# --- looks, and no script --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("order", [Order.BY_ASPECT, Order.BY_DOCUMENT])
def test_accessible_and_no_wider_than_the_window(new_page, scheme, width, order):
    triples = [("1", f"Aspect number {a}.", f"doc{d:05d}") for d in range(2) for a in range(3)]
    built = build_work(order=order, triples=triples)
    page = open_labelling(new_page, built, color_scheme=scheme, viewport={"width": width, "height": 800})
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    assert_accessible(page)
    for key, name in (("x", "skip"), ("?", "help")):
        page.keyboard.press(key)
        expect(page.locator(f"dialog[data-dialog={name}]")).to_be_visible()
        assert_accessible(page)
        page.keyboard.press("Escape")
    page.goto(path_of(built) + "history/")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_script_a_form_judges_skips_and_undoes(new_page):
    built = build_work(items=3)
    page = new_page(user=built.people["ana"], java_script_enabled=False)
    page.goto(path_of(built))
    expect_unit(page, 0)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Relevance has no answer yet")).to_be_visible()
    page.locator("input[value='2']").check(force=True)
    page.locator("[data-note]").fill("By hand")
    page.get_by_role("button", name="Submit").click()
    expect_unit(page, 1)
    assert values(built) == [2, None, None]
    page.get_by_text("Skip instead").click()
    page.get_by_role("button", name="Skip", exact=True).click()
    expect_unit(page, 2)
    page.get_by_role("button", name="Undo my last").click()
    expect_unit(page, 1)
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="Change").first.click()
    expect_unit(page, 0)
    expect(page.locator("input[value='2']")).to_be_checked()
    page.locator("input[value='0']").check(force=True)
    page.get_by_role("button", name="Submit").click()
    assert values(built) == [0, None, None]
    assert values_of(assignment_of(built, "ana")) == [0]


def test_a_press_of_the_submit_key_shows_the_next_item_in_no_time(new_page):
    built = build_work(items=6)
    page = open_labelling(new_page, built)
    page.evaluate(
        """() => {
          window.times = [];
          const title = document.querySelector("[data-part=title]");
          new MutationObserver(() => requestAnimationFrame(() => window.times.push(performance.now() - window.pressed)))
            .observe(title, { childList: true });
          document.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
        }"""
    )
    for number in range(4):
        expect_unit(page, number)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    expect_unit(page, 4)
    wait_for(lambda: len(page.evaluate("window.times")) == 4, 20, "one picture for each press")
