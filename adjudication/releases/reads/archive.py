"""The files of a release as they lie on disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjudication.models import Release
from corpus.formats.zip_stream import PIECE, zipped

MANIFEST = "manifest.json"


def entries_of(release: Release, *, anonymous: bool) -> list[dict[str, Any]]:
    """What the manifest lists: path, bytes, sha256, rows, about."""
    found: list[dict[str, Any]] = json.loads(text_of(release, MANIFEST, anonymous=anonymous))["files"]
    return found


def text_of(release: Release, path: str, *, anonymous: bool) -> str:
    """A small file of the release."""
    return (release.variant(anonymous=anonymous) / path).read_text(encoding="utf-8")


def file_of(release: Release, path: str, *, anonymous: bool) -> Path | None:
    """The file of that path, None where the manifest does not list it."""
    listed = {MANIFEST, *(one["path"] for one in entries_of(release, anonymous=anonymous))}
    return release.variant(anonymous=anonymous) / path if path in listed else None


def archive_of(release: Release, *, anonymous: bool) -> Iterator[bytes]:
    """All files in one ZIP archive, streamed; equal bytes each time."""
    paths = sorted([MANIFEST, *(one["path"] for one in entries_of(release, anonymous=anonymous))])
    folder = release.variant(anonymous=anonymous)
    return zipped((path, _pieces(folder / path)) for path in paths)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
