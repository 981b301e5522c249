"""Papers that TeX sets in the classes of several publishers: what a reader tuned to one publisher would lose."""

import pypdfium2
import pytest

from engines.formats.papers import FullPaper
from engines.pdf.paper import read_paper
from tests.engines.pdf.layouts import METHOD
from tests.engines.pdf.tex import CITED, STYLES, SURVEYS, TITLE, has_tex, printed

pytestmark = pytest.mark.skipif(
    not has_tex(),
    reason="pdflatex or a publisher's class is missing: apt install texlive-latex-recommended texlive-publishers"
    " texlive-fonts-recommended",
)


@pytest.fixture(scope="module", params=list(STYLES))
def paper(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FullPaper:
    path = printed(request.param, tmp_path_factory.mktemp("tex"))
    with pypdfium2.PdfDocument(path) as document:
        return read_paper(document, {"state-of-the-art": 3, "long-tail": 3, "cross-language": 3}, path.name)


@pytest.mark.slow
def test_title_and_abstract(paper: FullPaper) -> None:
    assert paper.title == TITLE
    assert paper.abstract.startswith("We look at how archives")
    assert paper.abstract.endswith("answer better.")


def test_surveys_are_proposed_under_the_names_of_their_subjects(paper: FullPaper) -> None:
    found = {each.section.lower(): each.part for each in paper.paragraphs if each.kind == "paragraph"}
    surveys = dict.fromkeys((name.lower() for name in SURVEYS), "related work")
    assert found == {"introduction": "introduction", **surveys, "method": "", "conclusion": ""}


def test_each_paragraph_comes_back_whole(paper: FullPaper) -> None:
    texts = [each.text for each in paper.paragraphs if each.kind == "paragraph"]
    assert len(texts) == 3 + 4 + 2 * len(METHOD) + 1
    assert set(texts[7:]) == set(METHOD)
    assert texts[0].endswith("in the process of searching.")
    assert "The first systems" in texts[0], "ligatures are letters"


def test_every_sentence_cites_what_it_prints(paper: FullPaper) -> None:
    assert [each.year for each in paper.references] == [2021, 2018, 2020, 2020, 2019, 1999]
    assert paper.references[1].authors == ("Lee, K.", "Park, S.")
    cites = [one.cites for each in paper.paragraphs for one in each.sentences if one.cites]
    assert cites == CITED
