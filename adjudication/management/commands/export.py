"""manage.py export SLUG --format F [--campaign C] [--level query|aspect] [--grades …] [--annotators] [--out FILE]

--aspects judged: scores over the judged aspects of a topic alone; FILE.comment.tsv and FILE.manifest.json go with it.
Of citation contexts: --format topics|qrels --level paragraph|sentence [--iteration reference|zero] [--first-number N],
--format acm-cr --out DIR, --format blacklist; [--include-drafts]
"""

import hashlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.told import ToldCommand
from accounts.refusals import Refused
from adjudication.actions.exports import remember_prefixes
from adjudication.exports.commented import Members
from adjudication.exports.contexts import context_files
from adjudication.exports.files import Export, open_export
from adjudication.exports.options import (
    ASPECTS,
    EVERY,
    GRADES,
    ITERATIONS,
    JUDGED,
    KINDS,
    LEVELS,
    PREFIX_WORDS,
    UNRESOLVED,
    Options,
    make_options,
)
from corpus.queries.collections import collection_with

ASKED = (
    *("campaign", "criterion", "level", "grades", "annotators", "unresolved", "aspects", "iteration"),
    "first_number",
    *PREFIX_WORDS,
)


class Command(ToldCommand):
    help = "Write qrels, topics, judgments or documents of a collection, to a file or to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--format", required=True, choices=list(KINDS), dest="kind")
        parser.add_argument("--campaign", default="", help="needed when there are several")
        parser.add_argument("--criterion", default="", help="its key; without one, the campaign's first")
        parser.add_argument("--level", choices=LEVELS, default="query")
        parser.add_argument(
            "--grades", choices=GRADES, default="sum", help="sum over aspects, mean ≥ 1, or rounded mean"
        )
        parser.add_argument("--annotators", action="store_true", help="each annotator's labels, named in column 2")
        parser.add_argument(
            "--unresolved",
            choices=UNRESOLVED,
            default="refuse",
            help="items without a sure value: refuse, or skip them",
        )
        parser.add_argument(
            "--aspects", choices=ASPECTS, default=EVERY, help="score over every aspect of a topic, or the judged only"
        )
        parser.add_argument(
            "--iteration", choices=ITERATIONS, default="reference", help="of contexts: the reference's number, or 0"
        )
        parser.add_argument(
            "--first-number", type=int, metavar="N", help="of sentence topics; else each paper's own, or 0"
        )
        parser.add_argument(
            "--include-drafts", action="store_true", help="also papers that nobody has confirmed, marked as such"
        )
        parser.add_argument("--query-prefix", metavar="Q", help="BEIR: what ids of queries begin with; remembered")
        parser.add_argument("--document-prefix", metavar="D", help="BEIR: what ids of documents begin with; remembered")
        parser.add_argument("--out", type=Path, metavar="FILE", help="a directory for acm-cr")

    def carry_out(self, *, slug: str, kind: str, out: Path | None, **options: Any) -> tuple[str, dict[str, Any]]:
        if out is not None and kind == "judgments" and out.suffix == ".jsonl":
            kind = "judgments-jsonl"
        asked = {name: options[name] for name in ASKED} | {"drafts": options["include_drafts"]}
        chosen = make_options(collection_with(slug), kind, **asked)
        started = time.monotonic()
        export = open_export(chosen)
        if export.members is not None and out is None:
            raise Refused("Name a file with --out: a manifest goes with it.")
        if any(options[name] is not None for name in PREFIX_WORDS):
            remember_prefixes(chosen)
        if kind == "acm-cr" and out is not None and out.suffix != ".zip":
            return _write_folder(chosen, export, out)
        files = [out.name] if out else []
        if export.members is not None and out is not None and out.suffix != ".zip":
            (size, lines, digest), files = _write_members(export.members, out)
        else:
            size, lines, digest = _write(export.pieces, out)
        result = {
            "format": kind,
            "campaign": chosen.campaign.slug if chosen.campaign else None,
            "file": str(out) if out else None,
            "files": files,
            "bytes": size,
            "lines": lines,
            "sha256": digest,
            "warnings": [{"code": each.code, "count": each.count, "text": each.text} for each in export.warnings],
            "seconds": round(time.monotonic() - started, 3),
        }
        told = [f"Wrote {lines:,} lines, {size:,} bytes, to {out or 'standard output'}."]
        told += [f"With it: {', '.join(files[1:])}."] if files[1:] else []
        return "\n".join(told + [f"Note: {each.text}" for each in export.warnings]), result

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        if as_json and options["out"] is None:
            raise CommandError("--json needs --out: both would write to standard output.", returncode=2)
        if options["aspects"] == JUDGED and options["out"] is None:
            raise CommandError("--aspects judged needs --out: a comment file and a manifest go with it.", returncode=2)
        super().handle(*args, as_json=as_json, **options)


def _write_folder(options: Options, export: Export, out: Path) -> tuple[str, dict[str, Any]]:
    """One XML and one sheet for each paper, below `out`, which is made if it is not there."""
    names = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, lines in context_files(options):
            part = out / f"{name}.part"
            with part.open("w", encoding="utf-8", newline="") as target:
                target.writelines(lines)
            part.replace(out / name)
            names.append(name)
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}.") from None
    warnings = [{"code": each.code, "count": each.count, "text": each.text} for each in export.warnings]
    told = [f"Wrote {len(names):,} files to {out}.", *(f"Note: {each.text}" for each in export.warnings)]
    return "\n".join(told), {"format": "acm-cr", "folder": str(out), "files": names, "warnings": warnings}


def _write_members(members: Members, out: Path) -> tuple[tuple[int, int, str], list[str]]:
    """The file itself to `out`, what goes with it next to it; (what `_write` says of the former, all names)."""
    _, content = next(members)
    told = _write(content, out)
    names = [out.name]
    for name, content in members:
        names.append(f"{out.name}.{name}")
        _write(content, out.with_name(names[-1]))
    return told, names


def _write(content: Iterable[bytes], out: Path | None) -> tuple[int, int, str]:
    """(bytes, lines, SHA-256). A file appears under its name only when it is whole."""
    digest, size, lines = hashlib.sha256(), 0, 0
    part = out.with_name(out.name + ".part") if out else None
    try:
        target = part.open("wb") if part else sys.stdout.buffer
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}.") from None
    try:
        for piece in content:
            target.write(piece)
            digest.update(piece)
            size, lines = size + len(piece), lines + piece.count(b"\n")
        target.flush()
    finally:
        if part:
            target.close()
    if part and out:
        part.replace(out)
    return size, lines, digest.hexdigest()
