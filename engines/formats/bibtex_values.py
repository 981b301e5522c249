"""Values of BibTeX as a person reads them: texts, names, keywords, addresses, years."""

from __future__ import annotations

import re

from engines.text.latex_text import read_latex, strip_braces, typography, unshield, without_outer_braces
from engines.text.markup import plain_text

is_marked = re.compile(r"[\\{}&<$~`]").search  # what `readable` may change, next to dashes and white space
_TEX = re.compile(r"[~`]|--").search
_EMPTY_GROUP = re.compile(r"(?<=[^\x00-\x7f])\{\}")  # that ended a command, before it became a character
# What only programs read: not a character of it is changed.
_VERBATIM = frozenset(
    "file eprint urldate biburl bibsource timestamp crossref xdata xref ids pdf archiveprefix primaryclass eprinttype"
    " eprintclass date eventdate origdate".split()
)
_VERBATIM_PREFIXES = ("bdsk-", "local-", "date-")
_BRACES_KEPT = frozenset({"abstract", "author", "editor", "keywords"})  # sets in abstracts, and what must not be split
_PROSE = frozenset({"abstract", "annotation", "annote"})
_ESCAPED = re.compile(r"\{?\\([_%#&~{}])\}?")
_TILDE = re.compile(r"\{?\\textasciitilde\s*(?:\{\})?\}?|\\~\{\}|\{\\?~\}")
_DOI_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_NAME_PART = re.compile(r"(?:^|,)\s*(family|given|prefix|suffix)\s*=\s*(\{[^{}]*\}|\"[^\"]*\"|[^,]*)", re.IGNORECASE)
_YEAR_OF_DATE = re.compile(r"([0-9]{4})(?![0-9])").match


def readable(name: str, value: str) -> str:
    """The value of this field as a person reads it."""
    if name in _VERBATIM or name.startswith(_VERBATIM_PREFIXES):
        return value.strip()
    return clean_value(value, braces=name in _BRACES_KEPT, careful=name in _PROSE)


def clean_value(value: str, *, braces: bool = False, careful: bool = False) -> str:
    """Return a field's value as a person reads it: LaTeX, entities and tags decoded, white space folded.

    Braces that only protect capitals go, unless `braces` asks to keep them (abstracts write sets as {0,1}); those of
    mathematics and of commands that are not known always stay. `careful` is for prose: see `typography`.
    """
    has_latex = "\\" in value or "$" in value
    text = read_latex(value, careful=careful) if has_latex else value
    if has_latex or _TEX(value):
        text = typography(text, careful=careful)
    text = without_outer_braces(plain_text(text))
    text = text if braces else strip_braces(text)
    if "{}" in text:
        text = _EMPTY_GROUP.sub("", text)
    return unshield(text) if has_latex else text


def address(value: str) -> str:
    """A DOI, URL or key as it is without escapes."""
    value = value.strip()
    if "\\" not in value and "{" not in value:
        return value
    value = _ESCAPED.sub(r"\1", _TILDE.sub("~", value))
    return re.sub(r"\\url\s*|[{}]", "", value).strip()


def doi(field: str, key: str) -> str:
    """Return the DOI without a resolver's address; a key that is one serves (10.5555/… are ACM's own, no DOIs)."""
    if field:
        return _DOI_PREFIX.sub("", field, count=1) if not field.startswith("10.") else field
    return key if key.startswith("10.") and "/" in key and not key.startswith("10.5555/") else ""


def take_year(fields: dict[str, str]) -> int | None:
    """The year: four digits of `year`, which is taken out, or the first four of biblatex's `date`, which stays."""
    written = fields.get("year", "")
    if len(written) == 4 and written.isascii() and written.isdigit():
        return int(fields.pop("year"))
    found = _YEAR_OF_DATE(fields.get("date", ""))
    return int(found[1]) if found else None


def split_names(text: str) -> tuple[tuple[str, ...], bool]:
    """Split at " and " outside braces, and say whether it ends with "others"; names stay as written.

    "Last, First", "Last, Jr., First", single names; those with named parts (biblatex) become "Last, First".
    """
    if not text:
        return (), False
    if not ("{" in text or "=" in text or "others" in text or " And " in text or " AND " in text):
        return tuple(text.split(" and ")), False
    parts = _split_outside_braces(text, _AND)
    names = [strip_braces(_joined_name(part) if "=" in part else part).strip(" {}") for part in parts]
    return tuple(name for name in names if name and name != "others"), "others" in names


def _joined_name(text: str) -> str:
    """A name whose parts are named, as "prefix Last, Jr., First"."""
    found = _NAME_PART.finditer(without_outer_braces(text))
    parts = {match[1].lower(): match[2].strip(' {}"') for match in found}
    if not parts.keys() & {"family", "given"}:
        return text
    last = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return ", ".join(filter(None, (last, parts.get("suffix"), parts.get("given"))))


def split_keywords(text: str) -> tuple[str, ...]:
    """Split at commas (at semicolons where there are no commas) outside braces; each keyword once, in order."""
    if not text:
        return ()
    mark = "," if "," in text else ";"
    if "{" in text:
        parts = [strip_braces(part.strip()) for part in _split_outside_braces(text, re.compile(mark))]
    else:
        parts = text.split(f"{mark} ")
        if text.count(mark) != len(parts) - 1:
            parts = [part.strip() for part in text.split(mark)]
    words = dict.fromkeys(parts)
    words.pop("", None)
    return tuple(words)


def _split_outside_braces(text: str, mark: re.Pattern[str]) -> list[str]:
    parts: list[str] = []
    begin = counted = depth = 0
    for match in mark.finditer(text):
        depth += text.count("{", counted, match.start()) - text.count("}", counted, match.start())
        counted = match.start()
        if not depth:
            parts.append(text[begin : match.start()])
            begin = match.end()
    parts.append(text[begin:])
    return parts
