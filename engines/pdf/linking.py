"""References to documents of the collection, or to publications that registries know.

A preprint whose refereed version is in the collection is not linked to it; the refereed version is named in addition
(ACM-CR: F. Boudin, JCDL 2021). Nothing is guessed between equal titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from engines.endpoints.registries import Registered
from engines.formats.papers import Reference
from engines.pdf.titles import TitleIndex, Work, surname_key
from engines.text.words import fold_word, title_key, tokens, word_spans

MOST_CANDIDATES = 3
SURE = 93.0  # similarity of titles, 0 to 100, from which a document is the reference's
WORTH_A_LOOK = 72.0

_PREPRINT = re.compile(r"\barxiv\b|\bcorr\b|\babs/\d|\bbiorxiv\b|\bmedrxiv\b|\bpreprint\b|\bssrn\b", re.IGNORECASE)
_PREPRINT_DOIS = ("10.48550/", "10.1101/", "10.2139/")  # arXiv, bioRxiv and medRxiv, SSRN
_NO_DOI = "10.5555/"  # ACM's handles look like DOIs but are not


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that a reference may mean: similarity of titles (0 to 100), whether an author and the year agree.

    `has_author` is None where the document or the entry names none. `has_other_number` says that the titles differ in
    a number, as those of yearly overviews do. `differing` are (start, end) of the words of its title that the
    reference does not have there.
    """

    docno: str
    title: str
    year: int | None
    score: float
    has_author: bool | None
    year_apart: int | None
    has_other_number: bool = False
    differing: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """What a reference is linked to: the docno of a document, or the DOI of a registry's publication; "" for none.

    `refereed` is that of a refereed version of what the reference names as a preprint: a proposal. `is_ambiguous` says
    that several fit equally well, so that none was taken. `candidates` are up to three, best first.
    """

    key: str
    docno: str = ""
    refereed: str = ""
    is_ambiguous: bool = False
    candidates: tuple[Candidate, ...] = ()


def link(reference: Reference, index: TitleIndex) -> Link:
    """Return what a reference is linked to."""
    candidates = find_candidates(reference, index)
    known = _printed_document(reference, index)
    if known is not None:
        return Link(reference.key, index.docnos[known], candidates=candidates)
    best = _nearest([candidate for candidate in candidates if _fits(candidate)])
    if len(best) > 1:
        return Link(reference.key, is_ambiguous=True, candidates=candidates)
    if best and _is_preprint(reference):
        return Link(reference.key, refereed=best[0].docno, candidates=candidates)
    if best and not _contradicts(reference.ids.get("doi", ""), best[0]):
        return Link(reference.key, best[0].docno, candidates=candidates)
    return Link(reference.key, candidates=candidates)


def _printed_document(reference: Reference, index: TitleIndex) -> int | None:
    """Return the place of the document whose DOI or arXiv number the reference prints."""
    doi, arxiv = reference.ids.get("doi", ""), re.sub(r"v\d+$", "", reference.ids.get("arxiv", ""))
    names = [doi, *((f"10.48550/arxiv.{arxiv}", arxiv) if arxiv else ())]
    found = next((place for name in names if name and (place := index.with_doi(name)) is not None), None)
    either = {index.with_doi(name) for name in reference.ids.get("dois", "").split()} - {None}
    return either.pop() if found is None and len(either) == 1 else found


def _contradicts(doi: str, best: Candidate) -> bool:
    """Whether the reference prints the DOI of another work than the document with the fitting title."""
    has_own_doi = best.docno.startswith("10.") and not best.docno.startswith(_NO_DOI)
    return bool(doi) and has_own_doi and (best.year_apart != 0 or not best.has_author)


def _is_preprint(reference: Reference) -> bool:
    if reference.ids.get("doi", "").lower().startswith(_PREPRINT_DOIS):
        return True
    return "arxiv" in reference.ids or bool(_PREPRINT.search(reference.venue or reference.raw))


def _fits(candidate: Candidate) -> bool:
    """Whether a candidate is the reference's document: title, and an author or the year."""
    if candidate.score < SURE or candidate.has_other_number:
        return False
    apart = candidate.year_apart
    if candidate.has_author:
        return apart is None or apart <= 3
    return candidate.has_author is None and candidate.score >= 99 and apart == 0


def _nearest(fitting: Sequence[Candidate]) -> list[Candidate]:
    """Return the best of the fitting; more than one where they cannot be distinguished."""
    if not fitting:
        return []

    def rank(candidate: Candidate) -> tuple[bool, int, int]:
        apart = candidate.year_apart
        return bool(candidate.has_author), round(candidate.score), -(apart if apart is not None else 9)

    best = max(map(rank, fitting))
    return [candidate for candidate in fitting if rank(candidate) == best]


def _same_name(one: str, other: str) -> bool:
    """Whether two surnames are the same; one may have a second surname or a typing error."""
    if min(len(one), len(other)) < 4:
        return one == other
    if one.endswith(other) or other.endswith(one):
        return True
    return min(len(one), len(other)) > 5 and fuzz.partial_ratio(one, other) >= 88


