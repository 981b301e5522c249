"""DOIs as printed and typed: which are plausible, which only fill a template, which may name something else.

A DOI is `10.`, the registrant's number, a slash and a name (ANSI/NISO Z39.84); it means the same in upper and lower
case. Templates of publishers print one before the real one is known. Such a placeholder identifies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PLAUSIBLE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"<>]*[^\W_][^\s\"<>]*").fullmatch
_DOI_START = re.compile(r"\b10\.(?:\d{4,9}(?:\.\d+)*(?:/[^\s\"<>,;]*)?|\d{0,9})(?=[\s\"<>,;]|$)")
_FIRST_WORD = re.compile(r"[\s\"<>,;]")
_YEAR = re.compile(r"\(?(?:19|20)\d\d[a-z]?[).:]*").fullmatch
_WHOLE = re.compile(r"10\.1145/\d{6,7}\.\d{6,7}\.?").fullmatch  # ACM's of today have no third part
_UNFINISHED = re.compile(r"[./_,;:-]$").search
_ADDRESS = re.compile(r"(?:https?://)?(?:(?:dx|www)\.)?doi\.org/|doi:\s*", re.IGNORECASE)
# What acmart, sig-alternate, IEEEtran, Elsevier, Springer, SAGE, OUP, MDPI and Frontiers print until they know better.
_FILLED = re.compile(
    r"(?<![a-z])(?:x{3,}|n{3,}|y{4})(?![a-z])|#{2,}|\.doi$|tobeassigned|(?:^|[/.])(?:insert|your)[-_.]?doi|"
    r"/(?:1122445\.1122456|11221\.27\d*|1234567(?:890)?(?:\.\d+)?|12345\.67890|123456\.\d+|8888888\.7777777)$|"
    r"/(?:0{5,}\d?(?:\.0{5,}\d?)?|access\.\d{4}\.\d{4}000)$"
).search
_ONE_DIGIT = re.compile(r"/\D*(\d)\1{3,}(?:\D+(\d)\2{3,})*\D*$").search
_REPOSITORIES = ("10.5281/", "10.6084/", "10.17605/", "10.7910/", "10.5061/", "10.17632/", "10.1184/", "10.4121/")


def bare_doi(text: str) -> str:
    """Return a DOI without the resolver's address or `doi:` before it."""
    return _ADDRESS.sub("", text.strip(), count=1) if not text.startswith("10.") else text.strip()


def is_placeholder(doi: str) -> bool:
    """Whether a DOI only fills a template, such as 10.1145/nnnnnnn.nnnnnnn, /3290605.3300XXX or /0000000.0000000."""
    return bool(_FILLED(doi.lower()) or _ONE_DIGIT(doi))


def is_plausible(doi: str) -> bool:
    """Whether a text can be a whole DOI of something: its form is that of one, and it is no template's."""
    return bool(_PLAUSIBLE(doi)) and not _UNFINISHED(doi) and not is_placeholder(doi)


def real_doi(doi: str) -> str:
    """Return the DOI, "" for a placeholder."""
    return "" if is_placeholder(doi) else doi


def is_of_data(doi: str) -> bool:
    """Whether a repository of data or software gave the DOI: papers print such DOIs of what they publish or use."""
    return doi.startswith(_REPOSITORIES)


def readings(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the readings of each DOI in these lines, in order; a line continues the one above it.

    There is usually one reading, also where a line ends within the DOI, at a character that ends none. There are two,
    the shorter first, where the next line may continue it or not. Placeholders are included, implausible DOIs are not.
    """
    found = []
    for place, line in enumerate(lines):
        more = _FIRST_WORD.split(lines[place + 1].lstrip(), maxsplit=1)[0] if place + 1 < len(lines) else ""
        for match in _DOI_START.finditer(line):
            reads = _over_break(match[0], more) if match.end() == len(line.rstrip()) else (match[0],)
            whole = [doi for doi in map(_closed, reads) if _PLAUSIBLE(doi)]
            found.append(tuple(dict.fromkeys(whole)))
    return [each for each in found if each]


def _over_break(found: str, more: str) -> tuple[str, ...]:
    """Return the readings of a DOI at the end of a line, where the next line begins with the word `more`."""
    is_code = bool(re.search(r"\d", more)) and ":" not in more.rstrip(":") and not _YEAR(more)
    if "/" not in found or found[-1] in "/_-" or re.match(r"[/._-]\w", more):
        return (found + more,)
    if not is_code or more[0].isupper() or _WHOLE(found):
        return (found,)
    if found[-1] == "." and (len(more) > 3 or more[0].islower()):
        return (found + more,)
    return (found, found + more)


def _closed(doi: str) -> str:
    """Cut off what ends the sentence rather than the DOI; brackets stay where they are paired."""
    while doi and (doi[-1] in ".,;:'’”" or (doi[-1] == ")" and doi.count("(") < doi.count(")"))):
        doi = doi[:-1]
    return doi


def distinct(dois: Iterable[str]) -> list[str]:
    """Return the DOIs in order, each once, whatever its case."""
    found: dict[str, str] = {}
    for doi in dois:
        found.setdefault(doi.lower(), doi)
    return list(found.values())
