"""Topics from any path: find the files it holds, detect their format, read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.formats.reading import read_path
from corpus.formats.records import Problem, TopicRecord
from corpus.formats.repeats import without_repeats


def read_topics(
    path: Path | str,
    format: str = "auto",  # noqa: A002 (the name users know)
    **options: Any,
) -> Iterator[TopicRecord | Problem]:
    """Yield the topics in `path`; a number that occurs again in the same file is a `Problem`.

    `options` are those of `read_path`. Raises `BrokenFile`, and `ValueError` for an unknown format.
    """
    return read_path(path, format, "topics", "topics", each=_once, **options)


def _once(items: Iterator[Any]) -> Iterator[Any]:
    return without_repeats(items, _place, "topic")


def _place(topic: TopicRecord) -> tuple[str, str, int]:
    return topic.number, topic.file, topic.line
