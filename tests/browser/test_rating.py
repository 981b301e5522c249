"""Rating questions in a real browser, by keys alone, with a rewrite and a target found on the way."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import FoundTarget, Judgment, Rewrite
from corpus.models import Topic
from engines.text.overlap import DEFINITIONS, LITSEARCH_CODE, shared_spans, word_overlap
from engines.text.words import fold_word
from tests.browser.axe import assert_accessible
from tests.factories.rubrics import Rubric, build_rubric, rate

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def open_labelling(new_page, rubric: Rubric, **options: object) -> Page:
    page = new_page(user=rubric.people["ana"], **options)
    page.goto(f"/c/signs/campaigns/{rubric.campaign.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    return page


def expect_question(page: Page, rubric: Rubric, number: str) -> None:
    expect(page.locator("[data-part=title]")).to_have_text(rubric.topics[number].text)


def expect_saved(page: Page) -> None:
    """The screen moves on once an answer is in the browser's queue; what the database has is known after this."""
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))


def ratings(rubric: Rubric, number: str) -> dict[str, tuple[int, str]]:
    found = Judgment.objects.filter(assignment__item__topic__number=number)
    return {key: (value, reason) for key, value, reason in found.values_list("criterion__key", "value", "reason")}


def order_of(rubric: Rubric) -> list[str]:
    """The questions in the annotator's order."""
    assignments = rubric.campaign.items.order_by("assignments__position")
    return list(assignments.values_list("topic__number", flat=True))


def test_rating_by_keyboard_with_a_rewrite_a_found_target_and_a_discard(new_page):
    rubric = build_rubric()
    first, second, third = order_of(rubric)
    page = open_labelling(new_page, rubric)
    assert_accessible(page)
    expect_question(page, rubric, first)

    # A rewrite: the diff and the meters follow while it is typed; the original stays.
    page.keyboard.press("r")
    page.keyboard.type(" In a census?")
    expect(page.locator("[data-part=rewrite-diff] ins")).to_have_text(re.compile("In a census"))
    wording = f"{rubric.topics[first].text} In a census?"
    titles = [target.document.title for target in rubric.topics[first].targets.all()]
    shown = page.locator("[data-meter=titles] [data-part=meter-now]")
    expect(shown).to_have_text(f"→ {word_overlap(wording, titles, LITSEARCH_CODE):.2f}")
    page.keyboard.press("Escape")

    # A further target, found by a search on the same screen.
    page.keyboard.press("s")
    expect(page.locator("[data-part=find-words]")).to_have_value(wording)  # opened on the question's own words
    expect(page.locator("[data-part=find-state]")).to_contain_text("the most similar first")
    page.keyboard.type("steeped leaves")  # one of the words is enough
    expect(page.locator("[data-part=hits] li").first).to_contain_text("Tea and Temperature")
    expect(page.locator("[data-part=fit-count]")).to_have_text("1 paper fits so far: at most 5.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".target.found")).to_contain_text("Tea and Temperature")
    ticked = "2 papers fit so far, 1 of them ticked by you: at most 5."
    expect(page.locator("[data-part=fit-count]")).to_have_text(ticked)
    assert_accessible(page)

    # Nothing is sent before all criteria have an answer; Tab leads from the question to the criteria.
    page.locator("[data-part=title]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("0")
    page.wait_for_timeout(600)
    expect_question(page, rubric, first)
    page.keyboard.press("2")
    expect_question(page, rubric, second)
    expect_saved(page)
    assert ratings(rubric, first) == {"specificity": (0, ""), "quality": (2, "")}
    rewrite = Rewrite.objects.get()
    assert (rewrite.text, rewrite.original) == (wording, rubric.topics[first].text)
    assert FoundTarget.objects.get().document.docno == "14"

    # A discard asks for its reason, which is a digit too; U takes a grade back meanwhile.
    page.keyboard.press("1")
    page.keyboard.press("0")
    page.keyboard.press("u")
    expect(page.locator("[data-criterion=quality] .level input:checked")).to_have_count(0)
    page.keyboard.press("0")
    expect(page.locator("[data-reason-for='0']")).to_be_visible()
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 420})  # the panes scroll, and nothing behind them
    assert page.evaluate("document.documentElement.scrollHeight") <= 420
    page.set_viewport_size({"width": 1280, "height": 800})
    page.keyboard.press("5")
    expect_question(page, rubric, third)
    expect_saved(page)
    assert ratings(rubric, second) == {"specificity": (1, ""), "quality": (0, "too easy")}

    # M: more papers fit than may. Then undo brings it back, with everything.
    page.keyboard.press("0")
    page.keyboard.press("m")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    assert ratings(rubric, third)["quality"] == (0, "too broad")
    page.keyboard.press("u")
    expect(page.locator("[data-empty=all-done]")).to_be_hidden()
    expect_question(page, rubric, third)
    expect(page.locator("[data-note]")).to_have_value("More than 20 papers fit.")
    page.keyboard.press("ArrowLeft")
    expect_question(page, rubric, second)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-part=rewrite-text]")).to_have_value(wording)
    expect(page.locator(".target.found")).to_have_count(1)


