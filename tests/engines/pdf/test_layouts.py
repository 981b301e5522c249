"""Whole papers in other layouts than acmart, printed by Chromium: columns, heads, feet, tables, notes, styles."""

from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from engines.formats.papers import FullPaper
from engines.pdf.paper import read_paper
from tests.engines.pdf.layouts import CITED, FONT_FILES, LAYOUTS, METHOD, OPENING, RELATED, font_faces

pytestmark = pytest.mark.browser

HEAD = '<div style="font-size: 7pt; width: 100%; text-align: center">Archive Conference 2022</div>'
FOOT = '<div style="font-size: 7pt; width: 100%; text-align: center"><span class="pageNumber"></span></div>'
PRINTED = [f"{layout}:{letters}" for layout in LAYOUTS for letters in FONT_FILES]
WORDS = {"information-seeking": 3, "cross-language": 3, "state-of-the-art": 3}


@pytest.fixture(scope="module")
def papers(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FullPaper]:
    found = {}
    folder = tmp_path_factory.mktemp("layouts")
    page = browser.new_page()
    for name in PRINTED:
        layout, letters = name.split(":")
        path = folder / f"{name}.pdf"
        page.set_content(LAYOUTS[layout]())
        page.add_style_tag(content=font_faces(letters))
        page.evaluate("document.fonts.ready.then(() => document.fonts.size)")
        page.pdf(
            path=path, prefer_css_page_size=True, display_header_footer=True, header_template=HEAD, footer_template=FOOT
        )
        found[name] = read(path)
    page.close()
    return found


def read(path: Path) -> FullPaper:
    with pypdfium2.PdfDocument(path) as document:
        return read_paper(document, WORDS, path.name)


@pytest.fixture(params=PRINTED)
def paper(request: pytest.FixtureRequest, papers: dict[str, FullPaper]) -> FullPaper:
    return papers[request.param]


def body(paper: FullPaper) -> list[str]:
    return [each.text for each in paper.paragraphs if each.kind == "paragraph"]


def test_title_and_abstract(paper: FullPaper) -> None:
    assert paper.title == "Asking Better Questions of Small Archives"
    assert paper.abstract.startswith("We look at how archives")
    assert paper.abstract.endswith("small archives answer better.")


def test_the_sections_and_their_parts(paper: FullPaper) -> None:
    headings = {each.section.lower(): each.part for each in paper.paragraphs if each.kind == "heading"}
    names = [name for name in headings if name not in ("searching archives", "answering questions")]
    assert names in (["introduction", "related work", "method"], ["introduction", "background", "method"])
    assert [headings[name] for name in names] == ["introduction", "related work", ""]
    assert {headings.get(name, "related work") for name in ("searching archives", "answering questions")} == {
        "related work"
    }


def test_the_paragraphs_come_back_whole_and_in_order(paper: FullPaper) -> None:
    """Each invented paragraph is one paragraph; hyphens that the printing put in are gone, real ones are there."""
    texts = body(paper)
    firsts = [text[:13] for text in (OPENING[1], OPENING[2], *RELATED)]
    places = [next((at for at, text in enumerate(texts) if text.startswith(first)), -1) for first in firsts]
    assert -1 not in places
    assert places == sorted(places)
    assert any(text.endswith("in the process of searching.") for text in texts)
    assert sum(text == METHOD[0] for text in texts) >= 4
    assert sum(text == METHOD[1] for text in texts) >= 4
    assert set(METHOD) >= set(texts[places[-1] + 1 :])
    first = texts[0]
    assert "state-of-the-art systems fail on long-tail questions" in first
    assert "Information-seeking behaviour" in first
    assert "cross-language retrieval" in first


def test_nothing_of_heads_feet_tables_and_notes_is_in_the_text(paper: FullPaper) -> None:
    texts = " ".join(body(paper))
    assert "Archive Conference 2022" not in texts
    assert "12,000" not in texts
    assert "stiff paper" not in texts
    assert "cards1" not in texts


def test_the_citing_sentences(paper: FullPaper) -> None:
    cited = [sentence.cites for each in paper.paragraphs if each.part for sentence in each.sentences if sentence.cites]
    assert cited == CITED


def test_the_proposals(paper: FullPaper) -> None:
    found = [sentence.anonymised for each in paper.paragraphs for sentence in each.sentences if sentence.anonymised]
    assert [text.split(",")[0] for text in found] == [
        "[5] showed that state-of-the-art systems fail on long-tail questions",
        "[2] counted requests over ten years",
        "Question answering over archives was first tried by [3].",
    ]


def test_the_references(paper: FullPaper) -> None:
    assert [each.key for each in paper.references] == ["1", "2", "3", "4", "5", "6"]
    assert [each.year for each in paper.references] == [2021, 2018, 2020, 2020, 2019, 1999]
    assert [each.title for each in paper.references[:5]] == [
        "Who asks, and why?",
        "Ten years of requests",
        "Reading or retrieving: A comparison",
        "The habits of keepers",
        "Long-tail questions in archives",
    ]
    assert "Cards and drawers: A history" in paper.references[5].title
    surnames = [[name.partition(",")[0] for name in each.authors] for each in paper.references[:5]]
    assert surnames == [
        ["Garcia"],
        ["Lee", "Park"],
        ["O’Neil", "Chan", "Wu"],
        ["O’Neil", "Chan", "Wu"],
        ["Smith", "Jones", "Müller"],
    ]
    assert paper.references[0].ids["doi"] == "10.1234/jas.2021.44"
    assert paper.references[2].ids["arxiv"] == "2001.01234"


def test_the_boxes_lie_on_their_pages(paper: FullPaper) -> None:
    for each in (*paper.paragraphs, *paper.references):
        assert each.boxes
        for box in each.boxes:
            size = paper.pages[box.page - 1]
            assert 0 <= box.x < box.x + box.width <= size.width
            assert 0 <= box.y < box.y + box.height <= size.height


def test_the_printed_text_keeps_its_lines(paper: FullPaper) -> None:
    for each in paper.paragraphs:
        assert len(each.printed.splitlines()) >= len(each.boxes)


def test_the_table_and_the_note_of_two_columns(papers: dict[str, FullPaper]) -> None:
    kinds = {each.kind: each.text for each in papers["two-columns-years:STIX"].paragraphs}
    assert kinds["caption"] == "Table 1: Archives and their requests in 2020."
    assert kinds["footnote"] == "1 Cards of stiff paper, in drawers."


def test_a_title_above_one_column_with_text_next_to_it(tmp_path: Path) -> None:
    path = tmp_path / "newsletter.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica-Bold", 18)
    for step, text in enumerate(("A Long Survey of", "Old Archives")):
        canvas.drawString(60, 740 - 22 * step, text)
    canvas.setFont("Times-Roman", 10)
    for step in range(9):
        canvas.drawString(320, 750 - 12 * step, "careful labels tell more about systems than many")
    canvas.drawString(60, 690, "Ann Potter and Cy Cup")
    canvas.save()
    assert read(path).title == "A Long Survey of Old Archives"
