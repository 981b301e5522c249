"""Lines to paragraphs: at indents, short last lines, items of lists, and headings that a paragraph begins with."""

from __future__ import annotations

import re

from engines.pdf.lines import Line, part_of_line
from engines.pdf.measures import Measures

_BULLET = re.compile(r"(?:[•·▪■◦‣∙●○►–—*⋆★-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S").match
_SIGN = re.compile(r"[•·▪■◦‣∙●○►⋆★]").match
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s").match
_LIST_BEFORE = re.compile(r"[.:;,?!]$|\b(?:and|or)$").search
ENDED = re.compile(r"[.?!:][\"'”’)\]\d,*†‡]*$").search


def indent(line: Line, measures: Measures) -> float:
    """How far from the edge of its column a line begins."""
    return line.left - measures.edges_of(line)[0]


def paragraphs(lines: list[Line], measures: Measures) -> list[list[Line]]:
    """Cut the lines of a chunk where a new paragraph or a new item of a list begins."""
    found: list[list[Line]] = []
    for line in lines:
        if found and not _begins(found[-1], line, measures):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def without_run_in(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return the heading with which a paragraph begins, [] for none, and the rest.

    Such a heading is bold or slanted words up to a full stop or colon.
    """
    size = _run_in_size(lines)
    heading: list[Line] = []
    rest: list[Line] = []
    for line in lines:
        part, more = line.runs[:size], line.runs[size:]
        if part:
            heading.append(part_of_line(line, part))
        if more:
            rest.append(part_of_line(line, more) if part else line)
        size -= len(part)
    return heading, rest


def _run_in_size(lines: list[Line]) -> int:
    """Return how many runs the heading at the beginning of a paragraph takes, 0 for none."""
    runs = [run for line in lines[:3] for run in line.runs]
    if not runs or not (runs[0].font.is_bold or runs[0].font.is_italic):
        return 0
    by_weight = runs[0].font.is_bold
    size = 0
    for run in runs:
        if not (run.font.is_bold if by_weight else run.font.is_italic) and not run.font.is_symbols:
            break
        size += 1
    text = " ".join(run.text for run in runs[:size]).strip()
    if size == sum(len(line.runs) for line in lines) or not 3 <= len(text) <= 120:
        return 0
    if size < len(runs) and runs[size].text in (":", "."):
        return size + 1
    return size if text.endswith((".", ":", "?", "—")) and sum(char.isalpha() for char in text) > 2 else 0


def _begins(paragraph: list[Line], line: Line, measures: Measures) -> bool:
    last = paragraph[-1]
    is_ended = bool(ENDED(last.text.rstrip()))
    if is_ended and _has_run_in(line, last):
        return True
    if is_item(line, last, measures):
        return not (_NUMBER(line.text) and _leads_into_list(paragraph, line))
    hanging = _hanging(paragraph, measures)
    if hanging is not None:
        return is_ended and line.left < hanging - 0.3 * measures.size
    return _begins_plainly(paragraph, line, measures, is_ended=is_ended)


def _begins_plainly(paragraph: list[Line], line: Line, measures: Measures, *, is_ended: bool) -> bool:
    """Whether a line outside lists begins a paragraph: by its indent, or after a short last line."""
    last, size = paragraph[-1], measures.size
    left, right = measures.edges_of(last)
    shift = line.left - last.left
    if shift > 0.6 * size:
        return is_ended or last.right < right - 1.5 * size
    if len(paragraph) > 1 and shift < -0.6 * size:
        return is_ended
    return is_ended and last.right < right - 6 * size and line.left - left > 0.6 * size


def _hanging(paragraph: list[Line], measures: Measures) -> float | None:
    """Return where the lines of the last item of a list begin, None outside lists."""
    if is_item(paragraph[0], None, measures):
        left = measures.edges_of(paragraph[0])[0]
        return paragraph[1].left if len(paragraph) > 1 else max(_after_sign(paragraph[0]), left)
    items = [line for line in paragraph[1:] if _NUMBER(line.text) and is_item(line, None, measures)]
    if not items:
        return None
    last = paragraph[-1]
    return last.left if last is not items[-1] else _after_sign(last)


def _leads_into_list(paragraph: list[Line], line: Line) -> bool:
    """Whether numbered items belong to the paragraph, as the end of its sentence: "in two ways: 1. …"."""
    if paragraph[-1].text.rstrip().endswith(":"):
        return True
    return any(_NUMBER(item.text) and abs(item.left - line.left) < 2 for item in paragraph[1:])


def _has_run_in(line: Line, last: Line) -> bool:
    """Whether a line begins with bold words, or with slanted ones that its indent sets off."""
    first = line.runs[0].font
    if last.runs[-1].font.is_bold or not (_run_in_size([line]) or line.bold > 0.95):
        return False
    return first.is_bold or line.left > last.left + 0.6 * line.size


def is_item(line: Line, last: Line | None, measures: Measures) -> bool:
    """Whether a line begins an item of a list; a number or dash at the start of a line may also be plain text."""
    text = line.text
    if _SIGN(text):
        return True
    if not _BULLET(text):
        return False
    left = measures.edges_of(line)[0]
    if line.left > left + 0.2 * measures.size and line.left < left + 6 * measures.size:
        return last is None or bool(_LIST_BEFORE(last.text.rstrip())) or line.left < last.left - 0.3 * measures.size
    is_short = last is not None and last.right < measures.edges_of(last)[1] - 2 * measures.size
    return is_short and bool(_LIST_BEFORE(last.text.rstrip() if last else ""))


def _after_sign(line: Line) -> float:
    """Where the text of an item begins, after its bullet or number."""
    return line.runs[1].left if len(line.runs) > 1 else line.left
