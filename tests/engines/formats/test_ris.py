"""RIS, PubMed's MEDLINE and the Web of Science's tagged text."""

import textwrap
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.records import BrokenFile, DocumentRecord, PartProblem
from engines.formats.ris import read_medline, read_ris, read_web_of_science
from tests.engines.formats.reading import problems, records, remarks, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path

words = phrases.filter(bool)
lists = st.lists(words.filter(lambda text: ";" not in text), max_size=3, unique=True)


def everything_in(document: DocumentRecord) -> set[str]:
    """Every text that is anywhere in a document."""

    def texts(value: Any) -> set[str]:
        if isinstance(value, list | tuple):
            return {text for each in value for text in texts(each)}
        return {str(value)}

    own = (document.docno, document.title, document.abstract, document.venue, document.year, document.doi, document.url)
    return texts([*own, document.keywords, document.authors, list(document.extra.values())])


@st.composite
def references(draw: st.DrawFn) -> dict[str, Any]:
    """A reference in rispy's names: fields that documents have, some they do not, and a tag that nobody knows."""
    single = ["title", "primary_title", "abstract", "notes_abstract", "journal_name", "secondary_title", "year"]
    single += ["date", "accession_number", "volume", "publisher", "language", "type_of_work"]
    found = {name: draw(words) for name in draw(st.sets(st.sampled_from(single))) | {"title", "id"}}
    many = ["authors", "first_authors", "secondary_authors", "keywords", "notes", "urls"]
    found |= {name: values for name in draw(st.sets(st.sampled_from(many))) if (values := draw(lists))}
    return {"type_of_reference": "JOUR", **found, "id": draw(ids)}


@given(st.lists(references(), min_size=1, max_size=3))
def test_nothing_of_a_ris_file_is_lost(given_: list[dict[str, Any]]) -> None:
    written = rispy.dumps(given_)
    found = records(read_ris(stream(written), "f"))
    assert len(found) == len(given_)
    for document, reference in zip(found, given_, strict=True):
        values = [each for value in reference.values() for each in (value if isinstance(value, list) else [value])]
        assert {*values} <= everything_in(document)
        assert (document.docno, document.title) == (reference["id"], reference["title"])
        assert document.authors == (*dict.fromkeys(reference.get("authors", []) + reference.get("first_authors", [])),)


folded = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
sentences = st.lists(folded, min_size=1, max_size=30).map(" ".join)
tags = st.sampled_from(["TI", "AB", "JT", "VI", "PT", "LA", "MH", "OT", "FAU", "AU", "XYZ", "DP"])


@given(st.lists(st.tuples(tags, sentences), max_size=8), st.integers(1, 99_999_999))
def test_nothing_of_a_medline_record_is_lost(pairs: list[tuple[str, str]], pmid: int) -> None:
    pairs = [("TI", "Owls"), *pairs]
    lines = [f"PMID- {pmid}"]
    for tag, value in pairs:
        indent = " " * 6
        lines += textwrap.wrap(
            value, 80, initial_indent=f"{tag:<4}- ", subsequent_indent=indent, break_long_words=False
        )
    (found,) = records(read_medline(stream("\n".join([*lines, "", ""])), "f"))
    assert found.docno == str(pmid)
    assert {value for _, value in pairs} <= everything_in(found)


wos_tags = st.sampled_from(["SO", "AB", "PY", "C1", "LA", "DE", "CR", "AU", "ZZ"])


@given(st.lists(st.tuples(wos_tags, sentences), max_size=8))
def test_nothing_of_a_web_of_science_record_is_lost(pairs: list[tuple[str, str]]) -> None:
    lists_of_lines = {"AU", "CR"}
    lines = ["FN Clarivate", "VR 1.0", "PT J", "TI Owls"]
    for tag, value in pairs:
        width = 10_000 if tag in lists_of_lines else 80
        lines += textwrap.wrap(value, width, initial_indent=f"{tag} ", subsequent_indent="   ", break_long_words=False)
    (found,) = records(read_web_of_science(stream("\n".join([*lines, "UT WOS:1", "ER", "", "EF"])), "f"))
    assert found.docno == "WOS:1"
    assert {value for _, value in pairs} <= everything_in(found)


def test_fields_of_ris_have_their_places() -> None:
    text = (
        "TY  - JOUR\nAN  - x1\nT1  - Owls\nA1  - Xample, Ada\nA1  - Ypsilon, Ben\nY1  - 2020/03/01/\nN2  - Ears.\n"
        "JO  - J. Owl\nJF  - Journal of Owls\nDO  - https://doi.org/10.9999/owl.1\nKW  - ears; owls\nUR  -"
        " https://a.example\n"
        "XX  - 7\nER  - \n"
    )
    (found,) = records(read_ris(stream(text), "f"))
    assert found == DocumentRecord(
        "x1", "Owls", "Ears.", ("ears", "owls"), ("Xample, Ada", "Ypsilon, Ben"), "Journal of Owls", 2020,
        "10.9999/owl.1", "https://a.example",
        {"type_of_reference": "JOUR", "publication_year": "2020/03/01/", "journal_name": "J. Owl", "XX": "7"},
        "f", 1,
    )  # fmt: skip


