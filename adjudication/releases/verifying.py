"""Checking a folder against its manifest, and making the release again where nothing has changed."""

import json
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.refusals import Refused
from accounts.snapshots import snapshot
from adjudication.models import Release
from adjudication.releases.archive import MANIFEST
from adjudication.releases.folder import hash_of
from adjudication.releases.sources import changed_sources
from adjudication.releases.writing import sources_of, write_variants

UNSAFE = ("..", "~")


@dataclass
class Verification:
    """What was found: paths that were `changed`, are `missing` or `extra`; `other` says that the folder is none that
    this Litmus released under its name. `remade` is None where something has changed since, which `reasons` name.
    """

    changed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    other: str = ""
    remade: bool | None = None
    differing: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def is_ok(self) -> bool:
        return not (self.changed or self.missing or self.extra or self.other) and self.remade is not False

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.is_ok,
            "changed": self.changed,
            "missing": self.missing,
            "extra": self.extra,
            "other_version": self.other or None,
            "remade": self.remade,
            "differing": self.differing,
            "reasons": self.reasons,
        }


def verify_release(folder: Path) -> Verification:
    """Check every file of the folder, then make the release again if the database still is what it was.

    Errors: Refused where the folder has no manifest of a release.
    """
    manifest = read_manifest(folder)
    found = Verification()
    _check_files(folder, manifest, found)
    release = _released(folder, manifest, found)
    if release is not None:
        _make_again(release, manifest, found)
    return found


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder. Errors: Refused where there is none that can be read."""
    if not folder.is_dir():
        raise Refused(f"{folder} is not a folder.")
    path = folder / MANIFEST
    if not path.is_file():
        raise Refused(f"{folder} has no {MANIFEST}, so it is not a release.")
    try:
        found = json.loads(path.read_bytes())
        paths = [str(each["path"]) for each in found["files"] if each["sha256"]]
        needed = {name: found[name] for name in ("name", "anonymous", "code_version", "sources")}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise Refused(f"{path} is not the manifest of a release: {type(error).__name__}: {error}.") from None
    if not isinstance(needed["sources"], dict):
        raise Refused(f"{path} is not the manifest of a release: its sources are not an object.")
    for name in paths:
        if Path(name).is_absolute() or any(part in UNSAFE for part in Path(name).parts):
            raise Refused(f"{path} names a file outside of the folder: {name[:80]!a}.")
    return dict(found)


def _check_files(folder: Path, manifest: dict[str, Any], found: Verification) -> None:
    """Compare paths and hashes. A link is no file of a release: its target may change later."""
    named = {str(each["path"]): str(each["sha256"]) for each in manifest["files"]}
    there = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_symlink() or not each.is_dir()}
    found.missing = sorted(named.keys() - there)
    found.extra = sorted(there - named.keys() - {MANIFEST})
    found.changed = sorted(path for path in named.keys() & there if _hash(folder / path) != named[path])


def _hash(path: Path) -> str:
    """The hash of a regular file that can be read, "" for anything else."""
    try:
        return hash_of(path) if stat.S_ISREG(path.lstat().st_mode) else ""
    except OSError:
        return ""


def _released(folder: Path, manifest: dict[str, Any], found: Verification) -> Release | None:
    """The row whose manifest this is, byte for byte. Another manifest under its id or name is another version."""
    digest = hash_of(folder / MANIFEST)
    column = "anonymous_sha256" if manifest["anonymous"] else "manifest_sha256"
    frozen = Release.objects.frozen().select_related("collection")
    if release := frozen.filter(**{column: digest}).first():
        return release
    slug, name = manifest.get("collection"), manifest["name"]
    for same in frozen:
        if same.public_id == manifest.get("id") or (same.collection.slug, same.name) == (slug, name):
            found.other = (
                f"The manifest is not that of release {same.name} of {same.collection.slug}: its SHA-256 is {digest},"
                f" that of the release {getattr(same, column)}."
            )
            return None
    found.reasons.append(
        "This Litmus has no release with this manifest: the files were compared with the manifest alone, and nothing"
        " was made again."
    )
    return None


def _make_again(release: Release, manifest: dict[str, Any], found: Verification) -> None:
    if manifest["code_version"] != settings.CODE_VERSION:
        found.reasons.append(
            f"It was made with Litmus {manifest['code_version']}; this is {settings.CODE_VERSION}, which can have other"
            " tables: what has changed in the collection since is not known."
        )
        return
    with snapshot():
        release.collection.refresh_from_db()
        now = sources_of(release)
        found.reasons += [f"{name} has changed." for name in changed_sources(manifest["sources"], now)]
        if found.reasons:
            return
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            write_variants(release, root, None)
            variant = "anonymous" if manifest["anonymous"] else "named"
            again = _hashes(read_manifest(root / variant))
    before = _hashes(manifest)
    found.differing = sorted(path for path in before.keys() | again.keys() if before.get(path) != again.get(path))
    found.remade = not found.differing


def _hashes(manifest: dict[str, Any]) -> dict[str, str]:
    """{path: hash} of all files of a manifest."""
    return {each["path"]: each["sha256"] for each in manifest["files"]}
