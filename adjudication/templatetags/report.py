"""Words for the keys that figures are stored under, and what is said of many of them."""

import re
from collections.abc import Iterable, Mapping, Sequence

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from adjudication.agreement.repeats import Repeated

register = template.Library()


@register.filter
def named(words: Mapping[str, str], key: str) -> str:
    """The word for this key; the key itself where there is none."""
    return words.get(key, key)


@register.filter
def at(table: Mapping[int, str], key: int) -> str:
    """The entry under a number, "" where there is none."""
    return table.get(key, "")


@register.filter
def lettered(texts: Iterable[str], repeated: Sequence[Repeated]) -> list[Repeated]:
    """Those of the texts that are said once for the whole page."""
    own = set(texts)
    return [each for each in repeated or () if each.text in own]


@register.filter
def unlettered(texts: Iterable[str], repeated: Sequence[Repeated]) -> list[str]:
    """Those of the texts that are said in place."""
    once = {each.text for each in repeated or ()}
    return [text for text in texts if text not in once]


@register.filter
def subscripts(formula: str) -> SafeString:
    """A formula with its indices set low: n_ij as n with a low ij."""
    return mark_safe(re.sub(r"_([A-Za-z0-9]+)", r"<sub>\1</sub>", escape(formula)))  # noqa: S308 - escaped before


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may be broken after each underscore and nowhere else."""
    return mark_safe(escape(name).replace("_", "_<wbr>"))  # noqa: S308 - escaped before
