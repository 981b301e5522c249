"""The components that pages are made of, in all templates without `{% load %}`; the page Style shows them."""

import re
from collections.abc import Container, Iterable
from typing import Any

from django import template
from django.forms import BaseForm, BoundField
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from accounts.counting import counted

register = template.Library()

Shown = dict[str, Any]  # what a template gets
FEW = 10  # rows below which a list is neither filtered nor sorted
KEY = re.compile(r"(?<![^\s,–])(?!or\b|…)[^\s,–]+")


@register.simple_block_tag
def page_head(content: str, heading: object, lead: object = "", look: str = "measure", word: str = "") -> SafeString:
    """The heading of a page with what the page is for; the content are the buttons next to it.

    `word` is one of the glossary that the page is about.
    """
    shown = {"heading": heading, "lead": lead, "look": look, "word": word, "content": content}
    return render_to_string("_page_head.html", shown)


@register.simple_tag
def term(word: str, shown: str = "") -> SafeString:
    """A word of the documentation's glossary, linked to what it means there.

    `shown` is the form in which the sentence has it; without one the link asks what it is.
    """
    address = reverse("documentation_page", kwargs={"path": "glossary/"})
    question = f"What is {'an' if word[0] in 'aio' else 'a'} {word}?"
    return format_html('<a class="term" href="{}#{}">{}</a>', address, word, shown or question)


@register.simple_block_tag
def section(content: str, key: str, heading: object, look: str = "stack tight", anchor: str = "") -> SafeString:
    """A part of a page that is named by its heading, whose id is `key` and "-heading"; anchor is its own id."""
    shown = {"key": key, "heading": heading, "look": look, "anchor": anchor, "content": content}
    return render_to_string("_section.html", shown)


@register.simple_block_tag
def folded(content: str, key: str, heading: object, *, is_open: object = False) -> SafeString:
    """A part of a page that is read on demand. A link to the id `key` unfolds it: browsers reveal what they go to."""
    return render_to_string("_folded.html", {"key": key, "heading": heading, "is_open": is_open, "content": content})


@register.simple_block_tag
def empty_state(content: str, heading: object, level: int = 2, overline: object = "") -> SafeString:
    """Says that there is nothing; the content says why and what to do next. On a page of nothing else, level is 1."""
    shown = {"heading": heading, "level": level, "overline": overline, "content": content}
    return render_to_string("_empty_state.html", shown)


@register.inclusion_tag("_nothing.html")
def nothing(
    heading: object, text: object, button: str = "", view: str = "", *args: Any, look: str = "", may: object = True
) -> Shown:
    """An empty state of one sentence, with a button that leads to a view for those who may."""
    shown = {"heading": heading, "text": text, "look": look}
    return shown | ({"button": button, "address": reverse(view, args=args)} if view and may else {})


@register.simple_tag
def link_button(
    label: object, view: str, *args: Any, look: str = "", may: object = True, **attributes: object
) -> SafeString | str:
    """A link to a view that looks like a button, for those who may; look is "primary", "quiet" or "primary large"."""
    if not may:
        return ""
    shown = {"class": f"button {look}".strip(), "href": reverse(view, args=args)} | attributes
    return format_html("<a{}>{}</a>", _attributes(shown), label)


@register.inclusion_tag("_refused_button.html")
def refused_button(label: object, reason: str, key: str, look: str = "") -> Shown:
    """A button that cannot be pressed now, with the reason next to it as text and a link to what mends it.

    A `Reason` has that link. `key` is unique on the page.
    """
    return {"label": label, "reason": reason, "key": slugify(key), "look": look}


@register.inclusion_tag("_alert.html")
def alert(look: str, text: object) -> Shown:
    """A notice; look is ok, info, warn or bad."""
    return {"look": look, "text": text}


@register.simple_block_tag
def tabular(content: str, *headings: str, look: str = "folds", caption: object = "", title: object = "") -> SafeString:
    """A table with these columns (see `columns`), as wide as it needs; the content are its rows.

    `title` is a caption for screen readers alone. Without columns the content is all that is in the table.
    """
    shown = {"columns": _columns(headings), "look": look, "caption": caption, "title": title, "content": content}
    return render_to_string("_tabular.html", shown)


@register.inclusion_tag("_columns.html")
def columns(*headings: str) -> Shown:
    """The head of a table. "#Topics" is a column of numbers, "(Remove)" a heading for screen readers alone, "" none."""
    return {"columns": _columns(headings)}


def _columns(headings: Iterable[str]) -> list[tuple[SafeString, str]]:
    """Label and look of each column."""
    found = []
    for text in map(conditional_escape, filter(None, headings)):
        if text.startswith("#"):
            found.append((mark_safe(text[1:]), "num"))  # noqa: S308 - escaped
        elif text.startswith("("):
            hidden = mark_safe(text[1:-1])  # noqa: S308 - escaped
            found.append((format_html('<span class="visually-hidden">{}</span>', hidden), ""))
        else:
            found.append((text, ""))
    return found


