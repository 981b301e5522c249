"""Importing papers: each file separately; a bad one is reported, and the others are stored.

`paper_identity` decides which paper a file holds. The same paper may come as PDF, which gives the text and the
machine's proposal, and as ACM-CR XML, which gives title, abstract and the imported gold.
"""

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import DatabaseError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from accounts.counting import counted
from accounts.job_kinds import Waiting
from accounts.jobs import Progress
from annotation.models import Extraction, ExtractionSource, ExtractionState
from annotation.papers.extractions import replace_content, store_extraction
from annotation.papers.kept_reading import keep, take_up
from annotation.papers.paper_identity import Identity, identify
from annotation.papers.paper_reading import Incoming, Links, NewestLinks, PaperFile, Reader, Sheet, Spool
from annotation.papers.paper_samples import sample_of_paper
from corpus.imports.importing import Work
from corpus.loading.counts import ImportCounts
from corpus.loading.samples import CANDIDATES
from corpus.loading.uploads import papers_of
from corpus.models import ImportRun, Paper
from engines.definitions.extractions import BadExtraction, Content, content_of_gold, read_content, write_content
from engines.definitions.paper_sections import section_states
from engines.definitions.proposals import propose
from engines.formats.acm_cr import AnnotatedPaper
from engines.formats.paper_files import PlaceInOrder
from engines.formats.papers import FullPaper, is_gold, paper_format, write_blocks, write_references
from engines.formats.records import BrokenFile, Problem


@contextmanager
def reading_papers(run: ImportRun, progress: Progress, counts: ImportCounts) -> Iterator[Work]:
    """Read the files of an import of papers; yield the work that stores them, for the import's transaction.

    Where that has to wait, what was read is kept, and the next attempt only stores it.
    """
    Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as file:
        reader = Reader(run, progress, counts, Spool(file))
        if not take_up(reader):
            reader.read()
        try:
            yield lambda run, progress, counts: _store_papers(reader, run, progress, counts)
        except Waiting:
            keep(reader)
            raise


def _store_papers(reader: Reader, run: ImportRun, progress: Progress, counts: ImportCounts) -> None:
    """Store the papers; a dry run is rolled back."""
    with transaction.atomic():
        storing = _Storing(run, counts, NewestLinks(reader), at=timezone.now())
        for done, paper in enumerate(reader.spool, 1):
            progress.report(reader.odometer.file_bytes, step=f"storing {done} of {reader.spool.count}")
            storing.take(paper)
        storing.set_order(reader.order)
        storing.set_notes(reader.sheets)
        storing.add_remark()
        if run.dry_run:
            transaction.set_rollback(True)


