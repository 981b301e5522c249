from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.bibtex import Entry
from engines.formats.bibtex_documents import read_bibtex
from engines.formats.bibtex_links import Bibliography
from engines.formats.documents import read_documents
from engines.formats.records import DocumentRecord, PartProblem, Problem, Remark, Skip
from tests.engines.formats.reading import stream
from tests.shared import shared_path


def read_files(*texts: str) -> list[Entry | Problem]:
    """The entries of files f0.bib, f1.bib, … of one import."""
    bibliography = Bibliography(lambda entry: entry.kind not in ("proceedings", "xdata"))
    found = [item for n, text in enumerate(texts) for item in bibliography.read(stream(text), f"f{n}.bib")]
    return [*found, *bibliography.finish()]


def entries_of(*texts: str) -> dict[str, dict[str, str]]:
    return {item.key: item.fields for item in read_files(*texts) if isinstance(item, Entry)}


STRINGS = '@string{jzo = "Journal of Owls"}\n@STRING{Kauz = {Kauz, B.}}\n'
PAPER = '@article{uhl, author = "Uhl, A. and " # kauz, title = {T},\n journal = JZO, month = jan}\n'


@pytest.mark.parametrize("texts", [(STRINGS + PAPER,), (STRINGS, PAPER), (PAPER, STRINGS), (PAPER + STRINGS,)])
def test_words_are_defined_over_all_files_whatever_their_order(texts: tuple[str, ...]) -> None:
    assert entries_of(*texts) == {
        "uhl": {"author": "Uhl, A. and Kauz, B.", "title": "T", "journal": "Journal of Owls", "month": "January"}
    }
    assert not [item for item in read_files(*texts) if isinstance(item, Problem)]


def test_each_file_may_define_a_word_for_itself() -> None:
    one, two = (f"@string{{j = {{J{n}}}}}\n@article{{k{n}, title = {{T}}, journal = j}}\n" for n in "12")
    assert [fields["journal"] for fields in entries_of(one, two).values()] == ["J1", "J2"]


def test_a_word_that_no_file_defines_is_reported_with_its_line_and_kept() -> None:
    problem, entry = read_files(PAPER.replace("kauz", "{Bo}"))
    assert problem == PartProblem(
        "f0.bib", 2, "journal: the word “JZO” is defined by no @string of this import; it was kept as it is"
    )
    assert isinstance(entry, Entry)
    assert entry.fields["journal"] == "JZO"


CHILD = "@inproceedings{c, author = {X}, title = {Child}, pages = {3}, crossref = {P1}}\n"
VOLUME = (
    "@proceedings{p1, title = {Proc. of Z}, subtitle = {Zoo}, editor = {E}, year = 2018, doi = {10.1/p}, pages = 9}\n"
)


@pytest.mark.parametrize("texts", [(CHILD + VOLUME,), (VOLUME + CHILD,), (CHILD, VOLUME), (VOLUME, CHILD)])
def test_an_entry_takes_what_it_lacks_from_its_volume_but_not_its_identity(texts: tuple[str, ...]) -> None:
    assert entries_of(*texts)["c"] == {
        "author": "X",
        "title": "Child",
        "pages": "3",
        "crossref": "P1",
        "editor": "E",
        "year": "2018",
        "booktitle": "Proc. of Z: Zoo",
    }


@pytest.mark.parametrize(
    ("child", "parent", "gained"),
    [
        (
            "@article{c, title = {C}, crossref = p}",
            "@article{p, journal = {J}, year = 1}",
            {"journal": "J", "year": "1"},
        ),
        ("@article{c, title = {C}, crossref = {p}}", "@periodical{p, title = {J}}", {"journaltitle": "J"}),
        ("@incollection{c, title = {C}, crossref = {p}}", "@book{p, title = {B}, author = {A}}", {"booktitle": "B"}),
        ("@inbook{c, title = {C}, booktitle = {own}, crossref = {p}}", "@book{p, title = {B}}", {"booktitle": "own"}),
        ("@inbook{c, title = {C}, crossref = {p}}", "@mvbook{p, title = {B}}", {"maintitle": "B"}),
        (
            "@book{c, title = {C}, xdata = {p, q}}",
            "@xdata{p, publisher = {P}}\n@xdata{q, publisher = {Q}, location = {L}}",
            {"publisher": "P", "location": "L"},
        ),
        (
            "@inbook{c, title = {C}, crossref = {p}}",
            "@book{p, title = b # s}\n@string{b = {B}, s = {S}}",
            {"booktitle": "BS"},
        ),
        (
            "@inbook{c, title = {C}, crossref = {p}}",
            "@book{p, title = {B}, xdata = {x}}\n@xdata{x, publisher = {P}}",
            {"booktitle": "B", "publisher": "P"},
        ),
    ],
)
def test_what_parents_of_all_kinds_give(child: str, parent: str, gained: dict[str, str]) -> None:
    for text in (f"{child}\n{parent}", f"{parent}\n{child}"):
        found = {
            name: value for name, value in entries_of(text)["c"].items() if name not in ("title", "crossref", "xdata")
        }
        assert found == gained


