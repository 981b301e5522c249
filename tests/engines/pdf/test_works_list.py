"""Lists of references: found without a heading, free of what else their columns hold."""

from pathlib import Path

import pypdfium2
import pytest

from engines.formats.papers import FullPaper
from engines.pdf.layout import Chunk, Kind
from engines.pdf.lines import Line
from engines.pdf.paper import read_paper
from engines.pdf.works_list import banded, list_lines, unheaded_list
from tests.engines.pdf.manuscripts import NUMBERED, OWN, TEXT, Manuscript, read
from tests.shared import shared_path

DOTTED = tuple(f"{place}. {work[4:]}" for place, work in enumerate(NUMBERED, 1))
YEARS = (
    "Bubo, F. (2015). Hunting in the dark. Journal of Invented Birds, 15, 500.",
    "Eule, C. (2001). Sound and prey, and what a hunter hears of it in a long and silent night of which nobody spoke, "
    "not even those who had been there from its beginning to its end. Journal of Invented Birds, 12, 200.",
    "Strix, D. (2004). Asymmetry in bone. Journal of Invented Birds, 13, 300.",
    "Tyto, E. (2009). Delays in the ear. Journal of Invented Birds, 14, 400.",
    "Uhl, A., and Kauz, B. (1999). Ears of owls. Journal of Invented Birds, 11, 100.",
)
TITLES = {"Ears of owls", "Sound and prey", "Asymmetry in bone", "Delays in the ear", "Hunting in the dark"}


def markers(paper: FullPaper) -> list[tuple[str, ...]]:
    return [marker.keys for each in paper.paragraphs for marker in each.markers]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["with-references-heading", "no-references-heading"])
def test_the_given_paper_has_its_works_and_markers_with_and_without_a_heading(name: str) -> None:
    path = shared_path("data", "real-inputs") / f"{name}.pdf"
    with pypdfium2.PdfDocument(path) as document:
        paper = read_paper(document, {}, path.name)
    assert [each.title for each in paper.references] == [
        "Ears of owls", "Sound and prey", "Asymmetry in bone", "Delays in the ear", "Hunting in the dark",
    ]  # fmt: skip
    assert paper.references[0].authors == ("Uhl, A.", "Kauz, B.")
    assert [each.year for each in paper.references] == [1999, 2001, 2004, 2009, 2015]
    assert len(markers(paper)) == 16
    assert not any("Invented Birds" in each.text for each in paper.paragraphs)


@pytest.mark.parametrize("heading", ["", "References"])
@pytest.mark.parametrize("works", [NUMBERED, DOTTED], ids=["[1]", "1."])
def test_numbered_works(tmp_path: Path, heading: str, works: tuple[str, ...]) -> None:
    paper = read(Manuscript(heading=heading, works=works), tmp_path)
    assert [each.key for each in paper.references] == ["1", "2", "3", "4", "5"]
    assert {each.title for each in paper.references} == TITLES
    assert markers(paper) == 2 * [("1", "2"), ("3",), ("2", "3", "4"), ("5",)]
    assert [each.text for each in paper.paragraphs if each.kind == "paragraph"] == [TEXT, TEXT, OWN, OWN]


@pytest.mark.parametrize("heading", ["", "References"])
def test_works_by_names_and_years(tmp_path: Path, heading: str) -> None:
    text = TEXT.replace("[1, 2]", "(Uhl and Kauz, 1999; Eule, 2001)").replace("[3]", "(Strix, 2004)")
    text = text.replace(" [2-4]", "").replace(" [5]", "")
    made = Manuscript(sections=(("1 Introduction", (text,)), ("2 Method", (OWN,))), heading=heading, works=YEARS)
    paper = read(made, tmp_path)
    assert [each.year for each in paper.references] == [2015, 2001, 2004, 2009, 1999]
    assert markers(paper) == [("5", "2"), ("3",)]
    assert paper.paragraphs[-1].text == OWN


def test_steps_that_count_upwards_are_no_works(tmp_path: Path) -> None:
    steps = tuple(f"{place}. Then the light is made fainter, and the bird is asked again." for place in range(1, 6))
    paper = read(Manuscript(works=steps), tmp_path)
    assert paper.references == ()
    assert "made fainter" in paper.paragraphs[-1].text


def test_an_appendix_behind_works_without_a_heading_stays_text(tmp_path: Path) -> None:
    made = Manuscript(works=(*NUMBERED, "", "A More owls", OWN))
    paper = read(made, tmp_path)
    assert len(paper.references) == 5


def line(text: str, *, column: int = 0, base: float = 0, size: float = 8) -> Line:
    return Line(1, column, [], 50 + 250 * column, 290 + 250 * column, base - 7, base + 1, base, size, 0, 0, 0, text)


def test_a_list_below_both_columns_follows_the_text_above_it() -> None:
    text = Chunk(Kind.BODY, [line("The text begins", base=100, size=10)])
    works = Chunk(Kind.FOOTNOTE, [line("[1] A. Uhl, Owls. 1999.", base=300)])
    more = Chunk(Kind.BODY, [line("and goes on.", base=100, size=10, column=1)])
    rest = Chunk(Kind.FOOTNOTE, [line("[2] B. Kauz, Owls. 2000.", base=300, column=1)])
    assert banded([text, works, more, rest]) == [text, more, works, rest]
    late = Chunk(Kind.FOOTNOTE, [line("[2] B. Kauz, Owls. 2000.", base=100, column=1)])
    assert banded([text, works, late]) == [text, works, late]


def test_captions_tables_and_notes_are_no_lines_of_a_list() -> None:
    works = Chunk(Kind.FOOTNOTE, [line("[1] A. Uhl, Owls. 1999.")])
    caption, table = Chunk(Kind.CAPTION, [line("Table 1: Owls.")]), Chunk(Kind.TABLE, [line("North 12 310")])
    note = Chunk(Kind.FOOTNOTE, [line("the rest of a note from the column before", size=7)])
    assert list_lines([works, caption, table, note]) == works.lines


def test_no_chunks_are_no_list() -> None:
    assert unheaded_list([]) is None
    assert list_lines([]) == []


def test_hostile_numbers_take_no_longer_than_their_length() -> None:
    for text in ("[1] A. Uhl, Owls. 1999.", "A. Uhl, Owls. 1999.", "1. 1. 1."):
        chunks = [Chunk(Kind.BODY, [line(text)]) for _ in range(20_000)]
        unheaded_list(chunks)
        assert len(banded(chunks)) == len(chunks)
