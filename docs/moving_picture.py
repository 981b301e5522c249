"""Take the moving picture of README: somebody judges in a demo that runs, by keys.

    litmus up --demo --port 8000  with the demo, which nobody has changed
    python -m docs.moving_picture.py http://localhost:8000

It is written to docs/pictures/judging.webp. The judgments that are made for it stay in the demo.
"""

import io
import shutil
import sys

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from docs.pictures import PLACE, sign_in

SIZE: ViewportSize = {"width": 1080, "height": 680}
WIDTH = 860  # of the picture
KEYS = "201021"
SHOWN = 1500  # milliseconds for each abstract
QUALITY = 58


def main() -> int:
    """Take it; the exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__ or "")
        return 2
    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
        sign_in(page, sys.argv[1], "ada")
        page.goto(f"{sys.argv[1]}/c/demo/campaigns/main-round/label/")
        frames = _judge(page)
        chromium.close()
    file = PLACE / "judging.webp"
    first, *more = frames
    first.save(file, "WEBP", save_all=True, append_images=more, duration=SHOWN, loop=0, quality=QUALITY, method=6)
    sys.stdout.write(f"{file.name} {len(frames)} frames, {file.stat().st_size:,} bytes\n")
    return 0


def _judge(page: Page) -> list[Image.Image]:
    """What is shown before, between and after the judgments."""
    found = []
    for key in (*KEYS, ""):
        page.wait_for_load_state("networkidle")
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        found.append(picture.resize((WIDTH, WIDTH * SIZE["height"] // SIZE["width"]), Image.Resampling.LANCZOS))
        if key:
            page.keyboard.press(key)
            page.wait_for_timeout(400)
    return found


if __name__ == "__main__":
    sys.exit(main())
