"""What tests of releases share."""

from pathlib import Path

from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.models import Release
from adjudication.releases.actions import request_release
from tests.factories.adjudication import Built, Triple

A, B, C = "It has leaves.", "It has steam.", "It has a pot."
TRIPLES: list[Triple] = [
    ("7", A, "doc-b"), ("7", B, "doc-b"), ("7", A, "doc-a"), ("7", B, "doc-a"), ("12", C, "doc-b"), ("12", C, "doc-c"),
]  # fmt: skip
LABELS = [[2, 2, 2, 1], [1, 1, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [2, 2, 1, 1]]  # the last by a machine
# What two releases of an unchanged collection may differ in.
NAMED_AND_DATED = {
    "README.md", "DATASHEET.md", "CITATION.cff", "datacite.json", "CHANGELOG.md", "croissant.json", "manifest.json",
    "DATASHEET.tex", "ir_datasets_extension.py",
}  # fmt: skip
PEOPLE = ("zebulon", "yolanda", "xerxes")


def freeze(built: Built, name: str = "v1", force: str = "") -> Release:
    """A release of this name, made by the job as a worker makes it."""
    release = request_release(
        collection=built.collection, name=name, by=built.people["manager"], at=timezone.now(), force=force, send=False
    )
    jobs.carry_out(release)
    release.refresh_from_db()
    assert release.state == JobState.DONE, release.reason
    return release


def text(release: Release, path: str, *, anonymous: bool = False) -> str:
    return (release.variant(anonymous=anonymous) / path).read_text()


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
