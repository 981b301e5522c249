"""Reading the files of an import of papers, before its transaction begins: parsing a PDF file may take minutes, and
registries are asked over HTTP. The results wait in a file without a name, of which nothing is left however it ends.
"""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import IO

from django.db.models import Count, Max

from accounts.jobs import Progress
from annotation.definitions.proposals import Link
from annotation.papers.jobs.registries import Registries
from annotation.papers.reads.references import link_references, title_index
from corpus.formats.acm_cr import AnnotatedPaper, DoisLine
from corpus.formats.archives import Member, open_files
from corpus.formats.characters import with_carriable_texts
from corpus.formats.dataclass_json import from_json
from corpus.formats.paper_files import PlaceInOrder
from corpus.formats.papers import FullPaper, PaperFormat
from corpus.formats.reading import detected_format
from corpus.formats.records import BrokenFile, Problem
from corpus.formats.registry import AUTO, Read, formats
from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import Odometer, sources_of
from corpus.models import Collection, Document, ImportRun
from corpus.pdf.child import ExtractionFailed
from corpus.pdf.texts import complete
from corpus.pdf.titles import TitleIndex
from corpus.pdf.vocabulary import Vocabulary, count_words

MOST_BYTES = 100 << 20  # of one file that holds one paper
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
        parsed = asdict(paper.found) if isinstance(paper.found, FullPaper) else None
        links = {key: asdict(link) for key, link in paper.links.items()}
        head = {"paper": parsed, "links": links, "source": paper.source, "name": paper.file.name}
        self.file.write(json.dumps({**head, "size": len(paper.file.data)}).encode() + b"\n")
        self.file.write(paper.file.data)
        self.count += 1

    def __iter__(self) -> Iterator[Incoming]:
        self.file.seek(0)
        for _ in range(self.count):
            head = json.loads(self.file.readline())
            file = PaperFile(head["name"], self.file.read(head["size"]))
            found = from_json(FullPaper, head["paper"]) if head["paper"] else _read_again(file, head["source"])
            links = {key: from_json(Link, item) for key, item in head["links"].items()}
            yield Incoming(found, head["source"], file, links)


def _read_again(file: PaperFile, source: str) -> AnnotatedPaper:
    found: AnnotatedPaper = next(formats()[source].reads["papers"](io.BytesIO(file.data), file.name))
    return found


def _completed(paper: ParsedPaper) -> ParsedPaper:
    """The paper with texts that files can carry; one that came as text gets the data that PDF files are parsed for."""
    if isinstance(paper, AnnotatedPaper):
        return paper
    paper = with_carriable_texts(paper)
    return paper if paper.pages else complete(paper)


@dataclass
class Reader:
    """Reads the files of an import; an error in one file is a problem of its own."""

    run: ImportRun
    progress: Progress
    counts: ImportCounts
    spool: Spool
    odometer: Odometer = field(default_factory=Odometer)
    order: list[PlaceInOrder] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)

    def read(self) -> None:
        """Read everything into the spool. Raises `Cancelled`."""
        for source in sources_of(self.run):
            try:
                for member in open_files(source.path, name=source.name, watch=self.odometer.add):
                    self._try(member)
            except BrokenFile as broken:
                self.counts.add_problems([Problem(broken.file, broken.line, broken.reason)])
        if "registries" in self.__dict__:  # their DOIs are missing from the proposals
            self.counts.add_notes(Problem("", 0, reason) for reason in self.registries.failures)

    def _try(self, member: Member) -> None:
        self.progress.report(self.odometer.bytes, step=member.name[-150:])
        try:
            self._read_member(member)
        except (BrokenFile, ExtractionFailed) as error:
            line = error.line if isinstance(error, BrokenFile) else 0
            self.counts.add_problems([Problem(member.name, line, error.reason)])

    def _read_member(self, member: Member) -> None:
        found = formats()[self.run.format] if self.run.format != AUTO else detected_format(member, "papers", "papers")
        if isinstance(found, PaperFormat):
            self._read_papers(member, found)
        for carried, read in (("paper-order", self._read_order), ("reference-notes", self._read_sheet)):
            if carried in found.reads:
                read(member, found.reads[carried])

    def _read_order(self, member: Member, read: Read) -> None:
        rows = list(read(member.stream, member.name))
        self.counts.add_problems(row for row in rows if isinstance(row, Problem))
        self.order += [row for row in rows if not isinstance(row, Problem)]

    def _read_sheet(self, member: Member, read: Read) -> None:
        """Read the notes of a `.dois` sheet; its identifiers are not read, because those of the XML count."""
        lines = list(read(member.stream, member.name))
        self.counts.add_notes(line for line in lines if isinstance(line, Problem))
        notes = {line.number: line.note for line in lines if isinstance(line, DoisLine) and line.note}
        self.sheets.append(Sheet(PaperFile(member.name), notes))

    def _read_papers(self, member: Member, found: PaperFormat) -> None:
        file = PaperFile(member.name)
        stream = member.stream
        if found.is_one_paper:
            file = PaperFile(member.name, stream.read(MOST_BYTES + 1))
            if len(file.data) > MOST_BYTES:
                raise BrokenFile(member.name, 0, f"is larger than {MOST_BYTES >> 20} MB")
            stream = io.BytesIO(file.data)
        options = {"vocabulary": lambda: self.vocabulary, "check": self.progress.check}
        for paper in found.reads["papers"](stream, member.name, **options):
            if isinstance(paper, Problem):
                self.counts.add_problems([paper])
            else:
                self._take(_completed(paper), found.name, file)

    def _take(self, found: ParsedPaper, source: str, file: PaperFile) -> None:
        links: Links = {}
        if isinstance(found, FullPaper):
            links = link_references(found.references, self.titles)
            links = {**links, **self.registries.ask(found.references, links)}
        self.spool.add(Incoming(found, source, file, links))

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

    state: tuple[int, int] = (0, 0)  # of the documents, when their titles were read

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
        read_titles = "titles" in reader.__dict__
        self.are_old = read_titles and reader.state != state_of_documents(self.collection)

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
