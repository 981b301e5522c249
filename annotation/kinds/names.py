"""Names in choices must be in the collection: an unknown one would silently choose nothing, or too much."""

from collections.abc import Iterable, Sequence
from typing import Any

from accounts.refusals import Refused

MOST_NAMED = 5  # unknown names that a refusal repeats


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
