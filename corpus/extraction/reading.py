"""A sentence that somebody has typed or changed, read as the paper's own were: citations, a proposal without names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.extraction.anonymise import proposal
from corpus.extraction.markers import AuthorYears, author_year_markers, numeric_markers
from corpus.formats.papers import Cut, Marker, Reference


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence cites (keys of references, repeats and order kept), and how it reads without names.

    `anonymised` is "" where nothing is proposed.
    """

    cites: tuple[str, ...]
    anonymised: str
    cuts: tuple[Cut, ...]


def read_sentence(text: str, references: Sequence[Reference]) -> Reading:
    """Return the reading of one sentence: numbers in brackets where it has any, else names with years."""
    known: Mapping[str, Reference] = {reference.key: reference for reference in references}
    markers: list[Marker] = numeric_markers(text, known) or author_year_markers(text, AuthorYears(references))
    words, cuts = proposal(text, markers, known)
    return Reading(tuple(key for marker in markers for key in marker.keys), words, cuts)
