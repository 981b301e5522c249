"""How much of made papers comes back, by kinds: those that served a rule, and those that are only reported.

Needs pdflatex with TeX Live's classes of publishers; a kind that cannot be set there is left out and named. The
figures are stored in docs/performance/papers.json, from which `bench.extraction` writes its page.

python -m bench.made_report --misses KIND    print what was missed in a kind that served; others are not to be looked at
"""

import argparse
import json
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pypdfium2

from bench.extraction import CHECKOUT, SHARED, Score, works
from bench.made_papers import Writer, make, sentences_of, works_of
from bench.paper_kinds import KINDS, PaperKind
from bench.paper_measures import score_paper
from engines.formats.records import DocumentRecord
from engines.pdf.paper import read_paper
from engines.pdf.vocabulary import Vocabulary, count_words

RESULT = CHECKOUT / "docs" / "performance" / "papers.json"
PAPERS = 2  # of each kind
FIGURES = {
    "sentences_95": "sentences of introduction and related work at ≥ 0.95",
    "sentences_exact": "these sentences exactly",
    "cites": "their list of cited works equal",
    "paragraphs_exact": "their paragraphs exactly",
    "sections": "papers with exactly their sections",
    "title": "titles of papers",
    "works_found": "works of the list of references, in its order",
    "work_titles": "titles of works",
    "invented": "works without a title where none is printed",
}


def measure(kinds: Iterable[PaperKind], scores: dict[bool, Score]) -> tuple[list[str], list[str]]:
    """Set the papers of these kinds and read them; add to the scores of served (True) and reported kinds.

    Returns the names of the kinds that were set and of those that TeX could not set.
    """
    texts = sentences_of(SHARED.parent / "csfcube" / "papers.jsonl")
    records = works_of(works(), 1500)
    vocabulary = {word: times for word, times in count_words(texts[::2]).items() if times > 1}
    made: list[str] = []
    failed: list[str] = []
    for kind in kinds:
        found = [_read(kind, number, texts, records, vocabulary, scores[kind.served]) for number in range(PAPERS)]
        (made if all(found) else failed).append(kind.name)
    return made, failed


def _read(
    kind: PaperKind,
    number: int,
    texts: Sequence[str],
    records: Sequence[DocumentRecord],
    vocabulary: Vocabulary,
    score: Score,
) -> bool:
    writer = Writer(kind, texts, records, f"{kind.name} {number}")
    with tempfile.TemporaryDirectory() as folder:
        pair = make(writer, Path(folder), "paper")
        if pair is None:
            return False
        with pypdfium2.PdfDocument(pair[0]) as document:
            paper = read_paper(document, vocabulary, "paper.pdf")
    score_paper(score, kind, paper, pair[1])
    return True


def figures(score: Score) -> dict[str, list[float]]:
    """Percent and count of each figure."""
    return {name: [score.percent(name), score.of[name]] for name in FIGURES}


def section() -> str:
    """The part of the page about made papers, from the stored figures."""
    stored = json.loads(RESULT.read_text("utf-8"))
    now, before = stored["now"], stored["before"]
    rows = [
        f"| {words} | {_cell(before['reported'][name])} | {_cell(now['reported'][name])} "
        f"| {_cell(before['served'][name])} | {_cell(now['served'][name])} |"
        for name, words in FIGURES.items()
    ]
    return f"""## Made papers of other kinds

{PAPERS} papers of each kind are set by TeX from sentences of CSFCube's abstracts and works of ACM-CR's collection, so
that each word, citation and heading is known. They hold floats, footnotes, lists, equations, headings within lines and
citations at the beginning, in the middle and at the end of sentences, and most of them hyphens at line ends. Texts are
compared without their citation markers; a sentence counts as found only among the paragraphs that are proposed as
contexts. "Before" is {stored["before_commit"]}, measured on the same papers.

**Kinds that served**: a rule was written or changed with such papers in view, or with others of their class:

{_named(now["served_kinds"])}

So did the papers of ACM-CR, the layouts and TeX classes of `tests/engines/pdf/`, and about sixty sample papers of TeX
Live's documentation, of which those of the other list's classes were seen as one line of counts each.

**Kinds that are reported**: no rule was written with one in view, and no paper, line or miss of theirs was looked at.
Their totals were looked at between changes, and one table by kinds before the first change. A kind that is to serve a
rule moves to the other list first (`bench/paper_kinds.py`); six did so far: aps-review, aip-journal, astronomy,
apa-manuscript, acm-journal, acm-conference.

{_named(now["reported_kinds"])}

| | reported, before | reported, now | served, before | served, now |
|---|---:|---:|---:|---:|
{chr(10).join(rows)}

Sections were exact in few papers before because acknowledgements counted as part of the last numbered section.

What these figures assume: the words are English sentences that end plainly, without formulas in them; each paper has
an introduction under that name, and its related work is headed by one of the usual names. Papers of real authors do
more, so expect less of them: 23 papers of ACM-CR that were kept back gave 93.0 % of sentences at ≥ 0.95, 86.8 %
exactly and 91.8 % of their lists of citations before these changes. They are not at hand, so what they give now is not
known.
"""


def _cell(figure: list[float]) -> str:
    percent, count = figure
    return f"{percent} % of {count:,.0f}" if count else "–"


def _named(names: Sequence[str]) -> str:
    return textwrap.fill(", ".join(names), 116, initial_indent="> ", subsequent_indent="> ", break_on_hyphens=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", metavar="KIND", help="print what was missed in a kind that served")
    options = parser.parse_args()
    scores = {True: Score(), False: Score()}
    if options.misses:
        kinds = [kind for kind in KINDS if kind.name == options.misses and kind.served]
        if not kinds:
            sys.exit("No kind of this name served a rule.")
        measure(kinds, scores)
        print("\n".join(scores[True].misses))
        return
    made, failed = measure(KINDS, scores)
    stored: dict[str, Any] = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    stored["now"] = {
        "served": figures(scores[True]),
        "reported": figures(scores[False]),
        "served_kinds": [kind.name for kind in KINDS if kind.served and kind.name in made],
        "reported_kinds": [kind.name for kind in KINDS if not kind.served and kind.name in made],
    }
    RESULT.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    print(f"wrote {RESULT.relative_to(CHECKOUT)}" + (f"; not set by TeX: {', '.join(failed)}" if failed else ""))


if __name__ == "__main__":
    main()
