"""Some of ACM-CR's real papers against their gold; `make extraction-report` measures all of them."""

import pypdfium2
import pytest

from bench.extraction import Score, score_texts
from engines.formats.acm_cr import read_acm_cr
from engines.pdf.paper import read_paper
from tests.shared import shared_path

SHORT_PAPERS = ["3409256.3409838", "3397271.3401188", "3409256.3409817", "3343413.3377985"]


@pytest.mark.slow
@pytest.mark.shared
def test_paragraphs_sentences_and_citations_of_short_papers() -> None:
    score, entries = Score(), [0, 0]
    for name in SHORT_PAPERS:
        path = next(shared_path("data", "acm-cr", "papers").glob(f"*/{name}.pdf"))
        with pypdfium2.PdfDocument(path) as document:
            paper = read_paper(document, {}, path.name)
        with path.with_suffix(".xml").open("rb") as stream:
            gold = read_acm_cr(stream, path.name)
        score_texts(score, paper, gold)
        entries[0] += len(paper.references)
        entries[1] += len(gold.references)
        assert paper.title == gold.title
        assert paper.doi == gold.doi
    assert entries[0] == entries[1] > 50
    assert score.of["sentences_95"] > 80
    assert score.percent("paragraphs_95") == 100
    assert score.percent("sentences_95") >= 97
    assert score.percent("sentences_exact") >= 85
    assert score.percent("cites_list_equal") >= 97
