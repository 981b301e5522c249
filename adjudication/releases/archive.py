"""The files of a release as they lie on disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.refusals import Refused
from adjudication.models import Release
from corpus.models import Collection
from engines.formats.zip_stream import PIECE, zipped

MANIFEST = "manifest.json"


def entries_of(release: Release, *, anonymous: bool) -> list[dict[str, Any]]:
    """What the manifest lists: path, bytes, sha256, rows, about. Errors: Refused where the files are gone."""
    check_has_files(release)
    found: list[dict[str, Any]] = json.loads(text_of(release, MANIFEST, anonymous=anonymous))["files"]
    return found


def stored_files(collection: Collection) -> Iterator[str]:
    """The files of all frozen releases as the storage names them, for backups."""
    for release in collection.releases.frozen().order_by("pk"):
        for path in sorted(release.folder.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(settings.MEDIA_ROOT))


def has_files(release: Release) -> bool:
    """Whether its files are on this disk. After a restore of the database alone they are not."""
    return (release.variant(anonymous=False) / MANIFEST).is_file()


def check_has_files(release: Release) -> None:
    """Errors: Refused where its files are not on this disk."""
    if not has_files(release):
        raise Refused(
            f"The files of release {release.name} are not on this server. They are in the media folder, which a backup"
            " of the database does not hold: copy them back from where the media are kept."
        )


def grouped(entries: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The files by the folder they lie in, those of the release itself ("") first."""
    found: dict[str, list[dict[str, Any]]] = {"": []}
    for one in entries:
        folder, separator, _ = one["path"].partition("/")
        found.setdefault(folder if separator else "", []).append(one)
    return list(found.items())


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
