"""Which words of a document speak of an aspect: equal stems, without words that stand in every text.

This is an aid for the eye, not a judgment: it finds "retrieving" for "retrieval", and no synonyms.
"""

from __future__ import annotations

import functools
import re
import threading

import Stemmer

from engines.text.words import tokens, word_spans

# Words of grammar, and words of the trade that say nothing about what is looked for ("the paper should discuss …").
_GRAMMAR = """
a about above across after again against all also although am among an and another any are as at be because been before
being below between both but by can could did do does doing done down due during each e eg either else especially et etc
even every few for from further g had has have having he her here hers him his how however i ie if in instead into is it
its itself just least less let like likely many may me might more moreover most much must my near need needs neither no
nor not now of off often on once one only or other others our out over own per possibly rather s same several shall she
should since so some such t than that the their theirs them then there therefore these they this those though three
through thus to together too toward towards two under until up upon us use used useful uses using various very via was
we well were what when where whether which while who whom whose why will with within without would yet you your
"""
_TRADE = """
ability able abstract account achieve address addresses aim aims allow allows analyse analyze approach approaches
article aspect author authors based best better capability capable certain compare concern concerns consider considers
contain create current currently deal deals describe describes differ different discuss discusses document documents
effective effectively example existing explore explores find focus focuses form framework general give given goal good
handle high idea identify improve improvement include includes including introduce introduction involve involves issue
kind large level low made main make makes mention mentions method methods model models multiple new novel number offer
paper papers particular perform performance possible potential present presents problem produce propose proposed
proposes provide provides real relate related relates relevant represent research result results set show shows
similar single specific studies study system systems take talk talks task technique techniques type utilise utilize
various way ways work works
"""
STOP_WORDS = frozenset(_GRAMMAR.split())
TRADE_WORDS = frozenset(_TRADE.split())

_JOINT = re.compile(r"[\s\-‐-–/]{1,2}").fullmatch  # what may stand between two marked words of one phrase

_own = threading.local()  # a stemmer keeps a cache and is not made for several threads at once


@functools.lru_cache(maxsize=1024)  # annotators and machines meet one aspect many times
def highlight_terms(aspect: str) -> frozenset[str]:
    """Return the stems of the content words of `aspect`.

    Words of the trade, in any form, count where nothing else is left ("The paper is a research study"). Single letters
    do not: they are names of variables.
    """
    words = {word for word in tokens(aspect) if len(word) > 1 and word not in STOP_WORDS}
    stems = frozenset(_stems(sorted(words)))
    return stems - _trade_stems() or stems


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of all words of `text`, to compare with `highlight_terms`."""
    return frozenset(_stems(sorted(set(tokens(text)))))


def highlight_spans(text: str, terms: frozenset[str]) -> list[tuple[int, int]]:
    """Return (start, end) of the words of `text` whose stem is among `terms`; neighbours are joined to one span."""
    spans = list(word_spans(text))
    stems = _stems(tokens(text))
    joined: list[tuple[int, int]] = []
    for (start, end), stem in zip(spans, stems, strict=True):
        if stem not in terms:
            continue
        if joined and _JOINT(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def highlight_pieces(text: str, terms: frozenset[str]) -> list[tuple[str, bool]]:
    """Return `text` cut into (piece, is highlighted); the pieces joined are the text."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in highlight_spans(text, terms):
        if at < start:
            pieces.append((text[at:start], False))
        pieces.append((text[start:end], True))
        at = end
    return [*pieces, (text[at:], False)] if at < len(text) else pieces


@functools.cache
def _trade_stems() -> frozenset[str]:
    return frozenset(_stems(sorted(TRADE_WORDS)))


def _stems(words: list[str]) -> list[str]:
    """Stem with Snowball's English stemmer."""
    if not hasattr(_own, "stemmer"):
        _own.stemmer = Stemmer.Stemmer("english")
    return [str(stem) for stem in _own.stemmer.stemWords(words)]
