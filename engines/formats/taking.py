"""Values taken out of a record of named fields; what is not taken stays and becomes the document's `extra`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from engines.formats.dois import bare_doi
from engines.formats.naming import Naming
from engines.formats.records import DocumentRecord, Problem

OWN = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi", "url", "full_text")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)").search
_SEVERAL = re.compile(r"\s*;\s*").split

Fields = dict[str, Any]


def take(fields: Fields, names: Iterable[str]) -> str:
    """The first text under the first of the names that has one; equal texts under the other names go with it."""
    names = list(names)
    found = ""
    for name in names:
        value = fields.get(name)
        texts = value if isinstance(value, list) else [value]
        if text := next((each for each in texts if isinstance(each, str) and each), ""):
            found = found or text
            rest = [each for each in texts if each not in (found, "")]
            _put_back(fields, name, rest)
    return found


def take_all(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    """All texts under all of the names, each once."""
    found: dict[str, None] = {}
    for name in names:
        value = fields.pop(name, None)
        found.update(dict.fromkeys(value if isinstance(value, list) else [value]))
    found.pop("", None)
    found.pop(None, None)  # type: ignore[call-overload]
    return tuple(found)


def take_year(fields: Fields, names: Iterable[str]) -> int | None:
    """The year in the first of the fields that has one; a field that says more than the year stays."""
    for name in names:
        value = fields.get(name)
        for text in value if isinstance(value, list) else [value]:
            year, is_whole = year_in(text) if isinstance(text, str) else (None, False)
            if year is not None:
                if is_whole and value in (text, [text]):
                    fields.pop(name)
                return year
    return None


def year_in(text: str) -> tuple[int | None, bool]:
    """The year in a text, and whether the text says nothing more: 2020 and 2020.0 do not."""
    found = _YEAR(text)
    return (int(found[1]), text.strip() in (found[1], f"{found[1]}.0")) if found else (None, not text)


def take_doi(fields: Fields, names: Iterable[str]) -> str:
    """The DOI without the resolver's address; what was written with it stays under `other_doi`."""
    written = take(fields, names)
    doi, _, more = bare_doi(written).partition(" ")
    if more.strip():
        fields["other_doi"] = written
    return doi


def split_list(texts: Sequence[str]) -> tuple[str, ...]:
    """Values that one text lists with semicolons, each once; several texts are several values."""
    if len(texts) != 1 or ";" not in texts[0]:
        return tuple(texts)
    return tuple(dict.fromkeys(part for part in _SEVERAL(texts[0].strip()) if part))


def document(fields: Fields, naming: Naming, line: int, *, ids: Sequence[str], **own: Any) -> DocumentRecord | Problem:
    """The document with its `own` fields, by their names in `DocumentRecord`.

    What is left in `fields` becomes `extra`, an id that is not the docno too.
    """
    title, abstract = own["title"], own["abstract"]
    if not title and not abstract:
        return Problem(naming.file, line, "the record has neither a title nor an abstract")
    doi, authors = own.get("doi", ""), own.get("authors", ())
    docno = naming.docno(ids, doi, title, authors, year=own.get("year"), text=abstract)
    if others := [each for each in ids if each != docno]:
        fields["other_ids"] = others
    extra = {f"other_{name}" if name in OWN else name: value for name, value in fields.items() if value not in ("", [])}
    return DocumentRecord(docno, extra=extra, file=naming.file, line=line, **own)


def _put_back(fields: Fields, name: str, rest: list[Any]) -> None:
    if rest:
        fields[name] = rest[0] if len(rest) == 1 else rest
    else:
        fields.pop(name)
