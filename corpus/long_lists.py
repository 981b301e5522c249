"""Lists that may be too long to be counted while a page is made.

Up to MOST_COUNTED rows are counted, and their pages are numbered. A longer list goes on by key: `?after=KEY` begins
after the row with that key, `?before=KEY` ends before it. No page of it costs more than another.

Where a condition has to be checked row by row, at most LOOKED_AT of the rows are checked for a page: it shows the rows
found there, and the next page looks further.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

MOST_COUNTED = 10_000
LOOKED_AT = 50_000
STEPS = (500, 5_000, LOOKED_AT)  # rows looked at until a page is full
BETWEEN = "_"  # the parts of a key in an address
LONGEST_ID = 18  # digits
MOST_ID = 2**63 - 1
Span = tuple[int, int]  # ids above the first, up to the second


class NumberedPage(Page[Any]):
    """A page of a list that was counted."""

    is_keyed = False
    leads_on = False

    @property
    def count(self) -> int:  # type: ignore[override] # of rows on all pages; `Sequence` has one of equal elements
        return self.paginator.count

    @property
    def count_of_all(self) -> int:
        return self.count

    @property
    def count_text(self) -> str:
        return f"{self.count:,}"


class _Counted(Paginator):
    def __init__(self, rows: QuerySet[Any, Any], per_page: int, count: int) -> None:
        super().__init__(rows, per_page)
        self.count = count  # takes the place of the cached property, which would count again

    def _get_page(self, *args: Any, **kwargs: Any) -> NumberedPage:
        return NumberedPage(*args, **kwargs)


@dataclass(frozen=True)
class KeyedPage:
    """A page of a list that is too long to be counted, with the keys of its first and last row."""

    object_list: Sequence[Any]
    first_key: str
    last_key: str
    has_previous: bool
    has_next: bool
    looked_at: int | None = None  # the number of rows that were checked; None where the rows are simply the next ones

    is_keyed = True

    @property
    def count(self) -> int:
        """The rows on all pages, at least."""
        return MOST_COUNTED + 1 if self.looked_at is None else len(self.object_list)

    @property
    def leads_on(self) -> bool:
        """Whether there are other pages."""
        return self.has_previous or self.has_next

    @property
    def count_of_all(self) -> int | None:
        """The rows on all pages, None where they were not counted."""
        return None if self.leads_on or self.looked_at is None else self.count

    @property
    def count_text(self) -> str:
        if self.looked_at is None:
            return f"more than {MOST_COUNTED:,}"
        return f"at least {self.count:,}" if self.leads_on else f"{self.count:,}"

    def __iter__(self) -> Iterator[Any]:
        return iter(self.object_list)

    def __len__(self) -> int:
        return len(self.object_list)


def take_page(
    rows: QuerySet[Any, Any],
    query: Mapping[str, str],
    per_page: int,
    key: Sequence[str] = ("pk",),
    ordered: QuerySet[Any, Any] | None = None,
) -> NumberedPage | KeyedPage:
    """The page of `rows` for the `query` of an address; an invalid key gives the first page.

    `key` names the fields that the rows are ordered by, all rising, none of them null, the last one unique; annotations
    where they are fields of other tables. `ordered` are the same rows in the order of the query, for lists that are
    counted: a list that is too long for that is too long to be sorted. Two queries.
    """
    count = count_some(rows)
    if count <= MOST_COUNTED:
        return _Counted(rows if ordered is None else ordered, per_page, count).get_page(query.get("page"))  # type: ignore[return-value]
    after, before = _read_key(query.get("after", ""), key), _read_key(query.get("before", ""), key)
    if before and not after:
        found = list(rows.filter(beyond(key, before, "lt")).reverse()[: per_page + 1])
        if len(found) >= per_page:
            return _page(found[:per_page][::-1], key, has_previous=len(found) > per_page, has_next=True)
    found = list((rows.filter(beyond(key, after, "gt")) if after else rows)[: per_page + 1])
    return _page(found[:per_page], key, has_previous=bool(after), has_next=len(found) > per_page)


def search_page(
    find: Callable[[Span | None], QuerySet[Any, Any]],
    among: QuerySet[Any, Any],
    query: Mapping[str, str],
    per_page: int,
    ordered: QuerySet[Any, Any] | None = None,
) -> NumberedPage | KeyedPage:
    """`take_page` for rows that are found `among` others of the same table, both in the order of their ids.

    `find` gives all such rows, or those with an id above the first number and up to the second.
    """
    if among.order_by("pk").values("pk")[: LOOKED_AT + 1].count() <= LOOKED_AT:
        found = find(None)
        count = found.count()
        return _Counted(found if ordered is None else ordered, per_page, count).get_page(query.get("page"))  # type: ignore[return-value]
    after, before = (_read_key(query.get(name, ""), ["pk"]) for name in ("after", "before"))
    if before and not after:
        return _search_back(find, among, int(before[0]), per_page)
    return _search_on(find, among, int(after[0]) if after else 0, per_page)


def _search_on(
    find: Callable[[Span | None], QuerySet[Any, Any]], among: QuerySet[Any, Any], start: int, per_page: int
) -> KeyedPage:
    found: list[Any] = []
    place, looked_at = start, 0
    for step in STEPS:
        ids = among.filter(pk__gt=place).order_by("pk").values_list("pk", flat=True)
        end = next(iter(ids[step - 1 : step]), None)
        found += find((place, MOST_ID if end is None else end))[: per_page + 1 - len(found)]
        looked_at += step if end is not None else ids.count()
        if end is None or len(found) > per_page:
            break
        place = end
    is_full = len(found) > per_page
    shown = found[:per_page]
    first = _key_of(shown[0], ["pk"]) if shown else str(start + 1)
    last = _key_of(shown[-1], ["pk"]) if is_full else str(place)
    return KeyedPage(
        shown, first, last, has_previous=start > 0, has_next=is_full or end is not None, looked_at=looked_at
    )


def _search_back(
    find: Callable[[Span | None], QuerySet[Any, Any]], among: QuerySet[Any, Any], start: int, per_page: int
) -> KeyedPage:
    found: list[Any] = []
    place, looked_at = start - 1, 0
    for step in STEPS:
        ids = among.filter(pk__lte=place).order_by("-pk").values_list("pk", flat=True)
        end = next(iter(ids[step : step + 1]), None)
        found += find((0 if end is None else end, place)).reverse()[: per_page + 1 - len(found)]
        looked_at += step if end is not None else ids.count()
        if end is None or len(found) > per_page:
            break
        place = end
    is_full = len(found) > per_page
    shown = found[:per_page][::-1]
    first = _key_of(shown[0], ["pk"]) if is_full else str(place + 1)
    last = _key_of(shown[-1], ["pk"]) if shown else str(start - 1)
    return KeyedPage(shown, first, last, has_previous=is_full or end is not None, has_next=True, looked_at=looked_at)


def count_some(rows: QuerySet[Any, Any]) -> int:
    """How many rows there are, MOST_COUNTED + 1 where there are more.

    They are counted in their order, as the page reads them: without it PostgreSQL may join all of two tables first.
    """
    return rows.values("pk")[: MOST_COUNTED + 1].count()


def _page(found: Sequence[Any], key: Sequence[str], *, has_previous: bool, has_next: bool) -> KeyedPage:
    first, last = (_key_of(found[place], key) if found else "" for place in (0, -1))
    return KeyedPage(found, first, last, has_previous, has_next)


def _key_of(row: Any, key: Sequence[str]) -> str:
    """The key as it stands in an address; rows of a flat list of ids are their own."""
    values = [row] if isinstance(row, int) else [getattr(row, name) for name in key]
    return BETWEEN.join(map(repr, values))


def _read_key(text: str, key: Sequence[str]) -> list[float | int]:
    parts = text.split(BETWEEN)
    if len(parts) != len(key) or not (parts[-1].isascii() and parts[-1].isdecimal() and len(parts[-1]) <= LONGEST_ID):
        return []
    try:
        values = [float(part) for part in parts[:-1]]
    except ValueError:
        return []
    return [*values, int(parts[-1])] if all(map(math.isfinite, values)) else []


def beyond(key: Sequence[str], values: Sequence[float | int], way: str) -> Q:
    """Rows after ("gt") or before ("lt") these values, in a form that an index on the first field can use."""
    name, value = key[0], values[0]
    if len(key) == 1:
        return Q(**{f"{name}__{way}": value})
    return Q(**{f"{name}__{way}e": value}) & (Q(**{f"{name}__{way}": value}) | beyond(key[1:], values[1:], way))