def test_a_volume_that_is_not_there_is_reported() -> None:
    problem, entry = read_files(f"\n{CHILD}")
    assert problem == PartProblem(
        "f0.bib", 2, "crossref: this import has no proceedings, book or other volume “P1” to take fields from"
    )
    assert isinstance(entry, Entry)
    assert "year" not in entry.fields


def test_of_a_key_given_twice_the_first_entry_counts_although_it_waits() -> None:
    text = "@article{q, title = {First}, journal = nowhere}\n@article{q, title = {Second}}\n"
    found = [item for item in read_bibtex(stream(text), "a.bib") if not isinstance(item, Remark)]
    assert [(type(item), item.line) for item in found if not isinstance(item, PartProblem)] == [
        (DocumentRecord, 1),
        (Problem, 2),
    ]
    assert next(item.title for item in found if isinstance(item, DocumentRecord)) == "First"


def test_a_circle_and_missing_data_are_called_what_they_are() -> None:
    circle = "@inbook{a, title = {A}, crossref = {b}}\n@inbook{b, title = {B}, crossref = {a}}\n"
    found = read_files(circle + "@article{c, title = {C}, xdata = {none}}\n@inbook{s, title = {S}, crossref = {s}}\n")
    assert {(item.line, item.reason) for item in found if isinstance(item, Problem)} == {
        (2, "crossref: “a” refers back to this entry, so no fields were taken from it"),
        (3, "xdata: this import has no @xdata “none” to take fields from"),
        (4, "crossref: “s” refers back to this entry, so no fields were taken from it"),
    }


def test_volumes_that_name_each_other_or_themselves_end() -> None:
    text = "@book{a, title = {A}, crossref = {b}}\n@book{b, title = {B}, crossref = {a}}\n"
    text += "@book{s, title = {S}, crossref = {s}}"
    assert {key: fields["title"] for key, fields in entries_of(text).items()} == {"a": "A", "b": "B", "s": "S"}
    wide = [f"@xdata{{x{n}, title = {{T}}, xdata = {{{', '.join(f'x{m}' for m in range(60))}}}}}" for n in range(60)]
    assert len(entries_of("\n".join([*wide, "@book{k, xdata = {x1}}"]))) == 61


def test_entries_that_become_no_records_do_not_wait() -> None:
    found = read_files("@proceedings{p, title = sigir, crossref = {series}}")
    assert [type(item) for item in found] == [Entry]


keys = st.sampled_from(["a", "b", "c", "d", "e"])


@given(
    st.lists(
        st.tuples(keys, st.sampled_from(["book", "inbook", "xdata"]), keys | st.none(), keys | st.none()), max_size=7
    )
)
def test_no_entry_is_lost_however_they_refer_to_each_other(made) -> None:
    text = "\n".join(
        f"@{kind}{{{key}, title = {{T{n}}}"
        + (f", crossref = {{{parent}}}" if parent else "")
        + (f", note = {word}" if word else "")
        + "}"
        for n, (key, kind, parent, word) in enumerate(made)
    )
    found = [item for item in read_files(text, "@string{a = {A}, b = {B}}") if isinstance(item, Entry)]
    assert sorted((entry.key, entry.fields["title"]) for entry in found) == sorted(
        (key, f"T{n}") for n, (key, *_) in enumerate(made)
    )


def documents(*paths: Path, **options) -> tuple[dict[str, DocumentRecord], list[Problem]]:
    found = list(read_documents([(path, path.name) for path in paths], **options))
    records = {item.docno: item for item in found if isinstance(item, DocumentRecord)}
    return records, [item for item in found if isinstance(item, Problem)]


