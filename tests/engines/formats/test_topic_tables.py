import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.archives import ArchiveLimits
from engines.formats.reading import read_topics
from engines.formats.records import BrokenFile, TopicRecord
from engines.formats.topic_tables import read_table_topics
from tests.engines.formats.reading import problems, records, remarks, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path


def read(text: str, **options: str) -> list:
    return list(read_table_topics(stream(text), "f", **options))


def key(item: TopicRecord) -> tuple[str, str, str, str]:
    return item.number, item.title, item.text, item.narrative


@pytest.mark.shared
@pytest.mark.parametrize("suffix", [".tsv", ".txt", ".tsv.gz", ".csv"])
@pytest.mark.parametrize(
    "header", ["", "id\ttext\n", "qid\tquery\n", "#topic_id\tquestion\n", "Query ID\tQuery Text\r\n"]
)
def test_id_tab_text_is_read_whatever_the_name_and_the_header(tmp_path: Path, suffix: str, header: str) -> None:
    content = header.encode() + shared_path("data", "real-inputs", "topics-id-tab-text.tsv").read_bytes()
    path = tmp_path / f"topics{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    assert [key(topic) for topic in records(read_topics(path))] == [
        ("q1", "", "effect of birdsong on sleep", ""),
        ("q2", "", "cheap sensors for soil moisture", ""),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "qid\ttitle\tdescription\tnarrative\tlang\n1\tT\tD\tN\ten\n",
            [(("1", "T", "D", "N"), {"lang": "en"})],
        ),
        ('id,query\n1,"owls, and\n moths"\n', [(("1", "", "owls, and\n moths", ""), {})]),
        ('topic;query\n1;"how; why";\n', [(("1", "", "how; why", ""), {})]),
        ("1\ta\tb\n\n2\tc\n", [(("1", "", "a", ""), {"column 3": "b"}), (("2", "", "c", ""), {})]),
        (
            '1\t"exact phrase"\n2\t"said ""no"""\n',
            [(("1", "", '"exact phrase"', ""), {}), (("2", "", 'said "no"', ""), {})],
        ),
        ("id\ttext\ttext\n1\ta\tb\n", [(("1", "", "a", ""), {"text": "b"})]),
        ("1:owls: why\n2:moths\n", [(("1", "", "owls: why", ""), {}), (("2", "", "moths", ""), {})]),
        ("20001:1:owl family tree\n", [(("20001", "", "owl family tree", ""), {"priority": "1"})]),
        ("051\towls in 2020\n", [(("051", "", "owls in 2020", ""), {})]),
    ],
)
def test_tables_are_read_by_their_columns(text: str, found: list) -> None:
    assert [(key(item), item.extra) for item in records(read(text))] == found


def test_another_column_can_be_the_text() -> None:
    (item,) = records(read("qid\tquery\tkeywords\n1\twhy\towls\n", text_from="keywords"))
    assert (key(item), item.extra, item.text_from) == (("1", "why", "owls", ""), {}, "keywords")


def test_rows_that_are_no_topics_are_problems() -> None:
    assert problems(read("1\ta\nno tab here\n2\t\n3 4\tb\n")) == [
        (2, "has one cell; an id and a text are expected"),
        (3, "topic 2 has no text"),
        (4, "the id '3 4' contains white space, which TREC files do not allow"),
    ]
    assert problems(read("id,query\n1,how do owls, and moths, hear\n2,why\n")) == [
        (2, "has 4 cells, but the header has 2: put texts that hold a comma into double quotes, or use tabs")
    ]
    assert problems(read("1,owls\n2,how do owls; and moths, hear\n"))[0][1].startswith(
        "has 3 cells, but 2 are expected: put"
    )
    with pytest.raises(BrokenFile, match="line 2: is not a table: the line has no tab, comma or semicolon"):
        read("\nwords only\n")


def test_prose_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear colleagues, here, as promised,\nare our topics, both of them.\n")
    with pytest.raises(BrokenFile, match="not recognised"):
        list(read_topics(path))


def test_a_packed_table_that_swells_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tsv.gz"
    path.write_bytes(gzip.compress(b"1\t" + b"x" * (1 << 16) + b"\n" * (1 << 20)))
    with pytest.raises(BrokenFile, match="larger than allowed"):
        list(read_topics(path, limits=ArchiveLimits(member_bytes=1 << 16)))


cells = phrases.filter(bool)
others = st.sampled_from(["title", "narrative", "lang", "notes", "url"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str, list[str], list[list[str]]]:
    """A delimiter, the text of a table with a header, its columns and its rows, each number once."""
    names = draw(st.permutations(["qid", "query", *draw(st.lists(others, max_size=3, unique=True))]))
    numbers = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    rows = [[number if name == "qid" else draw(cells) for name in names] for number in numbers]
    delimiter = draw(st.sampled_from("\t,;"))
    if delimiter == "\t":
        return delimiter, "".join("\t".join(row) + "\n" for row in [names, *rows]), names, rows
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return delimiter, out.getvalue(), names, rows


@pytest.mark.slow
@given(tables())
def test_no_cell_of_a_well_formed_table_is_lost(written: tuple[str, str, list[str], list[list[str]]]) -> None:
    delimiter, text, names, rows = written
    if delimiter == "\t" and '""' in text:
        return  # what a spreadsheet writes between tabs looks like a query in quotes: see the module
    for topic, row in zip(records(read(text)), rows, strict=True):
        found = {"qid": topic.number, "query": topic.text, "title": topic.title, "narrative": topic.narrative}
        assert {name: (found | topic.extra)[name] for name in names} == dict(zip(names, row, strict=True))


@pytest.mark.slow
@given(st.lists(st.tuples(ids, cells), min_size=1, max_size=4, unique_by=lambda row: row[0]))
def test_no_row_without_a_header_is_lost(rows: list[tuple[str, str]]) -> None:
    if '""' in rows[0][1] or rows[0][0].lower() in ("id", "topic", "qid"):
        return
    found = records(read("".join(f"{number}\t{text}\n" for number, text in rows)))
    assert [(topic.number, topic.text) for topic in found] == [(n, t) for n, t in rows if True]


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_table_of_documents_is_no_table_of_topics(mark: str, tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text(
        f"record{mark}title{mark}abstract{mark}year\nr1{mark}Owls{mark}a, b{mark}2020\n"
    )
    with pytest.raises(BrokenFile, match="it looks like a file of documents"):
        list(read_topics(tmp_path / "records.csv"))


def test_what_columns_without_names_were_read_as_is_said() -> None:
    found = list(read_table_topics(stream("q1\towls\n"), "f"))
    said = "the first line does not name the columns: the first column was read as the number, the second as the text"
    assert remarks(found) == [said]
    assert not remarks(read_table_topics(stream("qid\tquery\nq1\towls\n"), "f"))


def test_cells_that_all_stand_in_quotes_and_comments() -> None:
    found = list(read_table_topics(stream('# of 2026\n"id"\t"query"\n"1"\t"owl, ""hearing"""\n'), "f"))
    (topic,) = records(found)
    assert (topic.number, topic.text) == ("1", 'owl, "hearing"')
    assert remarks(found) == ["one comment line (#) not read"]
