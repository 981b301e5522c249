"""Checking a folder against its manifest, and making the release again where nothing has changed."""

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.jobs.folder import MANIFEST, hash_of
from adjudication.releases.jobs.release import snapshot, write_variants
from adjudication.releases.reads.sources import changed_sources, fingerprints

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
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
        entries = [(str(each["path"]), str(each["sha256"])) for each in found["files"]]
    except FileNotFoundError:
        raise Refused(f"{folder} has no {MANIFEST}, so it is not a release.") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Refused(f"{folder / MANIFEST} is not the manifest of a release: {error}.") from None
    for path, _ in entries:
        if Path(path).is_absolute() or any(part in UNSAFE for part in Path(path).parts):
            raise Refused(f"{folder / MANIFEST} names a file outside of the folder: {path[:80]}.")
    return dict(found)


def _check_files(folder: Path, manifest: dict[str, Any], found: Verification) -> None:
    named = {str(each["path"]): str(each["sha256"]) for each in manifest["files"]}
    there = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file() or each.is_symlink()}
    found.missing = sorted(named.keys() - there)
    found.extra = sorted(there - named.keys() - {MANIFEST})
    found.changed = sorted(path for path in named.keys() & there if hash_of(folder / path) != named[path])


def _released(folder: Path, manifest: dict[str, Any], found: Verification) -> Release | None:
    """The row whose manifest this is, byte for byte. Another manifest under its name is another version."""
    digest = hash_of(folder / MANIFEST)
    column = "anonymous_sha256" if manifest.get("anonymous") else "manifest_sha256"
    frozen = Release.objects.filter(state=JobState.DONE).select_related("collection")
    if release := frozen.filter(**{column: digest}).first():
        return release
    slug, name = str(manifest.get("collection")), str(manifest.get("name"))
    same = frozen.filter(collection__slug=slug, name=name).first()
    if same is not None:
        found.other = (
            f"The manifest is not that of release {name} of {slug}: its SHA-256 is {digest}, that of the release"
            f" {getattr(same, column)}."
        )
    else:
        found.reasons.append("This Litmus has no release with this manifest, so it cannot be made again here.")
    return None


def _make_again(release: Release, manifest: dict[str, Any], found: Verification) -> None:
    if manifest["code_version"] != settings.CODE_VERSION:
        found.reasons.append(f"It was made with Litmus {manifest['code_version']}; this is {settings.CODE_VERSION}.")
    with snapshot():
        now = fingerprints(release.collection_id)
        found.reasons += [f"{name} has changed." for name in changed_sources(manifest["sources"], now)]
        if found.reasons:
            return
        with tempfile.TemporaryDirectory(dir=_sibling_folder(release)) as name:
            root = Path(name)
            write_variants(release, root, None)
            variant = "anonymous" if manifest["anonymous"] else "named"
            again = {each["path"]: each["sha256"] for each in read_manifest(root / variant)["files"]}
    before = {each["path"]: each["sha256"] for each in manifest["files"]}
    found.differing = sorted(path for path in before.keys() | again.keys() if before.get(path) != again.get(path))
    found.remade = not found.differing


def _sibling_folder(release: Release) -> Path:
    """On the same disk as the releases, so that links work."""
    place = release.folder.parent
    place.mkdir(parents=True, exist_ok=True)
    return place
