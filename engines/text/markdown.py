"""Guidelines from Markdown to HTML that may be shown: nothing in it is trusted."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import nh3

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
SCHEMES = {"http", "https", "mailto"}
_HEADING = re.compile(r"h[1-6]").fullmatch


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # sixty modules, which a start need not wait for

    return MarkdownIt("commonmark", {"html": False, "typographer": False}).enable(["table", "strikethrough"])


def render_markdown(text: str, *, headings_from: int = 2) -> str:
    """Safe HTML of a Markdown text. HTML in the text is shown as text; images are left out (the CSP forbids them).

    The topmost headings become level `headings_from` and none skips a level, so that the page's own outline stays
    whole whatever levels the text uses.
    """
    parser = _parser()
    tokens = parser.parse(text)
    _fit_headings([token for token in tokens if _HEADING(token.tag)], headings_from)
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="noopener noreferrer nofollow"
    )


def _fit_headings(tokens: list[Token], top: int) -> None:
    """Shift the levels of heading tokens (openings and closings in turn) in place."""
    levels = [int(token.tag[1]) for token in tokens]
    shift = top - min(levels, default=1)
    before = top - 1
    for token, level in zip(tokens, levels, strict=True):
        before = min(level + shift, before + (token.nesting > 0), 6)
        token.tag = f"h{before}"
