"""Reading papers into a collection: each file by itself, a bad one reported and the others taken.

A paper is known by its DOI, else by its file's name. The same paper may come as PDF and as ACM-CR XML: the one gives
the text and the machine's proposal, the other title, abstract and the imported gold.
"""

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import DatabaseError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from accounts.jobs import Progress
from annotation.definitions.extractions import BadExtraction, Content, content_of_gold
from annotation.definitions.proposals import propose
from annotation.models import Extraction, ExtractionSource, ExtractionState
from annotation.queries.links import link_references, title_index
from annotation.runs.extractions import replace_content, store_extraction
from annotation.runs.registries import Registries
from corpus.extraction.texts import complete
from corpus.extraction.titles import TitleIndex
from corpus.extraction.vocabulary import Vocabulary, count_words
from corpus.extraction.worker import ExtractionFailed, extract
from corpus.formats.acm_cr import AnnotatedPaper, read_acm_cr
from corpus.formats.members import Member, open_members
from corpus.formats.paper_files import (
    ACM_CR,
    HEAD_BYTES,
    PDF,
    S2ORC,
    SHEET,
    TABLE,
    TEI,
    PlaceInOrder,
    read_order,
    tell_format,
)
from corpus.formats.paper_json import reference_numbers, write_blocks, write_pages, write_references
from corpus.formats.papers import FullPaper
from corpus.formats.records import BrokenFile, Problem, id_problem
from corpus.formats.s2orc import read_s2orc_papers
from corpus.formats.tei import read_tei
from corpus.models import Document, ImportRun, Paper, PaperSource
from corpus.runs.reading import Odometer, sources_of
from corpus.runs.tally import REPEATED, Tally

MOST_BYTES = 100 << 20  # of one file that holds one paper
WORKSHEET = "a .dois worksheet; the XML beside it is what counts"
RARE = 2  # words that the collection has once only say nothing about hyphens

Found = AnnotatedPaper | FullPaper


def load_papers(run: ImportRun, progress: Progress, tally: Tally) -> None:
    """The work of an import of papers. A dry run does it all and takes it back."""
    with transaction.atomic():
        loader = _Loader(run, progress, tally, at=timezone.now())
        for source in sources_of(run):
            try:
                for member in open_members(source.path, name=source.name, watch=loader.odometer.add):
                    loader.take(member)
            except BrokenFile as broken:
                tally.add_problems([Problem(broken.file, broken.line, broken.reason)])
        loader.set_order()
        loader.tell_registries()
        if run.dry_run:
            transaction.set_rollback(True)


@dataclass
class _File:
    """A file that holds one paper: its own name without folders, and its bytes (none where it holds many papers)."""

    name: str
    data: bytes = b""

    @property
    def stem(self) -> str:
        """The name as a key: without its suffix, blanks and the rest of what an id cannot hold."""
        words = self.name.rpartition("/")[2]
        stem = words.rpartition(".")[0] or words
        return "".join(sign if sign.isprintable() and not sign.isspace() else "_" for sign in stem)[:200] or "paper"


