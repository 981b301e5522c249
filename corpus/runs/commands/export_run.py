"""manage.py export_run SLUG NAME --out FILE [--header] [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.runs.files import metadata_text, run_pieces


class Command(ReportingCommand):
    help = "Write a run as TREC's six columns to FILE, and how it was made to FILE.metadata.yml."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("name", help="name of the run")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--header",
            action="store_true",
            help="metadata in the file itself, in lines that begin with #; ir_datasets cannot read such a run",
        )

    def carry_out(self, *, slug: str, name: str, out: Path, header: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        run = collection_with(slug).retrieval_runs.select_related("collection").filter(name=name).first()
        if run is None:
            raise Refused(f"There is no run {name} in the collection {slug}.")
        lines = 0
        try:
            with out.open("wb") as target:
                for piece in run_pieces(run, header=header):
                    target.write(piece)
                    lines += piece.count(b"\n")
            metadata_file = out.with_name(out.name + ".metadata.yml")
            metadata_file.write_text(metadata_text(run), encoding="utf-8")
        except OSError as error:
            raise Refused(f"{out} cannot be written: {error.strerror}.") from None
        return f"Wrote {lines:,} lines to {out}.", {
            "run": name,
            "file": str(out),
            "lines": lines,
            "metadata": str(metadata_file),
        }
