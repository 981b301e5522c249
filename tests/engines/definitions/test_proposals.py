"""What a parsed paper suggests as its extraction."""

import pytest

from engines.definitions.proposals import propose
from engines.formats.papers import FullPaper
from engines.pdf.reference_fields import parse_reference


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("X. Yz. 2001. Of nothing known. https://doi.org/10.9999/x.y(1)", "10.9999/x.y(1)"),
        ("X. Yz. 2001. Of nothing known. CoRR abs/1909.02071 (2019)", "https://arxiv.org/abs/1909.02071"),
        ("X. Yz. 2001. Nothing. PMID: 1234567", "https://pubmed.ncbi.nlm.nih.gov/1234567"),
        ("X. Yz. 2001. N. https://www.aclweb.org/anthology/P19-1001.pdf", "https://aclanthology.org/P19-1001"),
        ("X. Yz. 2001. Nothing. http://a.example/b.pdf", "http://a.example/b.pdf"),
        ("X. Yz. 2001. Nothing. http://a.example/b. Accessed 2020.", "http://a.example/b"),
        ("X. Yz. 2001. Of nothing known. In Proc. 1–2.", None),
    ],
)
def test_a_reference_has_the_best_address_that_it_prints(raw: str, value: str | None) -> None:
    paper = FullPaper("", "", "", (), "", None, "", (), (parse_reference("1", raw),), {}, "a.pdf", 0)
    (reference,) = propose(paper, {}).references
    assert reference.value == value