def test_a_rewrite_survives_a_reload_and_an_offline_submit(new_page):
    rubric = build_rubric()
    first, second, _ = order_of(rubric)
    page = open_labelling(new_page, rubric, viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.keyboard.press("r")
    page.keyboard.type(" Really?")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("[data-part=rewrite-text]")).to_have_value(f"{rubric.topics[first].text} Really?")
    assert_accessible(page)
    # What the server refuses comes back whole: nothing that was pasted is cut, and the badge says what it is.
    own = page.locator("[data-part=rewrite-text]")
    own.fill("word " * 4000)
    page.locator("[data-part=title]").focus()
    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(page.locator("[data-part=error]")).to_contain_text("5,000")
    expect(own).to_have_value(("word " * 4000).strip())
    expect(page.locator("[data-part=rewrite-badge]")).to_be_visible()
    own.fill(f"{rubric.topics[first].text} Really?")
    page.locator("[data-part=title]").focus()
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect_question(page, rubric, second)
    expect(page.locator("[data-part=save-text]")).to_have_text("Offline, 1 queued")
    assert not Rewrite.objects.exists()
    page.context.set_offline(False)
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))
    assert Rewrite.objects.get().text.endswith(" Really?")


def test_on_a_phone_the_grades_stay_where_they_are(new_page):
    rubric = build_rubric()
    first, second, third = order_of(rubric)
    Topic.objects.filter(number=second).update(narrative="A question about many things. " * 40)
    page = open_labelling(new_page, rubric, viewport={"width": 390, "height": 844})
    at_work, submit = page.locator("[data-active]"), page.locator("[data-act=submit]")
    places = []
    for number in (first, second):
        expect_question(page, rubric, number)
        for key in ("specificity", "quality"):
            expect(at_work).to_have_attribute("data-criterion", key)
            expect(submit).to_be_in_viewport(ratio=1)
            assert page.locator("[data-act=skip]").bounding_box()["y"] == submit.bounding_box()["y"]
            expect(at_work.locator(".level .definition").first).to_be_hidden()  # it stands above the bar
            places.append((at_work.locator(".levels").bounding_box(), submit.bounding_box()))
            at_work.locator(".level").last.click()
    assert places[1:] == places[:-1]
    assert places[0][0]["y"] + places[0][0]["height"] == 844

    # A reason is asked for above the grades; what was given is seen in its place.
    expect_question(page, rubric, third)
    at_work.locator(".level").first.click()
    at_work.locator(".level").first.click()
    reasons = at_work.locator(".reasons:visible .chip:visible")
    expect(reasons.first).to_be_in_viewport(ratio=1)
    expect(page.locator("[data-criterion=specificity] .level:has(:checked)")).to_be_visible()
    assert_accessible(page)
    reasons.first.click()
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    assert ratings(rubric, third)["quality"][0] == 0


