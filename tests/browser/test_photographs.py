"""Photographs of every page of the access table, wide and narrow, light and dark, with its height, controls and words.

Only where `LITMUS_PHOTOGRAPHS` names a folder (`make photographs`): somebody looks at the pictures, no assertion can.
"""

import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.access_table import ROLES
from tests.access_walk import path_of
from tests.access_world import make_world
from tests.browser.axe import show
from tests.browser.test_accessibility import LINES, reader_of, shows_page
from tests.conftest import sign_in

FOLDER = os.environ.get("LITMUS_PHOTOGRAPHS", "")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not FOLDER, reason="make photographs, for somebody who looks at them"),
]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})
# What a page asks of a reader: its height in pixels; what can be pressed or filled in; its words without those of
# folded parts; how far down its heading stands.
FIGURES = """() => ({
  heading: document.querySelector('h1')?.textContent.trim() ?? '',
  height: document.documentElement.scrollHeight,
  controls: [...document.querySelectorAll('a[href], button, select, summary, textarea, input:not([type=hidden])')]
    .filter(each => each.checkVisibility()).length,
  words: (document.body.innerText.match(/\\S+/g) ?? []).length,
  top: Math.round(document.querySelector('h1')?.getBoundingClientRect().top ?? 0),
})"""


def photographs(page: Page, name: str) -> dict[str, object]:
    """Pictures of the page in all faces; the figures of the wide and light one."""
    figures = {}
    for size, scheme in product(SIZES, SCHEMES):
        show(page, scheme, size)
        if not figures:
            figures = page.evaluate(FIGURES)
        page.screenshot(path=Path(FOLDER) / f"{name}-{size['width']}-{scheme}.png", full_page=True)
    return figures


@pytest.mark.timeout(3600)
def test_photographs(new_page: Callable[..., Page], live_server: object) -> None:
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    world, page, figures = make_world(), new_page(), {}
    for role in ROLES:
        page.context.clear_cookies()
        if (user := world.user(role)) is not None:
            sign_in(page.context, user, str(live_server))
        for line in LINES:
            if reader_of(line) == role:
                show(page, SCHEMES[0], SIZES[0])
                if shows_page(page, path_of(line, world)):
                    name = line.name if line.name not in figures else f"{line.name}-{len(figures)}"
                    figures[name] = photographs(page, name)
    (Path(FOLDER) / "figures.json").write_text(json.dumps(figures, indent=1))
    assert len(figures) > 140