@register.simple_block_tag(takes_context=True)
def post(context: template.Context, content: str, view: str = "", *args: Any, **attributes: object) -> SafeString:
    """A form that is sent to a view (without one to the page's own), with the token against forgery.

    Attributes are named as in `class="row"` and `aria_label="Topics"`.
    """
    named = {"class": attributes.pop("class", None), "method": "post", "enctype": attributes.pop("enctype", None)}
    named |= {"action": reverse(view, args=args) if view else None} | attributes
    given = {"attributes": _attributes(named), "content": content, "csrf_token": context.get("csrf_token")}
    return render_to_string("_post.html", given)


def _attributes(named: Shown) -> SafeString:
    """The attributes that have a value, as HTML; of True only the name is written, as in `download`."""
    shown = ((name.replace("_", "-"), each) for name, each in named.items() if each)
    parts = [format_html(" {}", name) if each is True else format_html(' {}="{}"', name, each) for name, each in shown]
    return mark_safe("".join(parts))  # noqa: S308 - escaped


@register.inclusion_tag("_submit.html")
def submit(
    label: object, back: object = "", view: str = "", *args: Any, look: str = "primary", when_dry: object = ""
) -> Shown:
    """The row of buttons below a form: the one that sends it, and the way back to a view.

    `when_dry` is its label while the form's box for a dry run is ticked.
    """
    address = view and reverse(view, args=args)
    return {"label": label, "back": back, "address": address, "look": look, "when_dry": when_dry}


@register.inclusion_tag("_field_list.html")
def fields(form: BaseForm | Iterable[BoundField], names: str = "", but: Container[str] = ()) -> Shown:
    """Fields with their labels, help and errors: those named, or all `but` some."""
    found = [form[name] for name in names.split()] if isinstance(form, BaseForm) and names else form
    return {"fields": [each for each in found if each.name not in but]}


@register.filter
def is_marked_optional(field: BoundField) -> bool:
    """Whether “(optional)” helps: some field of the form must be filled in, and this one can be left empty."""
    needed = field.field.required or getattr(field.field, "is_needed", False)
    if needed or _is_choice(field):
        return False
    return any(each.field.required and not _is_choice(each) for each in field.form.visible_fields())


def _is_choice(field: BoundField) -> bool:
    """A list to choose from always has a value."""
    return field.widget_type == "select"


@register.inclusion_tag("_row_field.html")
def row_field(field: BoundField, look: str = "", *, with_errors: bool = False) -> Shown:
    """A field with its label alone, as filters in a row have it; look is "grow" for one that takes what is left."""
    return {"field": field, "look": look, "with_errors": with_errors}


@register.inclusion_tag("_select.html")
def choose(
    field_id: str,
    label: str,
    name: str,
    choices: Iterable[Any],
    chosen: object = "",
    *,
    by: str = "pk",
    **shown: object,
) -> Shown:
    """A choice in a form of filters, among pairs of value and words, things named `by` a field of theirs, or words.

    `none` are the words for no choice; `at_once` sends the form with each choice; `look` as of `row_field`.
    """
    pairs = [each if isinstance(each, (tuple, list)) else (getattr(each, by, each), each) for each in choices]
    marked = [(value, words, chosen in (value, words)) for value, words, *_ in pairs]
    return {"id": field_id, "label": label, "name": name, "choices": marked, **shown}


@register.simple_block_tag(takes_context=True)
def filters(
    context: template.Context,
    content: str,
    label: str,
    count: int | None = None,
    *,
    active: object = False,
    clear: str = "?",
) -> SafeString | str:
    """The filters of a list, which apply as soon as one changes and stand in the address; the content are the fields.

    None below FEW rows unless one is `active`. `count` are the rows found, None where they were not counted; `clear` is
    the address without filters.
    """
    if not active and count is not None and count < FEW:
        return ""
    found = "" if count is None else f"{counted(count, 'row')} found"
    shown = {"label": label, "active": active, "clear": clear, "path": context["request"].path, "content": content}
    shown["found"] = found  # which static/js/lists.js reads out
    return render_to_string("_filters.html", shown)


@register.inclusion_tag("_opener.html")
def opener(key: str, pk: int, name: object) -> Shown:
    """The cell with the button that shows a row of a `dense` table whole, and the row of details below it.

    `key`, "-" and `pk` are the id of what it shows: the row itself, or its details (see `more`).
    """
    return {"key": f"{key}-{pk}", "name": name}


@register.simple_block_tag
def more(content: str, key: str, pk: int, columns: int) -> SafeString:
    """The details of the row above, which its `opener` shows; without scripts they are always shown."""
    return render_to_string("_more.html", {"key": f"{key}-{pk}", "columns": columns, "content": content})


@register.inclusion_tag("_to_copy.html")
def to_copy(key: str, name: str, text: str, rows: int = 10, of: str = "") -> Shown:
    """A text to take along in a box of this id, with a button that copies it; `of` is what it belongs to."""
    return {"key": key, "name": name, "text": text, "rows": rows, "of": of}


@register.inclusion_tag("_keys.html")
def keys(names: str, text: object, look: str = "") -> Shown:
    """An entry of a list of keys: "J K or ↓ ↑" and what they do; look is "pair" without an element around the two."""
    pressed = KEY.sub(lambda key: f"<kbd>{key[0]}</kbd>", conditional_escape(names))
    return {"keys": mark_safe(pressed), "text": text, "is_wrapped": look != "pair"}  # noqa: S308 - escaped
