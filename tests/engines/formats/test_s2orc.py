import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.papers import FullPaper, Marker, Paragraph, Reference
from engines.formats.records import Problem
from engines.formats.s2orc import read_s2orc_documents, read_s2orc_papers
from tests.engines.formats.reading import problems, records, remarks, stream

METADATA = {
    "paper_id": "77",
    "title": "T",
    "authors": [{"first": "Ana", "middle": ["B"], "last": "Lee", "suffix": ""}],
    "abstract": "One.:::Two.",
    "year": 2019,
    "arxiv_id": None,
    "doi": "10.1/x",
    "venue": "",
    "journal": "J",
    "outbound_citations": ["1", "2"],
    "inbound_citations": ["3"],
    "has_pdf_parse": True,
}
PARSE = {
    "paper_id": "77",
    "_pdf_hash": "h",
    "abstract": [{"text": "One.", "section": "Abstract", "cite_spans": []}, {"text": "Two."}],
    "body_text": [
        {
            "text": "As shown [2] and [9].",
            "section": "Intro",
            "cite_spans": [
                {"start": 17, "end": 20, "text": "[9]", "ref_id": None},
                {"start": 9, "end": 12, "text": "[2]", "ref_id": "BIBREF1"},
            ],
            "ref_spans": [],
        }
    ],
    "bib_entries": {
        "BIBREF1": {
            "title": "Cited",
            "authors": [{"first": "Bo", "middle": [], "last": "Chan", "suffix": ""}],
            "year": 2017,
            "venue": "V",
            "link": "1",
            "other_ids": {"DOI": ["10.1/c"]},
        }
    },
    "ref_entries": {},
}


def lines(*items: Any) -> Any:
    return stream("".join(json.dumps(item) + "\n" for item in items))


def changed(parse: dict, **changes: Any) -> dict:
    return json.loads(json.dumps(parse)) | changes


# --- 2020 and doc2json ------------------------------------------------------------------------------------------------


def test_metadata_are_documents() -> None:
    (document,) = records(read_s2orc_documents(lines(METADATA), "f"))
    assert (document.docno, document.title, document.abstract) == ("77", "T", "One. Two.")
    assert (document.authors, document.venue, document.year, document.doi) == (("Lee, Ana B",), "J", 2019, "10.1/x")
    assert document.extra["citations"] == ["1", "2"]
    assert document.extra["cited_by"] == ["3"]
    assert "outbound_citations" not in document.extra


def test_parses_are_papers_with_markers_in_order() -> None:
    (paper,) = records(read_s2orc_papers(lines(PARSE), "f"))
    assert paper == FullPaper(
        "77",
        "",
        "One. Two.",
        (),
        "",
        None,
        "",
        (
            Paragraph(
                "As shown [2] and [9].",
                "Intro",
                markers=(Marker(9, 12, "[2]", ("BIBREF1",)), Marker(17, 20, "[9]", ())),
            ),
        ),
        (Reference("BIBREF1", "Cited", ("Chan, Bo",), "V", 2017, "1", {"doi": "10.1/c"}),),
        {},
        "f",
        1,
    )


def test_doc2json_nests_the_parse_and_gives_sections_as_lists() -> None:
    body = changed(PARSE)["body_text"]
    body[0]["section"] = [["2", "Outer"], ["2.1", "Inner"]]
    item = {"paper_id": "77", "title": "T", "authors": [], "abstract": "A.", "year": "", "venue": ""}
    item |= {"pdf_parse": changed(PARSE, body_text=body)}
    (paper,) = records(read_s2orc_papers(lines(item), "f"))
    assert (paper.title, paper.abstract) == ("T", "A.")
    assert (paper.paragraphs[0].section, paper.paragraphs[0].number) == ("Inner", "2.1")
    (document,) = records(read_s2orc_documents(lines(item), "f"))
    assert (document.title, document.abstract, "pdf_parse" in document.extra) == ("T", "A.", False)


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("Intro", ("Intro", "")),
        (["1", "Intro"], ("Intro", "1")),
        ([], ("", "")),
        (None, ("", "")),
        (["Intro"], ("Intro", "")),
    ],
)
def test_sections_come_in_many_shapes(section: Any, expected: tuple[str, str]) -> None:
    body = [{"text": "x", "section": section}]
    (paper,) = records(read_s2orc_papers(lines(changed(PARSE, body_text=body)), "f"))
    assert (paper.paragraphs[0].section, paper.paragraphs[0].number) == expected