def test_dialects_of_ris() -> None:
    """Blanks before the value, one blank before the dash, lines around records, text that goes on, no last ER."""
    text = (
        "Record #1 of 3\n\nTY  -  JOUR\nTI  -  Owls\nN1  - one\n      * two\nAB  - Ears\nhear.\n\n1 - 2\nER  -\n\n"
        "TY - JOUR\nTI - Moths\nKW - a\nb\nER -\n2.\nTY  - BOOK\nTI  - Bats"
    )
    found = list(read_ris(stream(text), "f"))
    owls, moths, bats = (item for item in found if isinstance(item, DocumentRecord))
    assert (owls.title, owls.extra["notes"], owls.abstract) == ("Owls", ["one\n* two"], "Ears hear. 1 - 2")
    assert (moths.title, moths.keywords, bats.title) == ("Moths", ("a", "b"), "Bats")
    assert [(item.line, item.reason) for item in found if isinstance(item, PartProblem)] == [
        (19, "the record has no ER line before the end of the file; it may be cut off")
    ]
    assert remarks(found)[0] == "2 lines outside of records were skipped, such as “Record #1 of 3”"


def test_a_record_that_is_not_ended_is_not_glued_to_the_next() -> None:
    found = list(read_ris(stream("TY  - JOUR\nTI  - Owls\nTY  - JOUR\nTI  - Moths\nER  - \n"), "f"))
    assert [item.title for item in found if isinstance(item, DocumentRecord)] == ["Owls", "Moths"]
    assert "no ER line before another TY" in problems(found)[0][1]


def test_an_abstract_of_many_lines_is_read_in_time_that_grows_with_it() -> None:
    lines = 400_000
    begun = process_time()
    (found,) = records(read_ris(stream("TY  - JOUR\nAB  - more\n" + "more\n" * lines + "ER  - \n"), "f"))
    assert found.abstract == " ".join(["more"] * (lines + 1))
    assert process_time() - begun < 3, "it took 7 s when each line was joined to all before it, now .4 s"


def test_a_doi_with_other_text_behind_it_keeps_that_elsewhere() -> None:
    (found,) = records(read_ris(stream("TY  - JOUR\nTI  - Owls\nDO  - 10.9999/owl.1   LK  - x\nER  - \n"), "f"))
    assert (found.doi, found.docno) == ("10.9999/owl.1", "10.9999/owl.1")
    assert found.extra["other_doi"] == "10.9999/owl.1   LK  - x"


def test_a_reference_without_title_and_abstract_is_a_problem() -> None:
    assert problems(read_ris(stream("TY  - JOUR\nAU  - Xample, Ada\nER  - \n"), "f")) == [
        (1, "the record has neither a title nor an abstract")
    ]


def test_a_medline_record_may_begin_with_another_tag() -> None:
    """As those of PubMed Central."""
    text = "PMC - PMC1\nPMID- 1\nTI  - Owls\n\n\nPMC - PMC2\nTI  - Moths\nPMID- 2\nPMID- 3\nTI  - Bats\n"
    owls, moths, bats = records(read_medline(stream(text), "f"))
    assert (owls.docno, owls.title, owls.extra) == ("1", "Owls", {"pmcid": "PMC1"})
    assert (moths.docno, moths.title, bats.docno, bats.title) == ("2", "Moths", "3", "Bats")


def test_records_without_an_id_are_named_and_that_is_said() -> None:
    text = "TY  - JOUR\nTI  - Owls in the dark\nAU  - Xample, Ada\nPY  - 2020\n{}ER  - \n"
    found = list(read_ris(stream(text.format("") + text.format("ID  - a b\n") + text.format("DO  - 10.1/a\n")), "f"))
    one, other, with_doi = (item for item in found if isinstance(item, DocumentRecord))
    assert one.docno == other.docno
    assert one.docno.startswith("xample-2020-owls-dark-")
    assert other.extra["other_ids"] == ["a b"]
    assert with_doi.docno == "10.1/a"
    assert remarks(found) == [
        "1 id of the file cannot be used: the id 'a b' contains white space, which TREC files do not allow",
        "1 record has no usable id: the DOI is the docno, such as 10.1/a",
        f"2 records have no usable id: the docno is made of author, year and title, such as {one.docno}",
    ]


@pytest.mark.shared
def test_the_reference_of_the_real_inputs() -> None:
    (found,) = records(read_documents(shared_path("data", "real-inputs", "record.ris")))
    assert (found.title, found.abstract, found.authors) == ("Owls in the dark", "We measure hearing.", ("Xample, Ada",))
    assert (found.year, found.doi) == (2020, "")


def test_a_ris_file_without_records_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.ris"
    path.write_text("TY\n")
    with pytest.raises(BrokenFile, match="holds no documents"):
        list(read_documents(path, "ris"))
