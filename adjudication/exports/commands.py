"""litmus export SLUG --format F [options of the export] [--out FILE]

A file that goes out with a manifest is written to FILE, the manifest and a comment file next to it.
"""

import hashlib
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.options import add_option
from accounts.management.reporting import IN_COLLECTION, ReportingCommand, whole_file
from accounts.refusals import Refused
from adjudication.exporting.exporter import Options
from adjudication.exporting.options import formats, make_options, option_fields
from adjudication.exports.files import Export, open_export
from corpus.collections.collections import collection_with
from engines.formats.litsearch_parquet import MAGIC

IN_WORDS = {"members": "files"}


class ExportCommand(ReportingCommand):
    called = "export"
    where = IN_COLLECTION
    task = "Publish"
    example = "export demo --format qrels --campaign first-pass --out demo.qrels"
    line = "Write qrels, topics, judgments or documents"
    help = "Write qrels, topics, judgments or documents of a collection, to a file or to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", required=True, choices=list(formats()), dest="kind")
        for name, field in option_fields().items():
            add_option(parser, name, field, former=getattr(field, "former", ""))
        parser.add_argument("--out", type=Path, metavar="FILE", help="a directory for acm-cr")

    def carry_out(self, *, slug: str, kind: str, out: Path | None, **options: Any) -> tuple[str, dict[str, Any]]:
        kind = formats()[kind].by_suffix.get(out.suffix, kind) if out else kind
        chosen = make_options(collection_with(slug), kind, **{name: options[name] for name in option_fields()})
        if chosen.judged_only and out is None:
            raise CommandError("--aspects judged needs --out: a comment file and a manifest go with it.", returncode=2)
        started = time.monotonic()
        export = open_export(chosen)
        if export.files is not None and out is None:
            raise Refused("Name a file with --out: a manifest goes with it.")
        chosen.exporter.remember(chosen)
        written = [(path, *_write(content, path)) for path, content in _targets(chosen, export, out)]
        notes = [f"Note: {each.text}" for each in export.warnings]
        warnings = [{"code": each.code, "count": each.count, "text": each.text} for each in export.warnings]
        if out is not None and out.is_dir():
            names = [str(path.relative_to(out)) for path, *_ in written if path]
            about = {"format": kind, "folder": str(out), "files": names, "warnings": warnings}
            return "\n".join([f"Wrote {len(names):,} files to {out}.", *notes]), about
        files = [path.name for path, *_ in written if path]
        _, size, lines, digest = written[0]
        unit, counted = _counted(out, lines)
        result = {
            "format": kind,
            "campaign": chosen.campaign.slug if chosen.campaign else None,
            "file": str(out) if out else None,
            "files": files,
            "bytes": size,
            unit: counted,  # lines, records, or members of an archive
            "sha256": digest,
            "warnings": warnings,
            "seconds": round(time.monotonic() - started, 3),
        }
        much = f"{counted:,} {IN_WORDS.get(unit, unit)}, " if counted is not None else ""
        summary = [f"Wrote {much}{size:,} bytes, to {out or 'standard output'}."]
        summary += [f"With it: {', '.join(files[1:])}."] if files[1:] else []
        return "\n".join(summary + notes), result

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        if as_json and options["out"] is None:
            raise CommandError("--json needs --out: both would write to standard output.", returncode=2)
        super().handle(*args, as_json=as_json, **options)


def _targets(options: Options, export: Export, out: Path | None) -> Iterator[tuple[Path | None, Iterable[bytes]]]:
    """Each file with its bytes, to be written in this order: the export itself first, below it what goes with it."""
    if out is None or out.suffix == ".zip" or not (options.exporter.unpacks or export.files):
        yield out, export.pieces
    elif options.exporter.unpacks:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"{out} cannot be written: {error.strerror}.") from None
        for name, content in options.exporter.files(options):
            yield out / name, content
    else:
        for place, (name, content) in enumerate(export.files or ()):
            yield out.with_name(f"{out.name}.{name}") if place else out, content


def _counted(out: Path | None, lines: int | None) -> tuple[str, int | None]:
    """What was written, and how much: lines of text, records of parquet, members of an archive.

    None for what is no text and went to standard output.
    """
    if out is not None and out.is_file():
        if zipfile.is_zipfile(out):
            with zipfile.ZipFile(out) as archive:
                return "members", len(archive.namelist())
        with out.open("rb") as file:
            if file.read(len(MAGIC)) == MAGIC:
                from pyarrow.parquet import read_metadata

                return "records", read_metadata(out).num_rows
    return "lines", lines


def _write(content: Iterable[bytes], out: Path | None) -> tuple[int, int | None, str]:
    """(bytes, lines, SHA-256); no lines for what is no text. A file appears under its name only when it is whole."""
    digest, size, lines, is_text = hashlib.sha256(), 0, 0, True
    with whole_file(out) if out else nullcontext(sys.stdout.buffer) as target:
        for piece in content:
            target.write(piece)
            is_text = is_text and b"\0" not in piece
            digest.update(piece)
            size, lines = size + len(piece), lines + piece.count(b"\n")
        target.flush()
    return size, lines if is_text else None, digest.hexdigest()
