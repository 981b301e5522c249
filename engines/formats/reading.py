"""Records from any path: find the files it holds, choose a reader for each, read them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from engines.formats.archives import DEFAULT_LIMITS, ArchiveLimits, Member, open_files
from engines.formats.encodings import ENCODINGS, as_utf8
from engines.formats.judgment_columns import NAMES
from engines.formats.notes import notes_of
from engines.formats.records import BrokenFile, Problem, Remark
from engines.formats.registry import AUTO, HEAD_BYTES, Format, Together, detect, format_names, formats
from engines.formats.repeats import without_repeats
from engines.formats.sorts import looks_like
from engines.formats.trec_runs import COLUMNS

# What forms call the options of readers.
OPTIONS = {"text_from": "Text from", "columns": "Columns of a table", "entry_types": "Other BibTeX entry types"}

T = TypeVar("T")
BEIR_PARTS = {"corpus.jsonl": "documents", "queries.jsonl": "topics"}  # of a data set, by the names of its files
Places = list[tuple[Path, str]]  # files or folders, with their names in messages


@dataclass(frozen=True, slots=True)
class _Carried:
    """What messages call the records; where an id may occur once in a file, the id of a record and the word for it."""

    label: str
    id_of: Callable[[Any], str] | None = None
    id_label: str = ""
    is_one_of_many: bool = False  # files of such records come in hundreds: a wrong one does not stop the others


_CARRIED = {
    "documents": _Carried("documents", attrgetter("docno"), "docno"),
    "topics": _Carried("topics", attrgetter("number"), "topic"),
    "judgments": _Carried(f"judgments ({', '.join(NAMES[:6])})", attrgetter("label_id"), "the judgment"),
    "known-answers": _Carried("known answers", attrgetter("label_id"), "the known answer of"),
    "runs": _Carried(f"run ({COLUMNS})"),
    "pool": _Carried("pool list"),
    "mentions": _Carried("citation mentions", is_one_of_many=True),
}


def read_path(
    carried: str,
    path: Path | str | Places,
    format: str = AUTO,  # noqa: A002 (the name users know)
    *,
    name: str = "",
    limits: ArchiveLimits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
    encoding: str = AUTO,
    **options: Any,
) -> Iterator[Any]:
    """Yield the records of every file in `path`: a file, plain or compressed, an archive or a folder, or several of
    them, each with its name in messages; formats whose files refer to each other read all of them together.

    `carried` is what to read, by its name in `Format.reads`; `format` is "auto" or the name of a format; `name`,
    `limits` and `watch` are those of `open_files`, `encoding` is that of `as_utf8`; `options` go to the readers. A
    document, topic or judgment that occurs again in the same file is a `Problem`. A file that holds something else, or
    nothing, or one damaged paper, is a `Problem` in archives and folders; a single file raises `BrokenFile`. Each file
    that was read ends with a `Remark` on what it was read as. Raises `ValueError` for an unknown format or encoding.
    """
    if format != AUTO and (format not in formats() or carried not in formats()[format].reads):
        raise ValueError(f"unknown format {format!r}; known are {', '.join(format_names(carried))}")
    if encoding not in ENCODINGS:
        raise ValueError(f"unknown encoding {encoding!r}; known are {', '.join(ENCODINGS)}")
    kind = _CARRIED.get(carried) or _Carried(carried)
    places = path if isinstance(path, list) else [(Path(path), name)]
    together: dict[str, Together] = {}
    opened = (member for place, name in places for member in open_files(place, name=name, limits=limits, watch=watch))
    for member in _prepared(opened, encoding, kind):
        found = _of_another_part(member, carried) or _format_of(member, format, carried, kind.label)
        if isinstance(found, Problem):
            yield found
            continue
        begin = found.together.get(carried)
        if begin is None:
            yield from _read_alone(found.reads[carried], found, member, kind, options)
        else:
            if found.name not in together:
                together[found.name] = begin(**_known(options, begin, found, member.name))
            yield from together[found.name].read(member.stream, member.name)
            yield from _read_as(found, member)
    for reader in together.values():
        yield from reader.finish()


def _prepared(members: Iterable[Member], encoding: str, kind: _Carried) -> Iterator[Member]:
    """The files in UTF-8; one of many is not alone, even where it was given alone."""
    for member in members:
        stream = as_utf8(member.stream, member.name, encoding)
        yield replace(member, stream=stream, alone=member.alone and not kind.is_one_of_many)


def _of_another_part(member: Member, carried: str) -> Problem | None:
    """A whole data set of BEIR is one archive, whose queries look like documents: there the names of files count."""
    base = re.sub(r"\.(gz|bz2|xz)$", "", member.name.rsplit("/", 1)[-1].lower())
    holds = BEIR_PARTS.get(base, carried)
    if member.alone or holds == carried or carried not in BEIR_PARTS.values():
        return None
    return Problem(member.name, 0, f"left out: {base} of a data set of BEIR holds its {holds}")


def _read_alone(
    read: Callable[..., Iterator[Any]], found: Format, member: Member, kind: _Carried, options: dict[str, Any]
) -> Iterator[Any]:
    """What a reader yields of one file, and what the file was read as."""
    records = read(member.stream, member.name, **_known(options, read, found, member.name))
    items = without_repeats(records, kind.id_of, kind.id_label) if kind.id_of else records
    try:
        yield from _with_something(items, member, kind)
    except BrokenFile as broken:
        if member.alone or not getattr(found, "is_one_paper", False):
            raise
        yield Problem(member.name, broken.line, broken.reason)  # one bad paper does not stop the others
        return
    yield from _read_as(found, member)


def _read_as(found: Format, member: Member) -> Iterator[Remark | Problem]:
    """What the file was read as, after what was noticed in its lines."""
    yield from notes_of(member.stream).problems(member.name)
    encoding = getattr(member.stream, "encoding", "")
    yield Remark(member.name, 0, f"read as {found.label}{f' in {encoding}' if encoding else ''}")


def _with_something(items: Iterator[Any], member: Member, kind: _Carried) -> Iterator[Any]:
    """The items of a file, among which is more than remarks."""
    for item in items:
        yield item
        if not isinstance(item, Remark):
            yield from items
            return
    reason = f"holds no {kind.label}"
    if member.alone:
        raise BrokenFile(member.name, 0, reason)
    yield Problem(member.name, 0, reason)


def _known(options: dict[str, Any], read: Callable[..., Any], found: Format, file: str) -> dict[str, Any]:
    """The options that were chosen. Raises `BrokenFile` for one that the format's reader does not know."""
    options = {option: value for option, value in options.items() if value}
    known = inspect.signature(read).parameters if options else {}
    if unknown := [option for option in options if option not in known]:
        choice = OPTIONS.get(unknown[0], unknown[0])
        raise BrokenFile(file, 0, f"files of {found.label} have no choice of “{choice}”; leave it empty")
    return options


