"""The labelling screen in a real browser, mostly by keys alone: nothing lost, nothing twice, nothing in the way."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from annotation.models import (
    Assignment,
    Criterion,
    Judgment,
    Level,
    Strategy,
    Submission,
)
from corpus.models import Document, Topic
from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, title, values
from tests.factories.labelling import assignment_of, build_work, given, send_one

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_digit_judges_and_goes_on(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    expect_unit(page, 0)
    expect(page.locator("[data-part=progress-text]")).to_have_text("0 of 3 done")
    expect(page.locator("[data-part=gave]")).to_be_hidden()
    page.keyboard.press("2")
    expect_unit(page, 1)
    label = Criterion.objects.get(campaign=built.campaign).levels.get(value=2).label
    expect(page.locator("[data-part=gave]")).to_have_text(f"Before: “{title(0)}” 2 {label}")
    page.keyboard.press("0")
    expect_unit(page, 2)
    page.keyboard.press("1")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect(page.get_by_role("link", name="My work", exact=True)).to_have_attribute("href", "/")
    expect_saved(page)
    expect(page.locator("[data-part=progress-text]")).to_have_text("3 of 3 done")
    assert values(built) == [2, 0, 1]
    stored = Submission.objects.order_by("id").first()
    assert (stored.device, stored.guideline.version) == ("keyboard", 1)
    assert 0 < stored.active_ms < 60_000
    assert stored.client_at is not None


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("label", ["no", "not relevant at all"])
def test_what_was_given_before_shows_whole_letters_and_the_end_of_a_long_name(new_page, width, label):
    built = build_work(items=2)
    Level.objects.filter(value=0).update(label=label)
    for document in Document.objects.filter(collection=built.collection):
        Document.objects.filter(pk=document.pk).update(
            title=f"On the leaves of tea that grow high up, {document.docno}"
        )
    phone = {"viewport": {"width": width, "height": 844}, "is_mobile": True, "has_touch": True}
    page = open_labelling(new_page, built, **phone)
    page.locator(".levels .level").first.tap()
    gave, name, grade = (page.locator(f"[data-part={part}]") for part in ("gave", "gave-name", "gave-answer"))
    expect(gave).to_contain_text("Before: “O")
    assert re.fullmatch("“On?.*….*000”", name.inner_text())
    text_and_place = """each => {
      const text = document.createRange();
      text.selectNodeContents(each);
      each.style.textOverflow = "clip";
      return [text, each].map(one => one.getBoundingClientRect().width);
    }"""
    text, place = name.evaluate(text_and_place)
    assert text <= place + 0.1
    colour = "each => getComputedStyle(each).color"
    assert gave.evaluate(colour) == grade.evaluate(colour)


def test_grades_definitions_guideline_and_examples_are_in_sight(new_page):
    built = build_work(items=2)
    criterion = Criterion.objects.get(campaign=built.campaign)
    definition = "At least one key component is met, in so many words or by one obvious step, but not each of them."
    Criterion.objects.filter(pk=criterion.pk).update(question="How far does this abstract meet the requirement?")
    criterion.levels.update(definition=definition, example="It brews tea, yet says nothing of the water. " * 4)
    Topic.objects.filter(collection=built.collection).update(sentences=["I want to know all about tea. "] * 40)
    Topic.objects.filter(collection=built.collection).update(title="Tea " * 20, narrative="Not coffee. " * 150)
    page = open_labelling(new_page, built, viewport={"width": 1280, "height": 800})
    actions = page.locator(".label-actions").bounding_box()
    for part in page.locator(".levels .level, .cell-more").all():  # a person who presses F sees the flag
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= actions["y"]
    expect(page.locator(".level-examples dl")).to_be_in_viewport(ratio=0.3)
    expect(page.locator("[data-part=guideline-body]")).to_be_in_viewport(ratio=0.3)
    query = page.locator("[data-part=query-texts]")  # cut between lines, not through one
    assert query.bounding_box()["height"] > 100
    assert query.evaluate("q => q.clientHeight % parseFloat(getComputedStyle(q).lineHeight)") < 1
    page.keyboard.press("1")
    expect_unit(page, 1)
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
    expect_saved(page)
    page.wait_for_timeout(600)
    expect_unit(page, 1)
    assert values(built) == [2, None, None, None]


def test_u_in_the_delay_takes_the_digit_back(new_page):
    built = build_work(items=2)
    page = new_page(user=built.people["ana"])
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # on a busy machine U came after the delay
    go(page, built)
    page.keyboard.press("2")
    page.keyboard.press("u")
    page.clock.run_for(600)
    expect_unit(page, 0)
    expect(page.locator("[data-part=error]")).to_be_hidden()  # it was not sent without an answer either
    expect(page.locator("[data-cell] input:checked")).to_have_count(0)
    assert Submission.objects.count() == 0


def test_instant_is_a_persons_choice_and_u_takes_it_back(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("?")
    dialog = page.locator("dialog[data-dialog=help]")
    expect(dialog.get_by_label("After a digit")).to_have_value("250")  # unless somebody chooses
    dialog.get_by_label("After a digit").select_option("instant: continue at once")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    elsewhere = new_page(user=built.people["ana"])
    elsewhere.clock.install()
    elsewhere.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # no delay ever ends
    go(elsewhere, built)
    elsewhere.keyboard.press("2")
    elsewhere.keyboard.press("u")  # while the answer is being stored, or after
    expect_unit(elsewhere, 0)
    expect(elsewhere.locator("[data-cell] input[value='2']")).to_be_checked()
    expect_saved(elsewhere)
    assert list(Submission.objects.order_by("id").values_list("kind", flat=True)) == ["answer", "undo"]
    elsewhere.keyboard.press("1")
    expect_unit(elsewhere, 1)
    expect_saved(elsewhere)
    assert values(built) == [1, None]


def test_undo_brings_the_item_back_with_its_answer(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.keyboard.press("2")
    expect_unit(page, 1)
    page.keyboard.press("u")
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
    page.keyboard.press("Control+z")
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input[value='0']")).to_be_checked()
    expect_saved(page)
    assert values(built)[0] is None


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
    dialog.get_by_label("Details").fill("The text is cut off")
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
    leaves = page.locator(".cell-note").get_by_text("Esc")
    expect(leaves).to_be_hidden()
    page.keyboard.press("n")
    expect(leaves).to_be_visible()
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
