"""Records from any path: find the files it holds, choose a reader for each, read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corpus.formats.archives import DEFAULT_LIMITS, Limits, Member, open_files
from corpus.formats.records import BrokenFile, Problem
from corpus.formats.registry import AUTO, HEAD_BYTES, Read, Shape, detect, format_names, formats


def choose_readers(
    path: Path | str,
    format: str,  # noqa: A002 (the name users know)
    carried: str,
    what: str,
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[Member, Read] | Problem]:
    """Yield each file in `path` with the reader for it.

    `carried` is what is wanted, by the name it has in `Format.reads`, `what` is how messages call it; the rest goes to
    `open_files`. In archives and folders, "auto" gives a `Problem` for a file that holds none; a file of its own
    raises `BrokenFile`. Raises `ValueError` for an unknown format.
    """
    if format != AUTO and (format not in formats() or carried not in formats()[format].reads):
        raise ValueError(f"unknown format {format!r}; known are {', '.join(format_names(carried))}")
    for member in open_files(path, name=name, limits=limits, watch=watch):
        if format != AUTO:
            yield member, formats()[format].reads[carried]
            continue
        try:
            yield member, detected_reader(member, carried, what)
        except BrokenFile as broken:
            if member.alone:
                raise
            yield Problem(member.name, 0, broken.reason)


def detected_reader(member: Member, carried: str, what: str) -> Read:
    """The reader for what the file looks like. Raises `BrokenFile` where it does not hold what is wanted."""
    head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
    found, shape = detect(head, member.name, carried)
    if carried not in shape.carries:
        raise misplaced(member, what, shape)
    return found.reads[carried]


def misplaced(member: Member, what: str, shape: Shape) -> BrokenFile:
    """The error for a file that holds something else than what is wanted: what it looks like, and where that goes."""
    goes = f", to be imported as {' or '.join(shape.carries)}" if shape.carries else ""
    return BrokenFile(member.name, 0, f"holds no {what}: it looks like {shape.name}{goes}")


def read_path(
    path: Path | str,
    format: str,  # noqa: A002 (the name users know)
    carried: str,
    what: str,
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
    each: Callable[[Iterator[Any]], Iterator[Any]] = lambda items: items,
    **options: Any,
) -> Iterator[Any]:
    """Yield the records of every file in `path`: a file, plain or compressed, an archive or a folder.

    `format` is "auto" or the name of a format; `name` is how messages call the path; `watch` gets the bytes read
    from disk; `each` may look through the records of one file; `options` go to the readers. See `choose_readers`.
    """
    for found in choose_readers(path, format, carried, what, name=name, limits=limits, watch=watch):
        if isinstance(found, Problem):
            yield found
        else:
            member, read = found
            yield from each(read(member.stream, member.name, **options))
