"""Strangers' files in the guarded process: each kind of bad file ends with its own words, and we live."""

import os
import signal
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from engines.guarded import reading
from engines.pdf.child import ExtractionFailed
from engines.pdf.worker import PdfLimits, extract, render_page
from tests.engines.pdf import pdfs


def kind_of(path: Path, limits: PdfLimits | None = None) -> str:
    with pytest.raises(ExtractionFailed) as caught:
        extract(path, vocabulary={}, limits=limits or PdfLimits())
    assert caught.value.reason == str(caught.value) != ""
    return caught.value.kind


def test_a_paper_comes_back_from_the_child(tmp_path: Path) -> None:
    paper = extract(pdfs.pages_of_text(tmp_path / "a.pdf", 2), vocabulary={"labels": 3}, name="upload.pdf")
    assert (paper.file, len(paper.pages), round(paper.pages[0].width)) == ("upload.pdf", 2, 595)


def test_what_is_not_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"PK\x03\x04 a zip file that says it is a PDF")
    assert kind_of(path) == "not-pdf"
    path.write_bytes(b"")
    assert kind_of(path) == "not-pdf"


def test_a_broken_file(tmp_path: Path) -> None:
    assert kind_of(pdfs.cut_off(tmp_path / "a.pdf")) == "broken"
    path = tmp_path / "b.pdf"
    path.write_bytes(b"%PDF-1.7\n" + os.urandom(4000))
    assert kind_of(path) == "broken"


def test_an_encrypted_file(tmp_path: Path) -> None:
    assert kind_of(pdfs.pages_of_text(tmp_path / "a.pdf", password="secret")) == "encrypted"


def test_a_scan(tmp_path: Path) -> None:
    assert kind_of(pdfs.scanned(tmp_path / "a.pdf")) == "no-text"


def test_two_thousand_pages(tmp_path: Path) -> None:
    with pytest.raises(ExtractionFailed, match="has 2,000 pages; at most 400 are read"):
        extract(pdfs.many_pages(tmp_path / "a.pdf", 2000), vocabulary={})


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path: Path) -> None:
    assert kind_of(pdfs.pages_of_text(tmp_path / "a.pdf"), PdfLimits(file_megabytes=0)) == "too-large"


@pytest.mark.slow
def test_memory_runs_out(tmp_path: Path) -> None:
    assert kind_of(pdfs.bomb(tmp_path / "a.pdf", megabytes=150), PdfLimits(megabytes=200)) in (
        "memory",
        "crash",
        "broken",
    )


def test_a_full_vocabulary_reaches_a_slow_child(tmp_path: Path) -> None:
    """Fed by a pipe, what did not fit into 64 kB was lost where the child was slow to take it."""
    path = pdfs.pages_of_text(tmp_path / "a.pdf", 2)
    extract(path, vocabulary={})  # so that the process that starts children is there
    nursery = reading._nursery().process
    looks: list[int] = []

    def check() -> None:
        looks.append(1)
        if len(looks) == 2:
            nursery.send_signal(signal.SIGCONT)

    nursery.send_signal(signal.SIGSTOP)
    vocabulary = {f"word{number}": number for number in range(100_000)}
    assert len(extract(path, vocabulary=vocabulary, check=check).pages) == 2
    assert len(looks) >= 2


def test_a_good_paper_that_a_busy_machine_did_not_read_is_not_called_slow(tmp_path: Path) -> None:
    path = pdfs.pages_of_text(tmp_path / "a.pdf", 2)
    extract(path, vocabulary={})
    nursery = reading._nursery().process
    nursery.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(ExtractionFailed, match="was not read: the machine was busy") as caught:
            extract(path, vocabulary={}, limits=PdfLimits(quiet_seconds=1))
    finally:
        nursery.send_signal(signal.SIGCONT)
    assert caught.value.kind == "busy"


def test_the_picture_of_a_page(tmp_path: Path) -> None:
    path = pdfs.pages_of_text(tmp_path / "a.pdf", 2)
    picture = Image.open(BytesIO(render_page(path, 2, width=600)))
    assert picture.format == "WEBP"
    assert picture.size[0] in (600, 601)
    assert abs(picture.size[1] / picture.size[0] - 842 / 595) < 0.01
    assert len(picture.convert("L").getcolors(1000)) > 1, "an empty picture"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("box", "size"),
    [
        (b"[0 0 1e9 1e9]", (612, 792)),
        (b"[-1e30 -1e30 1e30 1e30]", (612, 792)),
        (b"[null (x) 5 /N]", (612, 792)),
        (b"[595 842 0 0]", (595, 842)),
        (b"[0 0 0.0001 0.0001]", (0, 0)),
    ],
)
def test_pages_of_any_size_are_read_and_drawn(tmp_path: Path, box: bytes, size: tuple[int, int]) -> None:
    path = pdfs.one_page(tmp_path / "a.pdf", page=b"/MediaBox" + box)
    (page,) = extract(path, vocabulary={}).pages
    assert (round(page.width), round(page.height)) == size
    assert Image.open(BytesIO(render_page(path, 1, width=600))).size[0] <= 600


def test_a_page_like_a_strip_is_drawn_within_what_a_picture_holds(tmp_path: Path) -> None:
    path = pdfs.one_page(tmp_path / "a.pdf", page=b"/MediaBox[0 0 1 14400]")
    assert max(Image.open(BytesIO(render_page(path, 1, width=1200))).size) <= 16_383


def test_scripts_and_actions_of_a_file_are_not_run(tmp_path: Path) -> None:
    script = b"/OpenAction<</S/JavaScript/JS(while(1){app.alert(1)})>>/AcroForm<</XFA(x)>>"
    path = pdfs.one_page(tmp_path / "a.pdf", catalogue=script)
    assert len(extract(path, vocabulary={}).pages) == 1


@pytest.mark.slow
def test_page_trees_that_lie(tmp_path: Path) -> None:
    for kids, count, kind in (
        (b"2 0 R 2 0 R", 1_000_000, "too-long"),
        (b"", 399, "broken"),
        (b"", 2**31 - 1, "broken"),
    ):
        tree = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)
        assert kind_of(pdfs.by_hand(tmp_path / "a.pdf", [b"<</Type/Catalog/Pages 2 0 R>>", tree])) == kind


def test_there_is_no_such_page(tmp_path: Path) -> None:
    with pytest.raises(ExtractionFailed, match="has no page 3"):
        render_page(pdfs.pages_of_text(tmp_path / "a.pdf", 2), 3)
    with pytest.raises(ValueError, match="pixels"):
        render_page(tmp_path / "a.pdf", 1, width=100_000)
