"""litmus evaluate, import_qrels, judge_unjudged and search_sheet."""

from argparse import BooleanOptionalAction
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from django import forms
from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.options import add_option
from accounts.management.reporting import IN_COLLECTION, ReportingCommand, SteppedCommand, valid, whole_file
from accounts.operations import Found
from accounts.refusals import Refused
from adjudication.evaluation.forms import EvaluationForm
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.golds.registry import parse_selector
from adjudication.evaluation.measuring import measure_runs
from adjudication.evaluation.operations import REQUEST_EVALUATION, JudgingSerializer
from adjudication.evaluation.presets.reports import make_report
from adjudication.evaluation.rankings import find_runs
from adjudication.evaluation.requests import check_words, import_sheet, judge_unjudged, request_evaluation
from adjudication.evaluation.rules import check_can_sample
from adjudication.evaluation.search_sheets import QUESTIONS, RESULTS, SEED, sheet_lines
from adjudication.evaluation.spec import (
    EvaluationSpec,
)
from adjudication.evaluation.tables import ScoreTable
from adjudication.evaluation.unjudged import DEPTHS
from adjudication.evaluation.writers import WRITERS, write_report
from corpus.collections.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.loading.sources import Odometer, Source, read_files
from corpus.models import Collection
from engines.formats.reading import read_qrels_of_path
from engines.formats.records import Problem
from engines.formats.registry import AUTO

ONE_OF = {"runs": "run", "measures": "measure"}  # field: its option, which takes several


class Evaluate(ReportingCommand):
    """litmus evaluate SLUG --gold G --run NAME… [--measure M…] [--by A…] [--preset P] [--format F] …"""

    called = "evaluate"
    where = IN_COLLECTION
    prints = True
    task = "Evaluate"
    example = "evaluate demo --gold campaign:first-pass --run bm25-query bm25-titles --measure nDCG@10"
    line = "Measure runs against verdicts, targets, contexts, an annotator or qrels"
    help = "Measure runs against a gold: verdicts, targets, citation contexts, one annotator, a machine, or qrels."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        for name, field in EvaluationForm.base_fields.items():
            if isinstance(field, forms.BooleanField):
                parser.add_argument(f"--{name}", action=BooleanOptionalAction, default=None, help=str(field.label))
            else:
                add_option(parser, ONE_OF.get(name, name), field)
        parser.add_argument("--format", choices=["text", "json", *WRITERS], default="text", dest="form")
        parser.add_argument("--se", action="store_true", dest="with_se", help="print standard errors as well")
        parser.add_argument("--intervals", action="store_true", dest="with_interval", help="print intervals as well")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        self.form = options.pop("form")
        super().handle(*args, as_json=as_json or self.form == "json", **options)

    def carry_out(self, *, slug: str, with_se: bool, with_interval: bool, **options: Any) -> tuple[str, dict[str, Any]]:
        if not (options["gold"] or options["preset"]):
            raise Refused("Say against what: --gold campaign:NAME, targets, contexts:paragraph …, or --preset.")
        collection = collection_with(slug)
        given = {name: options[ONE_OF.get(name, name)] for name in EvaluationForm.base_fields}
        said = {name: value for name, value in given.items() if value is not None}
        spec = valid(REQUEST_EVALUATION.fill(Found({}, {"collection": collection}), said))["spec"]
        files = _files(spec)
        results = _evaluated(collection, spec, files)
        table = ScoreTable.from_json(results["table"]).shown(se=with_se, interval=with_interval)
        form = self.form if self.form in WRITERS else "markdown"
        return write_report(form, table, results["report"]), results["report"]


def _evaluated(collection: Collection, spec: EvaluationSpec, files: Mapping[str, Grades]) -> dict[str, Any]:
    """The results, stored for the page; of an archived collection, which is read but not changed, only printed."""
    asked: dict[str, Any] = {"collection": collection, "spec": spec, "files": files}
    if collection.archived_at is not None:
        check_words(**asked)
        return make_report(collection, spec, files=files).results()
    job = request_evaluation(**asked, by=None, at=timezone.now(), send=False)
    jobs.complete(job, partial(measure_runs, files=files))
    return job.results


def _files(spec: EvaluationSpec) -> dict[str, Grades]:
    """The qrels that golds name by their path."""
    names = {parse_selector(gold).name for gold in spec.golds if gold.startswith("qrels:")}
    return {name: _read_file(Path(name)) for name in names if Path(name).is_file()}


