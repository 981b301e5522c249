import pytest

from engines.formats.bibtex_documents import SESSION_REASON, read_bibtex
from engines.formats.records import DocumentRecord, Problem, Skip
from tests.engines.formats.reading import problems, records, stream


def read(text: str, **options) -> list:
    return list(read_bibtex(stream(text), "acm.bib", **options))


def only(fields: str, key: str = "10.1145/1.2") -> DocumentRecord:
    (record,) = records(read(f"@article{{{key},\n{fields}\n}}\n"))
    return record


def test_all_fields_find_their_place() -> None:
    record = only(
        'author = {M\\"{u}ller, Ana and Lee, Jr., Bo and {ACM and Friends} and Plato},\n'
        "title = {Retrieval &amp; <i>more</i>\n\tfor {BERT}},\nyear = {2019},\n"
        "issue_date = {June 2019},\nmonth = jun,\n"
        "abstract = {Costs 50% of $20.The set {0, 1} and\na_b ~ x^2.},\njournal = {J. &amp; K.},\n"
        "keywords = {one, two , One,two,, caf\\'{e}},\nurl = {https://doi.org/10.1145/1.2},\ndoi = {10.1145/1.2},\n"
        "pages = {1–8},\nnumpages = {8}"
    )
    assert record == DocumentRecord(
        docno="10.1145/1.2",
        title="Retrieval & more for BERT",
        abstract="Costs 50% of $20.The set {0, 1} and a_b ~ x^2.",
        keywords=("one", "two", "One", "café"),
        authors=("Müller, Ana", "Lee, Jr., Bo", "ACM and Friends", "Plato"),
        venue="J. & K.",
        year=2019,
        doi="10.1145/1.2",
        url="https://doi.org/10.1145/1.2",
        extra={"issue_date": "June 2019", "month": "jun", "pages": "1–8", "numpages": "8", "entry_type": "article"},
        file="acm.bib",
        line=1,
    )


def test_absent_fields_are_empty_and_odd_years_are_kept_aside() -> None:
    record = only("title = {T},\nyear = {to appear}")
    assert (record.abstract, record.keywords, record.authors, record.venue, record.url) == ("", (), (), "", "")
    assert (record.year, record.extra["year"]) == (None, "to appear")


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("{{Whole Title, Protected}}", "Whole Title, Protected"),
        ("{A {B} C}", "A B C"),
        ("{{hi}stories in {3D} with {BERT}-like {GPT-2}}", "histories in 3D with BERT-like GPT-2"),
        ("{Learning {0,1}-Valued Functions}", "Learning {0,1}-Valued Functions"),
        ("{DL-Lite^{N}_{horn|bool} Models}", "DL-Lite^{N}_{horn|bool} Models"),
        ("{Separating ${AC}^0$ from \\mathbf{VP}}", "Separating ${AC}^0$ from \\mathbf{VP}"),
        ("{ padded  and\n\tbroken }", "padded and broken"),
        ("{Ivan \x8aimi\x9a}", "Ivan Šimiš"),
        ("{narrow\u202fno-break}", "narrow no-break"),
    ],
)
def test_titles_read_as_a_person_reads_them(written: str, read_as: str) -> None:
    assert only(f"year = {{2019}},\ntitle = {written}").title == read_as
    assert only(f"title = {written}, year = {{2019}}").title == read_as


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Lee, Bo and\nChan, Al", ("Lee, Bo", "Chan, Al")),
        ("Anderson, Ann", ("Anderson, Ann",)),
        ("Lee, Bo and others", ("Lee, Bo",)),
        ("Lee, Bo AND Chan, Al And Wu", ("Lee, Bo", "Chan, Al", "Wu")),
        ("{Research and Development Group} and Lee, Bo", ("Research and Development Group", "Lee, Bo")),
        ("{\\O}re, Jan and Gon{\\c{c}}alves, A", ("Øre, Jan", "Gonçalves, A")),
        ("", ()),
    ],
)
def test_authors_are_split_at_and_outside_braces(written: str, names: tuple[str, ...]) -> None:
    assert only(f"title = {{T}},\nauthor = {{{written}}}").authors == names


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("a, b,c", ("a", "b", "c")),
        ("a b; c d", ("a b", "c d")),
        ("a; b, c", ("a; b", "c")),
        ("{face, voice} attractiveness, x", ("{face, voice} attractiveness", "x")),
        (" ,a,, a ,", ("a",)),
        ("plain, words", ("plain", "words")),
    ],
)
def test_keywords_are_split_and_each_kept_once(written: str, words: tuple[str, ...]) -> None:
    assert only(f"title = {{T}},\nkeywords = {{{written}}}").keywords == words


@pytest.mark.parametrize(
    ("key", "field", "doi"),
    [
        ("10.1145/1.2", "", "10.1145/1.2"),
        ("10.5555/1.2", "", ""),
        ("lee2019", "", ""),
        ("lee2019", "https://doi.org/10.1000/X_1", "10.1000/X_1"),
        ("10.1145/1.2", "10.1145/9.9", "10.1145/9.9"),
        ("lee2019", r"doi: 10.1007/978\_1", "10.1007/978_1"),
    ],
)
def test_the_key_stands_in_for_a_missing_doi(key: str, field: str, doi: str) -> None:
    record = only(f"title = {{T}}{',' if field else ''}\n" + (f"doi = {{{field}}}" if field else ""), key)
    assert (record.docno, record.doi) == (key, doi)


def test_only_papers_count_and_session_headings_do_not() -> None:
    text = """
@inproceedings{a, title = {SESSION details: Session 3}}
@inproceedings{b, title = {Session-based Recommendation}, abstract = {Real.}}
@inproceedings{c, title = {Sessions}, abstract = { }}
@InBook{d, title = {T}}
@Article{e, title = {T}}
@dataset{f, title = {T}}
"""
    found = read(text)
    assert [item.docno for item in found if isinstance(item, DocumentRecord)] == ["b", "e"]
    assert [(item.docno, item.line, item.reason) for item in found if isinstance(item, Skip)] == [
        ("a", 2, SESSION_REASON),
        ("c", 4, SESSION_REASON),
        ("d", 5, "an entry of type @inbook"),
        ("f", 7, "an entry of type @dataset"),
    ]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("@article{, title = {T}}", "the entry has no key"),
        ("@article{two words, title = {T}}", "the id 'two words' holds white space"),
        ("@article{k\x01, title = {T}}", "holds characters that cannot be printed"),
        ("@article{" + "k" * 300 + ", title = {T}}", "at most 255"),
        ("@article{k, year = {2019}}", "entry k has neither a title nor an abstract"),
        ("@article{k}", "entry k has neither a title nor an abstract"),
    ],
)
def test_bad_entries_are_problems(entry: str, reason: str) -> None:
    found = read(f"@article{{a, title = {{T}}}}\n{entry}\n@article{{b, title = {{T}}}}")
    assert [type(item) for item in found] == [DocumentRecord, Problem, DocumentRecord]
    ((line, said),) = problems(found)
    assert line == 2
    assert reason in said
