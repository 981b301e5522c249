"""RIS, PubMed's MEDLINE (NBIB) and the Web of Science's tagged text as documents; fields have the names of rispy.

rispy gives tags their names. It reads a whole file at once, keeps the first of repeated values alone and leaves out a
last record without an end, so records are cut here and given to it one by one, with its lists made for all tags that
occur again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, ClassVar

from rispy import RisParser, WokParser
from rispy.config import TAG_KEY_MAPPING

from engines.formats import taking
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.lines import read_lines
from engines.formats.naming import Naming
from engines.formats.records import DocumentRecord, PartProblem, Problem, Remark
from engines.formats.registry import Format, Head, Shape
from engines.formats.tagged import MEDLINE, RIS, WEB_OF_SCIENCE, Dialect, Tagged, read_tagged

_UNKNOWN = TAG_KEY_MAPPING["UK"]
_IS_RIS = re.compile(r"^TY {1,2}- *[A-Z]", re.MULTILINE).search
_IS_MEDLINE = re.compile(r"^PMID- ?\d+\s*$", re.MULTILINE).search
_IS_WOS = re.compile(r"^PT [A-Z]\s*$(?:\n.*){0,200}?^(?:AU|AF|TI|SO|UT) ", re.MULTILINE).search
_TYPED = re.compile(r"(\S+)\s+\[(\w+)\]").fullmatch

Item = DocumentRecord | Problem | Remark
Make = Callable[[dict[str, Any], Naming, int], DocumentRecord | Problem]


class _PubMedParser(RisParser):
    """PubMed's tags of up to four letters."""

    START_TAG = "PMID"
    DEFAULT_MAPPING: ClassVar[dict[str, str]] = {
        "PMID": "pmid",
        "TI": "title",
        "BTI": "book_title",
        "TT": "original_title",
        "AB": "abstract",
        "OAB": "other_abstract",
        "FAU": "full_authors",
        "AU": "short_authors",
        "CN": "corporate_authors",
        "FED": "full_editors",
        "ED": "editors",
        "AD": "affiliations",
        "AUID": "author_ids",
        "DP": "date",
        "JT": "journal",
        "TA": "journal_abbreviation",
        "MH": "mesh_terms",
        "OT": "other_terms",
        "AID": "article_ids",
        "LID": "location_ids",
        "PMC": "pmcid",
        "PT": "publication_types",
        "LA": "language",
        "VI": "volume",
        "IP": "issue",
        "PG": "pages",
        "IS": "issn",
        "ISBN": "isbn",
        "JID": "journal_id",
        "PL": "place",
        "GR": "grants",
        "RN": "substances",
        "COIS": "conflicts_of_interest",
        "CRDT": "created",
        "EDAT": "entered",
        "MHDA": "mesh_date",
        "PHST": "history",
        "DEP": "electronic_date",
        "SO": "source",
        "OWN": "owner",
        "STAT": "status",
        "LR": "last_revised",
        "SB": "subset",
        "UK": _UNKNOWN,
        "ER": "end_of_reference",
    }
    DEFAULT_LIST_TAGS: ClassVar[list[str]] = ["FAU", "AU", "AD", "MH", "OT", "AID", "LID", "PT"]

    def parse_line(self, line: str) -> tuple[str, str]:
        tag, _, value = line.partition("- ")
        return tag.rstrip(), value


def _names(parser: type[RisParser], mark: str) -> Callable[[Tagged], dict[str, Any]]:
    """What gives the fields of a record their names; repeated tags are lists, unknown ones keep their tags."""
    mapping = {**parser.DEFAULT_MAPPING, "UK": _UNKNOWN}
    one = parser(mapping=mapping, enforce_list_tags=False, delimiter_tags_mapping={})

    def named(record: Tagged) -> dict[str, Any]:
        pairs = sorted(record.pairs, key=lambda pair: pair[0] != parser.START_TAG)  # it may come after other tags
        if pairs[0][0] != parser.START_TAG:
            pairs.insert(0, (parser.START_TAG, ""))
        lines = [f"{tag}{mark}{value}" for tag, value in pairs]
        (found,) = one.parse_lines(iter([*lines, f"ER{mark}"]))
        for tag, values in found.pop(_UNKNOWN, {}).items():
            found[tag] = values[0] if len(values) == 1 else values
        return found

    return named


def _reader(dialect: Dialect, parser: type[RisParser], mark: str, make: Make) -> Callable[..., Iterator[Item]]:
    named = _names(parser, mark)

    def read(stream: BinaryIO, file: str) -> Iterator[Item]:
        naming = Naming(file)
        for found in read_tagged(read_lines(stream, file), file, dialect):
            if isinstance(found, PartProblem | Remark):
                yield found
            else:
                yield make(named(found), naming, found.line)
        yield from naming.remarks()

    return read


def _of_ris(fields: dict[str, Any], naming: Naming, line: int) -> DocumentRecord | Problem:
    venues = ("alternate_title3", "secondary_title", "journal_name", "alternate_title2", "alternate_title1")
    return taking.document(
        fields,
        naming,
        line,
        title=taking.take(fields, ("title", "primary_title", "short_title")),
        abstract=taking.take(fields, ("abstract", "notes_abstract")),
        authors=taking.take_all(fields, ("authors", "first_authors")),
        keywords=taking.split_list(taking.take_all(fields, ("keywords",))),
        venue=taking.take(fields, venues),
        year=taking.take_year(fields, ("year", "publication_year", "date")),
        doi=taking.take_doi(fields, ("doi",)),
        url=taking.take(fields, ("urls",)),
        ids=taking.take_all(fields, ("id", "accession_number")),
    )


