"""Photographs of every page of the access table, wide and narrow, light and dark, with its height, controls and words.

Only where `LITMUS_PHOTOGRAPHS` names a folder (`make photographs`): somebody looks at the pictures, no assertion can.
axe looks at all four faces too, which takes too long for each run of the tests: those see two.
`LITMUS_PHOTOGRAPHS_OF` names the pages for somebody who changed a few: "annotator_list account_*".
"""

import json
import os
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.access_walk import path_of
from tests.access_world import make_world
from tests.browser.axe import ALL_FACES, FOUR_FACES, faults_of, show
from tests.browser.test_accessibility import LINES, READERS, assert_dialogs_accessible, enter, reader_of, shows_page

FOLDER = os.environ.get("LITMUS_PHOTOGRAPHS", "")
CHOSEN = os.environ.get("LITMUS_PHOTOGRAPHS_OF", "").split()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not FOLDER, reason="make photographs, for somebody who looks at them"),
]
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


def photographs(page: Page, name: str, faults: list[str]) -> dict[str, object]:
    """Pictures of the page in all faces; the figures of the wide and light one. What axe finds is added to `faults`."""
    figures = {}
    for scheme, size in FOUR_FACES:
        show(page, scheme, size)
        if not figures:
            figures = page.evaluate(FIGURES)
        page.screenshot(path=Path(FOLDER) / f"{name}-{size['width']}-{scheme}.png", full_page=True)
        faults += [f"{name}, {size['width']}, {scheme}: {fault}" for fault in faults_of(page)]
    return figures


def is_chosen(name: str) -> bool:
    return not CHOSEN or any(fnmatch(name, each) for each in CHOSEN)


@pytest.mark.timeout(3600)
def test_photographs(new_page: Callable[..., Page], live_server: object) -> None:
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    world, page, figures = make_world(), new_page(), {}
    faults: list[str] = []
    for reader in READERS:
        enter(page, reader, world, live_server)
        for line in LINES:
            if reader_of(line) == reader and is_chosen(line.name):
                show(page, *FOUR_FACES[0])
                if shows_page(page, path_of(line, world)):
                    name = line.name if line.name not in figures else f"{line.name}-{len(figures)}"
                    figures[name] = photographs(page, name, faults)
    (Path(FOLDER) / "figures.json").write_text(json.dumps(figures, indent=1))
    assert len(figures) > (0 if CHOSEN else 140)
    if not CHOSEN:
        assert_dialogs_accessible(page, live_server, world, ALL_FACES)
    assert not faults, "\n".join(faults)
