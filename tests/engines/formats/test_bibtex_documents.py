import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        extra={"issue_date": "June 2019", "month": "June", "pages": "1–8", "numpages": "8", "entry_type": "article"},
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
        ("{Separating ${AC}^0$ from \\mathbf{VP}}", "Separating AC⁰ from VP"),
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
        ("{face, voice} attractiveness, x", ("face, voice attractiveness", "x")),
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


def test_entries_without_a_key_are_named_and_that_is_said() -> None:
    text = "@article{, title = {T}, doi = {https://doi.org/10.1/a}}\n"
    text += "@article{title = {Of Owls}, author = {Uhl, A}, year = 2001}"
    first, second, *remarks = read(text)
    assert (first.docno, first.doi) == ("10.1/a", "10.1/a")
    assert second.docno.startswith("uhl-2001-owls-")
    assert [remark.text.split(",")[0] for remark in remarks] == [
        "1 record has no id: the DOI is the docno",
        "1 record has no id: the docno is made of author",
    ]


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
        ("d", 5, "an entry of type @inbook, which “Other BibTeX entry types” does not name"),
        ("f", 7, "an entry of type @dataset, which “Other BibTeX entry types” does not name"),
    ]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("@article{, year = 2001}", "entry without a key has neither a title nor an abstract"),
        ("@article{two words, title = {T}}", "the id 'two words' contains white space"),
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


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("{{E}{-}Commerce: {A} {2}{-}Stage {BERT} Study}", "E-Commerce: A 2-Stage BERT Study"),
        (r"{10\% {\textgreater} 5\_x and R\&D \#1 \$3}", "10% > 5_x and R&D #1 $3"),
        (
            r"{On {\it k}-means and \emph{Fast {BERT}} {$\epsilon$}-search {\em now}}",
            "On k-means and Fast BERT ε-search now",
        ),
        ("{Caf{\\'e}s --- a ``quoted'' story, 1990--2000}", "Cafés — a “quoted” story, 1990–2000"),
        ("{Search in {Paris, France} over {0,1}}", "Search in Paris, France over {0,1}"),
        (r"{Proc.~of Vol.~3, {\textless}i{\textgreater}Owls{\textless}/i{\textgreater}}", "Proc. of Vol. 3, Owls"),
        (r"{\foo{bar} and \begin{x}}", r"\foo{bar} and \begin{x}"),
    ],
)
def test_latex_of_titles_becomes_plain_text(written: str, read_as: str) -> None:
    found = list(read_bibtex(stream(f"@article{{k, title = {written}, booktitle = {written}}}"), "f"))
    assert (found[-1].title, found[-1].venue) == (read_as, read_as)


def test_a_command_that_is_not_known_is_kept_and_reported() -> None:
    problem, record = read("@article{k,\ntitle = {On \\foo{bar}}, note = {\\foo}}")
    assert record.title == "On \\foo{bar}"
    assert (problem.line, problem.reason) == (1, "title: the LaTeX command \\foo is not known; it was kept as it is")


def test_prose_keeps_what_programs_are_called_with() -> None:
    abstract = r"We call grep --all -- and C:\new\table \d+ for $5 and 10% of ~ $7, {0, 1} --- or well--known."
    found = only(f"title = {{T}}, abstract = {{{abstract}}}").abstract
    assert found == abstract.replace("{0, 1} --- or well--known", "{0, 1} — or well–known").replace(" -- ", " – ")


def test_what_programs_read_is_left_as_it_is() -> None:
    fields = {
        "url": "https://x.org/~a--b_c",
        "eprint": "2101.0001--v1",
        "file": r":C$\backslash$:\a--b~c.pdf:PDF",
        "bdsk-url-1": "http://a/~b--c",
    }
    record = only(", ".join(f"{name} = {{{value}}}" for name, value in {"title": "T", **fields}.items()))
    assert {"url": record.url, **record.extra} == {**fields, "entry_type": "article"}


