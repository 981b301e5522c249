"""litmus release, verify_release and explain."""

import shutil
import textwrap
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.files.storage import FilesAway, files
from accounts.management.reporting import IN_COLLECTION, ReportingCommand
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.archive import copy_files
from adjudication.releases.explaining import explain, probability_sentence
from adjudication.releases.releases import request_release
from adjudication.releases.verifying import Verification, verify_release
from corpus.collections.collections import collection_with

SHOWN_WORDS = 160  # characters of what a machine said


class FreezeRelease(ReportingCommand):
    """litmus release SLUG NAME [--out DIR] [--force REASON] [--json]"""

    called = "release"
    where = IN_COLLECTION
    task = "Publish"
    example = 'release demo v1 --out demo-v1 --force "We try the files among ourselves."'
    line = "Freeze a version of a collection: a folder of checked, hashed files"
    help = "Freeze a version of a collection: a folder of files that is checked, described and hashed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="such as v1 or 2024.1")
        parser.add_argument("--out", type=Path, metavar="DIR", help="copy it here as well; DIR must not exist yet")
        parser.add_argument("--anonymous", action="store_true", help="with --out: the variant without names")
        parser.add_argument("--force", default="", metavar="REASON", help="release it despite open findings")

    def carry_out(
        self, *, slug: str, name: str, out: Path | None, anonymous: bool, force: str, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        if out is not None and out.exists():
            raise Refused(f"{out} exists already. Name a folder that does not exist yet.")
        release = request_release(
            collection=collection_with(slug), name=name, by=None, at=timezone.now(), force=force, send=False
        )
        jobs.complete(release)
        if out is not None:
            copy_whole(release, out, anonymous=anonymous)
        found = {
            "folder": str(out or files.address(release.variant(anonymous=anonymous))),
            "manifest_sha256": release.anonymous_sha256 if anonymous else release.manifest_sha256,
            "files": release.summary["files"],
            "bytes": release.summary["bytes"],
            "findings": release.findings,
            "force_reason": release.force_reason or None,
        }
        return _release_summary(release, found), found


def copy_whole(release: Release, out: Path, *, anonymous: bool) -> None:
    """Copy one variant; the folder appears under its name when it is whole. Errors: Refused."""
    part = out.with_name(out.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        copy_files(release, part, anonymous=anonymous)
        part.rename(out)
    except FilesAway:
        raise
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}.") from None


def _release_summary(release: Release, found: dict[str, Any]) -> str:
    lines = [f"Release {release.name}: {found['files']:,} files, {found['bytes']:,} bytes, in {found['folder']}."]
    lines += [f"{'Open' if one['blocking'] else 'Note'}: {one['text']}" for one in release.findings]
    lines.append(f"SHA-256 of its manifest: {found['manifest_sha256']}")
    return "\n".join(lines)


class VerifyRelease(ReportingCommand):
    """litmus verify_release FOLDER [--json]"""

    called = "verify_release"
    prints = True
    task = "Publish"
    example = "verify_release demo-v1"
    line = "Check every file of a release against its manifest"
    help = "Check every file of a release against its manifest, and make it again where nothing has changed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="of the release")

    def carry_out(self, *, folder: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        found = verify_release(folder)
        self.is_ok = found.is_ok
        return _verification_summary(found), found.as_json()

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 1 where anything differs, after saying what."""
        self.is_ok = True
        super().handle(*args, **options)
        if not self.is_ok:
            raise CommandError("The folder is not the release as it was frozen.")


def _verification_summary(found: Verification) -> str:
    lines = [f"Changed: {_plain(path)}" for path in found.changed]
    lines += [f"Missing: {_plain(path)}" for path in found.missing]
    lines += [f"Not in the release: {_plain(path)}" for path in found.extra]
    lines += [found.other] if found.other else []
    if found.remade is None:
        lines += ["It was not made again.", *found.reasons]
    else:
        lines.append("Made again: every file is the same." if found.remade else "Made again, and files differ:")
        lines += found.differing
    return "\n".join(lines if not found.is_ok else ["Every file is as it was released.", *lines])


def _plain(path: str) -> str:
    """The path on one line: a stranger's folder may have file names that steer a terminal."""
    return path if path.isprintable() else ascii(path)


class Explain(ReportingCommand):
    """litmus explain SLUG TOPIC DOCNO [--json]"""

    called = "explain"
    where = IN_COLLECTION
    prints = True
    task = "Agree and decide"
    example = "explain demo 1 LD-001"
    line = "Say where a judged pair came from and how its value was decided"
    help = "Say where a judged pair came from, who judged it (under pseudonyms) and how its value was decided."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("topic", help="number of the topic, or of an aspect, such as 7.1")
        parser.add_argument("docno", help="docno of the document")

    def carry_out(self, *, slug: str, topic: str, docno: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = explain(collection_with(slug), topic, docno)
        return "\n".join(_explanation(found)), found


TOPIC_TEXTS = {"title": "topic_title", "text": "text", "narrative": "narrative"}


def _explanation(found: dict[str, Any]) -> list[str]:
    lines = [f"Topic {found['topic']}, document {found['docno']}: {found['title']}"]
    lines += [f"  {name}: {found[key]}" for name, key in TOPIC_TEXTS.items() if found[key]]
    for line in found["lines"]:
        decision = line.get("prov:wasGeneratedBy", {})
        lines.append(
            f"{line['campaign']}, {line['criterion']}: {line['value']} ({decision.get('method', 'no verdict')})"
        )
        if "aspect" in line:
            lines.append(f"  aspect {line['subtopic']}: {line['aspect']}")
        sources = line.get("prov:wasDerivedFrom", [])
        lines += [
            f"  pooled by {one['method']}" + (f" at rank {one['rank']}" if one["rank"] else "") for one in sources
        ]
        lines += [f"  {_label(one)}" for one in line["labels"]]
        lines += [f"  before the guideline changed, {_label(one)}" for one in line.get("former_labels", [])]
        lines += [f"  {sentence}" for sentence in [probability_sentence(decision)] if sentence]
        if decision.get("comment"):
            lines.append(f"  decided by {decision.get('by', 'a vote')}: {decision['comment']}")
        lines += [f"  {line['stale']}"] if line["stale"] else []
        if line["changed"]:
            lines.append(f"  release {found['release']} has {line['released']}")
    lines += [f"Judged set {one['set']}: {one['value']}. {one['sentence']}" for one in found["sets"]]
    return lines + found["withheld"]


def _label(label: dict[str, Any]) -> str:
    facts = [f"guideline {label['guideline']}"] if label.get("guideline") else []
    facts += [label["week"]] if label.get("week") else []
    facts += [f"{label['seconds']} s"] if label.get("seconds") else []
    said = f": “{textwrap.shorten(label['said'], SHOWN_WORDS)}”" if label.get("said") else ""
    return f"{label['prov:wasAttributedTo']} gave {label['value']}" + (f" ({', '.join(facts)})" if facts else "") + said
