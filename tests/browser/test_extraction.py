"""A paper from its PDF to finished contexts, by keyboard, with a real worker; and the screen's other faces."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Route, expect
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from annotation.assignment.actions.assignments import assign_items
from annotation.campaigns.actions.campaigns import open_campaign
from annotation.definitions.extractions import Content, ExtractedContext, ExtractedSentence, gold_of_content
from annotation.inquiries.actions import answer_inquiry
from annotation.models import Extraction, ExtractionRevision, ExtractionSource, ExtractionState, Inquiry
from annotation.papers.reads.extractions import content_of
from corpus.formats.acm_cr import read_acm_cr
from corpus.models import Document, Paper
from tests.browser.axe import FACES, assert_accessible
from tests.browser.experts import Hand, counted, counted_requests
from tests.corpus.imports.importing import import_files
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


@pytest.fixture
def material():
    made = make_material(topics=1, annotators=("ann",))
    for docno, title, author, year in (
        ("10.1/water", "How long leaves should stay in water", "Potter, Ann", 2019),
        ("10.1/heat", "Temperature and taste", "Potter, Ann", 2019),
        ("10.1/tap", "Water From the Tap", "Sugar, Eve", 2021),
    ):
        Document.objects.create(collection=made.collection, docno=docno, title=title, authors=[author], year=year)
    return made


def open_extraction(material, new_page, name="ann", **options):
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
    """Save now what would be saved within two minutes."""
    page.keyboard.press("Control+s")
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
    page, assignment = open_extraction(material, new_page)
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
    page.keyboard.press("Enter")
    expect(page.get_by_text("The paper is finished")).to_be_visible()
    done = _now(work)
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


def test_a_section_is_included_and_left_out_by_one_key(new_page, material):
    """Why each section is proposed stands there; what is left out is in a folded list; I changes it, U undoes that."""
    cites = [{"start": 0, "end": 24, "cites": ["b0"]}]
    shared = {"kind": "paragraph", "sentences": cites}
    blocks = [
        {"id": 1, **shared, "top": "1 Introduction", "section": "Introduction", "part": "introduction",
         "reason": "Its heading names the introduction.",
         "text": "Tea is old, says Lee [1]." + " It was steeped." * 200},
        {"id": 2, **shared, "top": "2 Water", "section": "Water", "reason": "It reads like the paper's own work.",
         "text": "Water was measured [1] ."},
        {"id": 3, **shared, "top": "2 Water", "section": "Water", "reason": "It reads like the paper's own work.",
         "text": "Its heat was, too, [1] ."},
    ]  # fmt: skip
    entries = [{"number": "1", "key": "b0", "raw": "Lee. On tea."}]
    paper = PaperFactory(collection=material.collection, blocks=blocks, references=entries)
    make_extraction(paper, ExtractionSource.MACHINE, make_content(cites=("1",), values=("10.1/water",)))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    folded = page.locator("[data-part=sections]")
    expect(page.locator("[data-part=block-section]")).to_contain_text("Its heading names the introduction.")
    cut_off = page.locator("[data-part=block-section]").evaluate("e => e.scrollHeight - e.clientHeight")
    assert cut_off <= 1, "the reason is to be read whole"
    expect(folded.locator("summary")).to_contain_text("2 citing paragraphs outside the contexts")
    expect(folded.locator(".extraction-outside").first).to_be_hidden()
    folded.locator("summary").click()
    folded.get_by_role("button", name="Its heat was, too").click()
    expect(page.locator("[data-part=block-section]")).to_contain_text("not proposed, 0 of 2 citing paragraphs")
    page.keyboard.press("i")
    expect(page.locator(".extraction-context")).to_have_count(3)
    expect(folded.locator("summary")).to_contain_text("0 citing paragraphs outside the contexts")
    saved(page)
    assert [(each.id, each.section, each.blocks) for each in content_of(_now(work)).contexts] == [
        ("01", "introduction", (1,)), ("02", "related work", (2,)), ("03", "related work", (3,)),
    ]  # fmt: skip
    page.keyboard.press("i")
    expect(page.locator(".extraction-context")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator(".extraction-context")).to_have_count(3)
    folded.get_by_role("button", name="Leave out section 2 Water").click()
    expect(page.locator(".extraction-context")).to_have_count(1)
    assert_accessible(page)


def scanned_paper(material) -> Paper:
    """A paper of two pages in two columns of 200 points; the bibliography is on the second page."""
    left = "Tea is old. Lee [1] measured its heat in cups. Nobody knows who drank it first or why."
    right = "Water was heated by Ray [2] as well."
    blocks = [
        {"id": 1, "kind": "paragraph", "text": left,
         "boxes": [{"page": 1, "x": 60, "y": 300, "width": 200, "height": 24}],
         "printed": "Tea is old. Lee [1] measured its heat in\ncups. Nobody knows who drank it first or why."},
        {"id": 2, "kind": "paragraph", "text": right, "printed": right,
         "boxes": [{"page": 1, "x": 320, "y": 600, "width": 200, "height": 12}]},
    ]  # fmt: skip
    entries = [
        {"number": str(n), "raw": f"{name}. On tea. 2019.", "key": str(n), "title": "On tea",
         "boxes": [{"page": 2, "x": 320, "y": 100 * n, "width": 200, "height": 24}]}
        for n, name in enumerate(("Lee", "Ray"), 1)
    ]  # fmt: skip
    paper = PaperFactory(
        collection=material.collection, source="pdf", file="two.pdf", pages=[[595, 842]] * 2,
        blocks=blocks, references=entries,
    )  # fmt: skip
    contexts = tuple(
        ExtractedContext(f"0{n}", "introduction", tuple(ExtractedSentence(*each) for each in sentences), (n,))
        for n, sentences in enumerate(
            (
                (
                    ("Tea is old.",),
                    ("Lee [1] measured its heat in cups.", ("1",)),
                    ("Nobody knows who drank it first or why.",),
                ),
                (("Water was heated by Ray [2] as well.", ("2",)),),
            ),
            1,
        )
    )
    references = make_content(values=(None, None)).references
    make_extraction(paper, ExtractionSource.MACHINE, Content(contexts, references))
    return paper


def test_the_panes_follow_each_other(new_page, material):
    """A sentence, its place on the page and what it cites are shown together; Z shows all of the page."""
    scanned_paper(material)
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    number = page.locator("[data-part=page-number]")
    block = page.locator(".extraction-outline[aria-pressed=true]")
    sentence = page.locator("[data-sentence][aria-current]")
    reference = page.locator("[data-part=references] [aria-current]")
    expect(page.locator(".extraction-spot")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator(".extraction-spot")).to_have_count(2)
    assert_marks(page, [(60 + 200 * 8 / 29, 300, 200 * 21 / 29), (60, 312, 200 * 4 / 35)])
    assert_in_sight(page, ".extraction-outline[aria-pressed=true]")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(block).to_have_attribute("data-block", "2")
    expect(reference).to_contain_text("[2]")
    assert_in_sight(page, ".extraction-spot")
    page.keyboard.press("6")
    page.keyboard.press("k")
    expect(number).to_have_text("Page 2 of 2")
    expect(sentence).to_contain_text("Lee [1] measured")
    expect(reference).to_be_focused()
    assert_in_sight(page, ".extraction-spot")
    page.keyboard.press("4")
    page.keyboard.press("j")
    expect(sentence).to_contain_text("Water was heated")
    expect(number).to_have_text("Page 1 of 2")
    view = page.locator("[data-part=view]")
    column = page.locator("[data-block='2']").bounding_box()["width"]
    assert column > 0.9 * view.bounding_box()["width"], "the column fills the pane"
    page.keyboard.press("z")
    expect(page.locator("[data-part=zoom]")).to_have_attribute("aria-pressed", "true")
    assert view.evaluate("e => e.scrollHeight <= e.clientHeight && e.scrollWidth <= e.clientWidth"), "all of the page"
    page.keyboard.press("z")
    assert_in_sight(page, "[data-block='2']")
    for head in page.locator(".extraction-head").all():
        assert head.evaluate("e => e.scrollWidth <= e.clientWidth && e.clientHeight < 60"), "toolbars are one line"
    assert_accessible(page)


def assert_marks(page, expected: list[tuple[float, float, float]]) -> None:
    """The sentence is marked at these (x, y, width) in points, but for a letter or two."""
    found = page.locator("[data-part=sheet]").evaluate(
        """sheet => [...sheet.querySelectorAll(".extraction-spot")].map((spot) => {
          const [whole, part] = [sheet.getBoundingClientRect(), spot.getBoundingClientRect()];
          return [part.left - whole.left, part.top - whole.top, part.width].map((at) => at * 595 / whole.width);
        })"""
    )
    for spot, wanted in zip(found, expected, strict=True):
        assert spot == pytest.approx(wanted, abs=8)


def assert_in_sight(page, selector: str) -> None:
    place, view = (page.locator(each).first.bounding_box() for each in (selector, "[data-part=view]"))
    for side, size in (("x", "width"), ("y", "height")):
        assert view[side] <= place[side], "it begins within the pane"
        assert place[side] + place[size] <= view[side] + view[size], "it ends within the pane"


def test_sentences_are_split_merged_typed_and_nothing_is_lost_offline(new_page, material):
    paper = PaperFactory(
        collection=material.collection, blocks=[{"id": 1, "text": "Tea is old. Lee [1, 2] measured it."}]
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
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
    expect(page.get_by_role("dialog")).to_have_count(0)  # keys pressed before that are the dialog's
    assert_keys_wait_for_undo(page, work)
    assert_signs_in_again_in_place(page, work)
    other, _ = open_extraction(material, new_page)
    other.keyboard.press("x")
    saved(other)
    page.keyboard.press("u")
    expect(page.get_by_role("dialog")).to_contain_text("Changed in another window")
    page.keyboard.press("Escape")  # one of the two is to be chosen
    expect(page.locator("[data-part=clash-list] li")).to_have_count(1)
    expect(page.locator("[data-part=clash-list] ins")).to_contain_text("Tea is old. Very old.")
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


def test_edits_are_kept_at_once_and_sent_together(new_page, material):
    """Three edits are one request and three steps back; unsent ones are undone here; nothing is lost on leaving."""
    paper = PaperFactory(
        collection=material.collection, blocks=[{"id": 1, "text": "Tea is old. Lee [1, 2] measured it."}]
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    page.clock.install()
    page.reload()
    sent = counted_requests(page)
    sentences = page.locator("[data-sentence]")
    for _ in range(2):
        page.keyboard.press("s")
    page.keyboard.press("x")
    expect(page.locator("[data-part=save-text]")).to_have_text("3 edits kept here")
    page.keyboard.press("u")
    expect(sentences).to_have_count(4)
    page.keyboard.press("Shift+U")
    expect(sentences).to_have_count(3)
    page.clock.run_for(100_000)
    assert sent == [], "nothing is sent yet"
    page.clock.run_for(25_000)
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    assert [Path(each.url).name for each in sent] == ["state"]
    assert [len(each.post_data_json["steps"]) for each in sent] == [3]
    assert list(work.revisions.order_by("number").values_list("change", flat=True)[1:]) == [
        "split", "split", "sentence removed",
    ]  # fmt: skip
    page.keyboard.press("u")
    expect(sentences).to_have_count(4)
    page.keyboard.press("e")
    page.keyboard.type(" Brewed.")
    page.keyboard.press("Enter")
    page.get_by_text("Work with a file instead").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as XML").click()
    assert "Brewed." in Path(download.value.path()).read_text(), "a file has what was done just now"
    page.keyboard.press("5")
    page.keyboard.press("x")
    expect(sentences).to_have_count(3)
    page.goto(reverse("home"))
    page.clock.resume()
    page.go_back()
    expect(sentences).to_have_count(3)
    assert sum(len(each.sentences) for each in content_of(_now(work)).contexts) == 3, "sent on leaving"
    assert_kept_edits_meet_another_windows(page, material, new_page)


def assert_kept_edits_meet_another_windows(page, material, new_page) -> None:
    """What a closed browser kept is shown with what was saved elsewhere since; mine is kept where I say so."""
    page.route("**/state/", lambda route: route.abort())
    page.keyboard.press("e")
    page.keyboard.type(" Mine.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=save-text]")).to_have_text("1 edit kept here")
    other, _ = open_extraction(material, new_page)
    other.keyboard.press("6")
    other.keyboard.press("n")
    saved(other)
    page.reload()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Changed in another window")
    expect(dialog.locator("li").first.locator("ins")).to_have_text(" Mine.")
    expect(dialog.locator("li").last).to_contain_text("Reference 1no identifier 10.1/water")
    page.unroute("**/state/")
    page.get_by_role("button", name="Keep mine").click()
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    content = content_of(work)
    assert content.contexts[0].sentences[0].text.endswith("Mine.")
    assert content.values["1"] == "10.1/water"


def assert_skips_and_takes_up_by_keys(page, work) -> None:
    page.keyboard.press("Shift+X")
    expect(page.get_by_role("dialog")).to_contain_text("Skip this paper?")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Skipped. What you did")).to_be_visible()
    skip = work.assignment.submissions.get()
    assert (skip.kind, skip.reason) == ("skip", "The file is broken, or the wrong paper")
    page.get_by_role("button", name="Reopen").press("Enter")
    expect(page.locator("[data-sentence]")).to_have_count(1)


def assert_keys_wait_for_undo(page, work) -> None:
    """What is typed while a step back is on its way is done to what it leads to: nothing typed becomes a command."""
    under_way: list[Route] = []

    def hold(route: Route) -> None:
        under_way.append(route)

    page.route("**/move/", hold)
    page.keyboard.press("u")
    page.keyboard.press("e")
    page.keyboard.type(" Fuxx")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.keyboard.press("k")
    expect(page.locator("[data-sentence]")).to_have_count(2)
    for _ in range(1500):
        if under_way:
            break
        page.wait_for_timeout(20)
    assert under_way, "no step back was sent within 30 seconds"
    under_way[0].continue_()
    expect(page.locator("[data-sentence]").nth(1)).to_contain_text("measured it. Fux")
    expect(page.locator("[data-sentence]").first).to_have_attribute("aria-current", "true")
    page.unroute("**/move/")
    saved(page)
    sentence = content_of(_now(work)).contexts[0].sentences[1]
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
    assert content_of(_now(work)).contexts[0].sentences[0].text.endswith("Very old. Signed out.")


def bibliography(material, exact: int = 40) -> tuple[list[dict], Content]:
    """47 references whose documents are all there, and a proposal from before most of them came.

    `exact` have the title of one document; then there are four that several documents fit, one preprint with a
    refereed version, and two whose titles are printed otherwise.
    """
    entries, candidates, refereed = [], {}, {}
    for n in range(1, 48):
        title = printed = f"Steeping habits of {NAMES[n % 7]} in season {n}"
        if n > exact + 5:
            title, printed = (
                f"{why} {n} boil?" for why in ("Why do kettles sing before", "Why kettles sing before all")
            )
        entries.append({
            "number": str(n), "key": f"b{n}", "title": title, "authors": [f"{NAMES[n % 7]}, Ann"], "year": 1970 + n,
            "raw": f"Ann {NAMES[n % 7]}. {1970 + n}. {title}{' arXiv preprint.' if n == exact + 5 else ''}",
        })  # fmt: skip
        for docno in [f"d{n}", f"d{n}b"] if exact < n <= exact + 4 else [f"d{n}"]:
            Document.objects.create(
                collection=material.collection, docno=docno, title=printed, authors=[f"{NAMES[n % 7]}, Ann"],
                year=1970 + n,
            )  # fmt: skip
            if exact < n <= exact + 5:
                candidates.setdefault(str(n), []).append(docno)
        if n == exact + 5:
            refereed[str(n)] = f"d{n}"
    references = tuple(
        replace(
            each, raw=entry["raw"], candidates=tuple(candidates.get(each.number, ())),
            refereed=refereed.get(each.number, ""), is_ambiguous=each.number in candidates,
        )
        for each, entry in zip(make_content(values=(None,) * 47).references, entries, strict=True)
    )  # fmt: skip
    return entries, Content(make_content().contexts, references)


NAMES = ("Brewer", "Kettle", "Potter", "Spoon", "Sugar", "Cup", "Leaf")


def resolve_references(hand: Hand) -> None:
    """Accept the exact matches after their preview, then go from one unresolved reference to the next."""
    page = hand.page
    current = page.locator("[data-part=references] [aria-current]")
    if int(page.locator("[data-part=reference-count]").inner_text().split()[0]) > 7:
        hand.press("Shift+R")
        expect(page.get_by_role("dialog")).to_contain_text("Exact matches")
        hand.press("Enter")
    for _ in range(47):
        if page.locator("[data-part=reference-count]").inner_text().startswith("0 "):
            return
        hand.press("r")
        if current.locator(".extraction-candidate").count() == 0:
            hand.press("s")
            expect(current.locator(".extraction-candidate").first).to_be_visible()
        hand.press("1")
        expect(current).not_to_contain_text("unresolved")


def test_47_references_whose_documents_are_there_take_25_keys(new_page, material, record_property):
    entries, proposal = bibliography(material)
    paper = PaperFactory(collection=material.collection, blocks=[], references=entries)
    make_extraction(paper, ExtractionSource.MACHINE, proposal)
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    count = page.locator("[data-part=reference-count]")
    expect(count).to_have_text("47 of 47 open")
    page.keyboard.press("Shift+R")
    expect(page.locator("[data-part=exact-list] li")).to_have_count(40)
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(count).to_have_text("47 of 47 open")
    hand = Hand(page)
    resolve_references(hand)
    expect(page.locator("[data-part=coverage]")).to_have_text("47 of 47 in the collection")
    counted(record_property, "47 references, of which 40 match exactly", keys=hand.keys, most_keys=25)
    assert hand.keys <= 25, f"{hand.keys} keys"
    saved(page)
    assert content_of(_now(work)).values == {str(n): f"d{n}" for n in range(1, 48)}
    assert_identifiers_are_pasted_typed_and_denied(page, work)


def assert_identifiers_are_pasted_typed_and_denied(page, work) -> None:
    """Without a dialog; words that are no identifier search; that there is none is a decision as well."""
    current = page.locator("[data-part=references] [aria-current]")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText(' https://doi.org/10.9/pasted ')")
    page.keyboard.press("Control+v")
    expect(current).to_contain_text("10.9/pasted")
    page.keyboard.press("p")
    page.keyboard.type("10.9/other")
    page.keyboard.press("Escape")
    expect(current).to_contain_text("10.9/pasted")
    page.keyboard.press("p")
    page.keyboard.type("habits of Potter 1972")
    page.keyboard.press("Enter")
    expect(current.locator(".extraction-candidate")).to_have_count(3)
    expect(current.locator(".extraction-candidate").first).to_contain_text("season 2")
    page.keyboard.press("n")
    expect(current.locator(".badge").first).to_have_text("none")
    expect(page.locator("[data-part=reference-count]")).to_have_text("0 of 47 open")
    saved(page)
    assert list(content_of(_now(work)).values.values()).count(None) == 1


def ten_pages(path: Path, entries: list[dict]) -> Path:
    """A paper of ten pages whose introduction and related work have twelve citing paragraphs of five sentences."""
    canvas = Canvas(str(path), pagesize=A4)
    lines = [(HEAD_LINE, "Forty-seven Ways of Steeping Leaves"), (BODY, "Ada Brewer and Ben Kettle")]
    for number, heading in ((1, "Introduction"), (2, "Related Work")):
        lines.append((HEAD, f"{number} {heading}"))
        for paragraph in range(6):
            lines += paragraph_lines(" ".join(citing_sentences(number * 6 + paragraph - 6)))
    for number, heading in enumerate(("Methods", "Results", "Discussion"), 3):
        lines.append((HEAD, f"{number} {heading}"))
        for paragraph in range(17):
            lines += paragraph_lines(" ".join(FILLER.format(n=10 * number + paragraph + n) for n in range(7)))
    lines.append((HEAD, "References"))
    for entry in entries:
        lines += paragraph_lines(f"[{entry['number']}] {entry['raw']}", indent=False)
    height = 780.0
    for (font, size), text in lines:
        if height < 60:
            canvas.showPage()
            height = 780.0
        height -= 14 if size > 10 else 0
        canvas.setFont(font, size)
        canvas.drawString(84 if text.startswith("\t") else 72, height, text.strip())
        height -= 2 * size if size > 10 else 13
    canvas.save()
    return path


HEAD_LINE = ("Helvetica-Bold", 16)
FILLER = "In round {n} we poured water over the leaves and asked the guests what they had noticed about the taste."


def paragraph_lines(text: str, *, indent: bool = True) -> list[tuple[tuple[str, int], str]]:
    first, *rest = wrap(text, 96, break_on_hyphens=False)
    return [(BODY, f"\t{first}" if indent else first), *((BODY, line) for line in rest)]


def citing_sentences(n: int) -> list[str]:
    """Five sentences, of which two name authors that may be taken out."""
    one, two, three, four = (str((4 * n + each) % 47 + 1) for each in range(4))
    return [
        f"Leaves have been steeped for a long time and in many ways in every town of group {n}.",
        f"{NAMES[int(one) % 7]} [{one}] asked how long people wait before they pour the first cup.",
        f"Others have looked at the heat of the water and at the shape of the cup [{two}, {three}].",
        f"In a later season {NAMES[int(four) % 7]} [{four}] counted the leaves that were left over.",
        "None of them asked what the guests remember of the evening.",
    ]


def test_a_paper_of_ten_pages_takes_120_keys_and_20_requests(new_page, material, tmp_path, record_property):
    """A scripted expert looks at every sentence, takes names out, resolves the references and finishes the paper."""
    entries, _ = bibliography(material)
    run = import_files(material.collection, ten_pages(tmp_path / "ten.pdf", entries), kind="papers")
    assert run.state == "done", run.errors
    paper = Paper.objects.get()
    proposal = content_of(paper.extractions.get())
    assert (len(paper.pages), len(proposal.contexts), len(proposal.references)) == (10, 12, 47)
    extraction_campaign(material)
    page = new_page(material.people["ann"])
    sent, hand = counted_requests(page), Hand(page)
    campaign = material.collection.campaigns.get(slug="contexts")
    page.goto(reverse("extraction_detail", args=["teas", "contexts", assignment_of(campaign, "ann", paper).pk]))
    current = page.locator("[data-sentence][aria-current]")
    total = page.locator("[data-sentence]").count()
    for place in range(total):
        if "A takes out" in current.inner_text():
            hand.press("a")
            expect(current).to_contain_text("anonymised")
        if place < total - 1:
            hand.press("j")
    resolve_references(hand)
    hand.press("f")
    expect(page.get_by_role("dialog")).to_contain_text("No unresolved citations")
    hand.press("Enter")
    expect(page.get_by_text("The paper is finished")).to_be_visible()
    done = content_of(Extraction.objects.get(source=ExtractionSource.ANNOTATOR))
    names = [Path(each.url).name for each in sent]
    assert done.values == {str(n): f"d{n}" for n in range(1, 48)}
    assert sum(each.anonymised for context in done.contexts for each in context.sentences) == 24
    assert total == 60
    figures = {"keys": hand.keys, "most_keys": 119, "requests": len(sent), "most_requests": 19}
    counted(record_property, "a paper of 10 pages: 60 sentences, 24 with names to take out, 47 references", **figures)
    assert hand.keys < 120, hand.keys
    assert len(sent) < 20, names
    assert "reading" not in names


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
    page, _ = open_extraction(material, new_page, color_scheme=scheme, viewport=size)
    expect(page.locator("[data-sentence]").first).to_be_visible()
    assert_accessible(page)
    for key in ("?", "c", "f", "Shift+X"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert_accessible(page)
        page.keyboard.press("Escape")


def _now(work: Extraction) -> Extraction:
    work.refresh_from_db()
    return work
