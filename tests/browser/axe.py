"""Accessibility of pages: `assert_accessible(page)` runs axe-core in the page as it stands."""

from collections.abc import Sequence
from typing import Any, Literal

from django.conf import settings
from playwright.sync_api import Page, ViewportSize

from tests import kept_files

# Colours hang on the scheme and layout on the width, so that two faces show what four would.
FACES: tuple[tuple[Literal["light", "dark"], ViewportSize], ...] = (
    ("light", {"width": 1280, "height": 800}),
    ("dark", {"width": 390, "height": 844}),
)
FOUR_FACES: tuple[tuple[Literal["light", "dark"], ViewportSize], ...] = tuple(
    (scheme, size) for _, size in FACES for scheme in ("light", "dark")
)
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
RULES_OF_LOOKS = {"type": "rule", "values": ["color-contrast", "link-in-text-block", "target-size", "meta-viewport"]}
SMALLEST_TARGET = 32  # pixels; links inside running text are exempt, and places on the picture of a page
SCRIPT = kept_files.text_of(kept_files.AXE).decode()

# All in one call: what the page answers goes through three processes, so that it is lines and not axe's whole report.
FAULTS = """async ([options, smallest, part]) => {
    if (!('axe' in window)) return null;
    // The list brings styles up to date. Chromium without a window may draw no further frame while a dialog is open:
    // that is not waited for in vain.
    const moving = document.getAnimations().filter(each => each instanceof CSSTransition);
    await Promise.race([
      Promise.all(moving.map(each => each.finished.catch(() => null))),
      new Promise(late => setTimeout(late, 1000)),
    ]);
    const {violations} = await axe.run(part ? {include: part} : document, options);
    const faults = violations.map(({id, help, nodes}) =>
      `${id}: ${help}: ${JSON.stringify(nodes.map(node => node.target))}`);
    const seen = (selector, exempt) => [...document.querySelectorAll(selector)]
      .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest(exempt));
    // What can be pressed on its own, by where it is and how large. WCAG's automated rules know no 32 px.
    seen('button, select, summary, input:not([type=hidden], [type=checkbox], [type=radio]), textarea, nav a, a.button',
      '.visually-hidden, .skip-link, .extraction-outline')
      .map(e => ({box: e.getBoundingClientRect(), text: e.outerHTML.slice(0, 120)}))
      .filter(({box}) => box.width > 0 && (box.height < smallest || box.width < smallest))
      .forEach(({box, text}) => faults.push(
        `smaller than ${smallest} px: ${Math.round(box.width)}x${Math.round(box.height)} ${text}`));
    // Fields and progress bars that the browser draws in its own look: its borders, its square corners, its own bar.
    seen('input:not([type=hidden], [type=checkbox], [type=radio], [type=range]), select, textarea, button, progress',
      '.visually-hidden')
      .filter(e => {
        const look = getComputedStyle(e), edge = parseFloat(look.borderTopWidth) > 0;
        return edge && /inset|outset/.test(look.borderTopStyle)
          || e.matches('progress') && look.appearance !== 'none'
          || e.matches('select, textarea') && edge && look.borderTopLeftRadius === '0px';
      })
      .forEach(e => faults.push(`looks like the browser's own: ${e.outerHTML.slice(0, 120)}`));
    const root = document.documentElement;
    return root.scrollWidth > root.clientWidth ? [...faults, 'scrolls sideways'] : faults;
  }"""


def faults_of(page: Page, rules: dict[str, Any] = RULES, part: str = "") -> list[str]:
    """What axe finds in WCAG 2.2 A and AA, targets under 32 px, unstyled fields, and sideways scrolling.

    With the selector of a part, axe looks at this part only.
    Transitions are awaited first, as a colour is halfway to another until then.
    """
    options = {
        "runOnly": rules,
        # Off unless asked for: the one as it is new, the other as it is experimental (WCAG 2.5.3, Label in Name).
        "rules": {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}},
        "preload": False,  # style sheets are fetched for rules that are not among these
        "resultTypes": ["violations"],  # what passed is counted and not described, which takes as long as the rules
    }
    arguments = [options, SMALLEST_TARGET, part]
    page.wait_for_load_state()  # after a click on a link the page may have begun without having a head yet
    found = page.evaluate(FAULTS, arguments)
    if found is None:
        page.add_script_tag(url=settings.STATIC_URL + kept_files.AXE)
        found = page.evaluate(FAULTS, arguments)
    return found


def assert_accessible(page: Page) -> None:
    """Fail on any fault of the page as it stands."""
    faults = faults_of(page)
    assert not faults, f"{page.url}\n" + "\n".join(faults)


def faults_everywhere(page: Page, address: str) -> list[str]:
    """The faults of an address, opened in the face that the page before was left in, then shown in the other.

    Only looks can differ between the faces. A change of size costs as much as half an opened page.
    """
    sizes = [size for _, size in FACES]
    if page.viewport_size not in sizes:
        show(page, *FACES[0])
    page.goto(address)
    return faults_in_both_faces(page, first=sizes.index(page.viewport_size or sizes[0]))


def faults_in_both_faces(
    page: Page, narrow_rules: dict[str, Any] = RULES_OF_LOOKS, part: str = "", *, first: int = 0
) -> list[str]:
    """The faults of a page that was opened in the `first` of FACES, and is then shown in the other."""
    faults = []
    for face in (first, 1 - first):
        if face != first:
            show(page, *FACES[face])
        rules = narrow_rules if face else RULES
        faults += [f"{page.url}, {FACES[face][0]}: {fault}" for fault in faults_of(page, rules, part)]
    return faults


def assert_accessible_in_both_faces(page: Page, part: str = "") -> None:
    """Show the page as it stands wide and light, then narrow and dark, which it stays, and assert both.

    All rules twice: what a script has opened or moved may be another in the narrow page.
    """
    show(page, *FACES[0])
    faults = faults_in_both_faces(page, RULES, part)
    assert not faults, "\n".join(faults)


def show(page: Page, scheme: Literal["light", "dark"], size: ViewportSize) -> None:
    """Show the page in a face."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)


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
OPEN_DIALOGS = "dialog[open]"
CLOSE_DIALOG = f"() => document.querySelector('{OPEN_DIALOGS}').close()"


BOTH_FACES = tuple((*face, rules) for face, rules in zip(FACES, (RULES, RULES_OF_LOOKS), strict=True))
ALL_FACES = tuple((*face, RULES) for face in FOUR_FACES)


def faults_of_dialogs(page: Page, seen: set[str], faces: Sequence[Any] = BOTH_FACES) -> list[str]:
    """The faults of the page's dialogs that are not in `seen`, each opened in these faces; they are added to it.

    The page behind them, which nobody can use meanwhile, is not looked at each time.
    """
    faults = []
    for number, name in enumerate(page.evaluate(DIALOGS)):
        if name in seen:
            continue
        seen.add(name)
        for scheme, size, rules in faces:
            show(page, scheme, size)
            page.evaluate(OPEN_DIALOG, number)
            faults += [
                f"{page.url}, dialog {name}, {scheme}: {fault}" for fault in faults_of(page, rules, OPEN_DIALOGS)
            ]
            page.evaluate(CLOSE_DIALOG)
    return faults


def assert_accessible_everywhere(page: Page, address: str) -> None:
    """Open the address and assert both faces."""
    faults = faults_everywhere(page, address)
    assert not faults, "\n".join(faults)
