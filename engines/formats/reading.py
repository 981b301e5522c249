"""Records from any path: find the files it holds, choose a reader for each, read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from engines.formats.archives import DEFAULT_LIMITS, Limits, Member, open_files
from engines.formats.encodings import ENCODINGS, as_utf8
from engines.formats.judgment_columns import NAMES
from engines.formats.records import BrokenFile, Problem, Remark
from engines.formats.registry import AUTO, HEAD_BYTES, Format, detect, format_names, formats
from engines.formats.repeats import without_repeats
from engines.formats.trec_runs import COLUMNS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Carried:
    """What messages call the records; where an id may occur once in a file, the id of a record and the word for it."""

    label: str
    id_of: Callable[[Any], str] | None = None
    id_label: str = ""


_CARRIED = {
    "documents": _Carried("documents", attrgetter("docno"), "docno"),
    "topics": _Carried("topics", attrgetter("number"), "topic"),
    "judgments": _Carried(f"judgments ({', '.join(NAMES[:6])})", attrgetter("label_id"), "the judgment"),
    "runs": _Carried(f"run ({COLUMNS})"),
    "pool": _Carried("pool list"),
    "mentions": _Carried("citation mentions"),
}


def read_path(
    carried: str,
    path: Path | str,
    format: str = AUTO,  # noqa: A002 (the name users know)
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
    encoding: str = AUTO,
    **options: Any,
) -> Iterator[Any]:
    """Yield the records of every file in `path`: a file, plain or compressed, an archive or a folder.

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
    for member in open_files(path, name=name, limits=limits, watch=watch):
        stream = as_utf8(member.stream, member.name, encoding)
        member = replace(member, stream=stream)  # noqa: PLW2901
        try:
            found = detected_format(member, carried, kind.label) if format == AUTO else formats()[format]
        except BrokenFile as broken:
            if member.alone:
                raise
            yield Problem(member.name, 0, broken.reason)
            continue
        records = _read(found, carried, member.name, stream, options)
        items = without_repeats(records, kind.id_of, kind.id_label) if kind.id_of else records
        try:
            yield from _with_something(items, member, kind)
        except BrokenFile as broken:
            if member.alone or not getattr(found, "is_one_paper", False):
                raise
            yield Problem(member.name, broken.line, broken.reason)  # one bad paper does not stop the others
            continue
        yield Remark(member.name, 0, f"read as {found.label}{f' in {stream.encoding}' if stream.encoding else ''}")


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


def _read(found: Format, carried: str, name: str, stream: BinaryIO, options: dict[str, Any]) -> Iterator[Any]:
    """What the format's reader yields. Raises `BrokenFile` for an option that the format does not know."""
    read = found.reads[carried]
    options = {option: value for option, value in options.items() if value}
    known = inspect.signature(read).parameters if options else {}
    if unknown := [option for option in options if option not in known]:
        raise BrokenFile(name, 0, f"files of {found.label} have no choice of “{unknown[0]}”; leave it empty")
    return read(stream, name, **options)


def detected_format(member: Member, carried: str, label: str) -> Format:
    """The format that the file looks like; `label` is what messages call what is to be read from it.

    Raises `BrokenFile` where it holds something else, with what it looks like and where that goes.
    """
    head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
    found, shape = detect(head, member.name, carried)
    if carried not in shape.carries:
        place = f", to be imported as {' or '.join(shape.carries)}" if shape.carries else ""
        raise BrokenFile(member.name, 0, f"holds no {label}: it looks like {shape.name}{place}")
    return found


def read_opened(read: Callable[..., Iterable[T]], path: Path, name: str) -> Iterator[T]:
    """Yield what the reader reads from one plain file."""
    with path.open("rb") as stream:
        yield from read(as_utf8(stream, name), name)


read_topics = partial(read_path, "topics")  # TopicRecord | Problem
read_judgments = partial(read_path, "judgments")  # JudgmentRow | Problem; option: annotator, whatever the file says
read_runs = partial(
    read_path, "runs"
)  # RunRow | RunComment | BadRow | Problem; `file` distinguishes runs of an archive
read_pool_lists = partial(read_path, "pool")  # PoolRow | Problem
read_mentions = partial(read_path, "mentions")  # MentionRecord | Problem
read_qrels_of_path = partial(read_path, "qrels")  # QrelRow | Problem
