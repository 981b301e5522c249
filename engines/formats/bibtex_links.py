"""Entries of one import that refer to each other: words of @string, `crossref` and `xdata`, over all of its files.

An entry that refers to nothing, or to what was read before, goes on at once. The others wait until what they refer to
is read, or until the end of the import, where what is still missing is reported by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import BinaryIO

from engines.formats.bibtex import Entry, read_entries
from engines.formats.bibtex_words import STANDARD_WORDS
from engines.formats.records import PartProblem, Problem
from engines.text.markup import fold_space

VOLUMES = frozenset(
    "proceedings mvproceedings book mvbook collection mvcollection periodical reference mvreference xdata".split()
)
_DEEPEST = 8  # parents of parents
# What belongs to the parent alone: its name, its identity, its place in other programs.
_ITS_OWN = frozenset(
    "title subtitle titleaddon shorttitle author abstract keywords doi url urldate eprint eprinttype eprintclass"
    " archiveprefix primaryclass file note annote annotation key label pages crossref xdata xref ids timestamp biburl"
    " bibsource options sortkey sorttitle related relatedtype entryset".split()
)

Item = Entry | Problem


class Bibliography:
    """The entries of all files of one import. `is_wanted` says which become records; the others never wait."""

    def __init__(self, is_wanted: Callable[[Entry], bool]) -> None:
        self.is_wanted = is_wanted
        self.macros = dict(STANDARD_WORDS)
        self.parents: dict[str, Entry] = {}
        self.waiting: dict[str, list[tuple[int, Entry]]] = {}  # numbered, by the first thing that they lack
        self.held: dict[tuple[str, str], list[Entry]] = {}  # behind a waiting entry of the same file and key
        self.unfinished: dict[str, Entry] = {}  # those that waited until the end
        self.used: set[str] = set()  # files that others took something from
        self._numbers = count()
        self._whole: dict[str, Entry] = {}  # parents with what their own parents give

    def read(self, stream: BinaryIO, file: str) -> Iterator[Item]:
        """Yield the entries of a file that lack nothing, and those of files before it that lack nothing any longer."""
        known = len(self.macros)
        for item in read_entries(stream, file, self.macros):
            if isinstance(item, Problem) or (not self.waiting and _is_plain(item)):
                yield item
                continue
            yield from self._add(item)
            if len(self.macros) > known and self.waiting:
                for word in [word for word in self.waiting if word[0] == "@" and word[1:] in self.macros]:
                    yield from self._go_on(word)
            known = len(self.macros)

    def finish(self) -> Iterator[Item]:
        """Yield the entries that still wait, in the order in which they came, each after what it lacks."""
        numbered = [each for waiting in self.waiting.values() for each in waiting]
        self.waiting.clear()
        self.unfinished = {entry.key.lower(): entry for _, entry in numbered}
        for _, entry in sorted(numbered, key=lambda each: each[0]):
            yield from self._completed(entry)
            for later in self.held.pop((entry.file, entry.key), ()):
                yield from self._completed(later)

    def _add(self, entry: Entry) -> Iterator[Item]:
        name = entry.key.lower()
        if name in self.waiting or entry.kind in VOLUMES or not entry.fields.keys() & {"author", "title"}:
            fields = {field: value for field, value in entry.fields.items() if field != "abstract"}
            self.parents.setdefault(name, replace(entry, fields=fields))
        if not self.is_wanted(entry):
            yield entry
        elif (entry.file, entry.key) in self.held:
            self.held[entry.file, entry.key].append(entry)
        else:
            yield from self._completed_or_kept((next(self._numbers), entry))
        if name in self.waiting:
            yield from self._go_on(name)

    def _go_on(self, name: str) -> Iterator[Item]:
        """Yield the entries that lacked only this."""
        for numbered in self.waiting.pop(name):
            yield from self._completed_or_kept(numbered)

    def _completed_or_kept(self, numbered: tuple[int, Entry]) -> Iterator[Item]:
        entry = numbered[1]
        if lacking := self._lacking(entry, set()):
            self.waiting.setdefault(lacking, []).append(numbered)
            if entry.key:
                self.held.setdefault((entry.file, entry.key), [])
            return
        yield from self._completed(entry)
        for later in self.held.pop((entry.file, entry.key), ()):
            yield from self._completed_or_kept((next(self._numbers), later))

    def _lacking(self, entry: Entry, seen: set[str], depth: int = 0) -> str:
        """The key of a parent, or "@" and a word, that the entry or its parents lack; "" where they lack nothing."""
        for joined in (entry.words or {}).values():
            for word in joined.unknown(self.macros):
                return f"@{word.lower()}"
        for _, key in _links(entry):
            name = key.lower()
            if name not in self.parents:
                return name
            if name in seen or name in self._whole or depth == _DEEPEST:
                continue
            seen.add(name)
            if lacking := self._lacking(self.parents[name], seen, depth + 1):
                return lacking
        return ""

    def _completed(self, entry: Entry, depth: int = 0) -> Iterator[Item]:
        """Yield a problem for each thing that is still missing, then the entry with what its parents give."""
        fields = dict(entry.fields)
        for name, joined in (entry.words or {}).items():
            fields[name] = joined.value(self.macros)
            for word in joined.unknown(self.macros):
                reason = f"{name}: the word “{word}” is defined by no @string of this import; it was kept as it is"
                yield PartProblem(entry.file, joined.line, reason)
        for link, key in _links(entry):
            yield from self._whole_parent(key.lower(), depth)
            parent = self._whole.get(key.lower())
            if parent is not None:
                self.used.add(parent.file)
                _inherit(fields, entry.kind, parent, link)
            elif key.lower() not in self.parents:
                yield PartProblem(entry.file, entry.line, f"{link}: {self._why_nothing(entry, link, key)}")
        yield replace(entry, fields=fields, words=None)

    def _why_nothing(self, entry: Entry, link: str, key: str) -> str:
        if self._leads_back(key.lower(), entry.key.lower()):
            return f"“{key}” refers back to this entry, so no fields were taken from it"
        wanted = "@xdata" if link == "xdata" else "proceedings, book or other volume"
        return f"this import has no {wanted} “{key}” to take fields from"

    def _leads_back(self, name: str, to: str) -> bool:
        """Whether an entry that waited until the end is this other one, or refers to it directly or through others."""
        seen: set[str] = set()
        names = [name]
        while names:
            name = names.pop()
            if name in seen or name not in self.unfinished:
                continue
            if name == to:
                return True
            seen.add(name)
            names += [key.lower() for _, key in _links(self.unfinished[name])]
        return False

    def _whole_parent(self, name: str, depth: int) -> Iterator[Problem]:
        """Complete a parent once, with the problems of that; one that is its own parent stays incomplete."""
        if name in self._whole or name not in self.parents or depth == _DEEPEST:
            return
        parent = self._whole[name] = self.parents[name]
        for item in self._completed(parent, depth + 1):
            if isinstance(item, Problem):
                yield item
            else:
                self._whole[name] = item


def _is_plain(entry: Entry) -> bool:
    """Whether it refers to nothing, and nothing is expected to refer to it."""
    fields = entry.fields
    return (
        entry.words is None
        and ("author" in fields or "title" in fields)
        and "crossref" not in fields
        and "xdata" not in fields
        and entry.kind not in VOLUMES
    )


def _links(entry: Entry) -> Iterator[tuple[str, str]]:
    """The field and the key of each entry that this one takes fields from."""
    for field in ("xdata", "crossref"):
        for key in entry.fields.get(field, "").split(","):
            if key := key.strip(" \t\n{}"):
                yield field, key


def _inherit(fields: dict[str, str], kind: str, parent: Entry, link: str) -> None:
    """Give an entry what it lacks and its parent has; a volume's title is the name of where its papers appeared."""
    if link == "xdata":
        for name, value in parent.fields.items():
            fields.setdefault(name, value)
        return
    for name, value in parent.fields.items():
        if name not in _ITS_OWN:
            fields.setdefault(name, value)
    if "title" in parent.fields and parent.kind != "article":
        title, subtitle = (fold_space(parent.fields.get(name, "")) for name in ("title", "subtitle"))
        place = "maintitle" if parent.kind.startswith("mv") else "journaltitle" if kind == "article" else "booktitle"
        if not any(fields.get(each) for each in {place, "journal" if kind == "article" else place}):
            fields[place] = f"{title}: {subtitle}" if subtitle else title
