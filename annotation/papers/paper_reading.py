"""Reading the files of an import of papers, before its transaction begins: parsing a PDF file may take minutes, and
registries are asked over HTTP. The results wait in a file without a name, of which nothing is left however it ends.
"""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

from django.db.models import Count, Max

from accounts.jobs import Progress
from annotation.papers.references import link_references, title_index
from annotation.papers.registries import Registries
from corpus.loading.counts import ImportCounts
from corpus.loading.sources import Odometer, encoding_of, limits, sources_of
from corpus.models import Collection, Document, ImportRun
from engines.definitions.proposals import Link
from engines.formats.acm_cr import AnnotatedPaper, DoisLine
from engines.formats.dataclass_json import from_json
from engines.formats.paper_files import PlaceInOrder
from engines.formats.paper_members import PaperMember, read_paper_files
from engines.formats.papers import FullPaper, paper_format
from engines.formats.records import BrokenFile, Problem, Remark
from engines.formats.registry import formats
from engines.guarded.limits import ReadingFailed
from engines.guarded.reading import read_guarded
from engines.pdf.child import ExtractionFailed
from engines.pdf.texts import completed
from engines.pdf.titles import TitleIndex
from engines.pdf.vocabulary import Vocabulary, count_words

RARE = 2  # words that the collection has only once do not decide about hyphens

ParsedPaper = AnnotatedPaper | FullPaper
Links = Mapping[str, Link]


@dataclass(frozen=True)
class PaperFile:
    """A file that holds one paper: its own name without folders, and its bytes (none where it holds many papers)."""

    name: str
    data: bytes = b""

    @property
    def stem(self) -> str:
        """The name as a key: without its suffix, and without characters that an id cannot have."""
        base = self.name.rpartition("/")[2]
        stem = base.rpartition(".")[0] or base
        return "".join(char if char.isprintable() and not char.isspace() else "_" for char in stem)[:200] or "paper"


@dataclass(frozen=True)
class Incoming:
    """A paper as it was read: `links` are by its references' keys; gold has none."""

    found: ParsedPaper
    source: str  # the name of its format
    file: PaperFile
    links: Links = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """The notes of a `.dois` sheet by numbers of references: venues, or that a version superseded another."""

    file: PaperFile
    notes: dict[str, str]