@pytest.mark.shared
def test_a_folder_of_strings_papers_and_volumes_is_one_bibliography() -> None:
    folder = shared_path("data", "real-inputs", "bibtex-folder")
    for places in ([folder], sorted(folder.iterdir()), sorted(folder.iterdir(), reverse=True)):
        records, bad = documents(*places)
        assert not bad
        assert (records["uhl99"].authors, records["uhl99"].venue) == (
            ("Uhl, Anna", "Kauz, Berta"),
            "Journal of Zoology of Owls",
        )
        eule = records["eule01"]
        assert (eule.year, eule.venue) == (2001, "Proceedings of the First Owl Conference")


@pytest.mark.shared
def test_escapes_kinds_and_crossrefs_of_real_files() -> None:
    path = shared_path("data", "real-inputs", "bibtex-escapes-kinds-crossref.bib")
    records, bad = documents(path)
    assert list(records) == ["a1", "a3", "a5", "a6", "a2"]
    assert records["a1"].title == "Question & Answer for E-Commerce: A 2-Stage BERT Study of 10% > 5_x and R&D #1 $3"
    assert records["a1"].authors == (
        "Jean-Luc Dörfer",
        "María López-Rey",
        "Łukasz Świątek",
        "van der Berg, Anna",
    )
    assert records["a1"].extra["more_authors"] is True
    assert records["a1"].venue == "Proceedings of the 3rd Workshop on Retrieval & Ranking"
    assert (records["a2"].title, records["a2"].authors) == ("On k-means, Fast and Slow ε-search now", ("A. B. Smith",))
    assert [(each.line, each.reason.split(";")[0]) for each in bad] == [
        (7, "journal: the word “jzz” is defined by no @string of this import")
    ]
    assert (records["a5"].venue, records["a5"].year) == ("Proc of Z", 2018)
    assert (records["a6"].year, records["a6"].venue) == (2022, "Z")
    assert records["a6"].title == "Naïve cafés — a “quoted” résumé"
    assert records["a6"].authors == ("Müller, Jørgen", "Čech, A.", "O'Neil, S.", "Nguyễn")
    assert documents(path, entry_types=["misc"])[0].keys() == records.keys() | {"a4"}


@pytest.mark.parametrize("entry_types", [["misc"], ["@Misc", "book"], ["all"]])
def test_other_types_come_in_where_they_are_asked_for(tmp_path: Path, entry_types: list[str]) -> None:
    text = "@misc{m, title = {M}}\n@proceedings{p, title = {P}}\n@article{a, title = {A}}\n@book{b, title = {B}}\n"
    (path := tmp_path / "a.bib").write_text(text)
    wanted = {"a", "m", "b"} if len(entry_types) == 2 or entry_types == ["all"] else {"a", "m"}
    assert documents(path, entry_types=entry_types)[0].keys() == wanted


def test_a_file_of_which_nothing_is_of_use_is_a_problem(tmp_path: Path) -> None:
    texts = {
        "books.bib": "@book{b, title = {B}}\n@book{c, title = {C}}\n@misc{m, title = {M}}",
        "papers.bib": "@article{a, title = {A}, journal = j}",
        "strings.bib": "@string{j = {J}}",
        "strings_long.bib": "@string{j = {Journal}}",
        "volumes.bib": "@proceedings{v, title = {V}}",
        "words.bib": "@comment{nothing}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    records, bad = documents(*sorted(tmp_path.iterdir()))
    assert list(records) == ["a"]
    types = "none of its entries is an article or a conference paper. Name the types to take as well:"
    assert {each.file: each.reason for each in bad} == {
        "books.bib": f"{types} @book (2), @misc (1)",
        "volumes.bib": f"{types} @proceedings (1)",
        "words.bib": "has no usable entry: no documents, and nothing that other files of this import refer to",
    }
    assert len(documents(tmp_path / "strings.bib")[1]) == 1  # of use to no other file


def test_every_entry_is_a_record_a_skip_or_a_problem(tmp_path: Path) -> None:
    (path := tmp_path / "a.bib").write_text(
        f"{PAPER}@article{{uhl, title = {{Again}}}}\n@book{{b, title = {{B}}}}\n{CHILD}"
    )
    found = [item for item in read_documents(path) if not isinstance(item, Remark | PartProblem)]
    assert sorted(type(item).__name__ for item in found) == ["DocumentRecord", "DocumentRecord", "Problem", "Skip"]
    assert [item.docno for item in found if isinstance(item, Skip)] == ["b"]
