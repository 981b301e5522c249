"""Lists of e-mail addresses from a mail, a table or a file: one reader for page, API and command."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.text import Truncator

from accounts.addresses import is_address
from accounts.counting import some
from accounts.refusals import Refused

LONGEST_LIST = 100_000  # characters
MOST_INVITED = 200  # addresses at once
MOST_LINES = 5  # with wrong addresses in a message
MOST_IN_LINE = 5  # of the wrong addresses of each
LONGEST_NAMED = 60  # characters of each wrong address
HELP = "One a line, or separated by commas. “Ada Lovelace <ada@example.org>” works too."

_LINE_END = re.compile(r"\r\n|\r|\n")
# A quoted name, an address in angle brackets, a separator, other text; a quotation mark or bracket left alone.
_TOKENS = re.compile(r'"[^"]*"|<[^<>]*>|[,;]|[^",;<]+|.')


@dataclass(frozen=True, slots=True)
class Address:
    """An address in lower case, and the line of the list in which it came first (from 1)."""

    line: int
    email: str


class BadList(Refused):
    """A list from which nobody is invited; `reasons` are its sentences, one for each line with a wrong address."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def read_addresses(text: str) -> list[Address]:
    """The addresses of a list, each once, in their order. Empty lines count as well.

    Errors: BadList where one is not an e-mail address, where there is none, or where there are too many.
    """
    if len(text) > LONGEST_LIST:
        raise BadList(f"The list has more than {LONGEST_LIST:,} characters. Divide it.")
    found: dict[str, int] = {}
    wrong: dict[int, list[str]] = {}
    for line, content in enumerate(_LINE_END.split(text), 1):
        for email in _addresses_in(content):
            if is_address(email):
                found.setdefault(email, line)
            else:
                wrong.setdefault(line, []).append(_visible(email))
    if wrong:
        raise BadList(*_reasons(wrong))
    if not found:
        raise BadList("There is no address in the list.")
    if len(found) > MOST_INVITED:
        raise BadList(f"The list has {len(found):,} addresses; at most {MOST_INVITED} are invited at once. Divide it.")
    return [Address(line, email) for email, line in found.items()]


def _addresses_in(line: str) -> Iterator[str]:
    """The supposed addresses in one line: in angle brackets, or between separators.

    A comma may also be part of a name: in quotation marks or, as in “Lovelace, Ada <ada@example.org>”, where a text
    between two semicolons has one address only.
    """
    for chunk in _split(line, ";"):
        is_one = _has_one_address_at_the_end(chunk)
        for part in [chunk] if is_one else _split(chunk, ","):
            yield from _addresses_of(part)


def _addresses_of(part: str) -> Iterator[str]:
    """The addresses of a part: those in angle brackets, else the part itself, without quotation marks."""
    tokens = _TOKENS.findall(part)
    if bracketed := [_clean(token[1:-1]) for token in tokens if _is_bracketed(token)]:
        yield from (address or part.strip() for address in bracketed)  # "Ada <>" is wrong as a whole
        name = _clean("".join(token for token in tokens if not _is_bracketed(token) and not _is_quoted(token)))
        if "@" in name and name not in bracketed:
            yield _strip(part)  # a second address or a name? Nobody is invited by guessing
    elif (text := _strip(part)) and _is_quoted(text):
        if {",", ";"} & set(text):
            yield from _addresses_in(text[1:-1])
        else:
            yield from filter(None, [_clean(text[1:-1])])
    elif text:
        yield _clean(text)


def _has_one_address_at_the_end(chunk: str) -> bool:
    tokens = [token for token in _TOKENS.findall(chunk) if _strip(token)]
    before = "".join(token for token in tokens[:-1] if not _is_quoted(token))
    return bool(tokens) and _is_bracketed(tokens[-1]) and not {"@", "<"} & set(before)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that are not within quotation marks or angle brackets."""
    parts = [""]
    for token in _TOKENS.findall(text):
        if token == separator:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _is_bracketed(token: str) -> bool:
    return token.startswith("<") and token.endswith(">")


def _is_quoted(token: str) -> bool:
    return len(token) > 1 and token[0] == token[-1] == '"'


def _clean(text: str) -> str:
    return _strip(text).lower().removeprefix("mailto:")


def _strip(text: str) -> str:
    """Without blanks and invisible characters at its ends, which come with text from web pages and Windows files."""
    start, end = 0, len(text)
    while start < end and _is_nothing(text[start]):
        start += 1
    while end > start and _is_nothing(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_nothing(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "Cf"


def _visible(email: str) -> str:
    """The beginning of a wrong address, invisible characters as numbers."""
    shown = "".join(f"[U+{ord(char):04X}]" if unicodedata.category(char) == "Cf" else char for char in email)
    return Truncator(shown).chars(LONGEST_NAMED)


def _reasons(wrong: dict[int, list[str]]) -> list[str]:
    first = list(wrong.items())[:MOST_LINES]
    reasons = [f"Line {line:,}: no e-mail address: {some(parts, MOST_IN_LINE)}." for line, parts in first]
    if (more := len(wrong) - MOST_LINES) > 0:
        reasons.append(f"Further lines with wrong addresses: {more:,}.")
    return [*reasons, "Nobody was invited."]
