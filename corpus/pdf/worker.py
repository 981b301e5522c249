"""PDF files from strangers, read in a process of their own with limits on time, memory and pages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.formats.dataclass_json import from_json
from corpus.formats.papers import FullPaper
from corpus.pdf.child import REFUSED, ExtractionFailed
from corpus.pdf.vocabulary import Vocabulary

_ROOT = Path(__file__).resolve().parents[2]
_LOOK_EVERY = 0.2  # seconds between two looks at whether the work was cancelled


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost: seconds of the clock, megabytes of address space, pages and megabytes of the file."""

    seconds: int = 120
    megabytes: int = 1024
    pages: int = 400
    file_megabytes: int = 100


def _nothing() -> None:
    """The check of work that nobody can cancel."""


def extract(
    path: Path,
    *,
    vocabulary: Vocabulary,
    limits: Limits = Limits(),
    check: Callable[[], None] = _nothing,
    name: str = "",
) -> FullPaper:
    """Return the paper that a PDF file holds, read by a guarded process.

    `vocabulary` are the collection's words with their counts (`corpus.pdf.vocabulary.count_words`); it decides
    which hyphens at line ends go. `check` is called several times a second and may raise to stop the work: the
    process is killed, the exception goes on. `name` stands in the paper's `file`. Raises `ExtractionFailed`.
    """
    request = {"do": "paper", "vocabulary": dict(vocabulary), "name": name or path.name}
    return from_json(FullPaper, json.loads(_run(path, request, limits, check)))


def render_page(path: Path, page: int, *, width: int = 1000) -> bytes:
    """Return the picture of a page (from 1) as WebP, `width` pixels wide, drawn by a guarded process.

    A point of the page is `width / PageSize.width` pixels, whatever its rotation. Raises `ExtractionFailed`.
    """
    if not 16 <= width <= 4000:
        raise ValueError("a picture is 16 to 4000 pixels wide")
    return _run(path, {"do": "page", "page": page, "width": width}, Limits(seconds=30), _nothing)


def _run(path: Path, request: dict[str, Any], limits: Limits, check: Callable[[], None]) -> bytes:
    size = path.stat().st_size
    if size > limits.file_megabytes * 1024 * 1024:
        raise ExtractionFailed("too-large", f"is larger than {limits.file_megabytes} MB")
    request |= {
        "path": str(path.resolve()), "megabytes": limits.megabytes, "seconds": limits.seconds, "pages": limits.pages,
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-s", "-m", "corpus.pdf.child"],
        cwd=_ROOT,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as child:
        try:
            answer = _answer(child, json.dumps(request).encode(), limits, check)
        finally:
            # No child outlives its request, however this ends.
            if child.poll() is None:
                child.kill()
    return _judged(child.returncode, answer)


def _environment() -> dict[str, str]:
    """What the child needs to find Python; no addresses, keys or passwords of ours."""
    kept = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name in kept} | {"PYTHONIOENCODING": "utf-8"}


def _answer(child: subprocess.Popen[bytes], question: bytes, limits: Limits, check: Callable[[], None]) -> bytes:
    end = time.monotonic() + limits.seconds
    unsent: bytes | None = question
    while True:
        try:
            return child.communicate(unsent, timeout=_LOOK_EVERY)[0]
        except subprocess.TimeoutExpired:
            unsent = None  # the first call has taken it in hand
            check()
            if time.monotonic() > end:
                raise ExtractionFailed("time", f"took longer than {limits.seconds} seconds to read") from None


def _judged(status: int, answer: bytes) -> bytes:
    """Return a good answer; raise what a bad end means."""
    if status == 0:
        return answer
    if status == REFUSED:
        problem = json.loads(answer)
        raise ExtractionFailed(problem["kind"], problem["reason"])
    if status == -signal.SIGXCPU:
        raise ExtractionFailed("time", "took longer to read than is allowed")
    if status < 0:
        # PDFium ends its process where it gets no memory.
        raise ExtractionFailed("crash", "broke off the process that read it: it is damaged or needs too much memory")
    raise ExtractionFailed("crash", "could not be read: the process that read it failed")
