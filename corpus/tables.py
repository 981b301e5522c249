"""Tables of pages: sorted, downloaded and changed in bulk, all by the address. One description for each table.

`?sort=KEY` or `?sort=-KEY` orders the rows, `?as=csv` downloads all of them, and a POST with `step` and `pick` (or
`all`) carries out a step for the rows picked, through the same action as the row's own button.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Expression, F, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect

from accounts.refusals import Conflict, Refused
from engines.formats.csv_text import write_csv

MOST = 1_000  # rows changed at once, each in a separate step
MOST_REASONS = 3  # of refusals, in the message

Cell = Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `cell` gives the value in the file, None for a column of the page alone; `order` the fields to sort by.

    Without a `label` it is a column of the file alone.
    """

    key: str
    label: str = ""
    cell: Cell | None = None
    order: tuple[str | Expression, ...] = ()
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Actions with the rows picked: a verb, the words of its message, and an action.

    `act` takes one row. `together`, where it is quicker, takes all of them, returns how many were changed and raises
    Refused for none; `rest` says why others were left out.
    """

    key: str
    label: str
    done: str
    act: Callable[[Any], object]
    confirm: str = ""
    together: Callable[[Sequence[Any]], int] | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as one request shows it: `name` of the file, columns, and the steps that the person may take."""

    name: str
    columns: tuple[Column, ...]
    steps: tuple[Step, ...] = ()
    sort: str = ""  # key of a column, with "-" before it where the order is reversed; "" for the usual order

    @property
    def headings(self) -> list[Column]:
        return [column for column in self.columns if column.label]

    def ordered(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows in the table's order; equal ones in a fixed order, rows without a value last."""
        column = next((each for each in self.columns if each.key == self.sort.removeprefix("-")), None)
        if column is None:
            return rows
        terms = [F(each) if isinstance(each, str) else each for each in column.order]
        if self.sort.startswith("-"):
            return rows.order_by(*(term.desc(nulls_last=True) for term in terms), "-pk")
        return rows.order_by(*(term.asc(nulls_last=True) for term in terms), "pk")

    def download(self, rows: Iterable[Any]) -> StreamingHttpResponse:
        """All rows as CSV, line by line; no cell is taken for a formula."""
        columns = [column for column in self.columns if column.cell]
        cells = ([column.cell(row) for column in columns if column.cell] for row in rows)
        return csv_response(self.name, [column.key for column in columns], cells)

    def carry_out(self, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse:
        """Take a step with the rows picked; each succeeds or is refused for itself. Back to the page as it was."""
        step = next((each for each in self.steps if each.key == request.POST.get("step")), None)
        if step is None:
            messages.error(request, "Choose what to do with the rows.")
        else:
            _carry_out(request, step, rows)
        return redirect(request.get_full_path())


def read_table(request: HttpRequest, name: str, columns: Sequence[Column], steps: Sequence[Step] = ()) -> Table:
    """The table with the order that the address asks for; an unknown one is the usual order."""
    sort = request.GET.get("sort", "")
    known = {column.key for column in columns if column.order}
    return Table(name, tuple(columns), tuple(steps), sort if sort.removeprefix("-") in known else "")


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """The rows as a file `name`.csv, line by line; no cell is taken for a formula."""
    response = StreamingHttpResponse(write_csv(header, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def wants_file(request: HttpRequest) -> bool:
    return request.method in ("GET", "HEAD") and request.GET.get("as") == "csv"


def _carry_out(request: HttpRequest, step: Step, rows: QuerySet[Any]) -> None:
    if not request.POST.get("all"):
        rows = rows.filter(pk__in=[int(pk) for pk in request.POST.getlist("pick") if pk.isdecimal() and len(pk) < 19])
    found = list(rows[: MOST + 1])
    if not found:
        messages.error(request, "No rows are selected. Select some first.")
        return
    if len(found) > MOST:
        messages.error(request, f"More than {MOST:,} rows are selected. Filter the list and do it in parts.")
        return
    refused = _together(step.together, step.rest, found) if step.together else _one_by_one(step.act, found)
    if done := len(found) - refused.total():
        messages.success(request, f"{step.done}: {done:,}.")
    if refused.total():
        messages.warning(request, f"Not done for {refused.total():,}. {_reasons(refused)}")


def _one_by_one(act: Callable[[Any], object], rows: Sequence[Any]) -> Counter[str]:
    """Why rows were left as they are, and how many for each reason."""
    refused: Counter[str] = Counter()
    for row in rows:
        try:
            with transaction.atomic():
                act(row)
        except (Refused, Conflict) as refusal:
            refused[refusal.reason] += 1
    return refused


def _together(act: Callable[[Sequence[Any]], int], rest: str, rows: Sequence[Any]) -> Counter[str]:
    """Why rows were left as they are, and how many, where one action takes all rows."""
    try:
        return Counter({rest: len(rows) - act(rows)})
    except (Refused, Conflict) as refusal:
        return Counter({refusal.reason: len(rows)})


def _reasons(refused: Counter[str]) -> str:
    several = len(refused) > 1
    texts = [f"{reason} ({count:,})" if several else reason for reason, count in refused.most_common(MOST_REASONS)]
    return " ".join(texts) + (" There are other reasons too." if len(refused) > MOST_REASONS else "")
