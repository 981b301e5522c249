"""Names in choices must be in the collection: an unknown one would silently choose nothing, or too much."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from accounts.refusals import Refused

MOST_NAMED = 5  # unknown names that a refusal repeats


RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def with_ranges(names: Sequence[str], rows: Any, field: str) -> list[str]:
    """The names, with those that a range such as 1-8 stands for in its place; a row's own name is no range."""
    if not any(map(RANGE.fullmatch, names)):
        return list(names)
    known = list(rows.order_by().values_list(field, flat=True))
    found: list[str] = []
    for name in names:
        match = None if name in known else RANGE.fullmatch(name)
        ends = range(int(match[1]), int(match[2]) + 1) if match else range(0)
        found += [each for each in known if each.isascii() and each.isdigit() and int(each) in ends] or [name]
    return found


def check_known(names: Sequence[str], rows: Any, field: str, noun: str) -> None:
    """Errors: Refused for names that no row of the queryset has in this field."""
    if names:
        known = rows.filter(**{f"{field}__in": names}).values_list(field, flat=True)
        check_names(names, known, noun)


def check_names(names: Sequence[str], known: Iterable[str], noun: str) -> None:
    """Errors: Refused for names that are not known."""
    unknown = sorted(set(names) - set(known))
    if unknown:
        more = f" and {len(unknown) - MOST_NAMED:,} more" if len(unknown) > MOST_NAMED else ""
        listed = ", ".join(f"“{name[:40]}”" for name in unknown[:MOST_NAMED])
        raise Refused(f"The collection has no {noun} {listed}{more}.")
