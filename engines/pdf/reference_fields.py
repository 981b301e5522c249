"""Authors, year, title, venue and printed identifiers of an entry in a list of references, in the usual styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engines.formats.dois import is_placeholder
from engines.formats.papers import Box, Reference
from engines.pdf.comma_style import comma_parts, pieces_of, title_and_container

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org)?[:\s/]*(?:preprint\s*)?(?:arxiv[:\s]*)?(?:abs/|pdf/)?|\babs/)\s*"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)
_ACL = re.compile(
    r"(?:aclweb\.org/anthology|aclanthology\.(?:org|info)(?:/papers)?)/(?:papers/\w/\w+/)?"
    r"([A-Z]\d\d-\d{4}|\d{4}\.[\w-]+\.\d+)"
)
_PMID = re.compile(r"(?:\bPMID:?\s*|pubmed(?:\.ncbi\.nlm\.nih\.gov)?/)(\d{5,9})", re.IGNORECASE)
_PMCID = re.compile(r"\b(PMC\d{5,9})\b")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_DOI_HOST = re.compile(r"(?:dx\.)?doi\.org/", re.IGNORECASE)

_LONGEST_ENTRY = 3000  # characters that are read of an entry; no real one is longer
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)(?P<letter>[a-z])?"
_AUTHORS_YEAR = re.compile(
    rf"(?P<authors>.{{0,1500}}?)[.,]?\s[(\[]?(?:{_YEAR}|\[?n\.\s?d\.?\]?|in press|forthcoming)"
    r"(?:,\s[^)\]]{1,25})?[)\]]?[.,:]\s+(?P<rest>.+)"
)
_COMMA_YEAR = re.compile(rf"(?P<authors>.{{3,1500}}?),?\s\(?{_YEAR}\)?,\s+(?P<rest>.+)")
_NO_AUTHORS = re.compile(rf"[(\[]?(?:{_YEAR}|\[?n\.\s?d\.?\]?)[)\]]?\.\s+(?P<rest>.+)")
_QUOTED = re.compile(r"(?P<authors>.{0,1500}?),?\s*[“\"«](?P<title>.+?)[”\"»](?P<rest>.*)")
_COLON = re.compile(r"(?P<authors>(?:[^:.]|\.(?=[\s,:A-Z-])){3,800}?\.?):\s+(?P<rest>.+)")
_ANY_YEAR = re.compile(r"(?<![\d/.-])((?:1[89]|20)\d\d)[a-z]?(?![\d/]|\.\d)")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?[\s-]?){1,4}$").match
_BARE_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}").fullmatch
_PARTICLES = frozenset("van von de der den del della di da dos du la le el al ter ten bin ibn zu zur af".split())
_SUFFIX = re.compile(r"(?:jr|sr|i{2,3}|iv)\.?", re.IGNORECASE).fullmatch
_TITLE_END = re.compile(r"[.?!](?=\s+(?:[“\"(\[]?[A-Z0-9]|arXiv|abs/|http|doi))")
_VENUE_IN = re.compile(r"[.?!,]?\s+In:?\s+(?=[A-Z0-9“(])")
_JOINS_NAMES = re.compile(
    r"(?:[^\W\d_a-z][\w'’-]*\s){1,3}(?:and|und|et|y|e|&)\s"
    r"(?:[A-Z]\.|[^\W\d_a-z][\w'’-]+(?:\s(?:[A-Z]\.|van|von|de|der|den|del|di|da|la|le)){0,3}\s[^\W\d_a-z][\w'’-]+\.)"
).match
_INITIAL_FIRST = re.compile(r"[^\W\d_a-z]\.").match
_GIVEN_BEFORE = re.compile(r"(?:^|,\s|\band\s)[^\W\d_a-z][\w'’-]+\s(?:[^\W\d_a-z]\.?\s?)+$").search  # "James M"
_CONTAINER_ALONE = re.compile(
    r"(?:ibid\.\s|(?:[^\W\d_a-z]\w*\.?\s){1,6})?(?:[A-Z]\s?)?\d+[A-Z]?(?:\s\(\d+\))?,\s[\w–-]+\s\((?:1[5-9]|20)\d\d\)\W*$"
).match
_WORD_BEFORE = re.compile(r"(\S+)$")


def printed_ids(raw: str) -> dict[str, str]:
    """Return the identifiers that an entry prints, by kind: doi, arxiv, acl, pmid, pmcid, url (no DOI's own)."""
    found: dict[str, str] = {}
    text = re.sub(r"(https?:)\s+(//)", r"\1\2", raw)
    text = re.sub(r"(doi\.org/)\s+(10\.)", r"\1\2", text)
    text = re.sub(r"\b(10\.)\s+(\d{4,9}/)", r"\1\2", text)
    if (match := _DOI.search(text)) and not is_placeholder(match.group()):
        found["doi"] = _closed(match.group())
    for kind, pattern in (("arxiv", _ARXIV), ("acl", _ACL), ("pmid", _PMID), ("pmcid", _PMCID)):
        if match := pattern.search(text):
            found[kind] = match[1]
    for match in _URL.finditer(text):
        address = _closed(match.group())
        if not _DOI_HOST.search(address):
            found["url"] = address
            break
    return found


def _closed(address: str) -> str:
    """Cut off what ends the sentence rather than the address; brackets stay where they are paired."""
    while address and (address[-1] in ".,;:'’”\"" or (address[-1] in ")]>" and not _is_paired(address))):
        address = address[:-1]
    return address


def _is_paired(address: str) -> bool:
    opening = {")": "(", "]": "[", ">": "<"}[address[-1]]
    return address.count(opening) >= address.count(address[-1])


def parse_reference(key: str, raw: str, boxes: tuple[Box, ...] = ()) -> Reference:
    """Return the reference that an entry prints. What cannot be separated stays empty; `raw` keeps all of it."""
    text = raw[:_LONGEST_ENTRY]
    authors, year, title, venue = "", None, "", ""
    for style in (
        _container_alone,
        _quoted_style,
        _comma_year_style,
        _comma_style,
        _year_style,
        _colon_style,
        _plain_style,
    ):
        parsed = style(text)
        if parsed is not None:
            authors, year, title, venue = parsed
            break
    if year is None:
        years = [int(found) for found in _ANY_YEAR.findall(_URL.sub(" ", text))]
        year = years[-1] if years else None
    names = tuple(split_authors(authors))
    return Reference(key, _clean(title), names, _clean(venue), year, "", printed_ids(text), raw, boxes)


_Fields = tuple[str, int | None, str, str]


def _styles() -> tuple[Callable[[str], _Fields | None], ...]:
    """The styles in the order in which they are tried; the last takes any entry."""
    return (
        _container_alone, _quoted_style, _comma_year_style, _comma_style, _year_style, _colon_style, _plain_style
    )  # fmt: skip


def _quoted_style(raw: str) -> _Fields | None:
    match = _QUOTED.match(raw)
    if (
        match is None
        or len(match["title"]) < 12
        or len(match["title"].split()) < 2
        or _AUTHORS_YEAR.match(raw[: match.start("title")])
    ):
        return None
    if not match["title"].rstrip().endswith((",", ".", "?", "!")) and match["rest"].lstrip()[:1] not in (",", ".", ""):
        return None
    return match["authors"], None, match["title"].rstrip(" ,."), match["rest"].lstrip(" ,.")


def _year_style(raw: str) -> _Fields | None:
    match = _NO_AUTHORS.match(raw) or _AUTHORS_YEAR.match(raw)
    if match is None:
        return None
    groups = match.groupdict()
    authors = groups.get("authors") or ""
    if not _looks_like_names(authors):
        return None
    title, venue = _title_and_venue(match["rest"])
    return authors, int(match["year"]) if match["year"] else None, title, venue


def _comma_year_style(raw: str) -> _Fields | None:
    """Names, a year and a comma, then mostly no title: "Uhl A., Kauz B., 1999, J. Birds, 11, 100"."""
    match = _COMMA_YEAR.match(raw)
    if match is None or _ANY_YEAR.search(match["authors"]) or not _looks_like_names(match["authors"]):
        return None
    if not re.search(r"[^\W\d_]{3}", match["rest"]):
        return None  # "A. Uhl, J. Birds 1999, 12, 34": the year follows the journal
    title, venue = title_and_container(pieces_of(match["rest"]))
    return match["authors"], int(match["year"]), title, venue


def _container_alone(raw: str) -> _Fields | None:
    """A further work of an entry, of which only the journal is printed: "ibid. 3, 4 (2000)"."""
    return ("", None, "", raw) if _CONTAINER_ALONE(raw) else None


def _comma_style(raw: str) -> _Fields | None:
    parts = comma_parts(raw)
    return (parts.authors, None, parts.title, parts.venue) if parts else None


def _colon_style(raw: str) -> _Fields | None:
    match = _COLON.match(raw)
    if match is None or not re.search(r"[A-Z]\.$", match["authors"]) or not _looks_like_names(match["authors"]):
        return None
    title, venue = _title_and_venue(match["rest"])
    return match["authors"], None, title, venue


def _plain_style(raw: str) -> _Fields | None:
    for place in _ends(raw):
        authors = raw[:place]
        if _looks_like_names(authors):
            title, venue = _title_and_venue(raw[place + 1 :].strip())
            return authors, None, title, venue
        break
    title, venue = _title_and_venue(raw)
    return "", None, title, venue


def _ends(raw: str) -> Iterator[int]:
    """Yield the full stops that may end the list of authors: not those of initials within it."""
    for match in re.finditer(r"\.(?=\s)", raw):
        before = _WORD_BEFORE.search(raw[: match.start()])
        word = before[1] if before else ""
        is_initial = len(word.rpartition(".")[2].rpartition("-")[2]) == 1
        after = raw[match.end() :].lstrip()
        given_first = _INITIAL_FIRST(raw) or _GIVEN_BEFORE(raw[: match.start()])
        if is_initial and given_first and _JOINS_NAMES(after):  # "K. Lee and S. Park. Title"
            continue
        if not is_initial or re.match(
            r"(?:[A-Z][\w-]*|[A-Z0-9][\w-]+:?)\s(?:[a-z]{2,}|[A-Z]?[a-z]*\s[a-z]{2,})|[A-Z][\w-]+,\s(?!and\b)[a-z]+\b",
            after,
        ):
            if re.match(r"and\s", after):
                continue
            yield match.start()


def _looks_like_names(text: str) -> bool:
    """Whether a text can be a list of authors: short words with capitals, joined by commas and "and"."""
    words = [word for word in re.split(r"[\s,;&]+", text) if word]
    if not words:
        return True
    small = [
        word
        for word in words
        if word[0].islower() and word not in _PARTICLES and word not in ("and", "und", "y", "e", "et", "al", "al.")
    ]
    return len(small) <= 0.1 * len(words) or len(words) > 40


def _title_and_venue(rest: str) -> tuple[str, str]:
    """Cut what follows authors and year into title and venue."""
    rest = rest.strip()
    inside = _VENUE_IN.search(rest)
    limit = inside.start() if inside else len(rest)
    for match in _TITLE_END.finditer(rest, 0, limit + 1):
        if match.group() != "." and inside and len(rest[match.end() : inside.start()].split()) > 1:
            continue  # "What do keepers know? A survey. In Proceedings"
        if match.start() >= 8 and not _is_abbreviation(rest, match.start()):
            end = match.end() if match.group() in "?!" else match.start()
            return rest[:end], rest[match.end() :].lstrip(" .,")
    if inside:
        return rest[:limit], rest[inside.end() :]
    address = _URL.search(rest)
    return (rest[: address.start()] if address and address.start() > 8 else rest).rstrip(" .,"), ""


def _is_abbreviation(text: str, place: int) -> bool:
    before = _WORD_BEFORE.search(text[:place])
    word = before[1].lower() if before else ""
    return word in ("vs", "st", "dr", "no", "vol", "et al", "e.g", "i.e", "mr", "mrs") or (
        len(word) == 1 and word.isalpha() and word != "a"
    )


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(" .,;:")


# --- authors ----------------------------------------------------------------------------------------------------------


def split_authors(text: str) -> list[str]:
    """Return "Last, First" for each name of a printed list, whichever way round the list prints them."""
    text = re.sub(r"\(?\b[Ee]ds?\.?\)?|\bet\s+al\.?|\band\s+others\b|…|\.\.\.", " ", text)
    text = re.sub(r"\s+(?:and|&|und|et|y|e)\s+", ", ", " " + text.strip(" .,;") + " ")
    if ";" in text:
        return [name for piece in text.split(";") if (name := _inverted(piece))]
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    found: list[str] = []
    for piece in pieces:
        if _SUFFIX(piece) and found:
            continue
        if found and "," not in found[-1] and _INITIALS(piece) and not _given_first(found[-1]):
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    if found and len(pieces) == 2 and all("," not in name and " " not in name for name in found):
        return [f"{pieces[0]}, {pieces[1]}"]
    return [name for piece in found if (name := _inverted(piece))]


def _given_first(name: str) -> bool:
    """Whether a name has its given names or initials before the surname: J. Smith, Jo Smith."""
    return bool(re.match(r"(?:[A-Z]\.)", name))


def _inverted(name: str) -> str:
    name = " ".join(name.split()).strip(" .,;")
    if not any(char.isalpha() for char in name):
        return ""
    if "," in name:
        last, _, first = name.partition(",")
        return f"{last.strip()}, {first.strip()}"
    words = name.split()
    start = next((place for place in range(1, len(words)) if all(map(_BARE_INITIALS, words[place:]))), 0)
    if start and not any(map(_BARE_INITIALS, words[:start])):  # "Uhl A. B"
        return f"{' '.join(words[:start])}, {' '.join(words[start:])}"
    place = len(words) - 1
    while place > 1 and words[place - 1].lower() in _PARTICLES:
        place -= 1
    if place == 1 and words[0].lower() in _PARTICLES:
        place = 0
    last, first = " ".join(words[place:]), " ".join(words[:place])
    return f"{last}, {first}" if first else last
