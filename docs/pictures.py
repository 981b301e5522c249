"""Take the pictures of the documentation from a demo that runs, in light and dark.

    litmus up --demo --port 8000      a demo that nobody has changed
    python docs/pictures.py http://localhost:8000

Each is written to docs/pictures/NAME-light.webp and NAME-dark.webp; pages name the light one (docs/hooks.py).
"""

import io
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

PLACE = Path(__file__).parent / "pictures"
SIZE: ViewportSize = {"width": 1180, "height": 760}
PASSWORD = "taste-litmus"  # noqa: S105 - of the demo, printed at every start
QUALITY = 82


@dataclass(frozen=True)
class Picture:
    """A page of the demo as one of its people sees it, where `link` leads; `part` is cut out, else the window."""

    name: str
    person: str
    path: str
    part: str = ""
    link: str = ""


PICTURES = (
    Picture("judging", "ada", "/c/demo/campaigns/main-round/label/"),
    Picture("rating", "ada", "/c/demo/campaigns/questions/label/"),
    Picture("extraction", "ada", "/c/demo/campaigns/citation-contexts/extractions/", link="Second Readers"),
    Picture("imports", "maria", "/c/demo/imports/"),
    Picture("new-campaign", "maria", "/c/demo/campaigns/new/"),
    Picture("assignment", "maria", "/c/demo/campaigns/main-round/assignment/"),
    Picture("agreement", "maria", "/c/demo/campaigns/trial-round/agreement/"),
    Picture("adjudication", "adam", "/c/demo/campaigns/trial-round/adjudication/"),
    Picture("machine", "maria", "/c/demo/campaigns/main-round/machines/new/"),
    Picture("new-release", "maria", "/c/demo/releases/new/"),
)


def main() -> int:
    """Take all pictures; the exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__ or "")
        return 2
    PLACE.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for person in dict.fromkeys(each.person for each in PICTURES):
            page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
            sign_in(page, sys.argv[1], person)
            for each in PICTURES:
                if each.person == person:
                    _take(page, sys.argv[1], each)
            page.close()
        chromium.close()
    return 0


def sign_in(page: Page, address: str, person: str) -> None:
    page.goto(f"{address}/accounts/login/")
    page.locator("input[name=login]").fill(f"{person}@litmus.example")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(lambda url: "login" not in url)


def _take(page: Page, address: str, picture: Picture) -> None:
    page.goto(f"{address}{picture.path}")
    if picture.link:
        page.get_by_role("link", name=picture.link).click()
    page.wait_for_load_state("networkidle")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        page.mouse.move(0, 0)
        taken = (page.locator(picture.part) if picture.part else page).screenshot()
        file = PLACE / f"{picture.name}-{scheme}.webp"
        Image.open(io.BytesIO(taken)).convert("RGB").save(file, "WEBP", quality=QUALITY, method=6)
        sys.stdout.write(f"{file.name} {file.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    sys.exit(main())
