"""Texts with characters that XML cannot carry: whatever is stored of a paper can be exported and read again."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.exporting.options import make_options
from annotation.papers.extractions import content_of
from corpus.models import Paper
from engines.definitions.extractions import (
    BadExtraction,
    Content,
    gold_of_content,
    kind_of,
    read_content,
    write_content,
)
from engines.definitions.proposals import propose
from engines.formats.acm_cr import read_acm_cr, write_acm_cr
from engines.formats.characters import FORBIDDEN, with_carriable_texts
from engines.formats.papers import FullPaper, Marker, Paragraph, Reference
from engines.pdf.texts import complete
from tests.corpus.imports.importing import import_files
from tests.engines.pdf.pdfs import page_of_codes
from tests.factories.accounts import CollectionFactory

HOSTILE = "".join(map(chr, [*range(32), 127, 0x85, 0xD800, 0xFFFE, 0xFFFF])) + "a <&\"'[1]]]>."
TEXT = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=())), max_size=12)
NUMBER = st.text(st.sampled_from("12b\x01\x0b,"), min_size=1, max_size=3)
SENTENCE = st.fixed_dictionaries({"text": TEXT, "cites": st.lists(NUMBER, max_size=2), "anonymised": st.booleans()})
CONTEXT = st.fixed_dictionaries({"id": NUMBER, "section": TEXT, "sentences": st.lists(SENTENCE, max_size=2)})
REFERENCE = st.fixed_dictionaries({"number": NUMBER, "value": st.none() | TEXT, "raw": TEXT})
CONTENT = st.fixed_dictionaries(
    {"contexts": st.lists(CONTEXT, max_size=2), "references": st.lists(REFERENCE, max_size=2)}
)


def exported(content: Content, title: str = "", abstract: str = "") -> None:
    """Write the content as XML, read it again, and compare all that the format holds."""
    gold = gold_of_content(content, doi="10.1/x", title=title, abstract=abstract)
    again = read_acm_cr(BytesIO("".join(write_acm_cr(gold)).encode()), "")
    values = {number: None if value == "None" else value for number, value in gold.references.items()}
    assert again == replace(gold, references=values)


@given(CONTENT, TEXT)
def test_every_content_that_can_be_stored_can_be_exported(data: dict, title: str) -> None:
    try:
        content = read_content(data)
    except BadExtraction:
        return
    assert read_content(json.loads(json.dumps(write_content(content)))) == content
    exported(content, title, title)


@given(st.lists(TEXT, min_size=1, max_size=3), TEXT, TEXT)
def test_every_paper_that_comes_in_can_be_exported(texts: list[str], title: str, entry: str) -> None:
    blocks = tuple(
        Paragraph(text, part="introduction", markers=(Marker(0, len(text), text, ("b0",)),) if text else ())
        for text in texts
    )
    ids = {"url": entry} if entry else {}
    reference = Reference("b0", title=entry, authors=(entry,), venue=entry, ids=ids, raw=entry)
    paper = FullPaper("p", title, title, (entry,), entry, 2020, "", blocks, (reference,), {}, "f", 0)
    clean = complete(with_carriable_texts(paper))
    content = read_content(write_content(propose(clean, {})))
    assert not FORBIDDEN.search(json.dumps(write_content(content), ensure_ascii=False))
    exported(content, clean.title, clean.abstract)


def draft_of(collection, tmp_path: Path) -> list[str]:
    """The exported files of a collection of drafts, each read as XML."""
    import zipfile

    options = make_options(collection, "acm-cr", drafts=True)
    with zipfile.ZipFile(BytesIO(b"".join(options.exporter.pieces(options)))) as archive:
        names = [name for name in archive.namelist() if name.endswith(".xml")]
        return [read_acm_cr(BytesIO(archive.read(name)), name).title for name in names]


@pytest.mark.django_db
def test_hostile_json_is_stored_and_exported(tmp_path: Path) -> None:
    text = "As shown [1]\x1f\x0b\uffff\ufffe here."
    span = {"start": 9, "end": 12, "text": "[1]", "ref_id": "B\x010"}
    body = [{"text": text, "section": "Introduction\x02", "cite_spans": [span]}]
    entry = {"title": "T\x0c", "authors": [], "year": 2019, "venue": "\x1f", "link": "http://a.example/\x07"}
    line = {
        "paper_id": "p1",
        "title": "S\x01\x08",
        "abstract": "\x0e",
        "body_text": body,
        "bib_entries": {"B\x010": entry},
    }
    path = tmp_path / "s.jsonl"
    bad = {**line, "paper_id": "p2", "title": "\x00"}
    path.write_text("".join(json.dumps(each) + "\n" for each in (line, bad)))
    collection = CollectionFactory()
    run = import_files(collection, path, kind="papers")
    assert (run.created, [each["line"] for each in run.errors]) == (1, [2])
    paper = Paper.objects.get()
    (context,) = content_of(paper.extractions.get()).contexts
    assert (context.sentences[0].text, context.sentences[0].cites) == ("As shown [1]     here.", ("1",))
    assert draft_of(collection, tmp_path) == [paper.title] == ["S  "]


@pytest.mark.django_db
def test_a_pdf_whose_letters_are_controls_is_stored_and_exported(tmp_path: Path) -> None:
    path = page_of_codes(tmp_path / "c.pdf", [0x0, 0x1, 0x8, 0xB, 0xC, 0x1F, 0xFFFF, 0xFFFE, 0xD800, 0xDFFF])
    collection = CollectionFactory()
    run = import_files(collection, path, kind="papers")
    assert run.created == 1, run.errors
    paper = Paper.objects.get()
    assert "word word" in paper.title
    assert not FORBIDDEN.search(json.dumps([paper.blocks, paper.title], ensure_ascii=False))
    assert draft_of(collection, tmp_path) == [paper.title]


def test_a_control_in_an_identifier_leaves_its_kind() -> None:
    content = read_content({"contexts": [], "references": [{"number": "1", "value": "10.1/a\x01b"}]})
    assert content.references[0].value == "10.1/a b"
    assert content.references[0].kind == kind_of("10.1/a b")
