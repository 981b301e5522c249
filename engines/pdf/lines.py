"""Runs of characters to lines, and lines to columns in reading order."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engines.pdf.pages import PageRuns, Run

_OPENING = re.compile(r"(?:[1I]\.?\s+)?(?:(?:abstract|summary|introduction)$|abstract\s?[.:—–-])", re.IGNORECASE).match

WIDE = -1  # the column of what spans both columns


@dataclass(slots=True)
class Line:
    """A line of one column: its runs from left to right, with the size and style that most of its letters have."""

    page: int
    column: int
    runs: list[Run]
    left: float
    right: float
    top: float
    bottom: float
    base: float
    size: float
    bold: float
    italic: float
    symbols: float
    text: str


@dataclass(frozen=True, slots=True)
class Gutter:
    """The empty stripe between two columns."""

    left: float
    right: float

    @property
    def width(self) -> float:
        """Points from the left column to the right one."""
        return self.right - self.left


def find_gutters(pages: Sequence[PageRuns]) -> list[Gutter | None]:
    """Return the gutter of each page, None for a page in one column.

    A page whose own picture is unclear (a page of figures) takes the usual gutter of the paper if that is empty there.
    """
    own = [_gutter(page, None) for page in pages]
    found = [gutter for gutter in own if gutter is not None]
    full = [page for page in pages if len(page.runs) > 150]
    if not found or 3 * len(found) < len(full):
        return [None] * len(pages)
    usual = Gutter(
        statistics.median(gutter.left for gutter in found), statistics.median(gutter.right for gutter in found)
    )
    return [gutter or _gutter(page, usual) for page, gutter in zip(pages, own, strict=True)]


def _gutter(page: PageRuns, usual: Gutter | None) -> Gutter | None:
    """Return the widest stripe in the middle of the page that far less text crosses than is next to it."""
    steps = max(int(page.width), 1)
    cover = [0.0] * (steps + 2)
    for run in page.runs:
        cover[max(int(run.left + 0.5), 0)] += run.size
        cover[min(max(int(run.right + 0.5), 0), steps + 1)] -= run.size
    for place in range(1, steps + 2):
        cover[place] += cover[place - 1]
    first, last = int(steps * 0.3), int(steps * 0.7)
    crossings = sorted(cover[int(steps * 0.12) : int(steps * 0.88)])
    typical = crossings[len(crossings) * 6 // 10] if crossings else 0.0
    if typical <= 0:
        return None
    if usual is not None:
        crossing = max(cover[int(usual.left) + 1 : int(usual.right)], default=0.0)
        return usual if crossing <= 0.6 * typical else None
    return _widest(cover, first, last, 0.4 * typical) if len(page.runs) > 150 else None


def _widest(cover: Sequence[float], first: int, last: int, limit: float) -> Gutter | None:
    """Return the widest stripe within first..last where the cover stays near its least and under the limit."""
    least = min(cover[first:last])
    if least > limit:
        return None
    # Where wide lines cross everything, the gutter is where only they cross.
    limit = min(limit, least * 1.5 + 0.04 * max(cover))
    best: Gutter | None = None
    begin: int | None = None
    for place in range(first, last + 1):
        if place < last and cover[place] <= limit:
            begin = place if begin is None else begin
        elif begin is not None:
            if best is None or place - begin > best.width:
                best = Gutter(begin, place)
            begin = None
    return best if best is not None and best.width >= 7 else None


def page_lines(page: PageRuns, gutter: Gutter | None) -> list[Line]:
    """Return the lines of a page in reading order: between what spans the page, left column before right."""
    parts: dict[int, list[list[Run]]] = {WIDE: [], 0: [], 1: []}
    for fragment in _fragments(page.runs, gutter):
        parts[_column(fragment, gutter)].append(fragment)
    lines = [
        _line(page.number, column, runs)
        for column, fragments in parts.items()
        for runs in _stretched(_merged(fragments, gutter))
    ]
    return _in_order(lines)


def _fragments(runs: Iterable[Run], gutter: Gutter | None) -> Iterable[list[Run]]:
    """Gather the runs that follow each other on one line in the order of the file."""
    current: list[Run] = []
    for run in runs:
        if current and _is_next(current, run, gutter):
            current.append(run)
        else:
            if current:
                yield current
            current = [run]
    if current:
        yield current


def _is_next(current: list[Run], run: Run, gutter: Gutter | None) -> bool:
    last = current[-1]
    size = max(last.size, run.size)
    gap = run.left - last.right
    if not run.spaced and last.left - 1 < run.left < last.right and _level(last, run):
        return True  # the second letter of a ligature, which has the place of the whole
    if not -1.0 * size < gap < 1.6 * size or not (_level(last, run) or _level(current[0], run)):
        return False
    return not _is_over(last.right, run.left, gutter)


def _is_over(right: float, left: float, gutter: Gutter | None) -> bool:
    """Whether a gap lies over the gutter."""
    if gutter is None:
        return False
    return right <= gutter.left + 2 and left >= gutter.right - 2 and left - right >= 0.8 * gutter.width


def _level(one: Run, other: Run) -> bool:
    """Whether two runs can stand on one line: on one baseline, or one of them raised or lowered and smaller."""
    apart = abs(one.base - other.base)
    small, large = (one.size, other.size) if one.size <= other.size else (other.size, one.size)
    if apart <= 0.22 * large:
        return True
    return small < 0.88 * large and apart <= 0.62 * large


def _column(runs: Sequence[Run], gutter: Gutter | None) -> int:
    if gutter is None:
        return 0
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    if right <= gutter.right + 1 and (right + left) / 2 < gutter.left:
        return 0
    return 1 if left >= gutter.left - 1 and (right + left) / 2 > gutter.right else WIDE


@dataclass(slots=True)
class _Group:
    """Runs of one line as gathered so far, with what shows quickly that others do not belong."""

    runs: list[Run]
    left: float
    right: float
    highest: float
    lowest: float
    size: float

    @classmethod
    def of(cls, runs: list[Run]) -> _Group:
        """Return the group of these runs alone."""
        bases = [run.base for run in runs]
        right = max(run.right for run in runs)
        return cls(runs, runs[0].left, right, min(bases), max(bases), max(run.size for run in runs))

    def takes(self, other: _Group, gutter: Gutter | None) -> bool:
        """Whether another group is next to this one on the same line."""
        size = max(self.size, other.size)
        if other.lowest < self.highest - 0.62 * size or other.highest > self.lowest + 0.62 * size:
            return False
        before, after = (self, other) if self.left <= other.left else (other, self)
        if after.left - before.right > 1.6 * size or _is_over(before.right, after.left, gutter):
            return False
        nearest = min(before.runs, key=lambda run: abs(after.left - run.right))
        return _level(nearest, after.runs[0])


def _merged(fragments: list[list[Run]], gutter: Gutter | None) -> list[list[Run]]:
    """Join the fragments of a column that stand side by side on one line though the file has them apart."""
    found: list[_Group] = []
    for fragment in sorted(fragments, key=lambda runs: (runs[0].base, runs[0].left)):
        group = _Group.of(fragment)
        for place in range(len(found) - 1, max(len(found) - 9, -1), -1):
            if found[place].takes(group, gutter):
                found[place] = _Group.of(sorted(found[place].runs + fragment, key=lambda run: run.left))
                break
        else:
            found.append(group)
    return [group.runs for group in found]


def _stretched(found: list[list[Run]]) -> list[list[Run]]:
    """Join the words of justified lines that few words fill: from edge to edge of the column, with equal gaps."""
    edges = Counter((round(runs[0].left), round(runs[-1].right)) for runs in found)
    left, right = max(edges, key=lambda edge: (edges[edge], edge)) if edges else (0, 0)
    rows: dict[int, list[list[Run]]] = defaultdict(list)
    for runs in found:
        rows[round(runs[0].base)].append(runs)
    return [runs for row in rows.values() for runs in _row_joined(row, left, right)]


def _row_joined(row: list[list[Run]], left: int, right: int) -> list[list[Run]]:
    runs = sorted((run for part in row for run in part), key=lambda run: run.left)
    gaps = [other.left - one.right for one, other in pairwise(runs)]
    if len(row) < 2 or len(gaps) < 2 or max(gaps) - min(gaps) > 0.4 * runs[0].size:
        return row
    return [runs] if abs(runs[0].left - left) < 2 and abs(runs[-1].right - right) < 2 else row


def _line(page: int, column: int, runs: list[Run]) -> Line:
    """Return the line of these runs, with spaces from what the file says and from gaps."""
    sizes: Counter[float] = Counter()
    bold = italic = symbols = total = 0
    pieces: list[str] = []
    before: Run | None = None
    for run in runs:
        length = len(run.text)
        sizes[round(run.size, 1)] += length
        total += length
        bold += length if run.font.is_bold else 0
        italic += length if run.font.is_italic else 0
        symbols += length if run.font.is_symbols else 0
        run.spaced = before is not None and (run.spaced or run.left - before.right > 0.18 * max(run.size, before.size))
        pieces.append(" " + run.text if run.spaced else run.text)
        before = run
    size = max(sizes, key=lambda each: (sizes[each], each))
    text = "".join(pieces)
    if text.isupper():  # in small capitals, which are as large as their capitals
        size = max((each for each in sizes if size <= each <= 1.4 * size), default=size)
    main = [run for run in runs if abs(run.size - size) < 0.3] or runs
    base = statistics.median_low(run.base for run in main)
    top, bottom = min(run.top for run in main), max(run.bottom for run in main)
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    return Line(
        page, column, runs, left, right, top, bottom, base, size, bold / total, italic / total, symbols / total,
        text,
    )  # fmt: skip


def part_of_line(line: Line, runs: list[Run]) -> Line:
    """Return a line of only some of a line's runs."""
    return _line(line.page, line.column, runs)


def _end_of_head(lines: Iterable[Line]) -> float:
    """Return where the first page's title and authors end, which stand above both columns: at its first heading."""
    return min((line.base - line.size for line in lines if line.page == 1 and _OPENING(line.text.strip())), default=0.0)


def _in_order(lines: list[Line]) -> list[Line]:
    """Sort lines as they are read: what spans the page cuts it into bands, in each the left column comes first."""
    head = _end_of_head(lines)
    column = max((line.right - line.left for line in lines if line.column != WIDE), default=0.0)
    for line in lines:
        if line.base < head and line.right - line.left < 0.85 * column:
            line.column = WIDE
    wide = sorted((line for line in lines if line.column == WIDE), key=lambda line: line.base)
    rest = sorted((line for line in lines if line.column != WIDE), key=lambda line: (line.column, line.base))
    if not wide:
        return rest
    found: list[Line] = []
    edges = [line.base for line in wide]
    bands: list[list[Line]] = [[] for _ in range(len(wide) + 1)]
    for line in rest:
        bands[sum(edge < line.base for edge in edges)].append(line)
    for place, band in enumerate(bands):
        found.extend(band)
        if place < len(wide):
            found.append(wide[place])
    return found
