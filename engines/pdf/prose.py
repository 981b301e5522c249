"""Lines to running text: hyphens at line ends, footnote marks, boxes on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engines.formats.papers import Box
from engines.pdf.lines import Line
from engines.pdf.pages import Run
from engines.pdf.vocabulary import Vocabulary, joined_over_break

RAISED_NUMBERS = re.compile(r"\d{1,3}(?:[,–-]\d{1,3})*,?").fullmatch
_NOTE_MARK = re.compile(r"[\d,–*†‡§¶∗⋆#-]+|[a-z]|™|®|©|TM").fullmatch
_TRADE = re.compile("[™®℠](?=(\\w)?)")
_BEFORE_CLOSING = re.compile(r" ([,;:.!?)\]’”]+)(?=[\s,;:.)\]]|$)")
_LONGEST_ADDRESS = 300
_SPACES = re.compile(r"\s+")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S*$")
_DASH_END = re.compile(r"[^\W\d_]-$")


def line_text(line: Line, *, cites_raised: bool = False) -> str:
    """Return the text of a line without its footnote marks; raised numbers in brackets where they are how it cites."""
    pieces: list[str] = []
    for place, run in enumerate(line.runs):
        if is_note_mark(line, place):
            if cites_raised and RAISED_NUMBERS(run.text):
                _add_raised(pieces, run.text)
            continue
        text = _TRADE.sub(lambda match: " " if match[1] else "", run.text)
        pieces.append(" " + text if run.spaced and pieces else text)
    return re.sub(r",(?=\])", "", "".join(pieces)) if cites_raised else "".join(pieces)


def _add_raised(pieces: list[str], numbers: str) -> None:
    """Add raised numbers in brackets, to those right before them where the last ended with a comma or a dash."""
    if pieces and pieces[-1].endswith((",]", "–]", "-]")):
        pieces[-1] = f"{pieces[-1][:-1]}{numbers}]"
    else:
        pieces.append(f" [{numbers}]")


def is_note_mark(line: Line, place: int) -> bool:
    """Whether a run is the raised mark of a footnote: small, above the baseline, after a word or a full stop."""
    run = line.runs[place]
    if not is_raised(run, line) or not _NOTE_MARK(run.text):
        return False
    if not place:
        return line.size <= run.size + 0.1 or not run.text.isalpha()
    before = line.runs[place - 1]
    if before.font.is_symbols or (before.font.is_italic and len(before.text) == 1):
        return False
    if run.text.isalpha() and run.text.islower():
        return False
    return len(before.text) > 1 or not before.text.isalnum()


def is_raised(run: Run, line: Line) -> bool:
    """Whether a run stands above the baseline, smaller than the rest."""
    return run.size < 0.87 * line.size and run.base < line.base - 0.12 * line.size


def printed(lines: Iterable[Line]) -> str:
    """Return the lines as they stand, one below the other."""
    return "\n".join(line.text for line in lines)


def prose(lines: Sequence[Line], own: Vocabulary, vocabulary: Vocabulary, *, cites_raised: bool = False) -> str:
    """Return lines as running text: white space folded, words joined that line ends cut in two."""
    text = ""
    for line in lines:
        text = join(text, line_text(line, cites_raised=cites_raised).strip(), own, vocabulary)
    return tidy(text)


def tidy(text: str) -> str:
    """Fold white space, remove spaces before closing punctuation."""
    text = _SPACES.sub(" ", text).strip()
    return _BEFORE_CLOSING.sub(r"\1", text)


def join(text: str, more: str, own: Vocabulary, vocabulary: Vocabulary) -> str:
    """Return two pieces of text with the line break between them taken away."""
    if not text or not more:
        return text or more
    end = text[-_LONGEST_ADDRESS:]
    if _DASH_END.search(end) and more[0].isalpha() and not _ADDRESS.search(end):
        return text[: -len(end)] + joined_over_break(end, more, own, vocabulary)
    if text.endswith(("-", "–", "/")) and more[0].isalnum() and (text[-2:-1].isdigit() or _ADDRESS.search(end)):
        return text + more
    return text + ("" if text.endswith("—") else " ") + more


def boxes(lines: Iterable[Line]) -> tuple[Box, ...]:
    """Return one box for each column of each page that the lines run through, in order."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and (groups[-1][-1].page, groups[-1][-1].column) == (line.page, line.column):
            groups[-1].append(line)
        else:
            groups.append([line])
    return tuple(_box(group) for group in groups)


def _box(lines: Sequence[Line]) -> Box:
    left, top = min(line.left for line in lines), min(line.top for line in lines)
    right, bottom = max(line.right for line in lines), max(line.bottom for line in lines)
    return Box(lines[0].page, round(left, 1), round(top, 1), round(right - left, 1), round(bottom - top, 1))
