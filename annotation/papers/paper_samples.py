"""What a dry run shows of the first papers: what was found in each file, before anything is written."""

from dataclasses import dataclass
from typing import Any

from annotation.papers.paper_reading import Incoming
from corpus.loading.samples import sample_of
from engines.formats.acm_cr import AnnotatedPaper


@dataclass(frozen=True)
class PaperSample:
    """A paper in the words of its page. `references` is how many there are, `first_reference` as printed."""

    key: str
    title: str
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    doi: str = ""
    abstract: str = ""
    headings: tuple[str, ...] = ()
    contexts: int | None = None  # of gold
    references: int = 0
    first_reference: str = ""
    file: str = ""
    line: int = 0


def sample_of_paper(incoming: Incoming, key: str) -> dict[str, Any]:
    """The sample of a paper that is kept under this key; see corpus/loading/samples.py."""
    found, file = incoming.found, incoming.file.name
    if isinstance(found, AnnotatedPaper):
        return sample_of(
            PaperSample(
                key,
                found.title,
                doi=found.doi,
                abstract=found.abstract,
                contexts=len(found.contexts),
                references=len(found.references),
                file=file,
            )
        )
    first = found.references[0] if found.references else None
    return sample_of(
        PaperSample(
            key,
            found.title,
            authors=found.authors,
            venue=found.venue,
            year=found.year,
            doi=found.doi,
            abstract=found.abstract,
            headings=tuple(dict.fromkeys(each.section for each in found.paragraphs if each.section)),
            references=len(found.references),
            first_reference=first.raw or first.title if first else "",
            file=file,
            line=found.line,
        )
    )
