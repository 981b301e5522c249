"""Usual measures of a paper: the size of its body text, the distance of its lines, the edges of its columns."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engines.pdf.lines import Line


@dataclass(frozen=True, slots=True)
class Measures:
    """Size of body text and distance of lines in points; (left, right) of columns by (page, column), page 0 for all;
    the name of the font that most of the text is set in; names of sections that the file's outline lists."""

    size: float
    leading: float
    edges: dict[tuple[int, int], tuple[float, float]]
    font: str = ""
    named: frozenset[str] = frozenset()

    def edges_of(self, line: Line) -> tuple[float, float]:
        """The left and right edge of the column that a line stands in."""
        return self.edges.get((line.page, line.column)) or self.edges.get((0, line.column)) or (line.left, line.right)

    def is_body_size(self, line: Line) -> bool:
        """Whether most of a line is set as large as body text."""
        return abs(line.size - self.size) <= 0.4


def measure(lines: Sequence[Line]) -> Measures:
    """Return the measures of a paper from all its lines."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    rough = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0
    near = [line for line in lines if abs(line.size - rough) <= 0.4]
    size = statistics.median(line.size for line in near) if near else rough
    steps: Counter[float] = Counter()
    for one, other in pairwise(near):
        step = other.base - one.base
        if one.page == other.page and one.column == other.column and 0.8 * size < step < 2.5 * size:
            steps[round(step, 1)] += 1
    leading = max(steps, key=lambda step: (steps[step], -step)) if steps else 1.2 * size
    fonts: Counter[str] = Counter()
    for line in near:
        for run in line.runs:
            fonts[run.font.name] += len(run.text)
    return Measures(size, leading, _edges(near), max(fonts, key=lambda name: (fonts[name], name)) if fonts else "")


def _edges(lines: Iterable[Line]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return left and right of each (page, column), of (0, column) for the whole paper."""
    places: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for line in lines:
        places[0, line.column].append(line)
        places[line.page, line.column].append(line)
    found = {}
    for key, group in places.items():
        if key[0] == 0 or len(group) >= 8:
            lefts = Counter(round(line.left) for line in group if len(line.text) > 8)
            rights = sorted(line.right for line in group)
            if lefts:
                most = max(lefts.values())
                left = min(place for place, times in lefts.items() if times >= 0.4 * most)
                found[key] = (float(left), rights[len(rights) * 8 // 10])
    return found