TEXTS = [
    ("Which tea is green?", ["Green tea", ""]),
    ("Fine-tuning: naïve or GRÖSSER? “quoted”", ["fine tuning of naive Bayes", "größer groesser"]),
    ("ΣΊΣΥΦΟΣ and Straße ﬁnd ①", ["σίσυφος STRASSE find 1"]),
    ("snake_case x² ½ Ⅷ", ["snake case x2 12 viii"]),
    ("注意 机制 𝛼-divergence", ["注意机制 α divergence"]),
    ("İstanbul ılık Łódź ŉ", ["istanbul ilik lodz"]),
    ("शब्द कि किताबें और BERT模型听", ["किताबें का", "大BERT模型能听见猫头鹰🦉"]),
    ("นกฮูกได้ยิน ٣ שָׁלוֹם كتاب می‌شود", ["นกได้ยิน", "שלום کتاب ميشود 3"]),
    ("𠀋𠀌𠀍 が か 올빼미는", ["x𠀌𠀍𠀎", "がは 올빼미"]),
    ("?!", ["…"]),
    ("tea\x1ftea\x85pot \ufeffgreen\u2028Tea?", ["tea pot green\xa0Tea?", "\ufeffgreen"]),
]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_the_browser_counts_overlap_as_the_server_does(new_page, definition):
    page = open_labelling(new_page, build_rubric())
    module = page.locator("script[src$='labelling/main.js']").get_attribute("src").replace("main.js", "overlap.js")
    for question, texts in TEXTS:
        counted = page.evaluate(
            "async ([url, q, texts, by, out]) => { const m = await import(url);"
            " return [m.wordOverlap(q, texts, by), texts.map((text) => m.sharedSpans(text, q, by, out))]; }",
            [module, question, texts, definition, ["is", "green"]],
        )
        expected = word_overlap(question, texts, definition)
        assert counted[0] == (None if expected is None else pytest.approx(expected))
        for text, spans in zip(texts, counted[1], strict=True):
            cut = text.encode("utf-16-le")
            pairs = zip(spans[::2], spans[1::2], strict=True)
            found = [cut[2 * start : 2 * end].decode("utf-16-le") for start, end in pairs]
            assert found == [
                text[start:end] for start, end in shared_spans(text, question, definition, frozenset({"is", "green"}))
            ]


def test_the_browser_cuts_and_folds_letters_as_the_server_does(new_page):
    page = open_labelling(new_page, build_rubric())
    module = page.locator("script[src$='labelling/main.js']").get_attribute("src").replace("main.js", "overlap.js")
    # Without Cherokee, whose words fold to capitals there and to small letters here: equal words are equal in both.
    letters = [chr(code) for code in range(0x80, 0x2500) if chr(code).isalnum() and not 0x13A0 <= code < 0x1400]
    fold = "async ([url, letters]) => { const m = await import(url); return letters.map(m.foldWord); }"
    folded = dict(zip(letters, page.evaluate(fold, [module, letters]), strict=True))
    assert {letter: own for letter, own in folded.items() if own != fold_word(letter)} == {}
    signs = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    cuts = (
        "async ([url, signs, by]) => { const m = await import(url);"
        " return signs.filter((sign) => m.wordOverlap(`a${sign}b`, ['a b'], by) === 1); }"
    )
    assert page.evaluate(cuts, [module, signs, LITSEARCH_CODE]) == [sign for sign in signs if sign.isspace()]


def test_the_managers_pages_of_a_rubric_are_accessible(new_page):
    rubric = build_rubric()
    rate(rubric, "ana", "q1", rewrite="Do mouths carry meaning?", found=("13",))
    page = new_page(user=rubric.people["mia"], viewport={"width": 390, "height": 844}, color_scheme="dark")
    where = ["signs", rubric.campaign.slug]
    for name in ("question_set", "rewrite_list", "item_build", "campaign_create"):
        page.goto(reverse(name, args=where[:1] if name in ("question_set", "campaign_create") else where))
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
    page.get_by_text("More: which items").click()
    page.locator("[name=template][value=litsearch]").check()
    expect(page.locator("[name=cutoffs]")).to_be_attached()
    expect(page.locator("[data-for-kinds=relevance]:visible")).to_have_count(0)
    page.locator("[name=template][value=graded]").check()
    expect(page.locator("[data-for-kinds=rubric]:visible")).to_have_count(0)
    expect(page.locator("[data-for-kinds=relevance]:visible")).not_to_have_count(0)