@dataclass
class _Storing:
    run: ImportRun
    counts: ImportCounts
    links: NewestLinks
    at: datetime
    seen: dict[tuple[bool, str], str] = field(default_factory=dict)  # (is it gold, key): name of the file
    citing: Counter[str] = field(default_factory=Counter)  # paragraphs, proposed as contexts or outside
    nameless: int = 0  # papers without a DOI

    def take(self, paper: Incoming) -> None:
        """Store one paper; an error in it is a separate problem."""
        name = paper.file.name
        try:
            with transaction.atomic():
                self._store(paper)
        except (BrokenFile, BadExtraction) as error:
            line = error.line if isinstance(error, BrokenFile) else 0
            self.counts.add_problems([Problem(name, line, str(error.reason))])
        except (DatabaseError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            self.counts.add_problems([Problem(name, 0, f"cannot be stored: {reason}")])

    def _store(self, incoming: Incoming) -> None:
        found, file = incoming.found, incoming.file
        is_gold = isinstance(found, AnnotatedPaper)
        paper, identity = self._identify(incoming)
        if before := self.seen.get((is_gold, paper.key)):
            reason = f"is the paper {paper.key}, which this import has already read from {before}"
            self.counts.add_problems([Problem(file.name, 0, reason)])
            return
        self.seen[is_gold, paper.key] = file.name
        if isinstance(found, AnnotatedPaper):
            fields, content = _gold_fields(found, paper, identity, file, incoming.source), content_of_gold(found)
            kind, state = ExtractionSource.IMPORTED, ExtractionState.FINISHED
            if found.status:  # an exported draft, which nobody has confirmed
                kind, state = ExtractionSource.MACHINE, ExtractionState.DRAFT
        else:
            links = self.links.of(incoming)
            sections = self.run.parameters.get("sections", ())
            content = read_content(write_content(propose(found, links, sections)))
            fields = _parsed_fields(incoming, paper, identity, links)
            kind, state = ExtractionSource.MACHINE, ExtractionState.DRAFT
            if _is_worked_on(paper) and fields["blocks"] != paper.blocks:
                reason = f"people have begun to work on {paper.key}, so its text and the proposal were not changed"
                self.counts.add_notes([Problem(file.name, 0, reason)])
                self.counts.unchanged += 1
                return
            self._count(fields["blocks"], content)
            self._report_missing(incoming)
        is_new = paper.pk is None
        if identity.doubt and not paper.is_doi_settled:
            doubt = f"{identity.doubt}: {', '.join(identity.candidates)}. It is kept as {identity.key}"
            self.counts.add_notes([Problem(file.name, 0, f"{doubt} until someone chooses its DOI.")])
        changed = self._write(paper, fields, file)
        self.nameless += not paper.doi
        changed |= self._write_extraction(paper, kind, state, content, file)
        self._count_paper(incoming, paper, is_new, changed)

    def _count_paper(self, incoming: Incoming, paper: Paper, is_new: bool, changed: bool) -> None:
        if len(self.counts.samples) < CANDIDATES:
            self.counts.add_sample(sample_of_paper(incoming, paper.key))
        if is_new:
            self.counts.created += 1
        elif changed:
            self.counts.updated += 1
        else:
            self.counts.unchanged += 1

    def _report_missing(self, incoming: Incoming) -> None:
        """Report a paper in which no text, no sections or no references were found."""
        found = incoming.found
        if not isinstance(found, FullPaper) or not found.missing:
            return
        advice = " If the paper has them, import the TEI that GROBID makes of it." if incoming.source == "pdf" else ""
        reason = f"was imported, but no {_listed(found.missing)} were found in it.{advice}"
        self.counts.add_notes([Problem(incoming.file.name, 0, reason)])

    def _count(self, blocks: list[dict[str, Any]], content: Content) -> None:
        for each in section_states(blocks, content):
            self.citing["proposed"] += each.taken
            self.citing["outside"] += len(each.outside)

    def add_remark(self) -> None:
        """Report how many citing paragraphs the proposals include, and how many they leave out; papers without DOI."""
        if self.citing.total():
            proposed, outside = self.citing["proposed"], self.citing["outside"]
            self.counts.remarks.append(
                f"Citing paragraphs: {proposed:,} proposed as contexts, {outside:,} outside the proposed sections."
            )
        if self.nameless:
            papers = counted(self.nameless, "paper")
            text = f"No DOI is known of {papers}. Numbers of topics are made of the DOI: add it before you make topics."
            self.counts.remarks.append(text)

    def _identify(self, incoming: Incoming) -> tuple[Paper, Identity]:
        """The known paper of the file, else a new one."""
        file, collection = incoming.file, self.run.collection
        identity = identify(incoming.found, name=file.name, stem=file.stem, data=file.data, collection=collection)
        if identity.paper is not None:
            return identity.paper, identity
        last = Paper.objects.filter(collection=collection).aggregate(last=Max("position"))["last"]
        position = 0 if last is None else last + 1
        return Paper(
            collection=collection, key=identity.key, position=position, created_at=self.at, imported_in=self.run
        ), identity

    def _write(self, paper: Paper, fields: Mapping[str, Any], file: PaperFile) -> bool:
        """Store the fields; return whether any was different."""
        different = paper.pk is None or any(getattr(paper, name) != value for name, value in fields.items())
        for name, value in fields.items():
            setattr(paper, name, value)
        if different:
            if "sha256" in fields and not self.run.dry_run:
                _store_file(paper, file)
            paper.updated_at = self.at
            paper.save()
        return different

    def _write_extraction(
        self, paper: Paper, kind: ExtractionSource, state: ExtractionState, content: Content, file: PaperFile
    ) -> bool:
        by, maker = self.run.requested_by, _maker(kind, file)
        known = Extraction.objects.filter(paper=paper, source=kind).first()
        if known is not None:
            return replace_content(known, content, by=by, at=self.at, change=f"imported from {maker}")
        store_extraction(paper=paper, source=kind, content=content, by=by, at=self.at, maker=maker, state=state)
        return True

    def set_order(self, order: list[PlaceInOrder]) -> None:
        """Give papers the order and the numbers of the tables; papers that are in no table come last."""
        if not order:
            return
        papers = {paper.key: paper for paper in Paper.objects.filter(collection=self.run.collection_id)}
        first = [papers.pop(row.doi) for row in order if row.doi in papers]
        numbers = {row.doi: row.first_sentence_number for row in order}
        changed = []
        for position, paper in enumerate([*first, *papers.values()]):
            number = numbers.get(paper.key, paper.first_sentence_number)
            if (paper.position, paper.first_sentence_number) != (position, number):
                paper.position, paper.first_sentence_number = position, number
                changed.append(paper)
        Paper.objects.bulk_update(changed, ["position", "first_sentence_number"], batch_size=500)
        if not self.counts.kept:  # a table alone: report what it changed
            self.counts.updated, self.counts.unchanged = len(changed), len(first) - len(changed)

    def set_notes(self, sheets: list[Sheet]) -> None:
        """Give papers the notes of the sheets of their names."""
        changed = notes = 0
        for sheet in sheets:
            paper = self._paper_of(sheet.file)
            if paper is None:
                continue
            notes += len(sheet.notes)
            if paper.reference_notes != sheet.notes:
                paper.reference_notes, paper.updated_at = sheet.notes, self.at
                paper.save(update_fields=["reference_notes", "updated_at"])
                changed += 1
        if notes:
            self.counts.remarks.append(f"Notes on {notes:,} references were read from {len(sheets):,} `.dois` sheets.")
        if not self.counts.kept:  # sheets alone: report what they changed
            self.counts.updated, self.counts.unchanged = changed, len(sheets) - changed

    def _paper_of(self, file: PaperFile) -> Paper | None:
        """The paper of a sheet: its DOI ends with the sheet's name, or its file has this name. None is reported."""
        papers = Paper.objects.filter(collection=self.run.collection_id)
        by_key = papers.filter(Q(key=file.stem) | Q(key__endswith=f"/{file.stem}"))
        found = list(by_key[:2]) or list(papers.filter(file_name__startswith=f"{file.stem}.")[:2])
        if len(found) == 1:
            return found[0]
        reason = "more than one paper has its name" if found else "no paper has its name; import its XML or PDF with it"
        self.counts.add_problems([Problem(file.name, 0, f"is a .dois sheet, but {reason}")])
        return None


def _listed(words: Sequence[str]) -> str:
    """ "sections", or "text blocks, sections or references"."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _gold_fields(
    gold: AnnotatedPaper, paper: Paper, identity: Identity, file: PaperFile, source: str
) -> dict[str, Any]:
    fields: dict[str, Any] = {"doi": identity.doi, "title": gold.title, "abstract": gold.abstract}
    if not paper.source or is_gold(paper.source):  # a known PDF stays the file of the paper
        fields |= {"source": source, **_file_fields(file)}
    return fields


def _parsed_fields(incoming: Incoming, paper: Paper, identity: Identity, links: Links) -> dict[str, Any]:
    found = incoming.found
    assert isinstance(found, FullPaper)  # noqa: S101 - narrows the type
    fields: dict[str, Any] = {
        "source": incoming.source,
        "venue": found.venue,
        "year": found.year,
        "authors": list(found.authors),
        "pages": [[page.width, page.height] for page in found.pages],
        "blocks": write_blocks(found.paragraphs),
        "references": _with_works(write_references(found.references), links),
        **_file_fields(incoming.file),
    }
    if paper.pk is None or not _has_gold(paper):
        fields |= {"title": found.title, "abstract": found.abstract}
        if not paper.is_doi_settled:
            fields |= {"doi": identity.doi, "warnings": identity.warnings}
    return fields


def _with_works(entries: list[dict[str, Any]], links: Links) -> list[dict[str, Any]]:
    """The entries with the registries' data of candidates that are no documents, for the screen to show."""
    for entry in entries:
        works = links[entry["key"]].works if entry.get("key") in links else ()
        if works:
            entry["registered"] = [
                {"doi": each.doi, "title": each.title, "authors": list(each.authors[:6]), "year": each.year,
                 "venue": each.venue} for each in works
            ]  # fmt: skip
    return entries


def _file_fields(file: PaperFile) -> dict[str, str]:
    digest = hashlib.sha256(file.data).hexdigest() if file.data else ""
    return {"file_name": file.name.rpartition("/")[2][-255:], "sha256": digest}


def _store_file(paper: Paper, file: PaperFile) -> None:
    """Store the file under the hash of its content, so that the same file is stored once."""
    if not file.data:
        return
    suffix = paper_format(paper.source).suffix
    name = f"{papers_of(paper.collection_id)}/{paper.sha256}.{suffix}"
    storage = Paper._meta.get_field("file").storage
    paper.file.name = name if storage.exists(name) else storage.save(name, ContentFile(file.data))


def _has_gold(paper: Paper) -> bool:
    return Extraction.objects.filter(paper=paper, source=ExtractionSource.IMPORTED).exists()


def _is_worked_on(paper: Paper) -> bool:
    people = (ExtractionSource.ANNOTATOR, ExtractionSource.ADJUDICATED)
    return paper.pk is not None and Extraction.objects.filter(paper=paper, source__in=people).exists()


def _maker(kind: ExtractionSource, file: PaperFile) -> str:
    if kind == ExtractionSource.IMPORTED:
        return file.name.rpartition("/")[2][-200:]
    return f"Litmus {settings.CODE_VERSION}"[:200]
