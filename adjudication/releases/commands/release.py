"""manage.py release SLUG NAME [--out DIR] [--force REASON] [--json]"""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.actions import request_release
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Freeze a version of a collection: a folder of files that is checked, described and hashed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("name", help="such as v1 or 2024.1")
        parser.add_argument("--out", type=Path, metavar="DIR", help="copy it here as well; DIR must not exist yet")
        parser.add_argument("--anonymous", action="store_true", help="with --out: the variant without names")
        parser.add_argument("--force", default="", metavar="REASON", help="release it in spite of open findings")

    def carry_out(
        self, *, slug: str, name: str, out: Path | None, anonymous: bool, force: str, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        if out is not None and out.exists():
            raise Refused(f"{out} exists already. Name a folder that is not there yet.")
        release = request_release(
            collection=collection_with(slug), name=name, by=None, at=timezone.now(), force=force, send=False
        )
        jobs.complete(release)
        folder = release.variant(anonymous=anonymous)
        if out is not None:
            copy_whole(folder, out)
        found = {
            "folder": str(out or folder),
            "manifest_sha256": release.anonymous_sha256 if anonymous else release.manifest_sha256,
            "files": release.summary["files"],
            "bytes": release.summary["bytes"],
            "findings": release.findings,
            "force_reason": release.force_reason or None,
        }
        return _summary(release, found), found


def copy_whole(folder: Path, out: Path) -> None:
    """Copy the folder; it appears under its name when it is whole. Errors: Refused."""
    part = out.with_name(out.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part)
        part.rename(out)
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}.") from None


def _summary(release: Release, found: dict[str, Any]) -> str:
    lines = [f"Release {release.name}: {found['files']:,} files, {found['bytes']:,} bytes, in {found['folder']}."]
    lines += [f"{'Open' if one['blocking'] else 'Note'}: {one['text']}" for one in release.findings]
    lines.append(f"SHA-256 of its manifest: {found['manifest_sha256']}")
    return "\n".join(lines)
