"""The list of references cut into its entries: by their labels, by hanging indents, or by how entries begin."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engines.formats.dois import readings
from engines.formats.papers import Reference
from engines.pdf.composites import in_full, split_works
from engines.pdf.lines import Line
from engines.pdf.prose import boxes, is_raised, join
from engines.pdf.reference_fields import parse_reference
from engines.pdf.vocabulary import Vocabulary

MOST_ENTRIES = 3000

_BRACKETED = re.compile(r"\[(\d{1,4})\]\s*(?=\S|$)").match
_DOTTED = re.compile(r"(\d{1,3})\.\s+(?=\D)").match
_IN_ROUND = re.compile(r"\((\d{1,4})\)\s+(?=\D)").match
_BARE = re.compile(r"(\d{1,3})\s+(?=[^\W\d_a-z])").match
_LABEL = re.compile(r"\[([^\W\d_][^\]\s]{0,20}\d{2}[a-z]?)\]\s*").match
BEGINS = re.compile(
    r"(?:(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|zu)\s){0,3}[^\W\d_a-z][\w'’-]+(?:\s[^\W\d_a-z][\w'’-]+)?,\s(?:[A-Z]\.|[A-Z][a-z]+)|[A-Z]\.\s?(?:[A-Z]\.\s?)*[^\W\d_a-z]\w+|"
    r"(?:[^\W\d_a-z][\w'’.-]*\s){1,4}(?:and|&)\s[A-Z]|[^\W\d_a-z][\w'’-]+\s(?:[A-Z]\.?[\s-]?){1,3},\s?(?:[A-Z]|\d{4}))"
).match
ENDED = re.compile(r"(?:[.)\]]|\d{4}[a-z]?|https?:\S+|10\.\d{4,9}/\S+)\s*$").search
_YEAR = re.compile(r"(?<![\d.])(?:1[5-9]|20)\d\d(?!\d)").search
_URL_END = re.compile(r"(?:^|[\s(<])(?:https?:|www\.|doi:|10\.\d{4,9}[/.]|arxiv:)\S*$", re.IGNORECASE)
_URL_START = re.compile(r"[\w/~%#?&=.+:;@-]").match
_WORD_START = re.compile(r"[A-Z][a-z]+(?:\s|$)|\(|\[").match


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as cut out: the label it prints ("" for none) and its lines."""

    label: str
    lines: tuple[Line, ...]


def _label_by(match: Callable[[str], re.Match[str] | None]) -> Callable[[Line], str]:
    def label_of(line: Line) -> str:
        found = match(line.text)
        return found[1] if found else ""

    return label_of


def raised_label(line: Line) -> str:
    """The number that a line begins with above its baseline, "" for none."""
    first = line.runs[0] if line.runs else None
    return first.text.strip() if first and is_raised(first, line) and first.text.strip().isdecimal() else ""


LABELS = (_label_by(_BRACKETED), _label_by(_DOTTED), _label_by(_IN_ROUND), raised_label)


def next_number(label: str, last: int) -> bool:
    """Whether a label goes on from the last number; two may be missing between."""
    return label.isdecimal() and last < int(label) <= last + 3


def split_entries(lines: Sequence[Line]) -> list[Entry]:
    """Return the entries of a list of references in print order; lines before the first are dropped."""
    for label_of in LABELS:
        entries = _numbered(lines, label_of)
        if entries:
            return entries
    entries = _numbered(lines, _label_by(_BARE))
    if 2 * sum(any(_YEAR(line.text) for line in entry.lines) for entry in entries) > len(entries):
        return entries  # numbers alone may also be those of lines
    labels = sum(1 for line in lines if _LABEL(line.text))
    if labels >= 2 and labels * 8 >= len(lines):
        return _cut(lines, [_label_of(line) for line in lines])
    return _cut(lines, _unlabelled(lines))


def _label_of(line: Line) -> str | None:
    match = _LABEL(line.text)
    return match[1] if match else None


def _numbered(lines: Sequence[Line], label_of: Callable[[Line], str]) -> list[Entry]:
    """Cut at labels that count upwards; [12] at the start of a line within an entry does not fit and is passed over."""
    marks: list[str | None] = []
    last = 0
    for line in lines:
        number = int(label_of(line) or 0)
        is_next = number == last + 1 or (last > 0 and last < number <= last + 3)
        marks.append(str(number) if is_next else None)
        last = number if is_next else last
    found = sum(mark is not None for mark in marks)
    if found < 2 and not (found == 1 and len(lines) <= 6):
        return []
    return _cut(lines, marks) if found * 14 >= len(lines) else []


