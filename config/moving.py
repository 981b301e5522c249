"""All files from the folder into the bucket, or back: copied, compared by their hashes, and only then perhaps deleted.

Whatever was copied before is compared again and not copied, so a move that broke off is continued by starting it again.
"""

import hashlib
import json
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.core.files.base import File

from accounts.files.folder import FolderStorage
from accounts.files.shelf import IN_BUCKET
from accounts.files.storage import Files
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.archive import MANIFEST
from corpus.models import ImportRun, Paper

Report = Callable[[str], None]


@dataclass
class Moving:
    """What came of a move: files and bytes of the source, how many were `copied` or found to be `there` already, how
    many were deleted, and {name: what is wrong with it}."""

    source: Files
    target: Files
    files: int = 0
    bytes: int = 0
    copied: int = 0
    there: int = 0
    deleted: int = 0
    problems: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)  # of contents that the database knows

    def names(self) -> list[tuple[str, int]]:
        """All files of the source and their bytes, without indexes, which are built again."""
        return sorted(each for each in self.source.sizes() if not each[0].startswith(f"{IN_BUCKET}/"))


def both(target: str) -> tuple[Files, Files]:
    """(source, target) of a move to the folder or to the bucket. Errors: Refused without a bucket, FilesAway."""
    if not settings.BUCKET:
        raise Refused("LITMUS_BUCKET_URL is not set, so there is no bucket. Set it for this command.")
    from accounts.files.bucket import BucketStorage  # its library may be lacking

    folder, bucket = FolderStorage(), BucketStorage(**settings.BUCKET)
    found = (bucket, folder) if target == "folder" else (folder, bucket)
    for storage in found:
        storage.check()
    return found


def look(moving: Moving) -> None:
    """Count what a move would copy: what the target lacks, or has in another size."""
    there = dict(moving.target.sizes())
    for name, size in moving.names():
        moving.files, moving.bytes = moving.files + 1, moving.bytes + size
        moving.there += there.get(name) == size
    moving.copied = moving.files - moving.there


def move(moving: Moving, *, delete: bool, report: Report) -> None:
    """Copy and compare all files, also those that come meanwhile; `delete` those of the source if nothing is wrong."""
    moving.hashes = dict(known_hashes(moving.source))
    done: dict[str, int] = {}
    while left := [each for each in moving.names() if each[0] not in done]:
        there = dict(moving.target.sizes())
        for name, size in left:
            done[name] = size
            if words := _moved(moving, name, is_there=there.get(name) == size):
                moving.problems[name] = words
            report(f"{len(done):,} files, {sum(done.values()) / 1e6:,.0f} MB compared; {name}")
    moving.files, moving.bytes = len(done), sum(done.values())
    if delete and not moving.problems:
        for name in done:
            moving.source.delete(name)
            moving.deleted += 1


def _moved(moving: Moving, name: str, *, is_there: bool) -> str:
    """Have the file in the target, compared; what is wrong, "" where nothing is."""
    if posixpath.normpath(name) != name or name.startswith(("../", "/")) or "\\" in name:
        return "its name leads elsewhere, so it stays where it is"
    source, target = moving.source, moving.target
    try:
        expected = moving.hashes.get(name) or sha256_of(source, name)
        if is_there and sha256_of(target, name) == expected:
            moving.there += 1
            return ""
        with source.stream(name) as file:
            target.save(name, File(file, name))
    except FileNotFoundError:
        return "" if not source.exists(name) else "it cannot be read"  # deleted meanwhile, as uploads are
    moving.copied += 1
    if (found := sha256_of(target, name)) == expected:
        return ""
    target.delete(name)
    return f"its SHA-256 should be {expected} and is {found}, so it was not kept in the target"


def sha256_of(storage: Files, name: str) -> str:
    """Of what is stored under the name now. Errors: FileNotFoundError."""
    digest = hashlib.sha256()
    for piece in storage.pieces(name):
        digest.update(piece)
    return digest.hexdigest()


def known_hashes(source: Files) -> Iterator[tuple[str, str]]:
    """(name, SHA-256) of the files whose hashes are in the database, or in manifests whose hashes are."""
    yield from Paper.objects.exclude(file="").exclude(sha256="").values_list("file", "sha256").iterator()
    for found in ImportRun.objects.exclude(files=[]).values_list("files", flat=True).iterator():
        yield from ((file["path"], file["sha256"]) for file in found if file.get("path") and file["sha256"])
    for release in Release.objects.frozen():
        for anonymous, sha256 in ((False, release.manifest_sha256), (True, release.anonymous_sha256)):
            folder = release.variant(anonymous=anonymous)
            yield f"{folder}/{MANIFEST}", sha256
            yield from _of_manifest(source, folder, sha256)


def _of_manifest(source: Files, folder: str, sha256: str) -> Iterator[tuple[str, str]]:
    try:
        content = b"".join(source.pieces(f"{folder}/{MANIFEST}"))
    except FileNotFoundError:
        return  # its files are not here
    if hashlib.sha256(content).hexdigest() == sha256:
        yield from ((f"{folder}/{one['path']}", one["sha256"]) for one in json.loads(content)["files"])
