"""Documents in tables: CSV, TSV and workbooks; columns by name, by choice, or none."""

import csv
import io
import re
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.records import BrokenFile, DocumentRecord
from engines.formats.table_cells import split_authors
from engines.formats.table_columns import has_text
from engines.formats.table_documents import read_table_documents, read_workbook_documents
from tests.engines.formats.reading import problems, records, remarks, said_nothing, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path

cells = phrases.filter(lambda text: not text.startswith("="))
NAMED = ["record_id", "Title", "Abstract Note", "Source title", "Included?", "Label"]
rows_of_cells = st.tuples(ids, cells.filter(bool), cells, cells, cells, cells)
tables = st.lists(rows_of_cells, min_size=1, max_size=4, unique_by=lambda row: row[0])


def document(row: tuple[str, ...], line: int) -> DocumentRecord:
    docno, title, abstract, venue, included, label = row
    extra = {name: value for name, value in (("Included?", included), ("Label", label)) if value}
    return DocumentRecord(docno, title, abstract, venue=venue, extra=extra, file="f", line=line)


@given(tables, st.sampled_from(",;\t"), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_nothing_of_a_table_is_lost(rows: list[tuple[str, ...]], delimiter: str, quoting: int) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows([NAMED, *rows])
    found = records(read_table_documents(stream(text.getvalue()), "f"))
    assert found == [document(row, line) for line, row in enumerate(rows, 2)]


@given(tables)
def test_nothing_of_unquoted_tabs_is_lost(rows: list[tuple[str, ...]]) -> None:
    """Quotes that no program wrote stay, wherever they are."""
    rows = [tuple(cell.replace('"', "”") if cell.startswith('"') else cell for cell in row) for row in rows]
    text = "".join("\t".join(row) + "\n" for row in [NAMED, *rows])
    assert records(read_table_documents(stream(text), "f")) == [document(row, at) for at, row in enumerate(rows, 2)]


collections = st.lists(st.tuples(ids, cells.filter(bool)), min_size=1, max_size=4, unique_by=lambda row: row[0])


@given(collections.filter(lambda rows: not has_text(rows[0])))
def test_nothing_of_a_collection_without_names_is_lost(rows: list[tuple[str, str]]) -> None:
    """As of MS MARCO: an id, a tab, a text."""
    rows = [(docno, text) for docno, text in rows if not {docno[0], text[0]} & {'"'}] or [("1", "x")]
    found = records(read_table_documents(stream("".join(f"{docno}\t{text}\n" for docno, text in rows)), "f"))
    assert [(each.docno, each.abstract) for each in found] == rows


@given(tables)
def test_nothing_of_a_workbook_is_lost(rows: list[tuple[str, ...]]) -> None:
    rows = [tuple("".join(char for char in cell if char.isprintable()) for cell in row) for row in rows]
    found = records(read_workbook_documents(stream(workbook({"Sheet": [NAMED, *rows]})), "f"))
    assert found == [document(row, line) for line, row in enumerate(rows, 2)]


def workbook(sheets: dict[str, list[list[object] | tuple[object, ...]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for at, row in enumerate(rows, 1):
            for place, value in enumerate(row, 1):
                cell = sheet.cell(at, place)
                cell.value = value
                cell.data_type = "s" if isinstance(value, str) else cell.data_type
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


HEADERS = {
    "Zotero": "Key,Item Type,Publication Year,Author,Title,Publication Title,DOI,Url,Abstract Note,Manual Tags",
    "Scopus": "EID,Document Type,Year,Authors,Title,Source title,DOI,Link,Abstract,Author Keywords",
    "Embase": "PUI,Copyright,Publication Year,Author Names,Title,Source title,DOI,Source URLs,Abstract,Author Keywords",
    "Rayyan": "key,volume,year,authors,title,journal,doi,url,abstract,keywords",
    "ASReview": "record_id,included,year,authors,title,journal,doi,url,abstract,keywords",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_columns_are_known_by_the_names_of_their_programs(header: str) -> None:
    row = 'x1,1,2020,"Xample, A.; Ypsilon, B.",Owls,JO,https://doi.org/10.9999/owl.1,https://a.example,Ears.,a; b'
    (found,) = records(read_table_documents(stream(f"{header}\n{row}\n"), "f"))
    assert (found.docno, found.title, found.abstract, found.year) == ("x1", "Owls", "Ears.", 2020)
    assert (found.authors, found.keywords) == (("Xample, A.", "Ypsilon, B."), ("a", "b"))
    assert (found.venue, found.doi, found.url) == ("JO", "10.9999/owl.1", "https://a.example")
    assert list(found.extra.values()) == ["1"]


def test_a_tab_file_of_the_web_of_science_in_utf16(tmp_path: Path) -> None:
    path = tmp_path / "savedrecs.txt"
    path.write_text(
        'PT\tAU\tTI\tSO\tAB\tPY\tDI\tUT\nJ\tXample, A\t"Owls" in the dark\tJO\tEars.\t2020\t\tWOS:1\t\n', "utf-16"
    )
    found = list(read_documents(path))
    (document,) = said_nothing(found)
    assert (document.docno, document.title, document.authors) == ("WOS:1", '"Owls" in the dark', ("Xample, A",))
    assert document.extra == {"PT": "J"}
    assert remarks(found)[-1] == "read as Table in UTF-16"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("d1\tOwls hear.\n", ("d1", "", "Owls hear.", "")),
        ("d1\tOwls\tThey hear.\n", ("d1", "Owls", "They hear.", "")),
        ("d1\thttps://a.example\tOwls\tThey hear.\n", ("d1", "Owls", "They hear.", "https://a.example")),
        ("d1\thttps://a.example\tThey hear.\n", ("d1", "", "They hear.", "https://a.example")),
        ('d1\t"Owls" hear\n', ("d1", "", '"Owls" hear', "")),
    ],
)
def test_tables_without_names_are_those_of_ms_marco(tmp_path: Path, text: str, fields: tuple[str, ...]) -> None:
    path = tmp_path / "collection.tsv"
    path.write_text(text)
    items = list(read_documents(path))
    (found,) = records(items)
    assert (found.docno, found.title, found.abstract, found.url) == fields
    said = remarks(items)[0]
    assert said.startswith("the first line does not name the columns: the first column was read as the id, the second")
    assert said.endswith("If that is wrong, fill in “Columns of a table”")
    assert said.count(" as the ") == 1 + text.count("\t")


def test_one_known_name_makes_the_first_line_a_header() -> None:
    found = list(read_table_documents(stream("Nr;Titel;Abstract\n7;Eulen;Ohren\n"), "f"))
    assert remarks(found)[0] == "columns: abstract from “Abstract”"
    assert records(found)[0].extra == {"Nr": "7", "Titel": "Eulen"}


def test_what_columns_were_taken_for_is_said() -> None:
    found = list(read_table_documents(stream("SEARCH QUERY,owl\n-----\nID,Title,Notes\n1,Owls,n\n"), "f"))
    assert remarks(found) == [
        "2 lines before the header were skipped",
        "columns: docno from “ID”, title from “Title”",
    ]
    assert said_nothing(found)[0].extra == {"Notes": "n"}


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        ("title = Titel; abstract = Text 2; docno = Nr", ("7", "Eulen", "Ohren")),
        ("title = 2; abstract = 3", ("eulen-", "Nr", "")),
    ],
)
def test_columns_can_be_chosen(columns: str, fields: tuple[str, ...]) -> None:
    text = "Nr;Titel;Text 2\n7;Eulen;Ohren\n"
    found = records(read_table_documents(stream(text), "f", columns=columns))
    if "Titel" in columns:
        assert [(each.docno, each.title, each.abstract) for each in found] == [fields]
    else:
        assert [(each.title, each.abstract) for each in found] == [("Titel", "Text 2"), ("Eulen", "Ohren")]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("", "no column is known as a title or a text .the columns are Nr, Titel, Worte.; say which column has which"),
        ("title = Tytul", "there is no column “Tytul”; the columns are Nr, Titel, Worte"),
        ("titel = Titel", "“titel = Titel” does not say which column a field has; fields are docno, title"),
    ],
)
def test_columns_that_are_not_known_say_how_to_choose(tmp_path: Path, columns: str, reason: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Nr,Titel,Worte\n7,Eulen,Ohren\n")
    with pytest.raises(BrokenFile, match=reason):
        list(read_documents(path, columns=columns))


SIDE_BY_SIDE = "TITLE,Ears of owls,Wings of moths\nAUTHOR NAMES,Xample A.,Ypsilon B.\nPUI,L1,L2\nABSTRACT,Ears.,\n"
BELOW = (
    "TITLE,Ears of owls\nAUTHOR NAMES,Xample A.,Zett C.\nPUI,L1\nABSTRACT,Ears.\n\n"
    "TITLE,Wings of moths\nPUI,L2\nAUTHOR NAMES,Ypsilon B.\n"
)


@pytest.mark.parametrize(("text", "authors"), [(SIDE_BY_SIDE, ("Xample A.",)), (BELOW, ("Xample A.", "Zett C."))])
def test_tables_whose_rows_are_fields_are_turned_round(tmp_path: Path, text: str, authors: tuple[str, ...]) -> None:
    path = tmp_path / "embase.csv"
    path.write_text(text)
    found = list(read_documents(path))
    owls, moths = said_nothing(found)
    assert (owls.docno, owls.title, owls.abstract, owls.authors) == ("L1", "Ears of owls", "Ears.", authors)
    assert (moths.docno, moths.title, moths.authors) == ("L2", "Wings of moths", ("Ypsilon B.",))
    assert "fields are rows and not columns; rows and columns were swapped" in remarks(found)


def test_cells_of_several_lines_between_tabs() -> None:
    text = 'id\ttitle\tabstract\n1\tOwls\t"They\nhear ""well"""\n2\t"Moths, grey"\t"quoted" words\n'
    owls, moths = records(read_table_documents(stream(text), "f"))
    assert (owls.abstract, moths.title, moths.abstract) == ('They\nhear "well"', "Moths, grey", '"quoted" words')


def test_bad_rows_are_problems_and_names_stay_apart() -> None:
    text = 'id,title,label,label,,year\n1,Owls,a,b,c,2020-03-01,\n2,Moths,a,b,c,2020,more\n3,,x,,,\n4,"Bats"x,,,,\n'
    found = list(read_table_documents(stream(text), "f"))
    (owls,) = (item for item in found if isinstance(item, DocumentRecord))
    assert (owls.year, owls.extra) == (
        2020,
        {"label": "a", "label (2)": "b", "column 5": "c", "other_year": "2020-03-01"},
    )
    assert problems(found) == [
        (3, "has 7 cells, but the header has 6"),
        (4, "the row has neither a title nor a text"),
        (5, "is not CSV: ',' expected after '\"'"),
    ]


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Xample, Ada", ("Xample, Ada",)),
        ("Xample A, Ypsilon B-C.", ("Xample A", "Ypsilon B-C.")),
        ("Xample, A. and Ypsilon, B.; and Zett, C.", ("Xample, A. and Ypsilon, B.", "Zett, C.")),
        ("['Xample, Ada', 'Ypsilon, Ben']", ("Xample, Ada", "Ypsilon, Ben")),
        ('["Xample, Ada"]', ("Xample, Ada",)),
        ("[sic", ("[sic",)),
    ],
)
def test_authors_of_a_cell(cell: str, names: tuple[str, ...]) -> None:
    assert split_authors(cell) == names


