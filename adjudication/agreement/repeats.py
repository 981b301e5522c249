"""What many figures of a page say alike: said once, with a letter that the figures carry."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_lowercase

from adjudication.agreement.results import FigureText
from engines.stats.reasons import Reason, words_of

MOST_TIMES = 3
TOO_FEW_TOPICS = words_of(Reason.TOO_FEW_QUERIES)


@dataclass(frozen=True)
class Repeated:
    """A remark of many figures with its letter; `by_items`: resampling items would give the intervals."""

    letter: str
    text: str

    @property
    def by_items(self) -> bool:
        return self.text.endswith(TOO_FEW_TOPICS)


def repeated(remarks: Iterable[str]) -> list[Repeated]:
    """The remarks that occur more than three times, in the order of the page; of the first 26 letters."""
    counts = Counter(remarks)
    texts = [text for text, times in counts.items() if times > MOST_TIMES]
    return [Repeated(letter, text) for letter, text in zip(ascii_lowercase, texts, strict=False)]


def remarks_of(full: Iterable[FigureText], in_pairs: Iterable[FigureText]) -> list[str]:
    """Every remark that a page says: those of figures shown in full, and what the figures of pairs lack."""
    return [text for one in full for text in one.remarks] + [text for one in in_pairs for text in one.lacks]
