"""Lists of e-mail addresses as people have them, from a mail, a table, a file: one reader for page, API and command."""

import re
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.utils.text import Truncator

from accounts.refusals import Refused

LONGEST_ADDRESS = 254  # characters
LONGEST_LIST = 100_000  # characters
MOST_INVITED = 200  # addresses at once
MOST_LINES = 5  # with wrong addresses in a message
LONGEST_NAMED = 60  # characters of each wrong address
HELP = "One a line, or separated by commas. “Ada Lovelace <ada@example.org>” works too."

check_length = MaxLengthValidator(LONGEST_ADDRESS)


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
    """The addresses of a list, each once, in their order.

    Errors: BadList where one is no e-mail address, where there is none, or where there are too many.
    """
    if len(text) > LONGEST_LIST:
        raise BadList(f"The list is longer than {LONGEST_LIST:,} characters. Divide it.")
    found: dict[str, int] = {}
    wrong: dict[int, list[str]] = {}
    parts = ((line, part) for line, content in enumerate(text.splitlines(), 1) for part in re.split(r"[,;]", content))
    for line, part in parts:
        email = _address_in(part)
        if email and _is_address(email):
            found.setdefault(email, line)
        elif email:
            wrong.setdefault(line, []).append(Truncator(part.strip()).chars(LONGEST_NAMED))
    if wrong:
        raise BadList(*_what_is_wrong(wrong))
    if not found:
        raise BadList("There is no address in the list.")
    if len(found) > MOST_INVITED:
        raise BadList(f"The list has {len(found):,} addresses; at most {MOST_INVITED} are invited at once. Divide it.")
    return [Address(line, email) for email, line in found.items()]


def _address_in(part: str) -> str:
    """What should be an address: between angle brackets where there are any, without quotation marks."""
    return (match[1] if (match := re.search(r"<([^<>]*)>", part)) else part).strip().strip('"').lower()


def _is_address(email: str) -> bool:
    try:
        check_length(email)
        validate_email(email)
    except ValidationError:
        return False
    return True


def _what_is_wrong(wrong: dict[int, list[str]]) -> list[str]:
    first = list(wrong.items())[:MOST_LINES]
    said = [f"Line {line:,}: no e-mail address: {', '.join(parts)}." for line, parts in first]
    if (more := len(wrong) - MOST_LINES) > 0:
        said.append(f"Further lines with wrong addresses: {more:,}.")
    return [*said, "Nobody was invited."]
