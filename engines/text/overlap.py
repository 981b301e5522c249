"""Word overlap: how many of a question's words stand in the titles (or titles and abstracts) of its targets.

A high overlap makes a question easy: matching words finds the target. The figure follows LitSearch (Ajith et al.,
EMNLP 2024, section 2.1): the share of the question's distinct words that also occur in the target texts. How words are
cut and compared is a definition with a name, and a cut-off means something under its own definition only:

- `litsearch-code`, the default, does as `calculate_ngram_overlap` of LitSearch's published code: it splits at white
  space and keeps case and punctuation, so that “Tea?” and “tea” are two words. The paper's cut-offs belong to it.
- `words`: runs of letters and digits without case and accents (`engines.text.words`), so that “Fine-tuning?” shares
  both its words with “fine tuning”; no word is left out for being common. Of scripts without spaces, pairs of
  characters stand for words.

static/js/annotation/labelling/overlap.js does the same in the browser; a test holds the two to equal numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from engines.text.words import fold_word, term_spans, tokens

Cutoffs = tuple[float | None, float | None]  # highest overlap for sources inside and outside the collection; None: any
_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Shares from 0 to 1; None where the question has no words or no target has text of that kind.

    `titles`: with the titles of the targets; `texts`: with their titles and abstracts.
    """

    titles: float | None
    texts: float | None


@dataclass(frozen=True, slots=True)
class Definition:
    """How words are cut (`spans`: start and end of each) and compared (`fold`), and the cut-offs that belong to it.

    `inside` is the highest overlap with titles for questions from papers of the collection (LitSearch's ACL-sourced
    ones), `outside` for those from other papers.
    """

    label: str
    spans: Callable[[str], Iterable[tuple[int, int]]]
    fold: Callable[[str], str]
    inside: float
    outside: float

    def split(self, text: str) -> set[str]:
        """The distinct words of a text."""
        return {self.fold(text[start:end]) for start, end in self.spans(text)}


def _run_spans(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _RUN.finditer(text))


LITSEARCH_CODE, WORDS = "litsearch-code", "words"
DEFAULT = LITSEARCH_CODE
DEFINITIONS = {
    LITSEARCH_CODE: Definition(
        "words split at whitespace, with case and punctuation (as LitSearch's code)", _run_spans, str, 0.3, 0.1
    ),
    # Of 207 questions from outside that LitSearch kept, 95 % have at most this share of such words in the titles.
    WORDS: Definition("words without case, accents and punctuation", term_spans, fold_word, 0.33, 0.33),
}


USUAL = "usual"  # stands for the cut-off that belongs to a definition, where None is no cut-off


def cutoffs_of(definition: str, inside: float | str | None, outside: float | str | None) -> Cutoffs:
    """These cut-offs, with those of the definition in place of `USUAL`."""
    own = DEFINITIONS[definition]
    return (
        own.inside if isinstance(inside, str) else inside,
        own.outside if isinstance(outside, str) else outside,
    )


def word_overlap(question: str, texts: Iterable[str], definition: str) -> float | None:
    """Return the share of the distinct words of `question` that stand in any of `texts`; None for no words there."""
    split = DEFINITIONS[definition].split
    words = split(question)
    known = set().union(*map(split, texts))
    return len(words & known) / len(words) if words and known else None


def overlap_with(question: str, targets: Iterable[tuple[str, str]], definition: str) -> Overlap:
    """Return both overlaps of a question with its targets, each (title, abstract), by one of `DEFINITIONS`."""
    found = list(targets)
    titles = [title for title, _ in found]
    texts = [*titles, *(abstract for _, abstract in found)]
    return Overlap(word_overlap(question, titles, definition), word_overlap(question, texts, definition))


def is_filtered(question: str, titles: Iterable[str], cutoff: float | None, definition: str) -> bool:
    """Whether the question's overlap with the target titles lies above the cut-off (None: nothing does)."""
    overlap = word_overlap(question, titles, definition)
    return cutoff is not None and overlap is not None and overlap > cutoff


def format_share(share: float | None, digits: int = 2) -> str:
    """Return the share with this many decimals, halves rounded up as in the browser's script; a dash for None."""
    return "–" if share is None else str(Decimal(share).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def shared_spans(
    text: str, question: str, definition: str, left_out: frozenset[str] = frozenset()
) -> list[tuple[int, int]]:
    """Return (start, end) of the words of `text` that the question has too; pairs that overlap are joined.

    Words that are `left_out`, folded, are not among them, although they count.
    """
    chosen = DEFINITIONS[definition]
    words = chosen.split(question)
    found: list[tuple[int, int]] = []
    for start, end in chosen.spans(text):
        word = text[start:end]
        if chosen.fold(word) not in words or (left_out and left_out.issuperset(tokens(word))):
            continue
        if found and start < found[-1][1]:  # pairs of characters overlap
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
