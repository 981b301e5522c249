"""How templates are written: components by their tags, and grammar in Python."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "templates"
PAGES = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.html"))}
# By the tags empty_state or nothing, and link_button; what leads to a view with more to its address is written out.
BY_TAGS = {
    "_empty_state.html": r'<div class="empty"',
    "_nothing.html": r'<a\s+class="button[^"{]*"\s+href="{% url [^%]* %}"(?: download)?>[^<{]*</a>',
}


@pytest.mark.parametrize(("component", "written_out"), BY_TAGS.items())
def test_components_are_written_by_their_tags(component: str, written_out: str) -> None:
    assert len(PAGES) > 300
    assert not [
        (name, match[0])
        for name, text in PAGES.items()
        if name != component
        for match in re.finditer(written_out, text)
    ]
