"""Tables: headings that sort, boxes that pick rows, and what can be done with them."""

from typing import Any

from django import template
from django.template import Engine
from django.utils.safestring import SafeString

from accounts.templatetags.components import FEW
from corpus.tables import MOST, Table

register = template.Library()


@register.inclusion_tag("corpus/templatetags/_table_head.html", takes_context=True)
def table_head(
    context: template.Context, table: Table, before: str = "", after: str = "", *, count: int | None = None
) -> dict[str, Any]:
    """The row of headings; `before` and `after` name further columns of the page, for screen readers.

    They sort from FEW rows on; `count` are the rows on all pages, None where they were not counted.
    """
    is_sortable = count is None or count >= FEW or bool(table.sort)
    columns = [(column, _next_sort(table, column.key), _direction(table, column.key)) for column in table.headings]
    shown = {"table": table, "columns": columns, "is_sortable": is_sortable, "before": before, "after": after}
    return shown | {"request": context["request"]}


@register.simple_block_tag(takes_context=True)
def sorted_table(
    context: template.Context,
    content: str,
    table: Table,
    before: str = "",
    after: str = "",
    *,
    count: int | None = None,
) -> SafeString:
    """A table of one line a row below its headings (see `table_head`); the content are its rows."""
    shown = table_head(context, table, before, after, count=count) | {"content": content}
    return Engine.get_default().get_template("corpus/templatetags/_sorted_table.html").render(context.new(shown))


@register.inclusion_tag("corpus/templatetags/_table_pick.html")
def table_pick(table: Table, pk: int, name: object) -> dict[str, Any]:
    """The box that picks a row; nothing where no step can be taken."""
    return {"table": table, "pk": pk, "name": name}


@register.inclusion_tag("corpus/templatetags/_table_tools.html", takes_context=True)
def table_tools(context: template.Context, table: Table, count: int | None) -> dict[str, Any]:
    """Below a table of `count` rows on all pages (None: not counted): steps for the rows picked, and the download."""
    request = context["request"]
    hidden = {"table": table, "count": count, "most": MOST, "request": request}
    return hidden | {"csrf_token": context.get("csrf_token")}


@register.inclusion_tag("corpus/templatetags/_table_sort.html")
def table_sort(table: Table) -> dict[str, Any]:
    """For a form of filters: keeps the order, and where a narrow page has no headings lets one choose it."""
    orders = [
        (sign + column.key, f"{column.label} {arrow}")
        for column in table.headings
        if column.order
        for sign, arrow in (("", "↑"), ("-", "↓"))
    ]
    return {"table": table, "orders": orders}


def _next_sort(table: Table, key: str) -> str | None:
    """What a click on the heading asks for: ascending, descending, the usual order."""
    return {key: f"-{key}", f"-{key}": None}.get(table.sort, key)


def _direction(table: Table, key: str) -> str:
    return {key: "ascending", f"-{key}": "descending"}.get(table.sort, "")
