"""manage.py evaluate SLUG --gold G --run NAME… [--measure M…] [--by A,B] [--preset P] [--format F] …"""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.golds.registry import GOLDS, parse_selector
from adjudication.evaluation.presets.registry import PRESETS, find_preset
from adjudication.evaluation.reads.reports import Report, make_report
from adjudication.evaluation.reads.spec import MEASURES, TOPICS, UNJUDGED, EvaluationSpec
from adjudication.evaluation.reads.tables import WRITERS, as_markdown
from adjudication.evaluation.rules import check_not_sealed_labels
from adjudication.stats.measures import measure_names
from corpus.collections.reads.collections import collection_with
from corpus.formats.qrels import read_qrels
from corpus.formats.records import Problem


class Command(ReportingCommand):
    help = "Measure runs against a gold: verdicts, targets, citation contexts, one annotator, a machine, or qrels."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        golds = ", ".join(kind.spelling for kind in GOLDS.values())
        parser.add_argument("slug")
        parser.add_argument("--gold", default="", help=f"one of {golds}; options follow: campaign:main;unit=aspect")
        parser.add_argument("--run", nargs="+", action="extend", default=[], metavar="NAME", dest="runs")
        known = ", ".join(measure_names()).replace("%", "%%")
        parser.add_argument(
            "--measure", nargs="+", action="extend", default=[], metavar="M", dest="measures", help=f"some of {known}"
        )
        parser.add_argument("--by", default="", help="attributes of topics, separated by commas: source,specificity")
        parser.add_argument("--preset", default="", help=f"a paper's table: {', '.join(PRESETS)}")
        parser.add_argument("--format", choices=["text", "json", *WRITERS], default="text", dest="form")
        parser.add_argument("--baseline", default="", metavar="NAME", help="test against this run, not every pair")
        parser.add_argument("--against", default="", metavar="GOLD", help="a second gold: how alike it orders the runs")
        parser.add_argument("--unjudged", choices=UNJUDGED, default=UNJUDGED[0])
        parser.add_argument("--topics", choices=TOPICS, default=TOPICS[0], help="all, or those that every run ranks")
        parser.add_argument("--random", action=BooleanOptionalAction, default=False, help="a row of shuffled pools")
        parser.add_argument("--sensitivity", action=BooleanOptionalAction, default=False, help="leave each run out")
        parser.add_argument("--resamples", type=int, default=EvaluationSpec.resamples)
        parser.add_argument("--seed", type=int, default=EvaluationSpec.seed)

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        self.form = options.pop("form")
        super().handle(*args, as_json=as_json or self.form == "json", **options)

    def carry_out(self, *, slug: str, by: str, **options: Any) -> tuple[str, dict[str, Any]]:
        if not (options["gold"] or options["preset"]):
            raise Refused("Say against what: --gold campaign:NAME, targets, contexts:paragraph …, or --preset.")
        if options["preset"]:
            find_preset(options["preset"])
        spec = _spec(by, options)
        spec.check()
        collection = collection_with(slug)
        check_not_sealed_labels(collection, spec)
        report = make_report(collection, spec, files=_files(spec))
        return self._summary(report), report.to_json()

    def _summary(self, report: Report) -> str:
        """A table on stdout where one was asked for; else the summary that goes to stderr."""
        if self.form in WRITERS:
            self.stdout.write(WRITERS[self.form](report.table), ending="")
            return ""
        return as_markdown(report.table).rstrip()


def _spec(by: str, options: dict[str, Any]) -> EvaluationSpec:
    own = {name: options[name] for name in EvaluationSpec.__dataclass_fields__ if name in options}
    own["runs"] = tuple(dict.fromkeys(options["runs"]))
    own["measures"] = tuple(options["measures"]) or MEASURES
    return EvaluationSpec(**own, by=tuple(part.strip() for part in by.split(",") if part.strip()))


def _files(spec: EvaluationSpec) -> dict[str, Grades]:
    """The qrels that golds name by their path."""
    names = {parse_selector(gold).name for gold in spec.golds if gold.startswith("qrels:")}
    return {name: _read_file(Path(name)) for name in names if Path(name).is_file()}


def _read_file(path: Path) -> Grades:
    grades: Grades = {}
    with path.open("rb") as file:
        for row in read_qrels(file, path.name):
            if isinstance(row, Problem):
                raise Refused(f"{row.file}, line {row.line}: {row.reason}.")
            if row.value != grades.setdefault(row.topic, {}).setdefault(row.docno, row.value):
                raise Refused(f"{row.file}, line {row.line}: {row.docno} has two grades for topic {row.topic}.")
    return grades
