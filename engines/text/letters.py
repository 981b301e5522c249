"""Letters with blanks in braces, such as {name}: filled in, or refused with what is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_BLANK = re.compile(r"\{([a-z_]+)\}")


def blanks_of(template: str) -> list[str]:
    """Return the names of the template's blanks, each once, in the order of the text."""
    return list(dict.fromkeys(_BLANK.findall(template)))


def faults_of(template: str, known: Collection[str], required: Collection[str] = ()) -> list[str]:
    """Return what is wrong with the template, as sentences; [] for a good one."""
    found = blanks_of(template)
    faults = [f"There is no {{{name}}}; known are {_list(known)}." for name in found if name not in known]
    return faults + [f"{{{name}}} is missing: every letter needs it." for name in required if name not in found]


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its blanks filled in; what is filled in is not looked at again.

    Raises KeyError for a blank without a value.
    """
    return _BLANK.sub(lambda found: values[found[1]], template)


def _list(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
