"""The files of a release as the storage has them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from accounts.files.storage import files
from accounts.refusals import Refused
from adjudication.models import Release
from corpus.models import Collection
from engines.formats.zip_stream import zipped

MANIFEST = "manifest.json"


def entries_of(release: Release, *, anonymous: bool) -> list[dict[str, Any]]:
    """What the manifest lists: path, bytes, sha256, rows, about. Errors: Refused where the files are gone."""
    check_has_files(release)
    found: list[dict[str, Any]] = json.loads(text_of(release, MANIFEST, anonymous=anonymous))["files"]
    return found


def stored_files(collection: Collection) -> Iterator[str]:
    """The files of all frozen releases as the storage names them, for backups."""
    for release in collection.releases.frozen().order_by("pk"):
        yield from sorted(name for name, _ in files.sizes(release.place))


def stored_folders(collection: Collection) -> Iterator[str]:
    """The folders of all releases in the storage, which are deleted with their collection."""
    yield from collection.releases.exclude(place="").values_list("place", flat=True)


def has_files(release: Release) -> bool:
    """Whether its files are in the storage. After a restore of the database alone they are not."""
    return files.exists(name_of(release, MANIFEST, anonymous=False))


def check_has_files(release: Release) -> None:
    """Errors: Refused where its files are not in the storage."""
    if not has_files(release):
        raise Refused(
            f"The files of release {release.name} are not on this server. They are among the uploaded files, which a"
            " backup of the database does not hold: copy them back from where those are kept."
        )


def grouped(entries: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The files by the folder they lie in, those of the release itself ("") first."""
    found: dict[str, list[dict[str, Any]]] = {"": []}
    for one in entries:
        folder, separator, _ = one["path"].partition("/")
        found.setdefault(folder if separator else "", []).append(one)
    return list(found.items())


def name_of(release: Release, path: str, *, anonymous: bool) -> str:
    """What the storage calls a file of the release."""
    return f"{release.variant(anonymous=anonymous)}/{path}"


def text_of(release: Release, path: str, *, anonymous: bool) -> str:
    """A small file of the release."""
    return b"".join(files.pieces(name_of(release, path, anonymous=anonymous))).decode()


def file_of(release: Release, path: str, *, anonymous: bool) -> str | None:
    """What the storage calls the file of that path, None where the manifest does not list it."""
    listed = {MANIFEST, *(one["path"] for one in entries_of(release, anonymous=anonymous))}
    return name_of(release, path, anonymous=anonymous) if path in listed else None


def archive_of(release: Release, *, anonymous: bool) -> Iterator[bytes]:
    """All files in one ZIP archive, streamed; equal bytes each time."""
    paths = sorted([MANIFEST, *(one["path"] for one in entries_of(release, anonymous=anonymous))])
    return zipped((path, files.pieces(name_of(release, path, anonymous=anonymous))) for path in paths)


def copy_files(release: Release, folder: Path, *, anonymous: bool) -> None:
    """Write all files into a new folder of this machine."""
    stored = release.variant(anonymous=anonymous)
    for name, _ in files.sizes(stored):
        path = folder / name.removeprefix(f"{stored}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(files.pieces(name))


@dataclass(frozen=True)
class StoredFiles:
    """The files of a frozen release with names, to be compared with those of another."""

    release: Release

    @cached_property
    def hashes(self) -> dict[str, str]:
        """{path: SHA-256} of all files but the manifest."""
        return {one["path"]: one["sha256"] for one in entries_of(self.release, anonymous=False)}

    @contextmanager
    def local(self, path: str) -> Iterator[Path]:
        """A file on this machine."""
        with files.local(name_of(self.release, path, anonymous=False), self.hashes[path]) as found:
            yield found