class Spool:
    """Papers that were read and wait to be stored, in a file; they can be iterated in order several times."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.count = 0

    def add(self, paper: Incoming) -> None:
        """Append a paper: a line of JSON, then the bytes of its file."""
        links = {key: asdict(link) for key, link in paper.links.items()}
        is_gold = isinstance(paper.found, AnnotatedPaper)
        head = {
            "paper": asdict(paper.found),
            "is_gold": is_gold,
            "links": links,
            "source": paper.source,
            "name": paper.file.name,
        }
        self.file.write(json.dumps({**head, "size": len(paper.file.data)}).encode() + b"\n")
        self.file.write(paper.file.data)
        self.count += 1

    def __iter__(self) -> Iterator[Incoming]:
        self.file.seek(0)
        for _ in range(self.count):
            head = json.loads(self.file.readline())
            file = PaperFile(head["name"], self.file.read(head["size"]))
            kind: type[ParsedPaper] = AnnotatedPaper if head["is_gold"] else FullPaper
            found = from_json(kind, head["paper"])
            links = {key: from_json(Link, item) for key, item in head["links"].items()}
            yield Incoming(found, head["source"], file, links)


@dataclass
class Reader:
    """Reads the files of an import; an error in one file is a separate problem."""

    run: ImportRun
    progress: Progress
    counts: ImportCounts
    spool: Spool
    odometer: Odometer = field(default_factory=Odometer)
    order: list[PlaceInOrder] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    member: PaperMember = field(default_factory=lambda: PaperMember("", "", ""))  # the file that is being read

    def read(self) -> None:
        """Read everything into the spool. Raises `Cancelled`."""
        for source in sources_of(self.run):
            with source.local() as path:
                self._read_file(path, source.name)
        if "registries" in self.__dict__:  # their DOIs are missing from the proposals
            self.counts.add_notes(Problem("", 0, reason) for reason in self.registries.failures)

    def _read_file(self, path: Path, name: str) -> None:
        reading = partial(
            read_paper_files, path, self.run.format, name=name, encoding=encoding_of(self.run), complete=completed
        )
        found = read_guarded(reading, limits=limits(), check=self.progress.check, watch=self.odometer.add)
        self.member = PaperMember(name, "", "")
        try:
            for item in found:
                self._take(item)
        except BrokenFile as broken:
            self.counts.add_problems([Problem(broken.file, broken.line, broken.reason)])
        except ReadingFailed as failed:
            reason = f"{failed.reason}; what comes after it in this file or archive was not read"
            self.counts.add_problems([Problem(self.member.name, 0, reason)])

    def _take(self, item: Any) -> None:
        """Take what comes from a file; see `read_paper_files`."""
        if isinstance(item, PaperMember):
            self._begin(item)
        elif isinstance(item, Problem):
            add = self.counts.add_notes if self.member.carried == "reference-notes" else self.counts.add_problems
            add([item])
        elif isinstance(item, PlaceInOrder):
            self.order.append(item)
        elif isinstance(item, DoisLine):
            # Its identifiers are not read, because those of the XML count.
            if item.note:
                self.sheets[-1].notes[item.number] = item.note
        else:
            self._take_paper(item)

    def _begin(self, member: PaperMember) -> None:
        self.member = member
        self.counts.add_remark(Remark(member.name, 0, f"read as {formats().label_of(member.format)}"))
        self.progress.report(self.odometer.file_bytes, step=member.name[-150:])
        if member.carried == "reference-notes":
            self.sheets.append(Sheet(PaperFile(member.name), {}))
        elif member.carried == "papers" and paper_format(member.format).is_read_apart:
            self._read_apart(member)

    def _read_apart(self, member: PaperMember) -> None:
        options = {"vocabulary": lambda: self.vocabulary, "check": self.progress.check}
        read = formats()[member.format].reads["papers"]
        try:
            for paper in read(io.BytesIO(member.data), member.name, **options):
                self._take_paper(completed(paper))
        except ExtractionFailed as failed:
            self.counts.add_problems([Problem(member.name, 0, failed.reason)])

    def _take_paper(self, found: ParsedPaper) -> None:
        links: Links = {}
        if isinstance(found, FullPaper):
            links = link_references(found.references, self.titles)
            links = {**links, **self.registries.ask(found.references, links)}
        file = PaperFile(self.member.name, self.member.data)
        self.spool.add(Incoming(found, self.member.format, file, links))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the collection's documents; read once, and only for a PDF."""
        texts = Document.objects.filter(collection=self.run.collection_id).values_list("title", "abstract")
        return count_words((text for pair in texts.iterator(chunk_size=2_000) for text in pair), least=RARE)

    @cached_property
    def titles(self) -> TitleIndex:
        """The collection's titles, for linking references; read once."""
        self.state = state_of_documents(self.run.collection)
        return title_index(self.run.collection)

    state: tuple[int, ...] | None = None  # of the documents, when their titles were read

    @cached_property
    def registries(self) -> Registries:
        """The configured ones of Crossref and OpenAlex."""
        return Registries(self.progress.check)


class NewestLinks:
    """Links at the time when papers are stored: made again where documents have changed since the files were read.

    Answers of registries stay; they are not asked again.
    """

    def __init__(self, reader: Reader) -> None:
        self.collection = reader.run.collection
        self.are_old = reader.state not in (None, state_of_documents(self.collection))

    def of(self, paper: Incoming) -> Links:
        """The links of the paper's references."""
        if not self.are_old or not isinstance(paper.found, FullPaper):
            return paper.links
        found = dict(link_references(paper.found.references, self.titles))
        for key, old in paper.links.items():
            if old.works or old.doi:
                new = found.get(key, Link())
                candidates = tuple(dict.fromkeys((*new.candidates, *(each.doi for each in old.works))))
                refereed = new.refereed or old.refereed
                found[key] = replace(new, doi=old.doi, works=old.works, candidates=candidates, refereed=refereed)
        return found

    @cached_property
    def titles(self) -> TitleIndex:
        return title_index(self.collection)


def state_of_documents(collection: Collection) -> tuple[int, int]:
    """The number of documents and the last id, which change when documents are added or deleted."""
    found = Document.objects.filter(collection=collection).aggregate(count=Count("pk"), last=Max("pk"))
    return found["count"], found["last"] or 0
