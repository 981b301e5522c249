"""The demo's papers: plain text becomes a PDF file that is read as a paper."""

from pathlib import Path

import pytest

from config.demo.people import HERE
from config.demo.sheets import pdf_of
from engines.pdf.worker import extract, render_page


def paper(folder: Path, text: str):
    path = folder / "a.pdf"
    path.write_bytes(pdf_of(text))
    return path, extract(path, vocabulary={})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "references", "cites"), [("hives", 6, 14), ("registers", 6, 6)])
def test_the_demos_papers_are_read_whole(tmp_path: Path, name: str, references: int, cites: int) -> None:
    text = (HERE / "papers" / f"{name}.txt").read_text("utf-8")
    path, found = paper(tmp_path, text)
    assert f"# {found.title}\n" in text
    assert len(found.references) == references
    parts = [each for each in found.paragraphs if each.kind == "paragraph" and each.part]
    assert {each.part for each in parts} == {"introduction", "related work"}
    assert sum(len(sentence.cites) for each in parts for sentence in each.sentences) == cites
    assert not any("-\n" in each.text or "\u00ad" in each.text for each in found.paragraphs)
    assert any(sentence.anonymised for each in parts for sentence in each.sentences)
    assert len(render_page(path, 1)) > 5_000


def test_words_are_divided_where_they_may_and_pages_follow(tmp_path: Path) -> None:
    one = "Tea (or \\ so) was infor\u00admation about \u201cleaves\u201d, said number {}. "
    words = "".join(map(one.format, range(150)))
    _, found = paper(tmp_path, f"# A Title\n\n## 1 Introduction\n\n{words}")
    assert len(found.pages) > 1
    (text,) = {each.text for each in found.paragraphs if each.kind == "paragraph"}
    assert " ".join(text.split()) == " ".join(words.replace("\u00ad", "").split())
