"""What the file says about itself: title and authors where its first page prints them, and the names of its
sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import pypdfium2

from engines.pdf.headings import plain_heading
from engines.pdf.lines import Line
from engines.text.words import title_key

MOST_BOOKMARKS = 2000
_FIRST_LINES = 80
_NO_TITLE = re.compile(r"untitled|microsoft word|\.(?:docx?|tex|dvi|pdf|indd|rtf)\b|^\S+$", re.IGNORECASE).search


def described_title(lines: Sequence[Line], described: Mapping[str, str]) -> str:
    """The title that the file gives, where its first page prints it; "" otherwise: files made from a template often
    keep the title of another paper."""
    title = " ".join(described.get("Title", "").split())
    if _NO_TITLE(title) or not 8 <= len(title) <= 400:
        return ""
    key = title_key(title)
    return title if key and key in _printed(lines) else ""


def described_authors(lines: Sequence[Line], described: Mapping[str, str]) -> tuple[str, ...]:
    """The authors that the file gives and its first page prints."""
    names = re.split(r"\s*[;,]\s*|\s+and\s+", described.get("Author", "")[:4000])
    printed = _printed(lines)
    found = (" ".join(name.split()) for name in names)
    return tuple(name for name in found if " " in name and (title_key(name.rpartition(" ")[2]) or "?") in printed)


def _printed(lines: Sequence[Line]) -> str:
    return title_key(" ".join(line.text.removesuffix("-") for line in lines[:_FIRST_LINES]))


def bookmarks(document: pypdfium2.PdfDocument) -> frozenset[str]:
    """The names of sections in the file's own outline, without their numbers; none where the outline is damaged."""
    try:
        return frozenset(name for name in islice(_names(document), MOST_BOOKMARKS) if len(name) > 3)
    except (pypdfium2.PdfiumError, ValueError):
        return frozenset()


def _names(document: pypdfium2.PdfDocument) -> Iterator[str]:
    for item in document.get_toc(max_depth=4):
        yield plain_heading(item.get_title()[:200])