def _of_medline(fields: dict[str, Any], naming: Naming, line: int) -> DocumentRecord | Problem:
    return taking.document(
        fields,
        naming,
        line,
        title=taking.take(fields, ("title", "book_title", "original_title")),
        abstract=taking.take(fields, ("abstract", "other_abstract")),
        authors=taking.take_all(fields, ("full_authors" if fields.get("full_authors") else "short_authors",)),
        keywords=taking.take_all(fields, ("other_terms", "mesh_terms")),
        venue=taking.take(fields, ("journal", "journal_abbreviation")),
        year=taking.take_year(fields, ("date", "electronic_date")),
        doi=_typed_doi(fields),
        ids=taking.take_all(fields, ("pmid",)),
    )


def _typed_doi(fields: dict[str, Any]) -> str:
    """The DOI among ids such as “10.9999/owl.1 [doi]”."""
    found = ""
    for name in ("article_ids", "location_ids"):
        left = []
        for value in fields.pop(name, []):
            typed = _TYPED(value)
            if typed and typed[2] == "doi" and found in ("", typed[1]):
                found = typed[1]
            else:
                left.append(value)
        if left:
            fields[name] = left
    return found


def _of_web_of_science(fields: dict[str, Any], naming: Naming, line: int) -> DocumentRecord | Problem:
    return taking.document(
        fields,
        naming,
        line,
        title=taking.take(fields, ("document_title",)),
        abstract=taking.take(fields, ("abstract",)),
        authors=taking.take_all(fields, ("author_full_name" if fields.get("author_full_name") else "authors",)),
        keywords=taking.split_list(taking.take_all(fields, ("author_keywords",))),
        venue=taking.take(fields, ("publication_name",)),
        year=taking.take_year(fields, ("publication_year", "early_access_year")),
        doi=taking.take_doi(fields, ("doi",)),
        ids=taking.take_all(fields, ("accession_number",)),
    )


read_ris = _reader(RIS, RisParser, "  - ", _of_ris)
read_medline = _reader(MEDLINE, _PubMedParser, "- ", _of_medline)
read_web_of_science = _reader(WEB_OF_SCIENCE, WokParser, " ", _of_web_of_science)


def _is(found: Callable[[str], object]) -> Callable[[Head], object]:
    return lambda head: not head.is_json and found(head.text)


_IDS = "an id; without one, the DOI or an id made of author, year and title"
RIS_FORMAT = Format(
    name="ris",
    label="RIS",
    help="References between TY and ER, as Zotero, EndNote, Mendeley, Scopus, Embase, Rayyan and others export them.",
    reads={"documents": read_ris},
    shapes=(Shape("ris", ("documents",), _is(_IS_RIS)),),
    layouts={
        "documents": Layout(
            "TY  - JOUR\nTI  - Owls in the dark\nAU  - Xample, Ada\nPY  - 2020\nAB  - We measure hearing.\n"
            "DO  - 10.9999/owl.1\nID  - owl1\nER  - \n",
            (
                required("TY", "kind of reference; begins a record, which ER ends"),
                optional(("TI", "T1", "ST"), "title; this or an abstract is required"),
                optional(("AB", "N2"), "abstract"),
                optional(("AU", "A1"), "an author, one per line"),
                optional(("PY", "Y1", "DA"), "year"),
                optional(("JF", "T2", "JO", "JA", "J2"), "journal or book"),
                optional("DO", "DOI"),
                optional("KW", "a keyword, one per line"),
                optional("UR", "address"),
                optional(("ID", "AN"), _IDS),
            ),
            KEPT,
        )
    },
)
NBIB_FORMAT = Format(
    name="nbib",
    label="PubMed (NBIB, MEDLINE)",
    help="References that begin with PMID, as PubMed exports them.",
    reads={"documents": read_medline},
    shapes=(Shape("nbib", ("documents",), _is(_IS_MEDLINE)),),
    layouts={
        "documents": Layout(
            "PMID- 12345678\nTI  - Owls in the dark.\nAB  - We measure hearing.\nFAU - Xample, Ada\nDP  - 2020 Feb\n"
            "JT  - Journal of owls\nAID - 10.9999/owl.1 [doi]\n",
            (
                required("PMID", "id of the document; begins a record, which an empty line ends"),
                optional(("TI", "BTI", "TT"), "title; this or an abstract is required"),
                optional(("AB", "OAB"), "abstract"),
                optional(("FAU", "AU"), "an author, one per line"),
                optional(("DP", "DEP"), "date, of which the year is taken"),
                optional(("JT", "TA"), "journal"),
                optional(("AID", "LID"), "ids; the one marked [doi] is the DOI"),
                optional(("OT", "MH"), "a keyword, one per line"),
            ),
            KEPT,
        )
    },
)
WOS_FORMAT = Format(
    name="wos",
    label="Web of Science (plain text)",
    help="References between PT and ER: the plain text export. Tab-delimited exports are tables.",
    reads={"documents": read_web_of_science},
    shapes=(Shape("wos", ("documents",), _is(_IS_WOS)),),
    layouts={
        "documents": Layout(
            "PT J\nAU Xample, A\nAF Xample, Ada\nTI Owls in the dark\nSO JOURNAL OF OWLS\nAB We measure hearing.\n"
            "PY 2020\nDI 10.9999/owl.1\nUT WOS:000000000000001\nER\n",
            (
                required("PT", "kind of publication; begins a record, which ER ends"),
                optional("TI", "title; this or an abstract is required"),
                optional("AB", "abstract"),
                optional(("AF", "AU"), "authors, each in a line"),
                optional("PY", "year"),
                optional("SO", "journal or book"),
                optional("DI", "DOI"),
                optional("DE", "keywords, separated by semicolons"),
                optional("UT", _IDS),
            ),
            KEPT,
        )
    },
)
