"""litmus export_run, import_runs and make_run."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.options import add_option
from accounts.management.reporting import IN_COLLECTION, ReportingCommand, whole_file
from accounts.refusals import Refused
from corpus.collections.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.runs.files import metadata_text, run_pieces
from corpus.runs.recipes.registry import RECIPES, all_options
from corpus.runs.runs import recipe_named, request_run


class ExportRun(ReportingCommand):
    """litmus export_run SLUG NAME --out FILE [--header] [--json]"""

    called = "export_run"
    where = IN_COLLECTION
    task = "Evaluate"
    example = "export_run demo bm25-query --out bm25-query.run"
    line = "Write a run as TREC's six columns, and how it was made"
    help = "Write a run as TREC's six columns to FILE, and how it was made to FILE.metadata.yml."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="name of the run")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file")
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
        with whole_file(out) as target:
            for piece in run_pieces(run, header=header):
                target.write(piece)
                lines += piece.count(b"\n")
        metadata_file = out.with_name(out.name + ".metadata.yml")
        with whole_file(metadata_file) as target:
            target.write(metadata_text(run).encode())
        result = {"run": name, "file": str(out), "lines": lines, "metadata": str(metadata_file)}
        return f"Wrote {lines:,} lines to {out}.", result


class ImportRuns(ImportCommand):
    """litmus import_runs SLUG FILE… [--name N] [--dry-run] [--json]"""

    called = "import_runs"
    task = "Bring in"
    example = "import_runs demo bm25.run dense.run"
    line = "Rankings of retrieval systems, in TREC's six columns"
    kind = "runs"


class MakeRun(ReportingCommand):
    """litmus make_run SLUG NAME --recipe R [--topics KIND] [--depth N] [options of the recipe] [--json]"""

    called = "make_run"
    where = IN_COLLECTION
    task = "Prepare"
    example = "make_run demo my-bm25 --recipe bm25 --depth 100"
    line = "Rank the documents for each topic: BM25, TF-IDF, vectors, fusion, reranking"
    help = (
        "Make a retrieval run over the documents of a collection. The same recipe over the same collection gives the "
        "same run, byte for byte. Recipes: " + " ".join(f"{each.name}: {each.about}" for each in RECIPES.own.values())
    ).replace("%", "%%")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="name of the run, without spaces")
        parser.add_argument("--recipe", required=True, choices=list(RECIPES))
        for name, field in all_options().items():
            add_option(parser, name, field)

    def carry_out(self, *, slug: str, name: str, recipe: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        options = {option: arguments[option] for option in all_options() if arguments[option] is not None}
        job = request_run(
            by=None,
            at=timezone.now(),
            collection=collection_with(slug),
            name=name,
            recipe=recipe_named(recipe),
            options=options,
            send=False,
        )
        jobs.complete(job)
        if job.run is None:
            raise Refused("The run was not made.")
        facts = job.run.parameters
        summary = [f"{name}: {facts['topics']:,} topics, {facts['lines']:,} lines, in {facts['seconds']:.1f} s"]
        summary += [f"  {label}: {count:,}" for label, count in facts["counts"].items()]
        if facts["without_documents"]:
            summary.append(f"  without any document: {facts['without_documents']:,} topics")
        summary += [f"  same ranking as {base}: {count:,} topics" for base, count in facts["same_order"].items()]
        summary += [f"  Warning: {each}" for each in facts["warnings"]]
        shown = ["recipe_hash", "topics", "lines", "seconds", "cost", "counts", "without_documents"]
        shown += ["same_order", "warnings"]
        return "\n".join(summary), {"run": name, **{key: facts[key] for key in shown}}
