"""S2ORC of 2023: texts with spans as documents and papers."""

import json
from typing import Any

from engines.formats.documents import read_documents
from engines.formats.papers import Marker, Reference
from engines.formats.records import PartProblem
from engines.formats.s2orc import read_s2orc_documents, read_s2orc_papers
from tests.engines.formats.reading import problems, records
from tests.engines.formats.test_s2orc import METADATA, lines

TEXT = (
    "On 𝛼 and B\nAna Lee\nWe do A.\n1. Intro\nAs shown [1], [2].\n\nNo marks.\n2. Related\nSee [1].\n"
    "[1] B. Chan. Cited. V, 2017.\n[2] Lost."
)


def span(text: str, occurrence: int = 0, **attributes: Any) -> dict[str, Any]:
    start = -1
    for _ in range(occurrence + 1):
        start = TEXT.index(text, start + 1)
    entry: dict[str, Any] = {"start": start, "end": start + len(text)}
    return entry | ({"attributes": attributes} if attributes else {})


def as_text(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"start": str(entry["start"]), "end": str(entry["end"])}


ANNOTATIONS: dict[str, Any] = {
    "title": [span("On 𝛼 and B")],
    "abstract": [span("We do A.")],
    "author": [span("Ana Lee")],
    "paragraph": [span("As shown [1], [2]."), span("No marks."), as_text(span("See [1]."))],
    "sectionheader": [span("Intro", n="1."), span("Related")],
    "bibref": [span("[1]", ref_id="b0"), span("[2]", ref_id="b9"), span("[1]", 1, ref_id="b0"), span("[1]", 2)],
    "bibentry": [span("B. Chan. Cited. V, 2017.", id="b0", matched_paper_id=1, doi="10.1/c"), span("Lost.", id="b1")],
    "bibtitle": [span("Cited")],
    "bibauthor": [span("B. Chan")],
    "bibvenue": [span("V")],
}


def annotated(**changes: Any) -> dict[str, Any]:
    annotations = {kind: json.dumps(spans) for kind, spans in ANNOTATIONS.items()} | {"table": None} | changes
    ids = {"doi": "10.1/own", "arxiv": "2101.1", "acl": None}
    content = {"source": {"pdfsha": "x"}, "text": TEXT, "annotations": annotations}
    return {"corpusid": 5, "externalids": ids, "content": content, "updated": "2024-03-26"}


def test_annotated_documents_take_the_first_spans() -> None:
    (document,) = records(read_s2orc_documents(lines(annotated()), "f"))
    assert (document.docno, document.title, document.abstract) == ("5", "On 𝛼 and B", "We do A.")
    assert (document.authors, document.doi) == (("Ana Lee",), "10.1/own")
    ids = {"doi": "10.1/own", "arxiv": "2101.1"}
    assert document.extra == {"updated": "2024-03-26", "externalids": ids, "citations": ["1"]}


def test_annotated_papers_have_markers_by_paragraph_and_linked_references() -> None:
    stray, paper = read_s2orc_papers(lines(annotated()), "f")
    assert stray == PartProblem("f", 1, "paper 5: the marker '[2]' names 'b9', which is not among the bibentries")
    first, plain, last = paper.paragraphs
    assert (first.text, first.section, first.number) == ("As shown [1], [2].", "Intro", "1")
    assert first.markers == (Marker(9, 12, "[1]", ("b0",)), Marker(14, 17, "[2]", ()))
    assert (plain.text, plain.markers) == ("No marks.", ())
    assert (last.section, last.number, last.markers) == ("Related", "", (Marker(4, 7, "[1]", ("b0",)),))
    cited, lost = paper.references
    assert cited == Reference(
        "b0", "Cited", ("B. Chan",), "V", None, "1", {"doi": "10.1/c"}, "B. Chan. Cited. V, 2017."
    )
    assert (lost.key, lost.target, lost.raw) == ("b1", "", "Lost.")


def test_spans_that_do_not_fit_are_left_out_and_lists_may_be_plain() -> None:
    spans = [{"start": 0, "end": 9_999}, {"start": "x", "end": 2}, {"end": 3}, 7, *ANNOTATIONS["title"]]
    (document,) = records(read_s2orc_documents(lines(annotated(title=spans)), "f"))
    assert document.title == "On 𝛼 and B"


def test_markers_that_do_not_fit_the_text_are_reported() -> None:
    spans = [*ANNOTATIONS["bibref"], {"start": 5, "end": 99_999, "attributes": {"ref_id": "b0"}}, 7]
    *strays, paper = read_s2orc_papers(lines(annotated(bibref=json.dumps(spans))), "f")
    reasons = [stray.reason for stray in strays]
    assert "the bibref {'start': 5, 'end': 99999" in reasons[0]
    assert "the bibref 7 does not fit" in reasons[1]
    assert len(paper.paragraphs[0].markers) == 2


def test_bad_annotated_records_are_problems() -> None:
    no_text = annotated()
    no_text["content"]["text"] = None
    bad = [annotated(title="[", abstract=None), annotated(title='{"a": 1}'), {"corpusid": 1, "content": 3}, no_text]
    assert [reason for _, reason in problems(read_s2orc_documents(lines(*bad), "f"))] == [
        "the annotation 'title' is not a list in JSON",
        "the annotation 'title' is not a list in JSON",
        "content is not an object",
        "document 5 has neither a title nor an abstract",
    ]
    assert [reason for _, reason in problems(read_s2orc_papers(lines(no_text), "f"))] == ["paper 5 has no text"]


def test_the_door_knows_both_generations(tmp_path) -> None:
    path = tmp_path / "s2orc.jsonl"
    for item, docno in ((METADATA, "77"), (annotated(), "5")):
        path.write_text(json.dumps(item) + "\n")
        for choice in ("auto", "s2orc"):
            assert [document.docno for document in records(read_documents(path, choice))] == [docno]
