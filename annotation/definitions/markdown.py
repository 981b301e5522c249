"""Guidelines from Markdown to HTML that may be shown: nothing in it is trusted."""

from __future__ import annotations

import re

import nh3
from markdown_it import MarkdownIt

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
SCHEMES = {"http", "https", "mailto"}
_HEADING = re.compile(r"h[1-6]").fullmatch

_parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable(["table", "strikethrough"])


def render_markdown(text: str, *, headings_from: int = 2) -> str:
    """Safe HTML of a Markdown text. HTML in the text is shown as text; images are left out (the CSP forbids them).

    Headings start at level `headings_from`, so that the page's own outline stays whole.
    """
    tokens = _parser.parse(text)
    for token in tokens:
        if _HEADING(token.tag):
            token.tag = f"h{min(6, int(token.tag[1]) + headings_from - 1)}"
    html = _parser.renderer.render(tokens, _parser.options, {})
    return nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="noopener noreferrer nofollow"
    )
