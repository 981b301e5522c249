"""A paper from its PDF to finished contexts, by keyboard, with a real worker; and the screen's other faces."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from annotation.actions.assignments import assign_items
from annotation.actions.campaigns import open_campaign
from annotation.models import Extraction, ExtractionRevision, ExtractionSource, ExtractionState
from annotation.queries.extractions import content_of
from corpus.models import Document, Paper
from tests.browser.axe import FACES, assert_accessible
from tests.factories.annotation import AT, make_campaign, make_material
from tests.factories.papers import PaperFactory, assignment_of, make_content, make_extraction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HEAD, BODY = ("Helvetica-Bold", 12), ("Times-Roman", 10)
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
    (BODY, "[3] Eve Sugar. 2021. Water from the tap. Kettle Letters 7, 20-29."),
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


@pytest.fixture
def material():
    made = make_material(topics=1, annotators=("ann",))
    for docno, title in (
        ("10.1/water", "How long leaves should stay in water"),
        ("10.1/heat", "Temperature and taste"),
    ):
        Document.objects.create(
            collection=made.collection, docno=docno, title=title, authors=["Potter, Ann"], year=2019
        )
    return made


def desk_of(material, new_page, name="ann", **options):
    campaign = material.collection.campaigns.get(slug="contexts")
    assignment = assignment_of(campaign, name, material.collection.papers.first())
    page = new_page(assignment.annotator.user, **options)
    page.goto(reverse("extraction_detail", args=[material.collection.slug, campaign.slug, assignment.pk]))
    return page, assignment


def extraction_campaign(material, **fields):
    campaign = make_campaign(material, name="Contexts", kind="extraction", **{"overlap": 1, **fields})
    assign_items(campaign=campaign, by=material.manager, at=AT)
    return open_campaign(campaign=campaign, by=material.manager, at=AT)


def saved(page) -> None:
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")


def test_a_pdf_becomes_contexts_by_keyboard(new_page, celery_worker, material, pdf):
    manager = new_page(material.manager)
    manager.goto(reverse("import_create", args=[material.collection.slug, "papers"]))
    manager.get_by_label("Files").set_input_files(pdf)
    manager.get_by_label("Try first").uncheck()
    manager.get_by_role("button", name="Send the files").click()
    expect(manager.locator("[data-job-final=done]")).to_be_visible(timeout=60_000)
    paper = Paper.objects.get()
    assert paper.title == "Steeping Leaves for Longer"
    extraction_campaign(material)
    page, assignment = desk_of(material, new_page)
    picture = page.locator("[data-part=sheet] img")
    expect(picture).to_be_visible(timeout=20_000)
    assert page.evaluate("i => i.naturalWidth", picture.element_handle()) == 1200
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("Tea has been studied")
    page.keyboard.press("j")
    page.keyboard.press("a")
    saved(page)
    expect(page.locator("[data-sentence][aria-current]")).to_contain_text("anonymised")
    assert "Potter" not in content_of(_now(work)).contexts[0].sentences[1].text
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
    expect(page.locator(".desk-context")).to_have_count(2)
    saved(page)
    page.keyboard.press("6")
    page.keyboard.press("p")
    page.keyboard.type("https://doi.org/10.1/water")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=references] [aria-current]")).to_contain_text("in the collection")
    saved(page)
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_contain_text("Finish this paper?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The paper is finished")).to_be_visible()
    done = _now(work)
    assert done.state == ExtractionState.FINISHED
    content = content_of(done)
    assert [each.blocks for each in content.contexts] == sorted(each.blocks for each in content.contexts)
    assert content.values["1"] == "10.1/water"
    assert assignment.item.paper == paper


def test_sentences_are_split_merged_typed_and_nothing_is_lost_offline(new_page, material):
    paper = PaperFactory(
        collection=material.collection, blocks=[{"id": 1, "text": "Tea is old. Lee [1, 2] measured it."}]
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, _ = desk_of(material, new_page)
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
    expect(page.locator("[data-part=save-text]")).to_contain_text("Offline")
    page.context.set_offline(False)
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved", timeout=10_000)
    assert content_of(_now(work)).contexts[0].sentences[0].text == "Tea is old. Very old."
    page.keyboard.press("j")
    page.keyboard.press("t")
    page.keyboard.type("1-2, 9")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sentence][aria-current] .badge.bad")).to_contain_text("cites 1, 2, 9")
    saved(page)
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_contain_text("cites 9, not in the references")
    page.keyboard.press("Escape")
    other, _ = desk_of(material, new_page)
    other.keyboard.press("x")
    saved(other)
    page.keyboard.press("x")
    expect(page.get_by_role("dialog")).to_contain_text("Changed in another window")
    page.get_by_role("button", name="The newest of the server").click()
    expect(page.locator("[data-sentence]")).to_have_count(1)
    assert ExtractionRevision.objects.filter(extraction=work).count() >= 4


@pytest.mark.parametrize(("scheme", "size"), FACES)
def test_the_screen_is_accessible(new_page, material, scheme, size):
    paper = PaperFactory(
        collection=material.collection,
        blocks=[
            {"id": n, "kind": kind, "text": f"{kind} {n} [1]."} for n, kind in enumerate(("heading", "paragraph"), 1)
        ],
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", "10.1/water")))
    extraction_campaign(material)
    page, _ = desk_of(material, new_page, color_scheme=scheme, viewport=size)
    expect(page.locator("[data-sentence]").first).to_be_visible()
    assert_accessible(page)
    for key in ("?", "c", "f"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert_accessible(page)
        page.keyboard.press("Escape")


def _now(work: Extraction) -> Extraction:
    work.refresh_from_db()
    return work