@pytest.mark.parametrize(
    "span",
    [
        {"start": 9, "end": 99, "text": "[2]", "ref_id": None},
        {"start": 12, "end": 9, "text": "[2]", "ref_id": None},
        {"start": -3, "end": 2, "text": "[2]", "ref_id": None},
        {"start": 0, "end": 3, "text": "[2]", "ref_id": None},
        {"start": "9", "end": 12, "text": "[2]"},
        "nonsense",
    ],
)
def test_a_marker_out_of_place_is_a_problem_and_the_paper_stays(span: Any) -> None:
    body = [
        {"text": "As shown [2].", "section": "", "cite_spans": [span, {"start": 9, "end": 12, "ref_id": "BIBREF1"}]}
    ]
    problem, paper = read_s2orc_papers(lines(changed(PARSE, body_text=body)), "f")
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("paper 77: paragraph 0: the marker")
    assert paper.paragraphs[0].markers == (Marker(9, 12, "[2]", ("BIBREF1",)),)


def test_what_is_no_paper_is_a_problem() -> None:
    broken = [
        METADATA,
        changed(PARSE, body_text=[{"section": "x"}]),
        changed(PARSE, bib_entries=["x"]),
        changed(PARSE, bib_entries={"b": 3}),
        changed(PARSE, paper_id=None),
    ]
    assert [reason for _, reason in problems(read_s2orc_papers(lines(*broken), "f"))] == [
        "has no body_text: it is a document without its text, to be imported as one",
        "a paragraph has no text",
        "bib_entries is not an object",
        "bib_entries: b is not an object",
        "has no id, or an empty one (one of the keys paper_id)",
    ]


# --- 2023 and later ---------------------------------------------------------------------------------------------------


FIELDS = (
    "paper_id title abstract authors year doi body_text bib_entries text cite_spans start end ref_id section sec_num"
    " other_ids raw_text venue link pdf_parse content annotations paragraph bibref bibentry attributes corpusid"
).split()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 10**12)
    | st.sampled_from(["", "a", "[1]", "b0", "[]", '[{"start": 0}]']),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=12,
)
LINE = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))
BODY = st.lists(st.fixed_dictionaries({"text": st.just("As [1]."), "cite_spans": JSON, "section": JSON}), max_size=2)


@given(LINE, BODY | JSON, JSON)
def test_whatever_a_line_holds_is_a_paper_or_a_problem(line: dict[str, Any], body: Any, entry: Any) -> None:
    line_fields = {"paper_id": "p", "title": "T", **line, "body_text": body, "bib_entries": {"b0": entry}}
    found = list(read_s2orc_papers(stream(json.dumps(line_fields)), "s.jsonl"))
    assert found
    assert all(isinstance(each, FullPaper | Problem) for each in found)
    assert len([each for each in found if isinstance(each, FullPaper)]) <= 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"body_text": [{"text": "a", "cite_spans": 5}]}, "cite_spans is not a list"),
        ({"bib_entries": {"b0": {"title": "T", "other_ids": [1]}}}, "other_ids of b0 is not an object"),
    ],
)
def test_fields_of_another_kind_are_reported(changed: dict[str, Any], reason: str) -> None:
    line = {"paper_id": "p", "title": "T", "body_text": [{"text": "a"}], **changed}
    (found,) = read_s2orc_papers(stream(json.dumps(line)), "s.jsonl")
    assert isinstance(found, Problem)
    assert reason in found.reason


BIBLIOGRAPHY = {"BIBREF0": {"title": "Ears", "links": "9"}, "BIBREF1": {"title": "Wings", "link": None}}
BODY = [{"text": "As shown.", "cite_spans": [], "ref_spans": [], "section": "Intro"}]


