"""Languages of collections: which stemmer and which words of grammar texts in each are compared with.

English has its own lists, in engines.ranking.analysis and engines.text.highlight. For the others the stemmer is
Snowball's (PyStemmer) where there is one, words of grammar are those of the package stop-words, and PostgreSQL's
full-text search uses its own configuration of that language, else "simple", which cuts no endings. Scripts without
spaces between words have neither: they are compared by pairs of characters (engines.text.words.term_spans).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass

import Stemmer
from stop_words import LANGUAGE_MAPPING, get_stop_words

from engines.text.scripts import plain
from engines.text.words import word_spans

ENGLISH = "en"
NONE = "none"


@dataclass(frozen=True, slots=True)
class Language:
    """`code` is that of ISO 639-1; `stemmer` a name of Snowball's or "none"; `search` PostgreSQL's configuration."""

    code: str
    name: str
    stemmer: str = NONE
    search: str = "simple"
    has_spaces: bool = True


def _same(code: str, name: str) -> Language:
    return Language(code, name, name.lower(), name.lower())


LANGUAGES = {
    each.code: each
    for each in (
        _same(ENGLISH, "English"),
        _same("ar", "Arabic"),
        _same("hy", "Armenian"),
        _same("eu", "Basque"),
        Language("bn", "Bengali"),
        Language("bg", "Bulgarian"),
        Language("my", "Burmese", has_spaces=False),
        _same("ca", "Catalan"),
        Language("zh", "Chinese", has_spaces=False),
        Language("cs", "Czech", "czech"),
        _same("da", "Danish"),
        _same("nl", "Dutch"),
        Language("eo", "Esperanto", "esperanto"),
        Language("et", "Estonian", "estonian"),  # in PostgreSQL only from 18 on
        _same("fi", "Finnish"),
        _same("fr", "French"),
        _same("de", "German"),
        _same("el", "Greek"),
        Language("gu", "Gujarati"),
        Language("he", "Hebrew"),
        _same("hi", "Hindi"),
        _same("hu", "Hungarian"),
        _same("id", "Indonesian"),
        _same("ga", "Irish"),
        _same("it", "Italian"),
        Language("ja", "Japanese", has_spaces=False),
        Language("km", "Khmer", has_spaces=False),
        Language("ko", "Korean", has_spaces=False),  # it has spaces, but no stemmer cuts its endings
        Language("lo", "Lao", has_spaces=False),
        _same("lt", "Lithuanian"),
        Language("ms", "Malay"),
        _same("ne", "Nepali"),
        _same("no", "Norwegian"),
        Language("fa", "Persian", "persian"),
        Language("pl", "Polish", "polish"),
        _same("pt", "Portuguese"),
        _same("ro", "Romanian"),
        _same("ru", "Russian"),
        _same("sr", "Serbian"),
        Language("sk", "Slovak"),
        _same("es", "Spanish"),
        _same("sv", "Swedish"),
        _same("ta", "Tamil"),
        Language("th", "Thai", has_spaces=False),
        _same("tr", "Turkish"),
        Language("uk", "Ukrainian"),
        Language("ur", "Urdu"),
        Language("vi", "Vietnamese"),
        _same("yi", "Yiddish"),
        Language("mul", "Several languages"),
    )
}

# Their lists hold words such as "hear" and "speak", which are what questions are about.
_TOO_WIDE = frozenset({"fa", "gu", "vi"})

# In their place, and where a list lacks the words that questions begin with.
_OWN_WORDS = {
    "ar": "هل كيف متى أين لماذا كم",
    "fa": "و در به از که این آن را با است هست برای یک تا بر هم یا اما اگر چه چگونه چرا آیا کدام کی کجا ها های",
    "vi": "và của là các những một có cho được trong với như thế nào gì ở từ đến để này đó khi thì mà bằng không",
}

_own = threading.local()  # a stemmer keeps a cache and is not made for several threads at once


@functools.cache
def grammar_words(code: str) -> frozenset[str]:
    """Words of grammar of a language, in small letters; none where no list serves, and for scripts without spaces."""
    if not LANGUAGES[code].has_spaces:
        return frozenset()
    is_listed = code in LANGUAGE_MAPPING and code not in _TOO_WIDE
    # Some lines are quoted, and some hold apostrophes, which words are cut at.
    lines = [*(get_stop_words(code) if is_listed else ()), _OWN_WORDS.get(code, "")]
    return frozenset(plain(line[start:end]) for line in lines for start, end in word_spans(line))


def stem_words(stemmer: str) -> Callable[[list[str]], list[str]]:
    """A function that cuts the endings of words; for the thread that asked for it."""
    if stemmer == NONE:
        return list
    made: dict[str, Stemmer.Stemmer] = _own.__dict__.setdefault("stemmers", {})
    if stemmer not in made:
        made[stemmer] = Stemmer.Stemmer(stemmer)
    own: Callable[[list[str]], list[str]] = made[stemmer].stemWords
    return own
