"""Ids for documents whose files give none, or none that can be used: their DOI, else author, year and title.

Such an id depends on the record alone, so the same record has the same id in every file and import. It ends with a
piece of a check sum of all that identifies the record: two different records never share one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from engines.formats.records import Remark, id_problem

_WORD = re.compile(r"\w+")
_LONGEST = 40  # characters before the check sum
_SUM = 8


class Naming:
    """Names the records of one file and remembers what to say about it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.by_doi: list[str] = []  # the first of each, and how many
        self.made: list[str] = []
        self.counts = [0, 0]
        self.unusable: list[str] = []  # why the first id cannot be used
        self.unusable_count = 0

    def docno(
        self, given: Iterable[str], doi: str, title: str, authors: Sequence[str], *, year: object = "", text: str = ""
    ) -> str:
        """The first of the `given` ids that can be one, else the DOI, else a made one."""
        for each in given:
            reason = id_problem(each)
            if reason is None:
                return each
            if each:
                self.unusable_count += 1
                self.unusable = self.unusable or [reason]
        if doi and id_problem(doi) is None:
            self.counts[0] += 1
            self.by_doi = self.by_doi or [doi]
            return doi
        made = made_id(title, authors, year=year, text=text, doi=doi)
        self.counts[1] += 1
        self.made = self.made or [made]
        return made

    def remarks(self) -> Iterator[Remark]:
        """How the records without an id were named, at the end of the file."""
        by_doi, made = self.counts
        without = "no usable id" if self.unusable else "no id"
        if self.unusable:
            ids = "id of the file" if self.unusable_count == 1 else "ids of the file"
            yield Remark(self.file, 0, f"{self.unusable_count:,} {ids} cannot be used: {self.unusable[0]}")
        if by_doi:
            has = "record has" if by_doi == 1 else "records have"
            yield Remark(self.file, 0, f"{by_doi:,} {has} {without}: the DOI is the docno, such as {self.by_doi[0]}")
        if made:
            has = "record has" if made == 1 else "records have"
            reason = f"{made:,} {has} {without}: the docno is made of author, year and title, such as {self.made[0]}"
            yield Remark(self.file, 0, reason)


def made_id(title: str, authors: Sequence[str], *, year: object = "", text: str = "", doi: str = "") -> str:
    """Such as xample-2020-owls-1f3a9c04. Equal records have equal ids."""
    first = authors[0] if authors else ""
    surname = first.split(",")[0] if "," in first else (first.split() or [""])[-1]
    parts = [*_WORD.findall(surname.casefold())[-1:], *([str(year)] if year else [])]
    parts += [word for word in _WORD.findall(title.casefold()) if len(word) > 3][:3]
    known = "\x1f".join([title, *authors, str(year), text, doi])
    checksum = sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:_SUM]
    readable = "-".join(part for part in parts if part.isprintable())[:_LONGEST].strip("-")
    return f"{readable}-{checksum}" if readable else f"record-{checksum}"