# --- candidates -------------------------------------------------------------------------------------------------------


def registered_candidate(reference: Reference, registered: Registered) -> Candidate:
    """Return a registry's publication as a candidate; its `docno` is the DOI, else the address."""
    work = Work(
        registered.doi or registered.address,
        registered.title,
        tuple(surname_key(name) for name in registered.authors),
        registered.year,
    )
    return compare(reference, work)


def compare(reference: Reference, work: Work) -> Candidate:
    """Return how well a publication fits a reference, however well that is."""
    text = reference.raw or reference.title
    words = set(tokens(text))
    found = _candidate(reference, work, title_key(text), words)
    return replace(found, differing=differing_words(found.title, reference.title or text))


def registered_link(reference: Reference, found: Iterable[Registered]) -> Link:
    """Return the link of a reference to what registries found for it: one DOI that fits, or none with candidates.

    Preprints and refereed versions are not exchanged: a reference to a preprint takes a preprint's DOI only, any
    other a refereed one; `refereed` names the refereed version of a preprint.
    """
    publications = list(found)
    candidates = [registered_candidate(reference, each) for each in publications]
    fitting = [
        (each, candidate)
        for each, candidate in zip(publications, candidates, strict=True)
        if _fits(candidate) and candidate.has_author and each.doi
    ]
    wants_preprint = _is_preprint(reference)
    same = _nearest([candidate for each, candidate in fitting if each.is_preprint == wants_preprint])
    shown = tuple(sorted(candidates, key=lambda each: -each.score)[:MOST_CANDIDATES])
    dois = {candidate.docno for candidate in same}
    versions = {each.refereed or ("" if each.is_preprint else each.doi) for each, _ in fitting} - {""}
    refereed = versions.pop() if wants_preprint and len(versions) == 1 else ""
    doi = dois.pop() if len(dois) == 1 else ""
    return Link(reference.key, doi, refereed, is_ambiguous=len(dois) > 1, candidates=shown)


def find_candidates(reference: Reference, index: TitleIndex) -> tuple[Candidate, ...]:
    """Return the documents whose titles are nearest to the reference's, best first."""
    text = reference.raw or reference.title
    raw_key, words = title_key(text), set(tokens(text))
    places = dict.fromkeys([*index.with_title(reference.title), *index.candidates(text)])
    found = [_candidate(reference, index.work(place), raw_key, words) for place in places]
    near = [candidate for candidate in found if candidate.score >= WORTH_A_LOOK]
    near.sort(key=lambda each: (-round(each.score), not each.has_author, each.year_apart or 0, each.docno))
    own = reference.title or text
    return tuple(replace(each, differing=differing_words(each.title, own)) for each in near[:MOST_CANDIDATES])


def _candidate(reference: Reference, work: Work, raw_key: str, words: set[str]) -> Candidate:
    apart = abs(work.year - reference.year) if work.year and reference.year else None
    return Candidate(
        work.docno,
        work.title,
        work.year,
        _similarity(reference, work, raw_key),
        _shares_author(reference, work, words),
        apart,
        _has_other_number(reference, work, words),
    )


def _similarity(reference: Reference, work: Work, raw_key: str) -> float:
    """Return how similar the titles are (0 to 100): the parsed title, or the printed entry where it holds the whole."""
    key, own = title_key(work.title), title_key(reference.title)
    if not key:
        return 0.0
    best = fuzz.ratio(key, own) if own else 0.0
    if best < SURE and len(key) >= 20 and key in raw_key:
        best = max(best, 97.0)
    if best < SURE and len(key) >= 30:
        best = max(best, fuzz.partial_ratio(key, raw_key) - 2.0)
    return float(best)


def _has_other_number(reference: Reference, work: Work, words: set[str]) -> bool:
    """Whether the document's title has a number that the entry does not have, or the other way round."""
    numbers = {word for word in tokens(work.title) if word.isdigit()}
    return bool(numbers - words) or (bool(numbers) and not numbers & set(tokens(reference.title or reference.raw)))


def _shares_author(reference: Reference, work: Work, words: set[str]) -> bool | None:
    """Whether the first author of the document, or two of its authors, stand in the entry; None for no authors."""
    surnames = {surname_key(name) for name in reference.authors}
    if not work.authors or not surnames:
        return None
    hits = [name in words or any(_same_name(name, each) for each in surnames) for name in work.authors]
    return hits[0] or sum(hits) >= 2


def differing_words(title: str, other: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of the words of `title` that `other` does not have in that order."""
    spans = list(word_spans(title))
    own = [fold_word(title[start:end]) for start, end in spans]
    matcher = SequenceMatcher(None, own, tokens(other), autojunk=False)
    same = {place for block in matcher.get_matching_blocks() for place in range(block.a, block.a + block.size)}
    return tuple(span for place, span in enumerate(spans) if place not in same)
