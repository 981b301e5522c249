"""The labelling screen of several aspects at once, on small windows, accessible and without script."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import (
    Criterion,
    Level,
    Order,
    Submission,
)
from corpus.models import Document, Topic
from tests.browser.axe import (
    FACES,
    assert_accessible,
    assert_accessible_everywhere,
    assert_accessible_in_both_faces,
    show,
)
from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, path_of, values
from tests.factories.adjudication import Built
from tests.factories.labelling import assignment_of, build_work, values_of
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


SEEN = """part => {
  const {left, top, width, height} = part.getBoundingClientRect();
  const at = document.elementFromPoint(left + width / 2, top + height / 2);
  return part.contains(at);
}"""


def expect_unit_of(page: Page, built: Built, number: int) -> None:
    item = built.items[number]
    expect(page.locator("[data-part=docno]")).to_have_text(item.document.docno)
    expect(page.locator("[data-part=number]")).to_have_text(item.topic.number)


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


def test_of_a_grid_that_is_refused_in_part_the_rest_is_counted(new_page):
    built = build_grid()
    page = open_labelling(new_page, built)
    Level.objects.filter(value=2).delete()
    for key in ("2", "0", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("[data-cell] .cell-error").first).to_contain_text("2 is not on the scale")
    expect(page.locator("[data-part=progress-text]")).to_have_text("2 of 6 done")
    assert values(built)[:3] == [None, 0, 1]


def test_the_row_at_work_is_never_under_the_buttons(new_page):
    aspects = [
        f"Aspect number {a} of a query with many of them, in words that need more than a line." for a in range(9)
    ]
    built = build_work(order=Order.BY_DOCUMENT, triples=[("1", aspect, "doc00000") for aspect in aspects])
    page = open_labelling(new_page, built)
    for size in ({"width": 1280, "height": 800}, {"width": 1024, "height": 600}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)
        go(page, built)
        first = page.locator("[data-cell] .level").first
        assert first.inner_text().split("\n") == ["0", "not relevant"]
        for number in range(9):
            row = page.locator("[data-cell][data-chosen]")
            expect(row).to_contain_text(aspects[number])
            for part in row.locator(".level, [data-flag]").all():  # what is seen at its middle is the part itself
                assert part.evaluate(SEEN), (size, number)
            if size["width"] > 1000:
                expect(page.locator("[data-part=query]")).to_be_in_viewport()
                expect(page.locator(".label-form > .grid-scale")).to_be_in_viewport(ratio=1)
            page.keyboard.press("1")


def test_grades_stay_where_they_are_from_item_to_item(new_page):
    long = "The method must handle queries with several aspects that hang together. "
    kinds = (("1", long * 2), ("2", None), ("3", "Tea."))
    built = build_work(triples=[(*kinds[number % 3], f"doc{number:05d}") for number in range(6)])
    Topic.objects.filter(number="2").update(sentences=[long] * 9, title=long, narrative=long * 5)
    Document.objects.filter(docno="doc00004").update(title=long, abstract=long * 40)
    page = open_labelling(new_page, built)
    for size, items in (({"width": 1280, "height": 800}, range(4)), ({"width": 390, "height": 844}, range(4, 6))):
        page.set_viewport_size(size)
        places = []
        for number in items:
            expect_unit_of(page, built, number)
            places.append(page.locator(".levels").first.bounding_box())
            page.keyboard.press("n")
            page.keyboard.type("A long note. " * 9 * (number % 2))
            page.keyboard.press("Escape")
            page.keyboard.press("1")
        assert places[1:] == places[:-1]
    page.keyboard.press("u")
    expect_unit_of(page, built, 5)  # with its note
    assert page.locator(".levels").first.bounding_box() == places[0]


def test_on_a_phone_the_grades_of_a_grid_stay_where_they_are(new_page):
    long = "The method must handle queries with several aspects that hang together. "
    triples = [("1", f"{long * (a % 2)} Aspect {a}.", f"doc{d:05d}") for d in range(2) for a in range(3)]
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    Document.objects.filter(docno="doc00001").update(abstract=long * 40)
    plain = new_page(user=built.people["ana"], java_script_enabled=False, viewport={"width": 390, "height": 844})
    plain.goto(path_of(built))
    for level in plain.locator("[data-cell] .level").all():  # without a script there is no row at work
        assert level.bounding_box()["width"] > 40
    page = open_labelling(new_page, built, viewport={"width": 390, "height": 844})
    row, submit = page.locator("[data-cell][data-chosen]"), page.locator("[data-act=submit]")
    places = []
    for number in range(6):
        expect(row).to_contain_text(triples[number][1].strip())
        expect(submit).to_be_in_viewport(ratio=1)
        places.append((row.locator(".levels").bounding_box(), submit.bounding_box()))
        row.locator(".level").nth(1).click()
        if number == 2:
            expect(page.locator("[data-cell]").first.locator(".level:has(:checked)")).to_be_visible()
            submit.click()
            expect_unit(page, 1)
    assert places[1:] == places[:-1]
    assert places[0][0]["y"] + places[0][0]["height"] == 844
    submit.click()
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    assert values(built) == [1] * 6


@pytest.mark.parametrize("order", [Order.BY_ASPECT, Order.BY_DOCUMENT])
def test_on_a_phone_the_criterion_at_work_is_the_bar(new_page, order):
    long = "The method must handle queries with several aspects that hang together. "
    triples = [("1", f"Aspect {n}.", f"doc{n * (order == Order.BY_ASPECT):05d}") for n in range(2)]
    built = build_work(order=order, triples=triples)
    Criterion.objects.get().levels.filter(value=2).update(reasons=["Says so", "Shows it"])
    clarity = Criterion.objects.create(campaign=built.campaign, key="clarity", label="Clarity", position=1)
    Level.objects.bulk_create(
        Level(criterion=clarity, value=value, label=label, definition=long)
        for value, label in enumerate(("not clear", "clear"))
    )
    Document.objects.update(abstract=long * 40)
    scheme = "dark" if order == Order.BY_ASPECT else "light"
    phone = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
    page = open_labelling(new_page, built, color_scheme=scheme, **phone)
    assert_accessible(page)
    submit, judged, places = page.locator("[data-act=submit]"), page.locator("[data-part=judged] summary"), set()
    lacks = ["2 grades", "1 grade"] if order == Order.BY_ASPECT else ["4 grades", "3 grades", "2 grades", "1 grade"]
    ground = "part => getComputedStyle(part).backgroundColor"
    for document in range(2 if order == Order.BY_ASPECT else 1):
        expect_unit(page, document)
        for row in range(1 if order == Order.BY_ASPECT else 2):
            for number, key in enumerate(("relevance", "clarity")):
                expect(submit).to_have_text(f"Submit {lacks[2 * row + number]} missing", use_inner_text=True)
                at_work = page.locator(f"[data-chosen] [data-criterion={key}][data-active]")
                expect(at_work).to_have_count(1)
                name = at_work.evaluate("each => getComputedStyle(each, '::before').content")
                assert name.startswith(f'"{key.capitalize()}"')
                expect(submit).to_be_in_viewport(ratio=1)
                assert submit.evaluate(ground) == "rgba(0, 0, 0, 0)", "loud though a grade is missing"
                place = "Aspect" if order == Order.BY_ASPECT else f"Aspect {row + 1} of 2"
                expect(judged).to_have_text(f"{place} Aspect {document + row}.", use_inner_text=True)
                assert judged.evaluate(SEEN)
                above = judged.bounding_box()
                assert above["y"] + above["height"] <= submit.bounding_box()["y"]
                for level in at_work.locator(".level").all():
                    assert level.evaluate(SEEN), (document, row, key)
                    assert level.evaluate(ground) == at_work.locator(".levels").evaluate(ground), "looks chosen"
                box = at_work.locator(".levels").bounding_box()
                places.add((box["y"] + box["height"], box["height"]))
                at_work.locator(".level").last.tap()
                given = "each => getComputedStyle(each.querySelector('.criterion-question'), '::after').content"
                if key == "relevance":  # its reason is asked for in sight
                    reason = page.locator("[data-chosen] .reason:visible select")
                    assert reason.evaluate(SEEN)
                    expect(submit).to_contain_text("missing")
                    assert at_work.evaluate(given).startswith('"2 relevant"'), "text and bar disagree"
                    reason.select_option("Shows it")
                    words = page.locator("[data-chosen] [data-criterion=relevance]").get_by_text("relevant", exact=True)
                    assert words.evaluate_all("all => all.filter(each => each.offsetParent).length") == 1
    assert places == {(844, 104)}
    if order == Order.BY_DOCUMENT:
        assert submit.evaluate(ground) != "rgba(0, 0, 0, 0)"
        submit.tap()
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    given = [submission.answers for submission in Submission.objects.all()]
    assert given == [{"relevance": 2, "clarity": 1}] * 2


def test_on_a_phone_the_whole_aspect_is_one_tap_away(new_page):
    long = "It compares annotators of several institutions who judge the same documents. " * 5
    built = build_work(triples=[("1", long, "doc00000"), ("1", None, "doc00001")])
    Document.objects.update(abstract=long * 10)
    page = open_labelling(new_page, built, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    judged = page.locator("[data-part=judged] summary")
    is_cut = "part => part.scrollWidth > part.clientWidth"
    expect(judged).to_contain_text("Aspect It compares annotators", use_inner_text=True)
    assert judged.evaluate(is_cut)
    for part in (judged, *page.locator(".level").all()):
        assert part.evaluate(SEEN)
    judged.tap()
    expect(page.locator("[data-part=judged]")).to_have_attribute("open", "")
    for part in (page.locator(".label-gave [data-act=undo]"), *page.locator(".level").all()):
        assert part.evaluate(SEEN)
    assert not judged.evaluate(is_cut)
    assert_accessible(page)
    submit = page.locator("[data-act=submit]")
    expect(submit).to_be_hidden()  # a tap on a grade sends it
    page.locator(".level").first.tap()
    expect_unit(page, 1)  # of a query without aspects the query is judged
    page.locator(".label-gave [data-act=undo]").tap()
    expect_unit(page, 0)
    expect(submit).to_be_visible()  # the grade is chosen, and waits
    submit.tap()
    expect_unit(page, 1)
    expect(submit).to_be_hidden()
    expect(page.locator("[data-part=judged]")).not_to_have_attribute("open", "")
    expect(judged).to_contain_text("Query 1 ", use_inner_text=True)


def test_on_a_phone_a_former_answer_is_changed_without_scrolling(new_page):
    """A tap alone does not save it: somebody who sees the grade but no button thinks that it did."""
    built = build_work(items=2)
    Document.objects.update(abstract="It compares annotators of several institutions. " * 40)
    page = open_labelling(new_page, built, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.locator(".level").first.tap()
    expect_unit(page, 1)
    expect_saved(page)
    page.goto(page.url + "history/")
    page.get_by_role("link", name="Change").tap()
    expect_unit(page, 0)
    page.locator(".level").nth(2).tap()
    save = page.get_by_role("button", name="Save the change")
    for part in (save, page.locator("[data-part=judged] summary"), *page.locator(".level").all()):
        assert part.evaluate(SEEN)
    assert_accessible(page)
    page.locator("[data-note]").focus()
    expect(page.locator(".cell-note kbd").filter(visible=True)).to_have_count(0)  # a phone has no keys
    save.tap()
    expect_unit(page, 1)
    expect_saved(page)
    assert values(built)[0] == 2


def test_an_abstract_of_190_words_is_whole_once_the_guideline_is_folded(new_page):
    built = build_work(items=1)
    Criterion.objects.get().levels.update(definition="All components are met, in so many words.", example="Tea. " * 30)
    title = "Judging scientific abstracts by the aspects of a query that was written by experts"
    Document.objects.update(title=title, abstract="We measure how expert annotators compare retrieval. " * 27 + "Ha.")
    page = open_labelling(new_page, built, viewport={"width": 1280, "height": 800})
    pane = page.locator(".label-document")
    assert pane.evaluate("pane => pane.scrollHeight > pane.clientHeight")
    page.keyboard.press("g")
    expect(page.locator("[data-part=guideline-body]")).to_be_hidden()
    assert pane.evaluate("pane => pane.scrollHeight <= pane.clientHeight")
    for level in page.locator(".level .definition").all():  # they stay
        expect(level).to_be_in_viewport(ratio=1)


def test_a_question_without_aspects_is_what_is_judged_and_looks_so(new_page):
    built = build_work(triples=[("1", None, "doc00000"), ("1", "It brews tea.", "doc00001")])
    page = open_labelling(new_page, built)
    query, style = page.locator("[data-part=query]"), "e => [getComputedStyle(e).fontSize, getComputedStyle(e).color]"
    expect(page.locator("[data-part=breadcrumb]")).to_be_hidden()
    alone = query.evaluate(style)
    page.keyboard.press("1")
    expect_unit(page, 1)
    expect(page.locator("[data-part=breadcrumb]")).to_have_text("Aspect to judge: It brews tea.")
    assert alone == page.locator("[data-part=breadcrumb]").evaluate(style)
    assert alone != query.evaluate(style)


def test_undo_in_a_grid_takes_the_last_digit_back_then_the_page(new_page):
    built = build_grid()
    page = open_labelling(new_page, built)
    for key in ("2", "0"):
        page.keyboard.press(key)
    page.keyboard.press("u")
    expect(page.locator("[data-cell] input:checked")).to_have_count(1)
    expect(page.locator("[data-cell]").nth(1)).to_have_attribute("data-chosen", "")
    for key in ("0", "1", "Enter"):
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


@pytest.mark.parametrize("order", [Order.BY_ASPECT, Order.BY_DOCUMENT])
def test_accessible_and_no_wider_than_the_window(new_page, order):
    """In both faces, and used by keys in the narrow one: the other tests are wide. Dialogs: test_accessibility.py."""
    triples = [("1", f"Aspect number {a}.", f"doc{d:05d}") for d in range(2) for a in range(3)]
    built = build_work(order=order, triples=triples)
    page = open_labelling(new_page, built)
    if order == Order.BY_DOCUMENT:  # by aspect: in test_accessibility.py
        assert_accessible_in_both_faces(page)
    show(page, *FACES[1])
    page.keyboard.press("2")
    if order == Order.BY_ASPECT:
        expect(page.locator("[data-part=breadcrumb] [data-part=aspect]")).to_have_text("Aspect number 1.")
        expect_saved(page)
        page.keyboard.press("ArrowLeft")
        expect(page.locator("[data-part=past-text]")).to_have_text("From your history, 1 back")
    else:  # its other aspects come first
        expect(page.locator("[data-cell] input[value='2']:checked")).to_have_count(1)
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_text("There is nothing earlier.").first).to_be_attached()
    assert_accessible_in_both_faces(page)
    for key, name in (("x", "skip"), ("?", "help")):
        page.keyboard.press(key)
        dialog = page.locator(f"dialog[data-dialog={name}]")
        expect(dialog).to_be_visible()
        assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)  # keys pressed before that are the dialog's
    if order == Order.BY_ASPECT:
        assert_accessible_everywhere(page, path_of(built) + "history/")


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
    wait_for(lambda: values(built) == [0, None, None], what="the changed answer")
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
    wait_for(lambda: len(page.evaluate("window.times")) == 4, what="one picture for each press")
