"""Accessibility of pages: `assert_accessible(page)` runs axe-core in the page as it stands."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Colours hang on the scheme and layout on the width, so that two faces show what four would.
FACES = (("light", {"width": 1280, "height": 800}), ("dark", {"width": 390, "height": 844}))
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
RULES_OF_LOOKS = {"type": "rule", "values": ["color-contrast", "link-in-text-block", "target-size", "meta-viewport"]}
SMALLEST_TARGET = 32  # pixels; links inside running text are exempt, and places on the picture of a page
SCRIPT = Axe().axe_script

# What can be pressed on its own, by where it is and how large. Covered by nothing of WCAG's automated rules at 32 px.
TARGETS = """smallest => [...document.querySelectorAll(
    'button, select, summary, input:not([type=hidden], [type=checkbox], [type=radio]), textarea, nav a, a.button'
  )].filter(e => e.checkVisibility({visibilityProperty: true}))
    .filter(e => !e.closest('.visually-hidden, .skip-link, .extraction-outline'))
    .map(e => ({box: e.getBoundingClientRect(), text: e.outerHTML.slice(0, 120)}))
    .filter(({box}) => box.width > 0 && (box.height < smallest || box.width < smallest))
    .map(({box, text}) => `${Math.round(box.width)}x${Math.round(box.height)} ${text}`)"""
# Fields and progress bars that the browser draws in its own look: its borders, its square corners, its own bar.
UNSTYLED = """() => [...document.querySelectorAll(
    'input:not([type=hidden], [type=checkbox], [type=radio], [type=range]), select, textarea, button, progress'
  )].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('.visually-hidden'))
    .filter(e => {
      const look = getComputedStyle(e), edge = parseFloat(look.borderTopWidth) > 0;
      return edge && /inset|outset/.test(look.borderTopStyle)
        || e.matches('progress') && look.appearance !== 'none'
        || e.matches('select, textarea') && edge && look.borderTopLeftRadius === '0px';
    }).map(e => e.outerHTML.slice(0, 120))"""
# Chromium without a window may draw no further frame while a dialog is open: that is not waited for in vain.
TRANSITIONS_ENDED = """() => Promise.race([
    new Promise(late => setTimeout(late, 1000)),
    new Promise(requestAnimationFrame).then(() => Promise.all(
      document.getAnimations().filter(each => each instanceof CSSTransition)
        .map(each => each.finished.catch(() => null))
    )),
  ]).then(() => null)"""
SCROLLS_SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def faults_of(page: Page, rules: dict[str, Any] = RULES) -> list[str]:
    """What axe finds in WCAG 2.2 A and AA, targets under 32 px, unstyled fields, and sideways scrolling."""
    options = {
        "runOnly": rules,
        "rules": {"target-size": {"enabled": True}},
        "preload": False,  # style sheets are fetched for rules that are not among these
        "resultTypes": ["violations"],  # what passed is counted and not described, which takes as long as the rules
    }
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    lines = [f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']]}" for each in found]
    lines += [f"smaller than {SMALLEST_TARGET} px: {each}" for each in page.evaluate(TARGETS, SMALLEST_TARGET)]
    lines += [f"looks like the browser's own: {each}" for each in page.evaluate(UNSTYLED)]
    return [*lines, "scrolls sideways"] if page.evaluate(SCROLLS_SIDEWAYS) else lines


def assert_accessible(page: Page) -> None:
    """Fail on any fault of the page as it stands."""
    faults = faults_of(page)
    assert not faults, f"{page.url}\n" + "\n".join(faults)


def faults_everywhere(page: Page, address: str) -> list[str]:
    """The faults of an address, opened wide and light, then made narrow and dark, where only looks can differ."""
    faults = []
    for (scheme, size), rules in zip(FACES, (RULES, RULES_OF_LOOKS), strict=True):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        if scheme == FACES[0][0]:
            page.goto(address)
        page.evaluate(TRANSITIONS_ENDED)  # or a colour is halfway to another
        faults += [f"{address}, {scheme}: {fault}" for fault in faults_of(page, rules)]
    return faults


# Each dialog of a page, named by what it is labelled with and where its script finds it.
DIALOGS = """() => [...document.querySelectorAll('dialog:not([open])')].map(each => [
    each.id, each.dataset.dialog, each.dataset.part, each.getAttribute('aria-labelledby'),
    each.querySelector('h2')?.textContent.trim(),
  ].filter(Boolean).join(' '))"""
# A confirmation has its question from the button that asks it.
OPEN_DIALOG = """number => {
    const dialog = document.querySelectorAll('dialog:not([open])')[number];
    for (const text of dialog.querySelectorAll('[data-text]:empty')) text.textContent = 'Delete it?';
    dialog.showModal();
  }"""
CLOSE_DIALOG = "() => document.querySelector('dialog[open]').close()"


def faults_of_dialogs(page: Page, seen: set[str]) -> list[str]:
    """The faults of the page's dialogs that are not in `seen`, each opened in both faces; they are added to it."""
    faults = []
    for number, name in enumerate(page.evaluate(DIALOGS)):
        if name in seen:
            continue
        seen.add(name)
        for (scheme, size), rules in zip(FACES, (RULES, RULES_OF_LOOKS), strict=True):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            page.evaluate(OPEN_DIALOG, number)
            page.evaluate(TRANSITIONS_ENDED)
            faults += [f"{page.url}, dialog {name}, {scheme}: {fault}" for fault in faults_of(page, rules)]
            page.evaluate(CLOSE_DIALOG)
    return faults


def assert_accessible_everywhere(page: Page, address: str) -> None:
    """Open the address wide and light, then make it narrow and dark, and assert both."""
    faults = faults_everywhere(page, address)
    assert not faults, "\n".join(faults)
