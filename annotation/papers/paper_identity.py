"""Which paper a file holds: a known one or a new one. Nothing is guessed; in doubt, a person is asked.

The same bytes are the same paper. A plausible DOI is the paper's, unless another paper has it under another title.
Without a DOI the name of the file decides, and two different files with one name are two papers unless their texts
agree.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from rapidfuzz import fuzz

from corpus.models import Collection, Paper
from corpus.models.papers import DOUBTFUL_DOI
from engines.formats.acm_cr import AnnotatedPaper
from engines.formats.dois import bare_doi, is_placeholder, is_plausible
from engines.formats.papers import DOUBTFUL_DOIS, FullPaper, is_gold
from engines.formats.records import BrokenFile, id_problem
from engines.text.words import title_key

# Similarity of titles, 0 to 100, from which a DOI is accepted, and from which two files are versions of one paper.
MAY_BE, IS = 60, 90
SAME_ABSTRACT = 50

Found = AnnotatedPaper | FullPaper


@dataclass(frozen=True, slots=True)
class Identity:
    """`paper` is the known paper, None for a new one with `key`. `doi` is "" where none is certain; `doubt` then says
    why, and `candidates` are the possible DOIs."""

    paper: Paper | None
    key: str
    doi: str = ""
    doubt: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """The warnings that the paper's page asks about."""
        if not self.doubt:
            return []
        return [{"code": DOUBTFUL_DOI, "text": self.doubt, "candidates": list(self.candidates), "settled": False}]


def identify(found: Found, *, name: str, stem: str, data: bytes, collection: Collection) -> Identity:
    """Return which paper the file is; `stem` is its name as a key. Raises `BrokenFile` for an unusable key."""
    known = Paper.objects.filter(collection=collection)
    same = known.filter(sha256=hashlib.sha256(data).hexdigest()).first() if data else None
    if isinstance(found, AnnotatedPaper):
        return _of_gold(found, known, same, name, stem)
    doi, candidates, doubt = _own_doi(found, stem)
    if doi:
        holder = _holder(known, doi)
        if holder is not None and same is not None and holder.pk != same.pk:
            return Identity(same, same.key, "", f"{holder.key} has this DOI as well", (doi,))
        if holder is not None and (same is not None or not _contradicts(found, holder)):
            return Identity(holder, holder.key, doi)
        if holder is not None:
            doubt, candidates, doi = f"{holder.key} has this DOI and another title: “{holder.title}”", (doi,), ""
    if same is None and not doubt and doi:
        return Identity(None, _checked(doi, name), doi)
    if same is None:
        same, key = _by_name(found, known, stem, has_file=bool(data))
    return Identity(same, same.key if same else _checked(key, name), doi, doubt, candidates)


def _of_gold(found: AnnotatedPaper, known: QuerySet[Paper], same: Paper | None, name: str, stem: str) -> Identity:
    """ACM-CR XML names its paper by a DOI, or by the key that an export of ours wrote there."""
    if is_placeholder(found.doi):
        paper = same or known.filter(key=stem).first()
        return Identity(paper, paper.key if paper else _checked(stem, name))
    holder = _holder(known, found.doi)
    doi = found.doi if found.doi.startswith("10.") else ""
    return Identity(holder, holder.key if holder else _checked(found.doi, name), doi)


def _own_doi(found: FullPaper, stem: str) -> tuple[str, tuple[str, ...], str]:
    """Return the DOI that is certainly the paper's; else the possible DOIs and the reason for the doubt."""
    doubtful = tuple(doi for doi in found.extra.get(DOUBTFUL_DOIS, ()) if is_plausible(doi))
    for doi in doubtful:
        if doi.rpartition("/")[2].lower() == stem.lower():  # the page and the name of the file agree
            return doi, (), ""
    if doubtful:
        words = "may print its DOI, or that of something else" if len(doubtful) == 1 else "prints more than one DOI"
        return "", doubtful, f"The first page {words}"
    doi = bare_doi(found.doi)
    return (doi if is_plausible(doi) else ""), (), ""


def _holder(known: QuerySet[Paper], doi: str) -> Paper | None:
    """The paper with this DOI, in upper or lower case."""
    return known.filter(Q(key__iexact=doi) | Q(doi__iexact=doi)).order_by("pk").first()


def _by_name(found: FullPaper, known: QuerySet[Paper], stem: str, *, has_file: bool) -> tuple[Paper | None, str]:
    """The paper of this file, or line of S2ORC, by its name or id; else None and a free key."""
    if not has_file:
        key = found.paper_id or stem
        return known.filter(key=key).first(), key
    # A PDF without a printed DOI may have the last part of the DOI of a gold paper as its name.
    for paper in known.filter(Q(key=stem) | Q(key__endswith=f"/{stem}") | Q(key__startswith=f"{stem}~")).order_by("pk"):
        is_only_gold = is_gold(paper.source) and paper.key.endswith(stem)
        if is_only_gold or _is_version_of(found, paper):
            return paper, paper.key
    taken = set(known.filter(Q(key=stem) | Q(key__startswith=f"{stem}~")).values_list("key", flat=True))
    names = (stem, *(f"{stem}~{n}" for n in range(2, len(taken) + 3)))
    return None, next(name for name in names if name not in taken)


def _contradicts(found: FullPaper, paper: Paper) -> bool:
    """Whether the titles are those of two papers; an unknown title contradicts none."""
    one, other = found.title.casefold(), paper.title.casefold()
    return bool(one and other) and fuzz.token_set_ratio(one, other) < MAY_BE


def _is_version_of(found: FullPaper, paper: Paper) -> bool:
    """Whether the text is that of a version of this paper: by title, and by abstract where both have one."""
    one, other = title_key(found.title), title_key(paper.title)
    if not one or fuzz.ratio(one, other) < IS:
        return False
    return not (found.abstract and paper.abstract) or fuzz.ratio(found.abstract, paper.abstract) >= SAME_ABSTRACT


def _checked(key: str, name: str) -> str:
    if reason := id_problem(key):
        raise BrokenFile(name, 0, f"doi: {reason}")
    return key