def test_addresses_lose_their_escapes() -> None:
    record = only(r"title = {T}, doi = {10.1007/978{\_}1\_2}, url = {\url{http://a.org/{\textasciitilde}b/x\%20y\_z}}")
    assert (record.doi, record.url) == ("10.1007/978_1_2", "http://a.org/~b/x%20y_z")


@pytest.mark.parametrize(
    ("fields", "year", "extra"),
    [
        ("date = {2022-05-01}", 2022, {"date": "2022-05-01"}),
        ("date = {2019/2021}", 2019, {"date": "2019/2021"}),
        ("year = {in press}, date = {2020}", 2020, {"year": "in press", "date": "2020"}),
        ("year = 1999, date = {2020}", 1999, {"date": "2020"}),
        ("date = {forthcoming}", None, {"date": "forthcoming"}),
        ("date = {20221}", None, {"date": "20221"}),
    ],
)
def test_years_come_from_dates_where_there_is_no_year(fields: str, year: int | None, extra: dict[str, str]) -> None:
    record = only(f"title = {{T}}, {fields}")
    assert (record.year, record.extra) == (year, {**extra, "entry_type": "article"})


def test_subtitles_belong_to_titles_and_theses_have_schools() -> None:
    record = only("title = {Owls}, subtitle = {A Study}, journaltitle = {J}, journal = {}")
    assert (record.title, record.venue, record.extra["subtitle"]) == ("Owls: A Study", "J", "A Study")
    text = "@phdthesis{k, title = {T}, school = {Owl University}}"
    (record,) = records(read(text, entry_types=["phdthesis"]))
    assert (record.venue, record.extra) == ("Owl University", {"entry_type": "phdthesis"})


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Jean{-}Luc D{\\\"{o}}rfer and Mar{\\'{\\i}}a L{\\'{o}}pez{-}Rey", ("Jean-Luc Dörfer", "María López-Rey")),
        ("{\\L}ukasz {\\'S}wi{\\k{a}}tek and Nguy{\\~{\\^e}}n", ("Łukasz Świątek", "Nguyễn")),
        ("{van der Berg}, Anna and A. B.~Smith", ("van der Berg, Anna", "A. B. Smith")),
        ("Jara{\\v s}i{\\=u}nas, K and {Ak\\c sit}, M.", ("Jarašiūnas, K", "Akşit, M.")),
        ("{\\relax Ch}ristos P and {\\noopsort{b}}Bo Lee", ("Christos P", "Bo Lee")),
        (
            "family=Berg, given=Anna, prefix=van den, useprefix=true and {family=Ur, given={Jo, K.}, suffix=Jr.}",
            ("van den Berg, Anna", "Ur, Jr., Jo, K."),
        ),
    ],
)
def test_names_lose_their_latex(written: str, names: tuple[str, ...]) -> None:
    assert only(f"title = {{T}},\nauthor = {{{written}}}").authors == names


def test_that_there_are_further_authors_is_kept() -> None:
    assert only("title = {T}, author = {Lee, Bo and others}").extra["more_authors"] is True


words = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)
phrases = st.lists(words, min_size=1, max_size=5).map(" ".join)
field_names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)


@given(st.dictionaries(field_names, phrases, max_size=6), phrases, st.booleans())
def test_nothing_of_an_entry_is_lost(fields: dict[str, str], title: str, quoted: bool) -> None:
    fields = {**fields, "title": title}
    left, right = '""' if quoted else "{}"
    body = ",\n".join(f"{name} = {left}{value}{right}" for name, value in fields.items())
    (record,) = [
        item for item in read(f"@misc{{k,\n{body}\n}}", entry_types=["misc"]) if isinstance(item, DocumentRecord)
    ]
    kept = [record.title, record.abstract, record.venue, record.doi, record.url, str(record.year), *record.authors]
    kept = " ".join([*kept, *record.keywords, *(str(value) for value in record.extra.values())])
    assert {word for value in fields.values() for word in value.split() if word not in ("and", "others")} <= set(
        kept.replace(":", " ").split()
    )
