"""PDF as a format of papers: read by a guarded process."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from engines.formats.layouts import Layout
from engines.formats.papers import FullPaper, PaperFormat
from engines.formats.registry import Certainty, Head, Shape
from engines.pdf.vocabulary import Vocabulary
from engines.pdf.worker import extract

_MARK = b"%PDF-"


def _read_papers(
    stream: BinaryIO, file: str, *, vocabulary: Callable[[], Vocabulary], check: Callable[[], None]
) -> Iterator[FullPaper]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield extract(Path(copy.name), vocabulary=vocabulary(), check=check, name=file.rpartition("/")[2])


def _may_be_pdf(head: Head) -> bool:
    """Its own reader says best what is wrong with it."""
    return _MARK in head.data[:1024] or head.suffix == "pdf"


PDF = PaperFormat(
    name="pdf",
    label="PDF",
    help="A paper as published, with text in it (not a scan).",
    reads={"papers": _read_papers},
    shapes=(
        Shape("pdf", ("papers",), lambda head: head.data.startswith(_MARK), is_binary=True),
        Shape("pdf", ("papers",), _may_be_pdf, Certainty.IF_REQUESTED, is_binary=True),
    ),
    is_read_apart=True,
    suffix="pdf",
    layouts={
        "papers": Layout(note="A PDF is not text, so there are no lines to copy: any paper whose text can be selected.")
    },
)
