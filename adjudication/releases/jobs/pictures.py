"""Pictures of the labelling screens as annotators saw them, made by a browser where the server has one.

The page is drawn here and photographed as a file: nobody is signed in, no script runs, nothing is loaded.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from adjudication.releases.jobs.folder import Folder
from adjudication.releases.reads.facts import Pictures
from adjudication.releases.reads.people import Pseudonyms
from adjudication.releases.reads.recipe import Recipe
from annotation.labelling.reads.example import example_screen
from annotation.models import Campaign, Judgment, SubmissionKind

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PNG = b"\x89PNG\r\n\x1a\n"  # how such a file begins
SECONDS = 60  # for one picture
SIZE = "1280,900"
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-device-scale-factor=1.5",  # for print
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def browser() -> str | None:
    """The program: the operator's, else the first one on the PATH; None where there is none or it is switched off."""
    if settings.BROWSER_PROGRAM != "auto":
        return shutil.which(settings.BROWSER_PROGRAM) if settings.BROWSER_PROGRAM else None
    return next(filter(None, map(shutil.which, NAMES)), None)


def write_pictures(recipe: Recipe, people: Pseudonyms, folder: Folder, earlier: Pictures | None = None) -> Pictures:
    """One picture for each campaign that has a labelling screen, or those that are kept."""
    found = Pictures()
    for campaign in recipe.campaigns:
        name = people.slugs[campaign.pk]
        path = f"campaigns/{name}/screen.png"
        picture, missing = (
            _photograph_campaign(campaign, people) if earlier is None else _earlier_picture(earlier, name, path)
        )
        if missing:
            found.missing[name] = missing
        elif picture is not None:
            folder.write(path, [picture], "The labelling screen before a first answer, drawn for this release.")
            found.paths[name] = path
    return found


def _earlier_picture(earlier: Pictures, name: str, path: str) -> tuple[bytes | None, str]:
    file = earlier.folder / path if earlier.folder else None
    return (file.read_bytes() if file and file.is_file() else None), earlier.missing.get(name, "")


def _photograph_campaign(campaign: Campaign, people: Pseudonyms) -> tuple[bytes | None, str]:
    """The picture, or why there is none."""
    program = browser()
    if campaign.kind_object.labelling is None:
        return None, "Its screen is drawn step by step by scripts, so there is no picture of it."
    if not _judged_here(campaign):
        return None, "There is no picture of a screen: nobody judged in Litmus."
    if program is None:
        return None, "There is no picture of its screen: the server had no browser."
    try:
        page = example_screen(campaign, people.without_names)
    except ValueError:  # the storage of static files, about one that was never collected
        return None, "There is no picture of its screen: the files that it is drawn with were not collected."
    if page is None:
        return None, "There is no picture of its screen: no item was assigned to a person."
    picture = photograph(page, program)
    return picture, "" if picture else "There is no picture of its screen: the browser failed to draw it."


def _judged_here(campaign: Campaign) -> bool:
    """Whether a label of a person that counts was not imported."""
    given = Judgment.objects.filter(assignment__item__campaign=campaign, assignment__annotator__kind="human")
    return given.exclude(submission__kind=SubmissionKind.IMPORT).exists()


def photograph(page: str, program: str) -> bytes | None:
    """The page as PNG; None where the browser fails or takes longer than `SECONDS`: the release is whole without it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.html").write_text(page, encoding="utf-8")
        command = [program, *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={SIZE}"]
        command += [f"--screenshot={folder}/page.png", f"file://{folder}/page.html"]
        if os.geteuid() == 0:  # Chromium refuses to run as root with its sandbox; the page has no script
            command.insert(1, "--no-sandbox")
        environment = {"PATH": os.defpath, "HOME": name, "LANG": "C.UTF-8"}
        return _picture_in(folder) if _runs(command, environment) else None


def _runs(command: list[str], environment: dict[str, str]) -> bool:
    """Whether it ended well in time. Its own helpers end with it."""
    quiet = subprocess.DEVNULL
    try:
        child = subprocess.Popen(  # noqa: S603 - the operator names the program
            command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError:
        return False
    try:
        return child.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _picture_in(folder: Path) -> bytes | None:
    """The picture, if it is one."""
    file = folder / "page.png"
    picture = file.read_bytes() if file.is_file() else b""
    return picture if picture.startswith(PNG) else None