@pytest.mark.parametrize(
    "item",
    [
        # 2019
        {
            "paper_id": "7",
            "metadata": {
                "title": "Owls",
                "authors": [],
                "abstract": None,
                "year": "2017",
                "venue": "JO",
                "pmc_id": None,
            },
            "s2_pdf_hash": "h",
            "grobid_parse": {"abstract": [{"text": "Ears."}], "body_text": BODY, "bib_entries": BIBLIOGRAPHY},
            "latex_parse": None,
        },
        # CORD-19
        {
            "paper_id": "7",
            "metadata": {"title": "Owls", "authors": [], "year": 2017, "venue": "JO"},
            "s2_pdf_hash": "h",
            "abstract": [{"text": "Ears."}],
            "body_text": BODY,
            "bib_entries": BIBLIOGRAPHY,
            "back_matter": [],
        },
    ],
)
def test_layouts_of_other_years(tmp_path: Path, item: dict[str, Any]) -> None:
    path = tmp_path / "7.json"
    path.write_text(json.dumps(item))
    found = list(read_documents(path))
    (document,) = records(found)
    assert (document.docno, document.title, document.abstract, document.year) == ("7", "Owls", "Ears.", 2017)
    assert (document.venue, document.full_text) == ("JO", "As shown.")
    assert document.extra == {"s2_pdf_hash": "h", "citations": ["9"]}
    assert remarks(found)[0].startswith("full texts come in as paragraphs")
    (paper,) = records(read_s2orc_papers(stream(path.read_text()), "7.json"))
    assert (paper.title, [each.target for each in paper.references]) == ("Owls", ["9", ""])


@pytest.mark.parametrize(
    ("name", "paper_id", "docno"),
    [
        ("2020.acl-main.207.json", "2020", "2020.acl-main.207"),
        ("N18-3011.json", "N18-3011", "N18-3011"),
        ("PMC1054884.xml.json", "PMC1054884", "PMC1054884"),  # as CORD-19 names them
        ("2020.acl-main.207.pdf.json.gz", "2020", "2020.acl-main.207"),
        ("part.1.json", "2020", "2020"),
        ("2020.1.jsonl", "2020", "2020"),
    ],
)
def test_an_id_that_doc2json_cut_off_is_that_of_the_file(name: str, paper_id: str, docno: str) -> None:
    item = {"paper_id": paper_id, "title": "Owls", "header": {}, "year": "", "pdf_parse": {"body_text": BODY}}
    found = list(read_s2orc_documents(stream(json.dumps(item)), f"papers.zip/{name}"))
    assert [document.docno for document in records(found)] == [docno]
    assert ("the id is the name of the file, since doc2json cuts its paper_id off at a dot" in remarks(found)) == (
        docno != paper_id
    )


words = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=12)
sentences = st.lists(words, min_size=1, max_size=6).map(" ".join)


@given(
    sentences,
    st.lists(sentences, max_size=2),
    st.lists(sentences, max_size=3),
    st.lists(st.integers(1, 99).map(str), max_size=3, unique=True),
    st.sampled_from(["pdf_parse", "latex_parse", "grobid_parse", ""]),
    st.booleans(),
)
def test_nothing_of_a_parsed_paper_is_lost(
    title: str, abstract: list[str], body: list[str], links: list[str], parse_key: str, has_metadata: bool
) -> None:
    """In all layouts of the years: title, abstract, paragraphs, links to cited papers, fields that nobody knows."""
    metadata = {"title": title, "year": 2019, "mag_id": "7"}
    parse = {
        "abstract": [{"text": text} for text in abstract],
        "body_text": [{"text": text, "section": ""} for text in body],
        "bib_entries": {f"BIBREF{n}": {"title": "T", "link": link} for n, link in enumerate(links)},
    }
    item = {"paper_id": "1", **({"metadata": metadata} if has_metadata else metadata)}
    item |= {parse_key: parse} if parse_key else parse
    (found,) = records(read_s2orc_documents(stream(json.dumps(item) + "\n"), "f"))
    assert (found.docno, found.title, found.year, found.extra["mag_id"]) == ("1", title, 2019, "7")
    assert (found.abstract, found.full_text) == (" ".join(abstract), "\n\n".join(body))
    assert found.extra.get("citations", []) == links
