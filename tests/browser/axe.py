"""Accessibility of pages: `assert_accessible(page)` runs axe-core in the page as it stands."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Colours hang on the scheme and layout on the width, so that two faces show what four would.
FACES = (("light", {"width": 1280, "height": 800}), ("dark", {"width": 390, "height": 844}))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SMALLEST_TARGET = 32  # pixels; links inside running text are exempt

# What can be pressed on its own, by where it is and how large. Covered by nothing of WCAG's automated rules at 32 px.
TARGETS = """smallest => [...document.querySelectorAll(
    'button, select, summary, input:not([type=hidden], [type=checkbox], [type=radio]), textarea, nav a, a.button'
  )].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('.visually-hidden, .skip-link'))
    .map(e => ({box: e.getBoundingClientRect(), text: e.outerHTML.slice(0, 120)}))
    .filter(({box}) => box.width > 0 && (box.height < smallest || box.width < smallest))
    .map(({box, text}) => `${Math.round(box.width)}x${Math.round(box.height)} ${text}`)"""


def assert_accessible(page: Page) -> None:
    """Fail on anything axe finds in WCAG 2.2 A and AA, on targets under 32 px, and on sideways scrolling."""
    options = {
        "runOnly": {"type": "tag", "values": RULES},
        "rules": {"target-size": {"enabled": True}},
        "preload": False,  # style sheets are fetched for rules that are not among these
        "resultTypes": ["violations"],  # what passed is counted and not described, which takes as long as the rules
    }
    found = Axe().run(page, options=options).response["violations"]
    lines = [f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']]}" for each in found]
    assert not lines, f"{page.url}\n" + "\n".join(lines)
    small = page.evaluate(TARGETS, SMALLEST_TARGET)
    assert not small, f"{page.url}: targets smaller than {SMALLEST_TARGET} px:\n" + "\n".join(small)
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), f"{page.url} scrolls sideways"


def assert_accessible_everywhere(page: Page, address: str) -> None:
    """Open the address wide and light, then narrow and dark, and assert both."""
    for scheme, size in FACES:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.goto(address)
        assert_accessible(page)
