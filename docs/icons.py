"""Draw the icons of browsers and phones from the one drawing, static/img/litmus.svg: `python docs/icons.py`.

favicon.ico for browsers that know no SVG and for shortcuts of Windows; apple-touch-icon.png for iOS, which rounds the
corners itself and shows no transparency; icon-192.png and icon-512.png for Android and Chromium, and icon-mask.png,
whose drawing stays inside the circle of 80% that Android may cut out.
"""

import io
import shutil
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

PLACE = Path(__file__).parent.parent / "static" / "img"
PAPER = "#faf8f4"  # as --paper of static/css/base.css in light
ICO_SIZES = (16, 32, 48)


@dataclass(frozen=True)
class Icon:
    """A square picture; `share` of its width is the drawing, `ground` what lies behind it."""

    name: str
    size: int
    share: float = 1.0
    ground: str = "transparent"


ICONS = (
    Icon("apple-touch-icon.png", 180, 0.85, PAPER),
    Icon("icon-192.png", 192),
    Icon("icon-512.png", 512),
    Icon("icon-mask.png", 512, 0.7, PAPER),
)


def draw(page: Page, icon: Icon) -> bytes:
    """The icon as PNG."""
    drawing = (PLACE / "litmus.svg").read_text(encoding="utf-8")
    page.set_viewport_size({"width": icon.size, "height": icon.size})
    page.set_content(
        f"<style>body{{margin:0;height:100vh;display:grid;place-items:center;background:{icon.ground}}}"
        f"svg{{width:{100 * icon.share:g}vw;height:auto}}</style>{drawing}"
    )
    return page.screenshot(omit_background=True)


def _small(png: bytes) -> bytes:
    """The picture with a table of colours, which takes a tenth of the bytes."""
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).quantize(64, method=Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> None:
    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = chromium.new_page()
        for icon in ICONS:
            (PLACE / icon.name).write_bytes(_small(draw(page, icon)))
        drawn = [Image.open(io.BytesIO(draw(page, Icon("favicon.ico", size)))) for size in ICO_SIZES]
        drawn[-1].save(PLACE / "favicon.ico", sizes=[each.size for each in drawn], append_images=drawn[:-1])
        chromium.close()


if __name__ == "__main__":
    main()
