"""A parsed paper's blocks and references as stored JSON: the records of `papers.py`, what is empty left out.

A block has an `id`, its place from 1, by which contexts name it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from corpus.formats.papers import PageSize, Paragraph, Reference


def write_blocks(paragraphs: Iterable[Paragraph]) -> list[dict[str, Any]]:
    """Return one object for each paragraph, footnote, caption, heading or table, in reading order."""
    return [{"id": place, **_filled(asdict(paragraph))} for place, paragraph in enumerate(paragraphs, 1)]


def write_references(references: Iterable[Reference], numbers: Iterable[str]) -> list[dict[str, Any]]:
    """Return one object for each entry of the bibliography; `number` is the one it has in the extraction."""
    pairs = zip(references, numbers, strict=True)
    return [{"number": number, **_filled(asdict(reference))} for reference, number in pairs]


def write_pages(pages: Iterable[PageSize]) -> list[list[float]]:
    """Return [width, height] in points for each page."""
    return [[page.width, page.height] for page in pages]


def reference_numbers(references: Iterable[Reference]) -> list[str]:
    """Return the number of each reference: its key where all keys are numbers (as from a PDF), else its place."""
    keys = [reference.key for reference in references]
    if all(key.isascii() and key.isdigit() for key in keys) and len(set(keys)) == len(keys):
        return keys
    return [str(place) for place in range(1, len(keys) + 1)]


def _filled(value: Any) -> Any:
    """The same value without what is empty: "", None, and empty lists and objects; zeros and False stay."""
    if isinstance(value, dict):
        return {name: _filled(inner) for name, inner in value.items() if inner not in ("", None, (), [], {})}
    if isinstance(value, list | tuple):
        return [_filled(inner) for inner in value]
    return value
