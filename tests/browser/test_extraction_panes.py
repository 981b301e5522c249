"""The panes of the extraction screen: which sections are taken, and how the paper and its contexts keep together."""

import pytest
from playwright.sync_api import expect

from annotation.models import Extraction, ExtractionSource
from annotation.papers.extractions import content_of
from corpus.models import Paper
from engines.definitions.extractions import Content, ExtractedContext, ExtractedSentence
from tests.browser.axe import assert_accessible
from tests.browser.extraction import extraction_campaign, open_extraction, paper_material, refreshed, saved
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def material():
    return paper_material()


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
    assert [(each.id, each.section, each.blocks) for each in content_of(refreshed(work)).contexts] == [
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
