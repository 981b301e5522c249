"""Pictures of the labelling screen in releases: taken by the real browser, without names and answers, made once."""

import json
import re
import struct

import pytest

from adjudication.releases.jobs.pictures import photograph
from adjudication.releases.jobs.verifying import verify_release
from annotation.labelling.reads.example import example_screen
from annotation.models import Guideline
from tests.adjudication.releases.releasing import PEOPLE, files_of, freeze, text
from tests.conftest import chromium_path
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db

PICTURE = "campaigns/main/screen.png"
NO_BROWSER = "There is no picture of its screen: the server had no browser."
DRAWN = {b"IHDR", b"sRGB", b"IDAT", b"IEND"}  # none of them holds text


def chunks(png: bytes) -> set[bytes]:
    """The kinds of the parts of a PNG file."""
    found, at = set(), 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.add(png[at + 4 : at + 8])
        at += length + 12
    return found


@pytest.fixture
def guided(built: Built) -> Built:
    body = "## How to judge\n\nAsk Zebulon where **steam** is unclear. <script>alert(1)</script>"
    Guideline.objects.create(
        campaign=built.campaign, version=2, body=body, created_at=AT, created_by=built.people["manager"]
    )
    return built


@pytest.mark.browser
def test_the_browser_takes_them_once(guided: Built, settings) -> None:
    settings.BROWSER_PROGRAM = chromium_path()
    release = freeze(guided)
    for anonymous in (False, True):
        png = (release.variant(anonymous=anonymous) / PICTURE).read_bytes()
        assert struct.unpack(">II", png[16:24]) == (1920, 1350)
        assert chunks(png) <= DRAWN
        for name in ("REVIEWERS.md", "REVIEWERS.tex"):
            assert PICTURE in text(release, name, anonymous=anonymous)
    settings.BROWSER_PROGRAM = ""  # made again elsewhere, the same pictures are taken
    found = verify_release(release.variant(anonymous=False))
    assert (found.is_ok, found.remade, found.reasons) == (True, True, [])
    (release.variant(anonymous=False) / PICTURE).write_bytes(png + b"x")
    assert verify_release(release.variant(anonymous=False)).changed == [PICTURE]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "reason"),
    [("", NO_BROWSER), ("false", "There is no picture of its screen: the browser failed to draw it.")],
)
def test_without_a_browser_the_appendix_says_so(guided: Built, settings, program: str, reason: str) -> None:
    settings.BROWSER_PROGRAM = program
    release = freeze(guided)
    assert PICTURE not in files_of(release.variant(anonymous=False))
    assert reason in text(release, "REVIEWERS.md")
    assert json.loads(text(release, "manifest.json"))["without_picture"] == {"main": reason}
    settings.BROWSER_PROGRAM = chromium_path() or ""  # made again where there is one, it still has none
    assert verify_release(release.variant(anonymous=False)).remade is True


def test_a_browser_that_hangs_is_ended(settings, monkeypatch, tmp_path) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nsleep 600\n")
    program.chmod(0o755)
    monkeypatch.setattr("adjudication.releases.jobs.pictures.SECONDS", 0.2)
    assert photograph("<p>Hello</p>", str(program)) is None


def test_the_page_holds_nothing_of_anybody(guided: Built) -> None:
    """As it was before the first answer: no answer, note, name or script, and nothing that a browser would load."""
    page = example_screen(guided.campaign, lambda found: found.replace("Zebulon", "A1234567"))
    assert page is not None
    assert "A1234567 where" in page
    lower = page.lower()
    assert not [name for name in (*PEOPLE, "@example", "<script", "<link", "@import", 'src="/') if name in lower]
    assert re.findall(r'name="[0-9]+-answer-[^>]*>', page)
    assert not re.findall(r'name="[0-9]+-answer-[^>]*checked', page)
    assert "default-src 'none'" in page
    assert "doc-" in page