def test_a_cell_that_is_never_closed_is_broken() -> None:
    with pytest.raises(BrokenFile, match="never closed") as caught:
        list(read_table_documents(stream('id,title\n1,Owls\n2,"Moths\n3,Bats\n'), "f"))
    assert caught.value.line == 3


def test_values_of_workbooks_and_sheets_without_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows = [["id", "title", "year", "seen", "score"], [7, "Owls", 2020.0, date(2020, 3, 1), 1.5]]
    path.write_bytes(workbook({"About": [["Made by us"]], "Owls": rows, "Moths": [["id", "title"], ["m1", "Moths"]]}))
    found = list(read_documents(path))
    owls, moths = said_nothing(found)
    assert (owls.docno, owls.year, owls.extra) == ("7", 2020, {"seen": "2020-03-01", "score": "1.5"})
    assert (moths.docno, moths.file, moths.line) == ("m1", "a.xlsx/Moths", 2)
    assert remarks(found)[-2:] == [
        "sheets without documents were skipped: About",
        "read as Excel workbook (.xlsx)",
    ]


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("xl/workbook.xml", b"<"),
        ("xl/styles.xml", b"<"),
        ("xl/worksheets/sheet1.xml", b"<"),
        ("xl/worksheets/sheet1.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
    ],
)
def test_a_damaged_workbook_is_refused_in_one_sentence(tmp_path: Path, part: str, damage: bytes) -> None:
    path = tmp_path / "a.xlsx"
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"Sheet": [["id", "title"]]}))) as whole,
        zipfile.ZipFile(path, "w") as made,
    ):
        for name in whole.namelist():
            made.writestr(name, damage if name == part else whole.read(name))
    with pytest.raises(BrokenFile) as refused:
        list(read_documents([(path, "a.xlsx")]))
    assert re.fullmatch(r"a\.xlsx: is not a readable Excel workbook [^\n]*; save it as CSV instead", str(refused.value))
    assert not re.search(r" from \w+\)", str(refused.value))


