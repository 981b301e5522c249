"""What all doors to the formats share: choose a reader for each file that a path holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.formats.detect import HEAD_BYTES, detect_format
from corpus.formats.members import Limits, Member, open_members
from corpus.formats.records import BrokenFile, Problem

Reader = Callable[..., Iterator[Any]]  # (stream, file name)


def choose_readers(
    path: Path | str,
    format: str,  # noqa: A002 (the name users know)
    readers: Mapping[str, Reader],
    detected: Mapping[str, str],
    what: str,
    *,
    name: str,
    limits: Limits,
    watch: Callable[[int], None],
) -> Iterator[tuple[Member, Reader] | Problem]:
    """Yield each file in `path` with the reader for it.

    `readers` are the known formats by name, `detected` says which of them serves a detected format, `what` is what
    is wanted ("documents"); the rest goes to `open_members`. In archives and folders, "auto" gives a `Problem` for a
    file that holds none; a file of its own raises `BrokenFile`. Raises `ValueError` for an unknown format.
    """
    if format != "auto" and format not in readers:
        raise ValueError(f"unknown format {format!r}; known are auto, {', '.join(readers)}")
    for member in open_members(path, name=name, limits=limits, watch=watch):
        if format != "auto":
            yield member, readers[format]
            continue
        head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
        try:
            found = detect_format(head, member.name)
            if found not in detected:
                raise BrokenFile(member.name, 0, f"holds no {what}: it looks like {found}")
        except BrokenFile as broken:
            if member.alone:
                raise
            yield Problem(member.name, 0, broken.reason)
            continue
        yield member, readers[detected[found]]
