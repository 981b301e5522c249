"""What is no text of a paper: contents, heads, numbers of lines; and what the file says of itself."""

from pathlib import Path

import pytest

from engines.pdf.contents import drop_contents
from engines.pdf.lines import Line
from tests.engines.pdf.manuscripts import OWN, TEXT, Manuscript, read

SECTIONS = (("1 Introduction", (TEXT,) * 8), ("2 Method", (OWN,) * 12), ("3 Results", (OWN,) * 12))
DOTS = " . . . . . . . . . . . . . . . . . . "


def dotted(text: str, place: int) -> Line:
    return Line(1, 0, [], 50, 290, 10 * place, 10 * place + 8, 10 * place + 7, 10, 0, 0, 0, text)


def headings(made: Manuscript, folder: Path) -> list[str]:
    return [each.text for each in read(made, folder).paragraphs if each.kind == "heading"]


@pytest.mark.parametrize("name", ["Contents", "Inhaltsverzeichnis"])
def test_a_table_of_contents_is_no_section(tmp_path: Path, name: str) -> None:
    rows = (name, f"1 Introduction{DOTS}1", f"2 Method{DOTS}2", f"2.1 What was measured{DOTS}2", f"3 Results{DOTS}3")
    made = Manuscript(sections=SECTIONS, contents=rows)
    assert headings(made, tmp_path) == ["1 Introduction", "2 Method", "3 Results"]
    assert not any(". . ." in each.text for each in read(made, tmp_path).paragraphs)


@pytest.mark.parametrize(("count", "first"), [(4, "1 Introduction"), (2, "1 Part")])
def test_rows_with_dots_go_without_a_heading_where_there_are_some(tmp_path: Path, count: int, first: str) -> None:
    rows = [[dotted(f"{place} Part{DOTS}{place}", place) for place in range(1, count + 1)]]
    kept = [*drop_contents(rows)[0], dotted("1 Introduction", 9)]
    assert kept[0].text.startswith(first)


@pytest.mark.parametrize("top", [720, 640], ids=["in the margin", "further inwards"])
def test_running_heads_are_no_sections_and_no_text(tmp_path: Path, top: float) -> None:
    paper = read(Manuscript(sections=SECTIONS, head="# HEARING OF BARN OWLS", top=top), tmp_path)
    assert len(paper.pages) > 2
    assert not any("HEARING OF" in each.text for each in (*paper.paragraphs,))
    assert not any("HEARING OF" in each.raw for each in paper.references)


def test_numbers_of_lines_are_no_text(tmp_path: Path) -> None:
    with_ruler = read(Manuscript(sections=SECTIONS, ruler=True), tmp_path)
    without = read(Manuscript(sections=SECTIONS), tmp_path)
    assert [each.text for each in with_ruler.paragraphs] == [each.text for each in without.paragraphs]
    assert len(with_ruler.references) == 5


def test_the_title_that_the_file_gives_is_taken_where_its_first_page_prints_it(tmp_path: Path) -> None:
    described = {"Title": "Hearing of barn owls in faint light", "Author": "Ada Xample, Somebody Else"}
    paper = read(Manuscript(above_title="BIRDS-2021-7", described=described), tmp_path)
    assert paper.title == described["Title"]
    assert paper.authors == ("Ada Xample",), "whom the page does not print is not taken"


@pytest.mark.parametrize("title", ["Microsoft Word - owls.doc", "A Paper by Others of Another Year", "untitled"])
def test_the_title_of_a_template_is_not_taken(tmp_path: Path, title: str) -> None:
    assert read(Manuscript(described={"Title": title}), tmp_path).title == "Hearing of Barn Owls in Faint Light"


def test_the_outline_of_the_file_names_headings_that_are_set_like_text(tmp_path: Path) -> None:
    sections = (("Introduction", (TEXT,)), ("How owls were kept", (OWN,)), ("What they heard", (OWN,)))
    made = Manuscript(sections=sections, outline=True)
    assert headings(made, tmp_path) == ["Introduction", "How owls were kept", "What they heard"]


def test_a_paper_without_an_introduction_begins_at_its_first_heading_or_text(tmp_path: Path) -> None:
    unnamed = Manuscript(sections=(("Abstract", (OWN,)), ("How owls hear", (TEXT,)), ("Where they live", (OWN,))))
    assert headings(unnamed, tmp_path) == ["How owls hear", "Where they live"]
    letter = read(Manuscript(sections=(("", (TEXT, OWN)),)), tmp_path)
    assert [each.text for each in letter.paragraphs if each.kind == "paragraph"] == [TEXT, OWN]
    assert len(letter.references) == 5
