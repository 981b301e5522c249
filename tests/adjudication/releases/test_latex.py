"""Every sign that is not written as its number can be set by a TeX with no fonts but the usual ones."""

import shutil
import time

import pytest

from adjudication.releases.jobs.latex import ESCAPED, LATIN, SECONDS, escaped, latex_of, pdf_of

SIGNS = [*ESCAPED, *(sign for sign in map(chr, LATIN) if sign.isprintable())]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here: Debian has texlive-latex-recommended")
def test_every_sign_is_set_and_no_font_is_drawn(settings) -> None:
    settings.TEX_PROGRAM = "pdflatex"
    began = time.monotonic()
    assert (pdf_of(latex_of("# All\n" + "\n".join(SIGNS))) or b"").startswith(b"%PDF")
    assert time.monotonic() - began < SECONDS / 2


def test_pictures_are_those_of_the_release_alone() -> None:
    lines = "![Theirs](../../secret/screen.png)\n![Ours](campaigns/main/screen.png)"
    found = latex_of(lines, ["campaigns/main/screen.png"])
    assert found.count(r"\includegraphics") == 1
    assert r"\includegraphics[width=\linewidth]{\detokenize{campaigns/main/screen.png}}" in found


def test_guidelines_are_set_as_they_were_shown() -> None:
    found = latex_of("> ## How to judge\n> Judge **this pair** and *nothing* else: 2 * 3 = 6.")
    assert r"\textbf{How to judge}" in found
    assert r"Judge \textbf{this pair} and \emph{nothing} else: 2 * 3 = 6." in found


def test_a_sign_that_fonts_lack_is_its_number() -> None:
    assert escaped("Ħ😀") == "[U+0126][U+1F600]"