def test_a_workbook_within_an_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b.xlsx", workbook({"Sheet": [["id", "title"], ["1", "Owls"]]}))
    assert [found.title for found in records(read_documents(tmp_path / "a.zip"))] == ["Owls"]


def test_an_archive_within_an_archive_is_to_be_unpacked_first(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.csv", "id,title\n1,Owls\n")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b.zip", inner.getvalue())
    with pytest.raises(BrokenFile, match="is an archive within an archive; unpack it and import what it holds"):
        list(read_documents(tmp_path / "a.zip"))


def bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/workbook.xml", "")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(1025):
                part.write(b"\0" * (1 << 20))
    return target.getvalue()


def opendocument() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "")
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bomb, "larger than allowed once it is unpacked; save it as CSV"),
        (opendocument, "is a file of OpenDocument, which is not read here; save it as CSV"),
        (lambda: workbook({"About": [["a", "b"]]}), "no column of the sheet “About” is known as a title or a text"),
        (lambda: workbook({"Empty": []}), "holds no documents"),
    ],
)
def test_workbooks_that_cannot_be_read_say_why(tmp_path: Path, content: Callable[[], bytes], reason: str) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content())
    with pytest.raises(BrokenFile, match=reason):
        list(read_documents(path))


@pytest.mark.shared
def test_the_table_of_the_real_inputs() -> None:
    owls, moths = records(read_documents(shared_path("data", "real-inputs", "records.csv")))
    assert (owls.docno, owls.title, owls.abstract) == (
        "r1",
        "Ears of owls",
        "Owls hear faint sounds, even in darkness.",
    )
    assert (owls.authors, owls.year, owls.doi, owls.extra) == (
        ("Xample, Ada",),
        2020,
        "10.9999/owl.1",
        {"included": "1"},
    )
    assert (moths.docno, moths.doi, moths.extra) == ("r2", "", {"included": "0"})


def test_a_table_of_topics_is_no_table_of_documents(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("qid\tquery\nq1\towls\n")
    with pytest.raises(BrokenFile, match="it looks like a file of topics"):
        list(read_documents(tmp_path / "queries.tsv"))


def test_an_id_that_cannot_be_used_is_said_and_kept() -> None:
    found = list(read_table_documents(stream("id\ttitle\n2\u200b\tMoths\n"), "f"))
    assert records(found)[0].extra == {"id": "2\u200b"}
    assert remarks(found)[1].startswith("1 id of the file cannot be used: the id ")
    assert remarks(found)[2].startswith("1 record has no usable id: the docno is made of")