@dataclass
class _Loader:
    run: ImportRun
    progress: Progress
    tally: Tally
    at: datetime
    odometer: Odometer = field(default_factory=Odometer)
    order: list[PlaceInOrder] = field(default_factory=list)
    seen: set[tuple[bool, str]] = field(default_factory=set)  # (is it gold, key)

    def take(self, member: Member) -> None:
        """Read one file; what is wrong with it is a problem of its own."""
        self.progress.report(self.odometer.bytes, step=member.name[-150:])
        try:
            with transaction.atomic():
                self._take(member)
        except (BrokenFile, ExtractionFailed, BadExtraction) as error:
            line = error.line if isinstance(error, BrokenFile) else 0
            self.tally.add_problems([Problem(member.name, line, error.reason)])
        except (DatabaseError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            self.tally.add_problems([Problem(member.name, 0, f"cannot be stored: {reason}")])

    def _take(self, member: Member) -> None:
        head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
        found = self.run.format if self.run.format != "auto" else tell_format(head, member.name)
        if found == SHEET:
            self.tally.skips[WORKSHEET] += 1
        elif found == TABLE:
            rows = list(read_order(member.stream, member.name))
            self.tally.add_problems(row for row in rows if isinstance(row, Problem))
            self.order += [row for row in rows if not isinstance(row, Problem)]
        elif found == S2ORC:
            for paper in read_s2orc_papers(member.stream, member.name):
                if isinstance(paper, Problem):
                    self.tally.add_problems([paper])
                else:
                    self._store(complete(paper), PaperSource.S2ORC, _File(member.name))
        else:
            self._take_one(member, found)

    def _take_one(self, member: Member, found: str) -> None:
        data = member.stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BrokenFile(member.name, 0, f"is larger than {MOST_BYTES >> 20} MB")
        file = _File(member.name, data)
        if found == PDF:
            self._store(self._read_pdf(file), PaperSource.PDF, file)
        elif found == TEI:
            self._store(complete(read_tei(ContentFile(data), member.name)), PaperSource.TEI, file)  # type: ignore[arg-type]
        elif found == ACM_CR:
            self._store(read_acm_cr(ContentFile(data), member.name), PaperSource.ACM_CR, file)  # type: ignore[arg-type]

    def _read_pdf(self, file: _File) -> FullPaper:
        with tempfile.NamedTemporaryFile(suffix=".pdf") as copy:
            copy.write(file.data)
            copy.flush()
            name = file.name.rpartition("/")[2]
            return extract(Path(copy.name), vocabulary=self.vocabulary, check=self.progress.check, name=name)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the collection's documents; read once, and only where there is a PDF."""
        texts = Document.objects.filter(collection=self.run.collection_id).values_list("title", "abstract")
        return count_words((text for pair in texts.iterator(chunk_size=2_000) for text in pair), least=RARE)

    @cached_property
    def titles(self) -> TitleIndex:
        """The collection's titles, for finding what references mean; read once."""
        return title_index(self.run.collection)

    @cached_property
    def registries(self) -> Registries:
        """What Crossref and OpenAlex are asked through, where they are configured."""
        return Registries(self.progress.check)

    # --- storing ----------------------------------------------------------------------------------------------------

    def _store(self, found: Found, source: PaperSource, file: _File) -> None:
        is_gold = isinstance(found, AnnotatedPaper)
        paper = self._paper_for(found, file)
        if (is_gold, paper.key) in self.seen:
            self.tally.skips[REPEATED] += 1
            return
        self.seen.add((is_gold, paper.key))
        if isinstance(found, AnnotatedPaper):
            fields, content = _gold_fields(found, paper, file), content_of_gold(found)
            kind, state = ExtractionSource.IMPORTED, ExtractionState.FINISHED
            if found.status:  # a draft that was given out: nobody stands by it
                kind, state = ExtractionSource.MACHINE, ExtractionState.DRAFT
        else:
            links = link_references(found.references, self.titles)
            content = propose(found, {**links, **self.registries.dois(found.references, links)})
            fields = _parsed_fields(found, paper, source, file)
            kind, state = ExtractionSource.MACHINE, ExtractionState.DRAFT
            if _is_worked_on(paper) and fields["blocks"] != paper.blocks:
                self._leave(paper, file)
                return
        is_new = paper.pk is None
        changed = self._write(paper, fields, file)
        changed |= self._write_extraction(paper, kind, state, content, file)
        if is_new:
            self.tally.created += 1
        elif changed:
            self.tally.updated += 1
        else:
            self.tally.unchanged += 1

    def _paper_for(self, found: Found, file: _File) -> Paper:
        """The paper that is here already under this key, else a new one. Raises `BrokenFile` for an unusable key."""
        known = Paper.objects.filter(collection=self.run.collection_id)
        key = found.doi or (found.paper_id if isinstance(found, FullPaper) else "") or file.stem
        if reason := id_problem(key):
            raise BrokenFile(file.name, 0, f"doi: {reason}")
        same = known.filter(key=key).first()
        if same is None and file.data and not isinstance(found, AnnotatedPaper):
            # A PDF without a printed DOI, named as the last part of the DOI of a paper that is here.
            same = known.filter(Q(key=file.stem) | Q(key__endswith=f"/{file.stem}")).first()
        if same is not None:
            return same
        last = known.aggregate(last=Max("position"))["last"]
        position = 0 if last is None else last + 1
        return Paper(collection=self.run.collection, key=key, position=position, created_at=self.at)

    def _write(self, paper: Paper, fields: Mapping[str, Any], file: _File) -> bool:
        """Store the fields; whether any was different."""
        different = paper.pk is None or any(getattr(paper, name) != value for name, value in fields.items())
        for name, value in fields.items():
            setattr(paper, name, value)
        if different:
            if "sha256" in fields and not self.run.dry_run:
                _keep_file(paper, file)
            paper.updated_at = self.at
            paper.save()
        return different

    def _write_extraction(
        self, paper: Paper, kind: ExtractionSource, state: ExtractionState, content: Content, file: _File
    ) -> bool:
        by, maker = self.run.requested_by, _maker(kind, file)
        there = Extraction.objects.filter(paper=paper, source=kind).first()
        if there is not None:
            return replace_content(there, content, by=by, at=self.at, change=f"imported from {maker}")
        store_extraction(paper=paper, source=kind, content=content, by=by, at=self.at, maker=maker, state=state)
        return True

    def _leave(self, paper: Paper, file: _File) -> None:
        reason = f"people have begun to work on {paper.key}, so its text and the proposal stay as they are"
        self.tally.add_notes([Problem(file.name, 0, reason)])
        self.tally.unchanged += 1

    def tell_registries(self) -> None:
        """Note which registries gave no answer: their DOIs are missing from the proposals."""
        if "registries" in self.__dict__:
            self.tally.add_notes(Problem("", 0, reason) for reason in self.registries.failures)

    def set_order(self) -> None:
        """Give papers the order and the numbers of the tables read; those that no table names come after."""
        if not self.order:
            return
        papers = {paper.key: paper for paper in Paper.objects.filter(collection=self.run.collection_id)}
        first = [papers.pop(row.doi) for row in self.order if row.doi in papers]
        numbers = {row.doi: row.first_sentence_number for row in self.order}
        changed = []
        for position, paper in enumerate([*first, *papers.values()]):
            number = numbers.get(paper.key, paper.first_sentence_number)
            if (paper.position, paper.first_sentence_number) != (position, number):
                paper.position, paper.first_sentence_number = position, number
                changed.append(paper)
        Paper.objects.bulk_update(changed, ["position", "first_sentence_number"], batch_size=500)
        if not self.tally.kept:  # a table alone: say what it did
            self.tally.updated, self.tally.unchanged = len(changed), len(first) - len(changed)


def _gold_fields(gold: AnnotatedPaper, paper: Paper, file: _File) -> dict[str, Any]:
    fields = {"doi": gold.doi, "title": gold.title, "abstract": gold.abstract}
    if paper.source in ("", PaperSource.ACM_CR):  # a PDF that is here stays the file of the paper
        fields |= {"source": PaperSource.ACM_CR, **_file_fields(file)}
    return fields


def _parsed_fields(found: FullPaper, paper: Paper, source: PaperSource, file: _File) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "source": source,
        "venue": found.venue,
        "year": found.year,
        "authors": list(found.authors),
        "pages": write_pages(found.pages),
        "blocks": write_blocks(found.paragraphs),
        "references": write_references(found.references, reference_numbers(found.references)),
        **_file_fields(file),
    }
    if paper.pk is None or not _has_gold(paper):
        fields |= {"doi": found.doi, "title": found.title, "abstract": found.abstract}
    return fields


