"""Which column of a table of documents is which field: by its name, or as somebody chose.

Known are the names that Zotero, EndNote, Scopus, the Web of Science, Embase, PubMed, Cochrane, CINAHL, Lens, OpenAlex,
RefWorks, Covidence, Rayyan, ASReview, Abstrackr, Google Scholar and ir_datasets give their columns. Case and
punctuation do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, count

# The usual name first; of two columns that fit, the one whose name comes first.
NAMES: dict[str, tuple[str, ...]] = {
    "docno": (
        *(
            "docno",
            "doc_id",
            "docid",
            "document id",
            "id",
            "corpusid",
            "paper_id",
            "record_id",
            "key",
            "lens id",
            "eid",
        ),
        *("ut unique wos id", "ut unique id", "unique wos id", "pmid", "central id", "pui", "accession number"),
        *("accession no", "openalex id", "reference id", "internal id", "rayyan id", "article id", "item id", "refid"),
        *("pubmed id", "covidence", "embase accession id", "medline pmid", "passage id", "pid"),
    ),
    "title": (
        "title",
        "article title",
        "document title",
        "paper title",
        "primary title",
        "title primary",
        "item title",
    ),
    "abstract": ("abstract", "abstract note", "abstracts", "text", "contents", "body", "summary", "original abstract"),
    "authors": (
        *("authors", "author", "author s", "author names", "authors primary", "author full names", "first authors"),
        *("author list", "creators", "creator"),
    ),
    "year": (
        *("year", "publication year", "published year", "pub year", "year published", "date published", "date"),
        *("publication date", "date of publication", "issued"),
    ),
    "venue": (
        *("venue", "journal", "source title", "publication title", "journal title", "journal book", "periodical full"),
        *("publication", "journal name", "secondary title", "booktitle", "book title", "source"),
    ),
    "doi": ("doi", "digital object identifier", "article doi"),
    "url": ("url", "link", "urls", "external url", "source urls", "plink", "article url", "links"),
    "keywords": ("keywords", "author keywords", "keyword", "manual tags", "tags"),
    "full_text": ("full text", "full_paper", "fulltext"),
}
# Of the tab-delimited files of the Web of Science, and of tables with tags of RIS; read where several stand together.
TAGS = {
    "docno": ("ut", "an"),
    "title": ("ti", "t1"),
    "abstract": ("ab", "n2"),
    "authors": ("af", "au", "a1"),
    "year": ("py", "y1"),
    "venue": ("so", "jf", "jo", "t2"),
    "doi": ("di", "do"),
    "url": ("ur",),
    "keywords": ("de", "kw"),
}
TEXTS = ("title", "abstract")
NO_NAMES = "the first line does not name the columns: {}"
_ORDINALS = ("first", "second", "third", "fourth")
_WORDS = {"docno": "id", "abstract": "text", "url": "address"}
_SIGNS = re.compile(r"[\W_]+")
_SPLIT = re.compile(r"[;\n]").split

Columns = dict[str, list[int]]  # the places of a field, the best first


@lru_cache(4096)
def plain_name(name: str) -> str:
    """A column's name as it is compared: “Author(s)” is “author s”."""
    return _SIGNS.sub(" ", name.lower()).strip()


_FIELDS = {plain_name(name): field for field, names in NAMES.items() for name in names}
_OF_TAGS = {name: field for field, names in TAGS.items() for name in names}
_RANK = {plain_name(name): place for names in (*NAMES.values(), *TAGS.values()) for place, name in enumerate(names)}


def columns_of(names: Sequence[str]) -> Columns:
    """The fields that the columns hold, by their names; only the best of those that may be the id."""
    plain = [plain_name(name) for name in names]
    known = _FIELDS | _OF_TAGS if sum(name in _OF_TAGS for name in plain) > 2 else _FIELDS
    found: Columns = {}
    for at in sorted(range(len(plain)), key=lambda at: _RANK.get(plain[at], 0)):
        if field := known.get(plain[at]):
            found.setdefault(field, []).append(at)
    if "docno" in found:
        found["docno"] = found["docno"][:1]
    return found


def is_header(names: Sequence[str]) -> bool:
    """Whether a row names the columns of documents: a title or text, and another field."""
    if len(names) < 2 or any(len(name) > 100 for name in names):
        return False
    found = columns_of(names)
    return any(field in found for field in TEXTS) and len(found) > 1


def has_text(names: Sequence[str]) -> bool:
    """Whether a row has several cells, one of which names a title or a text."""
    return len(names) > 1 and any(field in columns_of(names) for field in TEXTS)


def choose(columns: Columns, names: Sequence[str], chosen: str) -> Columns:
    """The columns with those that somebody chose: “title = Titel; docno = 1” names fields and columns, or their places.

    Raises `ValueError` with the reason where there is no such field or column.
    """
    found = dict(columns)
    for part in filter(None, map(str.strip, _SPLIT(chosen))):
        field, equals, column = (each.strip() for each in part.partition("="))
        if not equals or field not in NAMES:
            raise ValueError(f"“{part[:60]}” does not say which column a field has; fields are {', '.join(NAMES)}")
        at = _place(column, names)
        if at is None:
            named = ", ".join(name[:40] for name in names[:30])
            raise ValueError(f"there is no column “{column[:60]}”; the columns are {named}")
        found = {other: [one for one in places if one != at] for other, places in found.items()}
        found[field] = [at]
    return {field: places for field, places in found.items() if places}


def _place(column: str, names: Sequence[str]) -> int | None:
    exact = [at for at, name in enumerate(names) if name == column]
    alike = exact or [at for at, name in enumerate(names) if plain_name(name) == plain_name(column)]
    if alike:
        return alike[0]
    return int(column) - 1 if column.isascii() and column.isdigit() and 0 < int(column) <= len(names) else None


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names of columns, those without one as “column 3”, a repeated one as “labeled_at (2)”."""
    found: dict[str, None] = {}
    for at, written in enumerate(names, 1):
        name = written.strip() or f"column {at}"
        further = (f"{name} ({again})" for again in count(2))
        found[next(each for each in chain((name,), further) if each not in found)] = None
    return list(found)


def in_words(columns: Columns, names: Sequence[str]) -> str:
    """Which column became which field, for people."""
    said = [f"{field} from “{names[columns[field][0]]}”" for field in NAMES if field in columns]
    return ", ".join(said)


def in_order(fields: Sequence[str]) -> str:
    """What the columns of a table without names were read as, for people."""
    one, *more = (f"{_ORDINALS[at]} as the {_WORDS.get(field, field)}" for at, field in enumerate(fields))
    return ", the ".join([f"the {one.replace(' as', ' column was read as', 1)}", *more])
