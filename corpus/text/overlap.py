"""Word overlap: how many of a question's words stand in the titles (or titles and abstracts) of its targets.

A high overlap makes a question easy: matching words finds the target. The definition follows LitSearch (Ajith et al.,
EMNLP 2024, section 2.1): the share of the question's words that also occur in the target texts, each distinct word
counted once, as its code does. Words are runs of letters and digits without case and accents (`corpus.text.words`),
so that “Fine-tuning?” shares both its words with “fine tuning”; no word is left out for being common.

That is the definition `words`, the default. `litsearch-code` counts as LitSearch's published code does: split at white
space, with case and punctuation, so that “Tea?” and “tea” are two words.

static/js/annotation/labelling/overlap.js does the same in the browser; a test holds the two to equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from corpus.text.words import fold_word, tokens, word_spans


@dataclass(frozen=True, slots=True)
class Overlap:
    """Shares from 0 to 1; None where the question has no words or no target has text of that kind.

    `titles`: with the titles of the targets; `texts`: with their titles and abstracts.
    """

    titles: float | None
    texts: float | None


def word_overlap(question: str, texts: Iterable[str], split: Callable[[str], list[str]] = tokens) -> float | None:
    """Return the share of the distinct words of `question` that stand in any of `texts`; None for no words there."""
    words = set(split(question))
    known = {word for text in texts for word in split(text)}
    return len(words & known) / len(words) if words and known else None


DEFINITIONS: dict[str, Callable[[str], list[str]]] = {"words": tokens, "litsearch-code": str.split}


def overlap_with(question: str, targets: Iterable[tuple[str, str]], definition: str = "words") -> Overlap:
    """Return both overlaps of a question with its targets, each (title, abstract), by one of `DEFINITIONS`."""
    split, found = DEFINITIONS[definition], list(targets)
    titles = [title for title, _ in found]
    texts = [*titles, *(abstract for _, abstract in found)]
    return Overlap(word_overlap(question, titles, split), word_overlap(question, texts, split))


def is_filtered(question: str, titles: Iterable[str], cutoff: float | None) -> bool:
    """Whether the question's overlap with the target titles lies above the cut-off (None: nothing does)."""
    overlap = word_overlap(question, titles)
    return cutoff is not None and overlap is not None and overlap > cutoff


def format_share(share: float | None, digits: int = 2) -> str:
    """Return the share with this many decimals, halves rounded up as in the browser's script; a dash for None."""
    return "–" if share is None else str(Decimal(share).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def shared_spans(text: str, question: str) -> list[tuple[int, int]]:
    """Return (start, end) of the words of `text` that the question has too."""
    words = set(tokens(question))
    return [(start, end) for start, end in word_spans(text) if fold_word(text[start:end]) in words]
