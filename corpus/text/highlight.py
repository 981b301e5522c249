"""Which words of a text are those of a query: by stem, without the words that every paper has.

Positions are counted in UTF-16 units, as browsers count them, so that a mark never splits a character such as 𝛼.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import Stemmer

_WORD = re.compile(r"[^\W_]+")
_JOINS = re.compile(r"[\s\-‐-–/]{1,2}").fullmatch  # what may stand between two marked words of one phrase

# Function words, and words that say in any abstract that it is one.
_COMMON = frozenset(
    """a about above across after all also although among an and any are as at based be because been before being
    between both but by can could did do does doing done due during e each either et etc even every few for from
    further g had has have having he her here his how however i ie if in into is it its itself just least less like
    made make makes many may might more most much must near need needs neither no nor not of off on once one only or
    other our out over own per rather s same several shall she should since so some such t than that the their them
    then there therefore these they this those three through thus to too two under until up upon us use used useful
    uses using various very via was way ways we well were what when where whether which while who whom whose why will
    with within without would yet you your
    abstract aim aims approach approaches article author authors discuss discusses focus focuses method methods
    paper papers present presents propose proposed proposes research show shows study studies technique techniques
    work works""".split()  # noqa: SIM905
)

_own = threading.local()  # a stemmer keeps a cache and is not made for several threads at once


def _stems(words: list[str]) -> list[str]:
    if not hasattr(_own, "stemmer"):
        _own.stemmer = Stemmer.Stemmer("english")
    stems: list[str] = _own.stemmer.stemWords(words)
    return stems


class Matcher:
    """Finds the words of one query in texts."""

    def __init__(self, query: str) -> None:
        words = [word for word in _WORD.findall(query.lower()) if word not in _COMMON]
        # Single letters are names of variables; two letters may be an acronym such as "ir".
        self.stems = frozenset(_stems([word for word in words if len(word) > 1]))

    def spans(self, text: str) -> list[int]:
        """Start, end, start, end … of the marked stretches of `text`, in UTF-16 units, in order, not touching."""
        found = list(_WORD.finditer(text))
        stems = _stems([match[0].lower() for match in found])
        spans: list[int] = []
        for match, stem in zip(found, stems, strict=True):
            if stem not in self.stems:
                continue
            if spans and _JOINS(text, spans[-1], match.start()):
                spans[-1] = match.end()
            else:
                spans += match.span()
        return spans if text.isascii() else _in_utf16(text, spans)

    def shared(self, text: str) -> int:
        """How many different words (by stem) of the query are in `text`."""
        return len(self.stems.intersection(_stems([word.lower() for word in _WORD.findall(text)])))


@lru_cache(maxsize=1024)
def matcher(query: str) -> Matcher:
    """A matcher for the query; those used lately are kept, for annotators meet one aspect many times."""
    return Matcher(query)


def _in_utf16(text: str, positions: list[int]) -> list[int]:
    counted: list[int] = []
    units = at = 0
    for position in positions:
        units += len(text[at:position].encode("utf-16-le", "surrogatepass")) // 2
        counted.append(units)
        at = position
    return counted