def _read_file(path: Path) -> Grades:
    grades: Grades = {}
    source = Source(path.name, str(path.resolve()), path.stat().st_size)
    for row in read_files(read_qrels_of_path, [source], AUTO, Odometer(), lambda: None):
        if isinstance(row, Problem):
            raise Refused(f"{row.file}, line {row.line}: {row.reason}.")
        if row.value != grades.setdefault(row.topic, {}).setdefault(row.docno, row.value):
            raise Refused(f"{row.file}, line {row.line}: {row.docno} has two grades for topic {row.topic}.")
    return grades


class ImportQrels(ImportCommand):
    """litmus import_qrels SLUG FILE… [--name NAME] [--dry-run] [--json]"""

    called = "import_qrels"
    task = "Bring in"
    example = "import_qrels demo earlier.qrels --name earlier"
    line = "Judgments made elsewhere, to evaluate runs against"
    kind = "qrels"


class JudgeUnjudged(ReportingCommand):
    """litmus judge_unjudged SLUG --gold G --run NAME… --depth K (--campaign C | --name NAME) [--topic N…]"""

    called = "judge_unjudged"
    where = IN_COLLECTION
    task = "Evaluate"
    example = 'judge_unjudged demo --gold campaign:first-pass --run bm25-query --depth 10 --name "Second look"'
    help = "Make items of the documents that runs rank high and a gold does not judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--gold", required=True, help="as of evaluate, such as campaign:main")
        parser.add_argument(
            "--run", nargs="+", action="extend", default=[], metavar="NAME", dest="runs", help="names of the runs"
        )
        parser.add_argument("--depth", type=int, default=DEPTHS[1], help="how many of the first documents of each run")
        parser.add_argument(
            "--topic", nargs="+", action="extend", default=[], metavar="NUMBER", dest="topics", help="default: all"
        )
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--campaign", default="", help="short name of the campaign that gets the items")
        where.add_argument("--name", default="", help="name of a new draft")

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        done = judge_unjudged(
            collection=collection,
            gold=options["gold"],
            runs=[run.name for run in find_runs(collection, options["runs"])],
            depth=options["depth"],
            topics=options["topics"],
            campaign=options["campaign"],
            name=options["name"],
            by=None,
            at=timezone.now(),
        )
        return f"{done.items:,} items of {done.documents:,} documents added to {done.campaign}", JudgingSerializer(
            done
        ).data


class SearchSheet(SteppedCommand):
    """litmus search_sheet SLUG write|read FILE: sampled questions to ask a search engine by hand, back as a run."""

    called = "search_sheet"
    task = "Evaluate"
    example = """
    search_sheet demo write sheet.csv --questions 2
    search_sheet demo read sheet.csv --name web-search
    """
    line = "Ask a search engine by hand, with a sheet, and read it as a run"
    help = "A sheet of sampled questions to fill with what a search engine found (LitSearch, Table 7), read as a run."
    reads: ClassVar[dict[str, str]] = {"write": "write the empty sheet as CSV"}
    writes: ClassVar[dict[str, str]] = {"read": "read a filled sheet as a run"}

    def add_write(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the sheet, a CSV file")
        parser.add_argument(
            "--questions", type=int, default=QUESTIONS, help=f"questions of each origin; default: {QUESTIONS}"
        )
        parser.add_argument("--results", type=int, default=RESULTS, help=f"of each question; default: {RESULTS}")
        parser.add_argument("--seed", type=int, default=SEED, help="draws the questions")

    def add_read(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the sheet, a CSV file")
        parser.add_argument("--name", required=True, help="of the run, such as the search engine's")

    def write(self, *, slug: str, file: Path, **sample: int) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        check_can_sample(collection, None)
        lines = list(sheet_lines(collection, **sample))
        with whole_file(file) as out:
            out.write("".join(lines).encode())
        questions = (len(lines) - 1) // sample["results"]
        return f"{questions:,} questions in {file}.", {"questions": questions, "file": str(file), **sample}

    def read(self, *, slug: str, file: Path, name: str) -> tuple[str, dict[str, Any]]:
        try:
            with file.open("rb") as stream:
                sheet, run = import_sheet(
                    collection=collection_with(slug),
                    name=name,
                    file=file.name,
                    stream=stream,
                    by=None,
                    at=timezone.now(),
                    send=False,
                )
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        self.work([run])
        counts = {"topics": len(sheet.rankings), "outside": sheet.outside, "unanswered": sheet.unanswered}
        text = f"{name}: {counts['topics']:,} questions, {sheet.outside:,} results outside of the collection."
        return text, {"run": name, **counts}
