"""BibTeX entries to documents: which entries count, and where their fields go.

Articles and conference papers count, without the session headings that have no abstract (F. Boudin, "ACM-CR: A Manually
Annotated Test Collection for Citation Recommendation", JCDL 2021), and entries of other types that are asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from engines.formats.bibtex import Entry
from engines.formats.bibtex_links import Bibliography
from engines.formats.bibtex_values import address, doi, is_marked, readable, split_keywords, split_names, take_year
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.naming import Naming
from engines.formats.records import DocumentRecord, PartProblem, Problem, Remark, Skip, id_problem
from engines.formats.registry import Certainty, Format, Shape
from engines.formats.repeats import SeenIds
from engines.text.markup import has_odd_space

PAPER_KINDS = frozenset({"article", "inproceedings", "conference"})
EVERY_KIND = "all"
# What holds papers but is not one itself; counts only if asked for by name.
_CONTAINERS = frozenset(
    "proceedings mvproceedings collection mvcollection periodical mvreference mvbook xdata set".split()
)
SESSION_REASON = "a session heading without an abstract"
_VENUES = ("booktitle", "journal", "journaltitle", "eventtitle")
_VENUES_OF_OTHERS = ("school", "institution")  # of theses and reports

_BEFORE_SESSION = frozenset("sS{ \n\t")  # what a title of a session begins with
_READ_FIRST = frozenset({"title", "subtitle", "author", *_VENUES})

_ENTRY = re.compile(r"^[ \t]*+@[ \t]*+[A-Za-z]\w*+\s*+[{(]", re.MULTILINE).search
_COMMAND = re.compile(r"\\[A-Za-z]+").search

Item = DocumentRecord | Skip | Problem | Remark


def read_bibtex(stream: BinaryIO, file: str, entry_types: Iterable[str] = ()) -> Iterator[Item]:
    """Yield one document for each entry of a file that is read alone. See `BibtexReader`."""
    reader = BibtexReader(entry_types)
    yield from reader.read(stream, file)
    yield from reader.finish()


class BibtexReader:
    """Reads the files of one import, which share what @string defines and the volumes that `crossref` names.

    An entry's key is its docno. A `Skip` is what is of another type than `PAPER_KINDS` and `entry_types` ("all" for all
    but volumes), and a title that begins with "session" (in any case) without an abstract.
    """

    def __init__(self, entry_types: Iterable[str] = ()) -> None:
        kinds = {kind.strip(" @").lower() for kind in entry_types}
        self.kinds = PAPER_KINDS | kinds - {EVERY_KIND}
        self.takes_all = EVERY_KIND in kinds
        self.bibliography = Bibliography(self._is_wanted)
        self.seen: dict[str, SeenIds] = {}
        self.naming: dict[str, Naming] = {}
        self.left: dict[str, Counter[str]] = {}  # types of entries left out, by file
        self.gave: set[str] = set()  # files with documents, or with something about them to report

    def read(self, stream: BinaryIO, file: str) -> Iterator[Item]:
        """Yield the documents of a file, but those that refer to something that is still to be read."""
        self.seen[file] = SeenIds()
        self.naming[file] = Naming(file)
        self.left[file] = Counter()
        words = dict(self.bibliography.macros)
        yield from self._items(self.bibliography.read(stream, file))
        if self.bibliography.macros != words:
            self.bibliography.used.add(file)

    def finish(self) -> Iterator[Item]:
        """Yield the documents that are still to come, and a problem for each file of which nothing is of use."""
        yield from self._items(self.bibliography.finish())
        for naming in self.naming.values():
            yield from naming.remarks()
        useful = self.gave | self.bibliography.used if self.gave else self.gave
        for file, left in self.left.items():
            if file not in useful:
                yield Problem(file, 0, _nothing_in(left))

    def _is_wanted(self, entry: Entry) -> bool:
        return entry.kind in self.kinds or (self.takes_all and entry.kind not in _CONTAINERS)

    def _items(self, entries: Iterable[Entry | Problem]) -> Iterator[Item]:
        for entry in entries:
            if isinstance(entry, Problem):
                self.gave.add(entry.file)
                yield entry
            elif entry.kind in self.kinds or self._is_wanted(entry):
                self.gave.add(entry.file)
                notes: list[PartProblem] = []
                found = self._document(entry, notes)
                if notes:
                    yield from notes
                yield found
            else:
                self.left[entry.file][f"@{entry.kind}"] += 1
                reason = f"an entry of type @{entry.kind}, which “Other BibTeX entry types” does not name"
                yield Skip(entry.file, entry.line, reason, entry.key)

    def _document(self, entry: Entry, notes: list[PartProblem]) -> DocumentRecord | Skip | Problem:
        """The document; a problem where its key came before in the file. `notes` takes what could not be read of it."""
        if entry.kind in PAPER_KINDS and _is_session(entry):
            return Skip(entry.file, entry.line, SESSION_REASON, entry.key)
        found = _document(entry, notes, self.naming[entry.file])
        if isinstance(found, Problem) or self.seen[entry.file].add(found.docno):
            return found
        notes.clear()
        reason = f"docno {found.docno} appears more than once in this file; the first one counts"
        return Problem(entry.file, entry.line, reason)


def _is_session(entry: Entry) -> bool:
    title = entry.fields.get("title", "")
    if title[:1] not in _BEFORE_SESSION:
        return False
    return title.lstrip("{ \n\t")[:7].lower() == "session" and not entry.fields.get("abstract", "").strip()


def _document(entry: Entry, notes: list[PartProblem], naming: Naming) -> DocumentRecord | Problem:
    """The document. `notes` takes a problem for each command of LaTeX in it that is not known; `naming` names it where
    it has no key."""
    fields = entry.fields
    doi_found, url = doi(address(fields.pop("doi", "")), entry.key), address(fields.pop("url", ""))
    if entry.key and (reason := id_problem(entry.key)):
        return Problem(entry.file, entry.line, reason)
    together = "".join(fields.values())  # most entries have nothing to change in any field: this is checked once
    has_marks = is_marked(together) or "--" in together or has_odd_space(together)
    for name, value in fields.items():
        if has_marks and (is_marked(value) or "--" in value or has_odd_space(value)):
            fields[name] = readable(name, value)
            if "\\" in fields[name] and name in _READ_FIRST and (command := _COMMAND(fields[name])):
                reason = f"{name}: the LaTeX command {command[0]} is not known; it was kept as it is"
                notes.append(PartProblem(entry.file, entry.line, reason))
        else:
            fields[name] = value.strip()
    authors, and_others = split_names(fields.pop("author", ""))
    title, abstract = fields.pop("title", ""), fields.pop("abstract", "")
    if not title and not abstract:
        return Problem(
            entry.file, entry.line, f"entry {entry.key or 'without a key'} has neither a title nor an abstract"
        )
    if "subtitle" in fields:
        title = f"{title}: {fields['subtitle']}" if title else fields["subtitle"]
    keywords = split_keywords(fields.pop("keywords", ""))
    venue, year = _take_venue(entry, fields), take_year(fields)
    fields["entry_type"] = entry.kind
    docno = entry.key or naming.docno((), doi_found, title, authors, year=year or "", text=abstract)
    extra = fields | {"more_authors": True} if and_others else fields
    return DocumentRecord(
        docno, title, abstract, keywords, authors, venue, year, doi_found, url, extra, entry.file, entry.line
    )


def _take_venue(entry: Entry, fields: dict[str, str]) -> str:
    """Where it was published: the first of the fields that say so, which is taken out."""
    for name in _VENUES if entry.kind in PAPER_KINDS else _VENUES + _VENUES_OF_OTHERS:
        if fields.get(name):
            return fields.pop(name)
    return ""


def _nothing_in(left: Counter[str]) -> str:
    if not left:
        return "has no usable entry: no documents, and nothing that other files of this import refer to"
    return f"none of its entries is an article or a conference paper. Name the types to take as well: {_listed(left)}"


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())


_LAYOUT = Layout(
    "@article{10.1145/1, author = {Uhl, Anna and Kauz, Bo}, title = {Hearing of Owls}, journal = {Owls}, year = 2021}\n"
    "@inproceedings{moth22, title = {Wings of Moths}, booktitle = {Proceedings of Moths}, year = {2022}}\n",
    (
        required("key", "what follows the brace of an entry: the document's id, unique in the collection"),
        optional("title", "title; a document has a title or an abstract"),
        optional("abstract", "abstract"),
        optional("author", "names, separated by “and”"),
        optional("keywords", "separated by commas or semicolons"),
        optional(_VENUES, "where it was published"),
        optional(("year", "date"), "year, four digits, or a date that begins with them"),
        optional(("crossref", "xdata"), "key of an entry, in any file of the import, that fills in missing fields"),
        optional("doi", "DOI; without one, a key that is a DOI serves"),
        optional("url", "address"),
    ),
    KEPT,
)

BIBTEX = Format(
    name="bibtex",
    label="BibTeX",
    help="Entries as databases and people write them; articles and conference papers become documents, other types "
    "where the import names them.",
    reads={"documents": read_bibtex},
    shapes=(Shape("bibtex", ("documents",), lambda head: not head.is_json and _ENTRY(head.text), Certainty.POSSIBLE),),
    layouts={"documents": _LAYOUT},
    together={"documents": BibtexReader},
)