def _format_of(member: Member, name: str, carried: str, label: str) -> Format | Problem:
    """The format of this name, or as `detected_format`; then a problem where the file is one of several."""
    if name != AUTO:
        return formats()[name]
    try:
        return detected_format(member, carried, label)
    except BrokenFile as broken:
        if member.alone:
            raise
        return Problem(member.name, 0, broken.reason)


def detected_format(member: Member, carried: str, label: str) -> Format:
    """The format that the file looks like; `label` is what messages call what is to be read from it.

    Raises `BrokenFile` where it holds something else, with what it looks like and where that goes.
    """
    head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
    found, shape = detect(head, member.name, carried)
    if carried not in shape.carries:
        raise BrokenFile(member.name, 0, f"holds no {label}: {looks_like(shape.label or found.label, shape.carries)}")
    return found


def read_opened(read: Callable[..., Iterable[T]], path: Path, name: str) -> Iterator[T]:
    """Yield what the reader reads from one plain file. Raises `BrokenFile` also where there is a note on a line."""
    with path.open("rb") as stream:
        text = as_utf8(stream, name)
        yield from read(text, name)
        for note in text.notes.problems(name):
            raise BrokenFile(name, note.line, note.reason)


read_topics = partial(read_path, "topics")  # TopicRecord | Problem
read_judgments = partial(read_path, "judgments")  # JudgmentRow | Problem; option: annotator, whatever the file says
read_runs = partial(
    read_path, "runs"
)  # RunRow | RunComment | BadRow | Problem; `file` distinguishes runs of an archive
read_pool_lists = partial(read_path, "pool")  # PoolRow | Problem
read_known_answers = partial(read_path, "known-answers")  # KnownAnswerRow | Problem
read_mentions = partial(read_path, "mentions")  # MentionRecord | Problem
read_qrels_of_path = partial(read_path, "qrels")  # QrelRow | Problem
