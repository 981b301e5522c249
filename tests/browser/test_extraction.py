"""A paper from its PDF to finished contexts, by keyboard, with a real worker; and the screen's other faces."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Route, expect
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from annotation.inquiries.asking import answer_inquiry
from annotation.models import Extraction, ExtractionRevision, ExtractionSource, ExtractionState, Inquiry
from annotation.papers.extractions import content_of
from corpus.models import Paper
from engines.definitions.extractions import gold_of_content
from engines.formats.acm_cr import read_acm_cr
from tests.browser.axe import OPEN_DIALOGS, assert_accessible, assert_accessible_in_both_faces
from tests.browser.extraction import BODY, HEAD, extraction_campaign, open_extraction, paper_material, refreshed, saved
from tests.browser.settled import wait_for_route
from tests.factories.annotation import AT
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def material():
    return paper_material()


LINES = (
    (("Helvetica-Bold", 16), "Steeping Leaves for Longer"),
    (BODY, "Ada Brewer and Ben Kettle"),
    (HEAD, "1 Introduction"),
    (BODY, "Tea has been studied for a long time by people who like it, and the questions they asked were"),
    (BODY, "mostly about taste. Potter et al. [1] measured how long leaves should stay in water, and infor-"),
    (BODY, "mation about temperature was added by others [2, 3]. None of them asked what drinkers remember."),
    (HEAD, "2 Methods"),
    (BODY, "We asked one hundred and twenty people to drink tea and to tell us on the next day what they"),
    (BODY, "could recall of the conversation, following the protocol of earlier work [2]."),
    (HEAD, "References"),
    (BODY, "[1] Ann Potter and Cy Cup. 2019. How long leaves should stay in water. Journal of Tea 3, 1-9."),
    (BODY, "[2] Dan Spoon. 2020. Temperature and taste of green leaves. In Proceedings of Brewing, 10-19."),
    (BODY, "[3] Eve Sugar. 2021. Water from the tap. arXiv preprint arXiv:2101.00001."),
)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "steeping.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    height = 780
    for (font, size), text in LINES:
        height -= 26 if font.startswith("Helvetica") else 0
        canvas.setFont(font, size)
        canvas.drawString(72, height, text)
        height -= 22 if font.startswith("Helvetica") else 13
    canvas.save()
    return path


def test_a_pdf_becomes_contexts_by_keyboard(new_page, celery_worker, material, pdf):
    manager = new_page(material.manager)
    manager.goto(reverse("import_create", args=[material.collection.slug, "papers"]))
    manager.get_by_label("Files").set_input_files(pdf)
    manager.get_by_label("Dry run").uncheck()
    manager.get_by_role("button", name="Import", exact=True).click()
    expect(manager.locator("[data-job-final=done]")).to_be_visible()
    paper = Paper.objects.get()
    assert paper.title == "Steeping Leaves for Longer"
    extraction_campaign(material)
    page, assignment = open_extraction(material, new_page)
    picture = page.locator("[data-part=sheet] img")
    expect(picture).to_have_js_property("naturalWidth", 1200)
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("Tea has been studied")
    naming = page.locator("[data-sentence]").filter(has_text="names an author")
    expect(naming).to_have_count(1)  # seen before one goes there
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(
        "1 sentence still names an author, which Anonymise takes out: context 01, sentence 2."
    )
    expect(dialog).not_to_contain_text("more than once")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("a")
    saved(page)
    expect(naming).to_have_count(0)
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("anonymised")
    assert "Potter" not in content_of(refreshed(work)).contexts[0].sentences[1].text
    page.keyboard.press("u")
    expect(page.locator("[data-sentence][aria-current] p").first).to_contain_text("Potter et al. [1]")
    page.keyboard.press("Shift+U")
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("anonymised")
    page.keyboard.press("4")
    for _ in range(12):
        if "one hundred and twenty" in (page.evaluate("document.activeElement.ariaLabel") or ""):
            break
        page.keyboard.press("j")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_contain_text("A context from this paragraph")
    page.keyboard.press("Enter")
    expect(page.locator(".extraction-context")).to_have_count(2)
    saved(page)
    page.keyboard.press("6")  # at [2], which the new context cites
    page.keyboard.press("k")
    page.keyboard.press("p")
    page.keyboard.type("https://doi.org/10.1/water")
    page.keyboard.press("Enter")
    current = page.locator("[data-part=references] [aria-current]")
    expect(current).to_contain_text("10.1/water")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(current).to_contain_text("a preprint that has a refereed version")
    page.keyboard.press("1")
    expect(current).to_contain_text("10.1/tap")
    expect(current).not_to_contain_text("a preprint that has")
    saved(page)
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_contain_text("Finish this paper?")
    expect(page.get_by_role("dialog")).not_to_contain_text("still names")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The paper is finished")).to_be_visible()
    done = refreshed(work)
    assert done.state == ExtractionState.FINISHED
    content = content_of(done)
    assert [each.blocks for each in content.contexts] == sorted(each.blocks for each in content.contexts)
    assert content.values == {"1": "10.1/water", "2": None, "3": "10.1/tap"}
    assert assignment.item.paper == paper
    assert_exported_as_decided(manager, content)


def assert_exported_as_decided(manager, content) -> None:
    """Download the finished paper through the page of exports and compare it with what was decided."""
    manager.goto(reverse("export_list", args=["teas"]))
    with ZipFile(downloaded(manager, "Citation contexts, ACM-CR XML")) as archive:
        assert sorted(archive.namelist()) == ["steeping.dois", "steeping.xml"]
        exported = read_acm_cr(BytesIO(archive.read("steeping.xml")), "steeping.xml")
        sheet = archive.read("steeping.dois").decode()
    decided = gold_of_content(content, doi="steeping", title="Steeping Leaves for Longer", abstract="")
    assert replace(exported, file="") == decided
    first, second = exported.contexts
    assert (first.number, first.section, second.number) == ("01", "introduction", "02")
    assert first.sentences[1].anonymised
    assert first.sentences[1].text.startswith("[1] measured how long leaves should stay in water, and information")
    assert [each.cites for each in first.sentences] == [(), ("1", "2", "3"), ()]
    assert [each.cites for each in second.sentences] == [("2",)]
    assert sheet == "[1]\t10.1/water\n-[2]\tN/A\n[3]\t10.1/tap\n"
    rows = "{0}\t1\t10.1/water\t1\n{0}\t3\t10.1/tap\t1\n"
    assert downloaded(manager, "TREC qrels of paragraphs").read_text() == rows.format("steeping01")
    assert downloaded(manager, "TREC qrels of sentences").read_text() == rows.format("steepi0")
    topics = downloaded(manager, "TREC topics of paragraphs").read_text()
    assert first.text in topics
    assert second.text not in topics, "nothing that it cites is in the collection"


def downloaded(page, label: str) -> Path:
    """The file behind the link of an offer, by keyboard."""
    with page.expect_download() as download:
        page.get_by_role("link", name=f"Download {label}", exact=True).press("Enter")
    return Path(download.value.path())


def test_sentences_are_split_merged_typed_and_nothing_is_lost_offline(new_page, material):
    paper = PaperFactory(
        collection=material.collection, blocks=[{"id": 1, "text": "Tea is old. Lee [1, 2] measured it."}]
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    under_way: list[Route] = []

    def hold(route: Route) -> None:
        under_way.append(route)

    page.route("**/move/", hold)  # from the beginning: set after `set_offline` it misses a request now and then
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    page.keyboard.press("s")
    expect(page.locator("[data-sentence]")).to_have_count(3)
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("is old.")
    page.keyboard.press("m")
    expect(page.locator("[data-sentence]")).to_have_count(2)
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" Very old.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=save-text]")).to_have_text("1 edit kept here")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Offline")
    page.context.set_offline(False)
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    assert content_of(refreshed(work)).contexts[0].sentences[0].text == "Tea is old. Very old."
    page.keyboard.press("j")
    page.keyboard.press("t")
    page.keyboard.type("1-2, 9")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sentence][aria-current] .badge.bad")).to_contain_text("cites 1, 2, 9")
    saved(page)
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_contain_text("cites 9, not in the references")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)  # keys pressed before that are the dialog's
    assert_keys_wait_for_undo(page, work, under_way)
    assert_signs_in_again_in_place(page, work)
    other, _ = open_extraction(material, new_page)
    other.keyboard.press("x")
    saved(other)
    page.keyboard.press("u")
    expect(page.get_by_role("dialog")).to_contain_text("Changed in another window")
    page.keyboard.press("Escape")  # one of the two is to be chosen
    page.keyboard.press("Enter")  # and not by a key that came down for something else
    expect(page.locator("[data-part=clash-list] li")).to_have_count(1)
    expect(page.locator("[data-part=clash-list] ins")).to_contain_text("Tea is old. Very old.")
    page.set_viewport_size({"width": 390, "height": 844})
    covered = page.locator("[data-part=coverage]").bounding_box()
    trouble = page.locator("[data-part=save-state]").bounding_box()
    assert covered["y"] + covered["height"] <= trouble["y"]
    page.set_viewport_size({"width": 1280, "height": 800})
    assert_accessible(page)
    page.get_by_role("button", name="Keep the saved version").click()
    expect(page.locator("[data-sentence]")).to_have_count(1)
    assert ExtractionRevision.objects.filter(extraction=work).count() >= 4
    assert_skips_and_takes_up_by_keys(page, work)


def test_one_asks_the_managers_about_a_paper(new_page, material):
    paper = PaperFactory(collection=material.collection, blocks=[{"id": 1, "text": "Lee [1, 2] measured tea."}])
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, assignment = open_extraction(material, new_page)
    page.keyboard.press("q")
    page.keyboard.type("Is page 2 missing?")
    assert_accessible(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".asking-note")).to_contain_text("Is page 2 missing?")
    asked = Inquiry.objects.get()
    assert asked.item == assignment.item
    sent = {"answer": "It is: skip the paper.", "audience": "item", "inquiry": asked.pk}
    answer_inquiry(campaign=asked.campaign, by=material.manager, at=AT, **sent)
    page.reload()
    expect(page.locator(".asking-note")).to_contain_text("Answer: It is: skip the paper.")
    page.keyboard.press("j")
    expect(page.locator("[data-sentence]")).to_have_count(2)  # keys work as before


def assert_skips_and_takes_up_by_keys(page, work) -> None:
    page.keyboard.press("Shift+X")
    expect(page.get_by_role("dialog")).to_contain_text("Skip this paper?")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Paper skipped. Your work")).to_be_visible()
    skip = work.assignment.submissions.get()
    assert (skip.kind, skip.reason) == ("skip", "The file is broken, or the wrong paper")
    page.get_by_role("button", name="Reopen").press("Enter")
    expect(page.locator("[data-sentence]")).to_have_count(1)


def assert_keys_wait_for_undo(page, work, under_way: list[Route]) -> None:
    """What is typed while a step back is on its way is done to what it leads to: nothing typed becomes a command."""
    page.keyboard.press("u")
    page.keyboard.press("e")
    page.keyboard.type(" Fuxx")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.keyboard.press("k")
    expect(page.locator("[data-sentence]")).to_have_count(2)
    wait_for_route(page, under_way)
    under_way[0].continue_()
    expect(page.locator("[data-sentence]").nth(1)).to_contain_text("measured it. Fux")
    expect(page.locator("[data-sentence]").first).to_have_attribute("aria-current", "true")
    page.unroute("**/move/")
    saved(page)
    sentence = content_of(refreshed(work)).contexts[0].sentences[1]
    assert (sentence.text, sentence.cites) == ("Lee et al. [1, 2] measured it. Fux", ("1", "2"))


def assert_signs_in_again_in_place(page, work) -> None:
    work.assignment.annotator.user.set_password("steeped-leaves")
    work.assignment.annotator.user.save()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.keyboard.press("e")
    page.keyboard.type(" Signed out.")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("dialog")).to_contain_text("Your session has ended")
    page.keyboard.type("steeped-leaves")
    page.keyboard.press("Enter")
    saved(page)
    assert content_of(refreshed(work)).contexts[0].sentences[0].text.endswith("Very old. Signed out.")


def test_the_screen_is_accessible(new_page, material):
    """In both faces, and used by keys in the narrow one."""
    paper = PaperFactory(
        collection=material.collection,
        blocks=[
            {"id": n, "kind": kind, "text": f"{kind} {n} [1]."} for n, kind in enumerate(("heading", "paragraph"), 1)
        ],
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", "10.1/water")))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    expect(page.locator("[data-sentence]").first).to_be_visible()
    assert_accessible_in_both_faces(page)
    for key in ("?", "c", "f", "Shift+X"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert_accessible_in_both_faces(page, OPEN_DIALOGS)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)  # keys pressed before that are the dialog's
