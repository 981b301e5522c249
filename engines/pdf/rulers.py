"""Numbers of lines in the margin, as papers under review print them: no part of the text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from engines.pdf.pages import PageRuns, Run

_LEAST = 20  # numbers on a page; 6 where every fifth line has one
_LEAST_HEIGHT = 0.3  # of the page, from the first to the last


def without_rulers(page: PageRuns) -> PageRuns:
    """Return the page without the numbers that count its lines: below each other, apart from its text."""
    stacks: dict[tuple[str, int], list[Run]] = defaultdict(list)
    for run in page.runs:
        if run.text.isdecimal() and len(run.text) < 6:
            stacks["left", round(run.left / 3)].append(run)
            stacks["right", round(run.right / 3)].append(run)
    dropped: set[int] = set()
    for stack in stacks.values():
        if _is_ruler(stack, page):
            dropped.update(id(run) for run in stack)
    return replace(page, runs=[run for run in page.runs if id(run) not in dropped]) if dropped else page


def _is_ruler(stack: Sequence[Run], page: PageRuns) -> bool:
    if len(stack) < 6:
        return False
    rows = sorted(stack, key=lambda run: run.base)
    if rows[-1].base - rows[0].base < _LEAST_HEIGHT * page.height:
        return False
    steps = Counter(int(other.text) - int(one.text) for one, other in pairwise(rows))
    step, times = steps.most_common(1)[0]
    if step not in (1, 2, 5, 10) or times < 0.9 * (len(rows) - 1):
        return False
    return (step >= 5 or len(rows) >= _LEAST) and _counts_lines(rows, step, page) and _stands_apart(rows, page)


def _counts_lines(rows: Sequence[Run], step: int, page: PageRuns) -> bool:
    """Whether the numbers follow each other as lines do; entries of a list take several lines, and not equally many."""
    size = median(run.size for run in page.runs)
    gap, times = Counter(round(other.base - one.base) for one, other in pairwise(rows)).most_common(1)[0]
    return times >= 0.7 * (len(rows) - 1) and gap <= 2.6 * size * step


def _stands_apart(rows: Sequence[Run], page: PageRuns) -> bool:
    """Whether hardly any text is above, below or right next to the numbers: those of a list have a bracket or text."""
    own = {id(run) for run in rows}
    left, right = min(run.left for run in rows), max(run.right for run in rows)
    bases = {round(run.base): run for run in rows}
    others = [run for run in page.runs if id(run) not in own]
    overlapping = sum(run.left < right and run.right > left for run in others)
    near = sum(_is_next_to(bases.get(round(run.base)), run) for run in others)
    return overlapping <= 0.02 * len(page.runs) and near <= 0.1 * len(rows)


def _is_next_to(number: Run | None, run: Run) -> bool:
    if number is None:
        return False
    return -1 < max(run.left - number.right, number.left - run.right) < 0.8 * run.size