def _file_fields(file: _File) -> dict[str, str]:
    digest = hashlib.sha256(file.data).hexdigest() if file.data else ""
    return {"file_name": file.name.rpartition("/")[2][-255:], "sha256": digest}


def _keep_file(paper: Paper, file: _File) -> None:
    """Keep the file under the hash of its content, so that the same one is kept once."""
    if not file.data:
        return
    suffix = "pdf" if paper.source == PaperSource.PDF else "xml"
    name = f"papers/{paper.collection_id}/{paper.sha256}.{suffix}"
    storage = Paper._meta.get_field("file").storage
    paper.file.name = name if storage.exists(name) else storage.save(name, ContentFile(file.data))


def _has_gold(paper: Paper) -> bool:
    return Extraction.objects.filter(paper=paper, source=ExtractionSource.IMPORTED).exists()


def _is_worked_on(paper: Paper) -> bool:
    people = (ExtractionSource.ANNOTATOR, ExtractionSource.ADJUDICATED)
    return paper.pk is not None and Extraction.objects.filter(paper=paper, source__in=people).exists()


def _maker(kind: ExtractionSource, file: _File) -> str:
    if kind == ExtractionSource.IMPORTED:
        return file.name.rpartition("/")[2][-200:]
    return f"Litmus {settings.CODE_VERSION}"[:200]
