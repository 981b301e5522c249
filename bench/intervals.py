"""Do the intervals cover what they promise? Simulated labels and scores whose true figures are known.

For each design 2,000 data sets are drawn from a large population, and every way of making an interval is asked of the
same resampling. What the option `auto` takes, and from where, follows from the table
(`engines/stats/intervals.py`).

    python -m bench.intervals                     all designs (20 minutes of a core), then docs/intervals.md
    python -m bench.intervals --designs items-100 some of them; the others keep theirs
    python -m bench.intervals --write-only        write the document again from the stored results
"""

import argparse
import sys
from typing import Any

from bench.interval_draws import (
    CHECKOUT,
    DRAWS,
    ITEMS,
    LEVEL,
    MEANS,
    RESAMPLES,
    TOPICS,
    Design,
    chosen,
    simulate,
    store,
    stored,
)
from engines.stats.intervals import METHODS, Request, headline

DOCUMENT = CHECKOUT / "docs" / "intervals.md"
NAMES = {"percentile": "percentile", "bca": "BCa", "jackknife_t": "jackknife t"}
INTRODUCTION = """# Do the intervals cover what they promise?

Simulated by `python -m bench.intervals`, which writes this page from
[performance/intervals.json](performance/intervals.json). For each design {draws:,} data sets are drawn from a large
population whose figures are known, and the three ways of making an interval are asked of the same {resamples:,}
resamples. A 95 % interval should hold the true figure in .95 of the data sets; with {draws:,} of them an exact one lies
between .940 and .960 (two standard errors). A test of equivalence (TOST) should be wrong in .050 at most: an error is
counted where an end of the 90 % interval lies on the wrong side of the truth, which is how equivalence within the true
difference is claimed. Shown are the lowest and the highest coverage over the figures of a design, and the larger of
the two errors; in bold is what the option `auto` takes.

## What `auto` takes

| resampled | jackknife t | BCa |
|---|---|---|
| items | 10 to 49 | from 50 |
| topics | 8 to 99 | from 100 |

The percentile interval is too narrow in small samples and, where agreement is high or the machine differs, one of its
ends is wrong too often well beyond 100 items. The jackknife is best where there are few topics: it widens the interval
by Student's t, which the bootstrap does not. It is symmetric, though, so that it misses on one side where figures lie
near the end of their range; BCa shifts the interval, and from 50 items or 100 topics on it is nearest to what it
promises on both sides. The choice goes by the mean over all figures of what an interval lacks: coverage below .95 and
one-sided errors above .05. From about 1,000 items or 500 topics on the three agree. Fewer than 50 items with nearly
perfect agreement, and fewer than 20 topics, are covered by none of them: such intervals are rough. Differences of two
runs are heavy at both ends and symmetric, which BCa does not suit: they are tested by the paired t-test.

A method asked for by name is used whatever the size. The tables of papers ask for the paper's: DORIS-MAE's for
percentile intervals.
"""
ITEMS_TEXT = """## Items

Three people and two runs of a machine label items 0, 1 or 2. *exchangeable*: the machine errs as people do;
*other-margins*: it errs upwards; *unequal-people*: one of the three errs more; *high-agreement*: people err in 3 of
100. Coverage of the agreement of people: accuracy, macro F1, ρ and quadratic κ as means over the three pairs, ordinal
α, Fleiss' κ and AC1. D is the difference of people and machine on the first four.
"""
TOPICS_TEXT = """## Topics with several items

The same, with items in topics that are drawn whole. A topic shares its levels, its difficulty and each annotator's
reading of it, so strongly that with 100 topics of 20 items intervals over topics are 1.8 times as wide as over items;
*no-effect*: topics share nothing.
"""
MEANS_TEXT = """## Means over topics

Scores of a run for each topic, and the difference of two runs. R@5 is 0 or 1, as for questions with one target.
"""


def share(counts: dict[str, float], name: str, draws: int) -> float | None:
    """Of the data sets with an interval; None where fewer than half have one."""
    given = draws - counts["none"]
    return counts[name] / given if 2 * given >= draws else None


def auto_of(design: Design) -> str:
    return headline(Request("auto", design.unit, LEVEL, RESAMPLES, 1), design.units)[0]


def _two(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def _range(found: dict[str, Any], figures: list[str], method: str) -> str:
    shares = [share(found["figures"][figure][method], "covered", found["draws"]) for figure in figures]
    known = [each for each in shares if each is not None]
    return f"{_two(min(known))}–{_two(max(known))}" if known else "–"


def _error(found: dict[str, Any], figures: list[str], method: str) -> str:
    sides = ("tost_high", "tost_low")
    shares = [share(found["figures"][name][method], side, found["draws"]) for name in figures for side in sides]
    known = [each for each in shares if each is not None]
    return _two(max(known)) if known else "–"


def _bold(text: str, *, is_auto: bool) -> str:
    return f"**{text}**" if is_auto else text


def _labels_table(designs: list[Design], results: dict[str, Any]) -> str:
    head = ["design"]
    for part in ("people", "D", "TOST"):
        head += [f"{part}, {name}" for name in NAMES.values()]
    rows = []
    for design in designs:
        found = results[design.name]
        of_people = [name for name in found["figures"] if not name.endswith(" D")]
        of_both = [name for name in found["figures"] if name.endswith(" D")]
        cells = [_range(found, of_people, method) for method in METHODS]
        cells += [_range(found, of_both, method) for method in METHODS]
        cells += [_error(found, of_both, method) for method in METHODS]
        auto = METHODS.index(auto_of(design))
        rows.append([design.words, *(_bold(text, is_auto=at % 3 == auto) for at, text in enumerate(cells))])
    return _table(head, rows)


def _means_table(results: dict[str, Any]) -> str:
    rows = []
    for design in MEANS:
        found = results[design.name]
        for figure in found["figures"]:
            cells = [_range(found, [figure], method).split("–", maxsplit=1)[0] or "–" for method in METHODS]
            cells += [_error(found, [figure], method) for method in METHODS]
            auto = METHODS.index(auto_of(design))
            bold = [_bold(text, is_auto=at % 3 == auto) for at, text in enumerate(cells)]
            rows.append([f"{design.units:,}", figure, *bold])
    names = list(NAMES.values())
    return _table(["topics", "score", *names, *(f"one side, {name}" for name in names)], rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def document(results: dict[str, Any]) -> str:
    """The page in Markdown."""
    first = next(iter(results.values()))
    parts = [
        INTRODUCTION.format(draws=first["draws"], resamples=first["resamples"]),
        ITEMS_TEXT,
        _labels_table(ITEMS, results) + "\n",
        TOPICS_TEXT,
        _labels_table(TOPICS, results) + "\n",
        MEANS_TEXT,
        _means_table(results) + "\n",
    ]
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--designs", nargs="*", default=[], help="beginnings of names, e.g. items-100 means")
    parser.add_argument("--missing", action="store_true", help="only designs that have no stored result")
    parser.add_argument("--write-only", action="store_true")
    given = parser.parse_args()
    if not given.write_only:
        for design in chosen(given.designs):
            if given.missing and design.name in stored():
                continue
            print(f"simulating {design.name} …", file=sys.stderr, flush=True)
            found = stored() | {design.name: simulate(design, given.draws)}
            store(found)
    DOCUMENT.write_text(document(stored()), encoding="utf-8")


if __name__ == "__main__":
    main()
