"""A sentence that somebody has typed or changed, read as the paper's own were: citations, a proposal without names."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.formats.papers import Marker, Reference, Sentence
from corpus.pdf.anonymise import Anonymiser
from corpus.pdf.markers import AuthorYears, author_year_markers, numeric_markers


def read_sentence(text: str, references: Sequence[Reference]) -> Sentence:
    """Return the text as one sentence: numbers in brackets where it has any, else names with years."""
    known = {reference.key: reference for reference in references}
    markers: list[Marker] = numeric_markers(text, known) or author_year_markers(text, AuthorYears(references))
    cites = tuple(key for marker in markers for key in marker.keys)
    return Anonymiser(known).proposal(Sentence(0, len(text), cites), text, markers)
