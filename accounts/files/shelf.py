"""Where workers share files that can be made again (indexes): LITMUS_INDEX_DIR, or a bucket with copies there.

Names are relative. A file has its name only once it is whole, here and in the bucket.
"""

import shutil
import uuid
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File

from accounts.files.folder import FolderStorage
from accounts.files.storage import Files

IN_BUCKET = "indexes"  # the folder of the bucket


def shelf() -> Files:
    """The storage of what is shared."""
    if not settings.BUCKET:
        return FolderStorage(location=settings.INDEX_DIR)
    return _in_bucket(**{**settings.BUCKET, "location": f"{settings.BUCKET['location']}/{IN_BUCKET}".strip("/")})


@cache
def _in_bucket(**options: Any) -> Files:
    from accounts.files.bucket import BucketStorage

    return BucketStorage(**options)


def here(name: str) -> Path:
    """Where a file or folder of the shelf is on this machine, or would be."""
    return Path(settings.INDEX_DIR) / name


def fetched(name: str) -> Path:
    """A file of the shelf on this machine. Errors: FileNotFoundError."""
    path = here(name)
    if not path.exists():
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with part.open("wb") as file:
                file.writelines(shelf().pieces(name))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return path


def share(name: str) -> None:
    """Put a file that was written on this machine on the shelf, where all machines see it."""
    if settings.BUCKET:
        with here(name).open("rb") as file:
            shelf().save(name, File(file))


def folders(name: str = "") -> list[str]:
    """The folders of a folder of the shelf."""
    try:
        return [f"{name}/{each}".lstrip("/") for each in shelf().listdir(name)[0]]
    except FileNotFoundError:
        return []


def remove_folders(beginning: str) -> None:
    """Remove the folders whose names begin so, on the shelf and on this machine."""
    for folder in folders():
        if folder.startswith(beginning):
            shelf().remove_folder(folder)
    for place in Path(settings.INDEX_DIR).glob(f"{beginning}*"):
        shutil.rmtree(place, ignore_errors=True)