def _cut(lines: Sequence[Line], marks: Sequence[str | None]) -> list[Entry]:
    """Begin an entry at each line whose mark is not None."""
    groups: list[tuple[str, list[Line]]] = []
    for line, mark in zip(lines, marks, strict=True):
        if mark is not None:
            groups.append((mark, [line]))
        elif groups:
            groups[-1][1].append(line)
    return [Entry(label, tuple(group)) for label, group in groups[:MOST_ENTRIES]]


def _unlabelled(lines: Sequence[Line]) -> list[str | None]:
    """Mark the lines that begin entries: those that stick out to the left, else those that read like a beginning."""
    lefts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for line in lines:
        lefts[line.page, line.column][round(line.left)] += 1
    edges = {place: _edge(counts) for place, counts in lefts.items()}
    out = [line.left < edges[line.page, line.column] + 0.35 * line.size for line in lines]
    hangs = 0.12 * len(lines) <= len(lines) - sum(out)
    return [
        "" if not place or (out[place] if hangs else _reads_as_beginning(lines, place)) else None
        for place in range(len(lines))
    ]


def _edge(counts: Counter[int]) -> int:
    """Return the leftmost place where more than one line begins."""
    return min((place for place, times in counts.items() if times > 1), default=min(counts))


def _reads_as_beginning(lines: Sequence[Line], place: int) -> bool:
    if not place:
        return True
    before, line = lines[place - 1], lines[place]
    if (before.page, before.column) == (line.page, line.column) and line.base - before.base > 1.35 * line.size * 1.2:
        return True
    return bool(ENDED(before.text)) and bool(BEGINS(line.text))


def entry_text(entry: Entry, own: Vocabulary, vocabulary: Vocabulary) -> str:
    """Return an entry as running text without its label; addresses that line ends cut in two are whole again."""
    text = ""
    for place, line in enumerate(entry.lines):
        more = line.text.strip()
        if not place and entry.label:
            more = _without_label(more, entry)
        if text and more and _cuts_address(text, more):
            text += more
        else:
            text = join(text, more, own, vocabulary)
    return " ".join(text.split())


def _without_label(text: str, entry: Entry) -> str:
    if raised_label(entry.lines[0]) == entry.label:
        return text[len(entry.label) :].lstrip()
    match = _BRACKETED(text) or _DOTTED(text) or _IN_ROUND(text) or _LABEL(text) or _BARE(text)
    return text[match.end() :] if match else text


def _cuts_address(text: str, more: str) -> bool:
    """Whether the line break stands inside a URL or DOI."""
    if not _URL_END.search(text[-300:]) or not _URL_START(more):
        return False
    if text[-1] in "/_=&?%#:~-" or more[0] in "/_=&?%#~":
        return not (_WORD_START(more) and text[-1] not in "/_=-")
    return (text[-1] == "." and (more[0].isdigit() or more[0].islower())) or (more[0] == "." and len(more) > 1)


@dataclass(frozen=True, slots=True)
class Works:
    """A list of references, and how markers name its works: `labels` of names and years ("Smi19") to keys, and
    `composites`, the numbers of entries that hold several works, to the keys of all of these."""

    references: tuple[Reference, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    composites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def works_of(lines: Sequence[Line], own: Vocabulary, vocabulary: Vocabulary) -> Works:
    """Return the works of a list: keys are the numbers that it prints, else counted.

    The second work of entry 5 is "5b", the third "5c".
    """
    found: list[Reference] = []
    labels: dict[str, str] = {}
    composites: dict[str, tuple[str, ...]] = {}
    for place, entry in enumerate(split_entries(lines), start=1):
        key = entry.label if entry.label.isdigit() else str(place)
        if entry.label and not entry.label.isdigit():
            labels[entry.label] = key
        works = split_works(entry_text(entry, own, vocabulary))
        keys = tuple(f"{key}{chr(97 + number)}" if number else key for number in range(len(works)))
        if len(keys) > 1:
            composites[key] = keys
        for each, raw in zip(keys, works, strict=True):
            work = _with_doubt(parse_reference(each, raw, boxes(entry.lines)), entry)
            found.append(in_full(work, found[-1]) if each != key else work)
    return Works(tuple(found), labels, composites)


def references_of(lines: Sequence[Line], own: Vocabulary, vocabulary: Vocabulary) -> list[Reference]:
    """Return the works of a list alone."""
    return list(works_of(lines, own, vocabulary).references)


def _with_doubt(reference: Reference, entry: Entry) -> Reference:
    """The reference with both readings in place of a DOI that the next line may go on with."""
    printed = reference.ids.get("doi")
    doubtful = [reads for reads in readings([line.text for line in entry.lines]) if len(reads) > 1]
    both = next((reads for reads in doubtful if printed in reads), None)
    if both is None:
        return reference
    others = {kind: value for kind, value in reference.ids.items() if kind != "doi"}
    return replace(reference, ids={**others, "dois": " ".join(both)})
