"""From a text to the terms that stand for it in an index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import Stemmer

from engines.ranking.porter import nltk_stem
from engines.text.languages import ENGLISH, LANGUAGES, NONE, grammar_words
from engines.text.scripts import find_pictures, plain
from engines.text.treebank import tokens_of
from engines.text.words import fold_word, term_spans

# What is a word: runs of letters and digits; those of two characters or more (as bm25s cuts them by default);
# nearly Lucene's standard tokens, which dots, colons and apostrophes hold together; or NLTK's, punctuation included.
WORDS, PAIRS, LUCENE, NLTK = "words", "pairs", "lucene", "nltk"
# Or, for every script: runs of letters with their marks, pairs of characters where no spaces stand, and pictures.
SCRIPTS = "scripts"
TOKENS = (WORDS, PAIRS, LUCENE, NLTK, SCRIPTS)
# Each stemmer with the words that people read.
STEMMER_WORDS = [
    (NONE, "none"),
    ("porter", "Porter"),
    ("nltk", "Porter with NLTK's changes"),
    *((each.stemmer, f"Snowball, {each.name}") for each in LANGUAGES.values() if each.stemmer != NONE),
]
STEMMERS = frozenset(name for name, _ in STEMMER_WORDS)

# The words that Lucene's English analyser leaves out.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with".split()
)
# Those of NLTK's list for English, which LitSearch's baseline left out.
NLTK_STOP_WORDS = frozenset(
    "i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his"
    " himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this"
    " that that'll these those am is are was were be been being have has had having do does did doing a an the and but"
    " if or because as until while of at by for with about against between into through during before after above below"
    " to from up down in out on off over under again further then once here there when where why how all any both each"
    " few more most other some such no nor not only own same so than too very s t can will just don don't should"
    " should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't"
    " haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't"
    " weren weren't won won't wouldn wouldn't".split()
)

_BLANKS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"\b\w\w+\b")
# Letters stay together around [.':’], digits around [.,]. In plain ASCII it is found a quarter faster. The group is not
# possessive: before 3.11.5 Python loses letters of such a one (its issue gh-106052).
_STANDARD = r"\w++(?:[.,':’](?:(?<=[^\W\d_][.':’])(?=[^\W\d_])|(?<=\d[.,])(?=\d))\w++)*"
_LUCENE = re.compile(_STANDARD)
_LUCENE_ASCII = re.compile(_STANDARD, re.ASCII)
_POSSESSIVES = ("'s", "’s")
_SENTENCE_END = re.compile(r"(?<=[.?!])(?=\s)")


@dataclass(frozen=True)
class Analysis:
    """How texts become terms: which tokens, whether words of grammar count, how endings are cut off.

    `language` says whose words of grammar they are.
    """

    tokens: str = WORDS
    stop_words: bool = True  # True: they stay
    stemmer: str = NONE
    language: str = ENGLISH

    def __post_init__(self) -> None:
        if self.tokens not in TOKENS or self.stemmer not in STEMMERS:
            raise ValueError(f"unknown tokens {self.tokens!r} or stemmer {self.stemmer!r}")
        if self.language not in LANGUAGES:
            raise ValueError(f"unknown language {self.language!r}")


def analysis_of(language: str) -> Analysis:
    """How pools cut the texts of a collection in this language, unless somebody chooses otherwise."""
    if language == ENGLISH:
        return Analysis()
    return Analysis(SCRIPTS, stop_words=False, stemmer=LANGUAGES[language].stemmer, language=language)


def tokenise(text: str, tokens: str = WORDS) -> list[str]:
    """Lower-case tokens of `text`. "words": punctuation is blank (formats.md 1.6, step 1) and accents are dropped."""
    if tokens == PAIRS:
        return _PAIR.findall(text.lower())
    if tokens == LUCENE:
        return (_LUCENE_ASCII if text.isascii() else _LUCENE).findall(text.lower())
    if tokens == SCRIPTS:
        return _tokens_of_scripts(text)
    if tokens == NLTK:
        return [token for sentence in _SENTENCE_END.split(text.lower()) for token in tokens_of(sentence)]
    if text.isascii():
        return text.lower().translate(_BLANKS).split()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(char for char in parts if not unicodedata.combining(char)))


def _tokens_of_scripts(text: str) -> list[str]:
    text = plain(text)
    found = [text[start:end] for start, end in term_spans(text)]
    return found if text.isascii() else found + find_pictures(text)


def term_maker(analysis: Analysis) -> Callable[[str], str | None]:
    """A function from a token to its term, None for a token that is left out. Not for several threads at once."""
    stem = _stemmer(analysis.stemmer)
    left_out = _stop_words(analysis)
    if analysis.tokens == SCRIPTS:  # endings are cut off with the accents that their rules ask for
        return lambda token: None if token in left_out else fold_word(stem(token)) or token

    def term(token: str) -> str | None:
        if analysis.tokens == LUCENE and token.endswith(_POSSESSIVES):
            token = token[:-2]
        return None if token in left_out else stem(token)

    return term


def _stop_words(analysis: Analysis) -> frozenset[str]:
    if analysis.stop_words:
        return frozenset()
    if analysis.language != ENGLISH:
        return grammar_words(analysis.language)
    return NLTK_STOP_WORDS if analysis.tokens == NLTK else STOP_WORDS


def _stemmer(name: str) -> Callable[[str], str]:
    if name == NONE:
        return _no_stemmer
    return nltk_stem if name == "nltk" else Stemmer.Stemmer(name).stemWord


def terms_of(text: str, analysis: Analysis) -> list[str]:
    """The terms of `text` in their order, repeats included."""
    make = term_maker(analysis)
    return [term for token in tokenise(text, analysis.tokens) if (term := make(token)) is not None]


def count_terms(terms: Sequence[str]) -> dict[str, int]:
    """How often each term occurs, sorted by term, so that sums over it are the same on every machine."""
    counts: dict[str, int] = {}
    for term in sorted(terms):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _no_stemmer(token: str) -> str:
    return token
