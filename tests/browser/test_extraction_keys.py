"""Keys and requests that a paper costs a scripted expert: its references, and ten pages of it."""

from dataclasses import replace
from pathlib import Path
from textwrap import wrap

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from annotation.models import Extraction, ExtractionSource
from annotation.papers.extractions import content_of
from corpus.models import Document, Paper
from engines.definitions.extractions import Content, ExtractedContext, ExtractedSentence
from tests.browser.axe import assert_accessible
from tests.browser.experts import Hand, counted, counted_requests
from tests.browser.extraction import BODY, HEAD, extraction_campaign, open_extraction, paper_material, refreshed, saved
from tests.corpus.imports.importing import import_files
from tests.factories.papers import PaperFactory, assignment_of, make_content, make_extraction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def material():
    return paper_material()


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
    expect(page.get_by_role("dialog")).to_have_count(0)  # keys pressed before that are the dialog's
    expect(count).to_have_text("47 of 47 open")
    hand = Hand(page)
    resolve_references(hand)
    expect(page.locator("[data-part=coverage]")).to_have_text("47 of 47 references in the collection")
    counted(record_property, "47 references, of which 40 match exactly", keys=hand.keys, most_keys=25)
    assert hand.keys <= 25, f"{hand.keys} keys"
    saved(page)
    assert content_of(refreshed(work)).values == {str(n): f"d{n}" for n in range(1, 48)}
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
    assert list(content_of(refreshed(work)).values.values()).count(None) == 1


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
    expect(page.get_by_role("dialog")).to_contain_text("Every citation has its reference")
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


IN_SIGHT = """rows => {
  const pane = rows[0].closest(".screen-pane").getBoundingClientRect();
  const places = rows.map((row) => row.getBoundingClientRect());
  return places.filter(({ top, bottom }) => top >= pane.top && bottom <= pane.bottom).length;
}"""


def test_eight_references_are_in_sight_where_the_guideline_is_folded(new_page, material):
    """At 1280x800, also where the current one shows three candidates; the current one is read whole."""
    entries, proposal = bibliography(material)
    paper = PaperFactory(collection=material.collection, references=entries)
    make_extraction(paper, ExtractionSource.MACHINE, proposal)
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page, viewport={"width": 1280, "height": 800})
    page.locator("[data-part=guideline] summary").click()
    rows = page.locator("[data-part=references] > li")
    assert rows.evaluate_all(IN_SIGHT) >= 8
    page.keyboard.press("r")
    page.keyboard.press("s")
    current = page.locator("[data-part=references] [aria-current]")
    expect(current.locator(".extraction-candidate")).to_have_count(3)
    assert rows.evaluate_all(IN_SIGHT) >= 8
    cut_off = current.locator(".extraction-raw").evaluate("e => e.scrollWidth - e.clientWidth")
    assert cut_off <= 1


def test_the_tools_are_those_of_what_is_selected(new_page, material):
    entries = [{"number": str(n), "key": f"b{n}", "authors": ["Potter, Ann"], "raw": "Potter."} for n in (1, 2)]
    paper = PaperFactory(collection=material.collection, references=entries)
    sentences = (ExtractedSentence("Tea."), ExtractedSentence("Potter et al. [1] steeped it.", ("1",)))
    context = ExtractedContext("01", "introduction", sentences, (1,))
    proposal = Content((context,), make_content(values=(None, None)).references)
    make_extraction(paper, ExtractionSource.MACHINE, proposal)
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    tools = page.locator(".extraction-tools [data-act]:visible")

    def names(pane: int) -> list[str]:
        return [each.inner_text() for each in page.locator(".extraction-pane").nth(pane).locator(tools).all()]

    assert names(1) == ["Edit", "Cites", "Remove"], "one word: nothing to split, none above to merge with"
    page.keyboard.press("j")
    assert names(1) == ["Edit", "Cites", "Remove", "Anonymise", "Merge up", "Split"]
    page.keyboard.press("a")
    expect(page.locator("[data-act=anonymise]")).to_have_text("Put names back")
    assert page.locator(".extraction-tools kbd").count() == 0
    expect(page.locator("[data-act=unresolved]")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("r")
        page.keyboard.press("n")
    expect(page.locator("[data-part=reference-count]")).to_have_text("0 of 2 open")
    expect(page.locator("[data-act=unresolved]")).to_be_hidden()
    expect(page.locator("[data-act=exact]")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("merge with the sentence above")
    assert_accessible(page)
