"""Which words of a document speak of an aspect: equal stems, without words that stand in every text.

This is an aid for the eye, not a judgment: it finds "retrieving" for "retrieval", and no synonyms.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from engines.text.languages import ENGLISH, LANGUAGES, grammar_words, stem_words
from engines.text.scripts import has_spaceless, plain
from engines.text.words import fold_word, term_spans

# Words of grammar, and words of the trade that say nothing about what is looked for ("the paper should discuss …").
_GRAMMAR = """
a about above across after again against al all also although am among an and another any are as at be because been
before being below between both but by can could did do does doing done down due during each e eg either else
especially et etc even every few for from further g had has have having he her here hers him his how however i ie if
in instead into is it its itself just least less let like likely many may me might more moreover most much must my
near need needs neither no nor not now of off often on once one only or other others our out over own per possibly
rather s same several shall she should since so some such t than that the their theirs them then there therefore these
they this those though three through thus to together too toward towards two under until up upon us use used useful
uses using various very via was we well were what when where whether which while who whom whose why will with within
without would yet you your
"""
_TRADE = """
ability able abstract account achieve address addresses aim aims allow allows analyse analyze approach approaches
article aspect author authors based best better capability capable certain compare concern concerns consider considers
contain create current currently data deal deals describe describes differ different discuss discusses document
documents effective effectively example existing explore explores find focus focuses form framework general give given
goal good handle high idea identify improve improvement include includes including introduce introduction involve
involves issue kind large level low made main make makes mention mentions method methods model models multiple new
novel number offer paper papers particular perform performance possible potential present presents problem produce
propose proposed proposes provide provides real relate related relates relevant represent research result results set
show shows similar single specific studies study system systems take talk talks task technique techniques type utilise
utilize various way ways work works
"""
# What is left of words that an apostrophe cuts: "doesn't" is "doesn" and "t".
_FRAGMENTS = "aren couldn didn doesn don hadn hasn haven isn ll re shouldn ve wasn weren won wouldn".split()
STOP_WORDS = frozenset([*_GRAMMAR.split(), *_FRAGMENTS])
TRADE_WORDS = frozenset(_TRADE.split())

_JOINT = re.compile(r"[\s\-‐-–/]{1,2}").fullmatch  # what may stand between two marked words of one phrase


@functools.lru_cache(maxsize=1024)  # annotators and machines meet one aspect many times
def highlight_terms(aspect: str, language: str = ENGLISH) -> frozenset[str]:
    """Return the stems of the content words of `aspect`.

    Words of the trade, in any form, count where nothing else is left ("The paper is a research study"); they are known
    of English alone. Single letters do not count: they are names of variables. Of scripts without spaces, single
    characters count.
    """
    if language != ENGLISH:
        words = _words(aspect)
        return frozenset(_terms([word for word in words if _is_content(word, grammar_words(language))], language))
    folded = {word for word in map(fold_word, _words(aspect)) if _is_content(word, STOP_WORDS)}
    stems = frozenset(_terms(sorted(folded), ENGLISH))
    return stems - _trade_stems() or stems


@functools.cache
def words_of_grammar(language: str = ENGLISH) -> frozenset[str]:
    """Return the words, folded, that no highlight marks."""
    return frozenset(map(fold_word, STOP_WORDS if language == ENGLISH else grammar_words(language)))


def stems_in(text: str, language: str = ENGLISH) -> frozenset[str]:
    """Return the stems of all words of `text`, to compare with `highlight_terms`."""
    return frozenset(_terms(_words(text), language))


def highlight_spans(text: str, terms: frozenset[str], language: str = ENGLISH) -> list[tuple[int, int]]:
    """Return (start, end) of the words of `text` whose stem is among `terms`; neighbours are joined to one span."""
    joined: list[tuple[int, int]] = []
    for start, end in _found_spans(text, terms, language):
        if joined and (start <= joined[-1][1] or _JOINT(text, joined[-1][1], start)):  # pairs of characters overlap
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def highlight_pieces(text: str, terms: frozenset[str], language: str = ENGLISH) -> list[tuple[str, bool]]:
    """Return `text` cut into (piece, is highlighted); the pieces joined are the text."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in highlight_spans(text, terms, language):
        if at < start:
            pieces.append((text[at:start], False))
        pieces.append((text[start:end], True))
        at = end
    return [*pieces, (text[at:], False)] if at < len(text) else pieces


def _found_spans(text: str, terms: frozenset[str], language: str) -> Iterator[tuple[int, int]]:
    spans = list(term_spans(text))
    stems = _terms([text[start:end] for start, end in spans], language)
    single = {term for term in terms if len(term) == 1 and has_spaceless(term)}
    for (start, end), stem in zip(spans, stems, strict=True):
        if stem in terms:
            yield start, end
        elif single:  # one character finds itself in every pair
            yield from ((at, at + 1) for at in range(start, end) if text[at] in single)


Fragment = tuple[int, int, list[tuple[int, int]]]  # start and end in a text, and the spans inside of it


def fragments(text: str, spans: Sequence[tuple[int, int]], *, most: int, around: int) -> list[Fragment]:
    """Return at most so many pieces of `text`, each with the spans in it and so many characters on either side.

    Pieces that touch are one; without spans the beginning of the text is the only piece.
    """
    if not spans:
        return [(0, min(len(text), 2 * around), [])]
    found: list[Fragment] = []
    for start, end in spans:
        if found and start - around <= found[-1][1]:
            begins, _, within = found.pop()
        elif len(found) == most:
            break
        else:
            begins, within = max(0, start - around), []
        found.append((begins, min(len(text), end + around), [*within, (start, end)]))
    return [_at_blanks(text, piece) for piece in found]


def _at_blanks(text: str, piece: Fragment) -> Fragment:
    """The piece without the parts of words at its ends, where blanks part words."""
    start, end, within = piece
    first, last = text.find(" ", start, within[0][0]), text.rfind(" ", within[-1][1], end)
    return first + 1 if start and first >= 0 else start, last if end < len(text) and last >= 0 else end, within


@functools.cache
def _trade_stems() -> frozenset[str]:
    return frozenset(_terms(sorted(TRADE_WORDS), ENGLISH))


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in term_spans(text)]


def _is_content(word: str, left_out: frozenset[str]) -> bool:
    return (len(word) > 1 or has_spaceless(word) is not None) and plain(word) not in left_out


def _terms(words: list[str], language: str) -> list[str]:
    """The stem of each word by Snowball's stemmer of the language, without accents."""
    stem = stem_words(LANGUAGES[language].stemmer)
    if language == ENGLISH:
        return [str(each) for each in stem([fold_word(word) for word in words])]
    return [fold_word(str(each)) for each in stem([plain(word) for word in words])]
