"""The base of all import commands, which read files at once, in this process, by the same job as the web; undoing."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from django.forms import BooleanField, ChoiceField, Field
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import IN_COLLECTION, ReportingCommand
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.collections.collections import collection_with
from corpus.imports.errors import ErrorGroup, group_errors
from corpus.imports.forms import DocnosField, names_of, parameters_from, with_option_names
from corpus.imports.registry import Importer, importers
from corpus.imports.requests import request_import, undo_import
from corpus.models import ImportRun
from engines.formats.overview import SORTS, as_objects, as_text
from engines.formats.registry import AUTO, format_names, formats_for

SHOWN_ERRORS = 10


class ImportCommand(ReportingCommand):
    """litmus import_… SLUG FILE… [--format F] [--dry-run] [--json]"""

    where: ClassVar[Mapping[str, str]] = IN_COLLECTION
    kind: str  # name of an importer

    @property
    def importer(self) -> Importer:
        return importers()[self.kind]

    @property
    def help(self) -> str:  # type: ignore[override]
        return self.importer.about

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="plain, compressed (gz, bz2, xz), archive or folder"
        )
        parser.add_argument("--format", default=AUTO, help=f"one of {self._formats()}")
        parser.add_argument("--dry-run", action="store_true", help="count and report, but write nothing")
        for name, field in self.importer.form.options().items():
            _add_option(parser, name, field)

    def _formats(self) -> str:
        labels = {each.name: f"{each.name} ({each.label})" for each in formats_for(self.kind)}
        return ", ".join(labels.get(name, name) for name in format_names(self.kind))

    def carry_out(self, **options: Any) -> tuple[str, dict[str, Any]]:
        run = self.request(**options)
        jobs.carry_out(run)
        run.refresh_from_db()
        if run.state != JobState.DONE:
            raise ImportFailed(run)
        return summary(run), as_json(run)

    def request(self, *, slug: str, files: list[Path], dry_run: bool, **options: Any) -> ImportRun:
        """The job's row, not sent to a worker."""
        return request_import(
            by=None,
            at=timezone.now(),
            collection=collection_with(slug),
            kind=self.kind,
            files=files,
            format=options["format"],
            dry_run=dry_run,
            send=False,
            **self.parameters(**options),
        )

    def parameters(self, **options: Any) -> dict[str, Any]:
        """Further arguments of `request_import`."""
        form = self.importer.form
        values = {name: _value(field, options[name]) for name, field in form.options().items()}
        return parameters_from(form, self.kind, values)

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        try:
            super().handle(*args, as_json=as_json, **options)
        except CommandError as error:
            if as_json:
                self.print_failure(error.__cause__)
            raise

    def print_failure(self, cause: BaseException | None) -> None:
        """The JSON of a refused import: nothing was written, and why."""
        if isinstance(cause, ImportFailed):
            result = as_json(cause.run)
        else:
            errors = [{"file": "", "line": 0, "reason": str(cause)}]
            result = {"created": 0, "updated": 0, "unchanged": 0, "skipped": 0, "errors": errors}
        self.stdout.write(json.dumps(result, ensure_ascii=False))


class ImportPapers(ImportCommand):
    """litmus import_papers SLUG FILE… [--format F] [--sections NAMES] [--dry-run] [--json]"""

    called = "import_papers"
    task = "Bring in"
    example = "import_papers demo papers.zip"
    line = "Citing papers, as PDF or TEI files"
    kind = "papers"


class UndoImport(ReportingCommand):
    """litmus undo_import SLUG NUMBER [--json]"""

    called = "undo_import"
    where = IN_COLLECTION
    task = "Bring in"
    example = "undo_import demo 8"
    help = "Undo an import while nothing depends on it; its number is at the end of its page's address."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("number", type=int, help="of the import")

    def carry_out(self, *, slug: str, number: int, **_: Any) -> tuple[str, dict[str, Any]]:
        run = collection_with(slug).import_runs.select_related("collection").filter(pk=number).first()
        if run is None:
            raise Refused(f"The collection {slug} has no import {number}.")
        undo_import(by=None, at=timezone.now(), run=run)
        return f"The import {number} of {run.label} was undone.", {"import": number, "kind": run.kind}


class ListFormats(ReportingCommand):
    """litmus formats [NAME…] [--for RECORDS] [--json]"""

    called = "formats"
    task = "Bring in"
    example = "formats --for topics"
    line = "Show each format of files: a sample to copy and the names of all fields"
    help = "Show the formats of files: for each a sample to copy and the names of all fields."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("names", nargs="*", metavar="NAME", help="formats to show; all without one")
        parser.add_argument("--for", dest="records", choices=SORTS, help="only what such records are read from")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        """The text is what was asked for, so it goes to stdout."""
        super().handle(*args, as_json=as_json, **options)
        if not as_json:
            sorts, names = _asked(options["records"], options["names"])
            self.stdout.write(as_text(sorts, names))

    def carry_out(self, *, names: list[str], records: str | None, **_: Any) -> tuple[str, dict[str, Any]]:
        found = as_objects(*_asked(records, names))
        count = len({one["format"] for one in found})
        return f"{count} format{'s' * (count > 1)}", {"formats": found}


def _asked(records: str | None, names: list[str]) -> tuple[list[str], list[str]]:
    """The sorts of records and the formats asked for. Errors: Refused where nothing reads them."""
    sorts = [records] if records else list(SORTS)
    known = {each.name for carried in sorts for each in formats_for(carried)}
    if others := [name for name in names if name not in known]:
        raise Refused(f"There is no format {others[0]}. There are {', '.join(sorted(known))}.")
    return sorts, names


def _add_option(parser: CommandParser, name: str, field: Field) -> None:
    """An option for a field of the form: a switch, a file of docnos, or text."""
    words = re.sub(r"<[^>]+>", "", str(field.help_text or field.label))
    option = option_of(name)
    if isinstance(field, BooleanField):
        parser.add_argument(option, action="store_true", help=str(field.label))
    elif isinstance(field, ChoiceField):
        parser.add_argument(option, default="", choices=names_of(field), help=words)
    elif isinstance(field, DocnosField):
        parser.add_argument(option, type=Path, metavar="FILE", help=f"{words} A file of them.")
    else:
        parser.add_argument(option, default="", metavar="TEXT", help=words.replace("%", "%%"))


def option_of(name: str) -> str:
    """The option of the command for a field of the form."""
    return f"--{name.replace('_', '-')}"


def _value(field: Field, argument: Any) -> Any:
    """The form's value of an argument: a list of docnos is read from its file."""
    if not isinstance(field, DocnosField) or argument is None:
        return argument
    try:
        return argument.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"The list {argument} cannot be read: {error}.") from error


class ImportFailed(Refused):
    """The job ended without having imported anything."""

    def __init__(self, run: ImportRun) -> None:
        super().__init__(_with_options(run, run.reason))
        self.run = run


def _with_options(run: ImportRun, text: str) -> str:
    """A message with the options of the command instead of the labels of the form."""
    return with_option_names(run.importer.form, text, option_of) if run.importer else text


def as_json(run: ImportRun) -> dict[str, Any]:
    """The JSON of an import, for scripts."""
    return {
        "created": run.created,
        "updated": run.updated,
        "unchanged": run.unchanged,
        "skipped": run.skipped,
        "errors": [{**error, "reason": _with_options(run, error["reason"])} for error in run.errors],
        "error_count": run.error_count,
        "skips": run.skips,
        "remarks": [_with_options(run, remark) for remark in run.remarks],
        "samples": run.samples,
        "dry_run": run.dry_run,
        "seconds": seconds(run),
        **run.importer.more(run),
    }


def seconds(run: ImportRun) -> float:
    took = run.finished_at - run.started_at if run.finished_at and run.started_at else timedelta()
    return round(took.total_seconds(), 3)


def summary(run: ImportRun) -> str:
    """The result of an import in lines for a person."""
    head = "Dry run, nothing was written. " if run.dry_run else ""
    lines = [
        f"{head}{run.unit.capitalize()}: {run.created:,} created, {run.updated:,} updated, "
        f"{run.unchanged:,} unchanged, {run.skipped:,} skipped, in {seconds(run):.1f} s"
    ]
    lines += [f"  skipped {count:,}: {rule}" for rule, count in sorted(run.skips.items())]
    lines += [f"  {_with_options(run, remark)}" for remark in run.remarks]
    lines += [line for sample in run.samples for line in _sample(sample)]
    groups = group_errors(run.errors)
    lines += [f"  {_with_options(run, _in_words(group))}" for group in groups[:SHOWN_ERRORS]]
    if more := run.error_count - sum(group.count for group in groups[:SHOWN_ERRORS]):
        lines.append(f"  … and {more:,} more")
    return "\n".join(lines)


def _sample(sample: dict[str, Any]) -> Iterator[str]:
    """A record as it would be stored, a field in each line."""
    where = f"{sample['file']}, line {sample['line']}" if sample["line"] else sample["file"]
    yield f"  As it would be stored: the record of {where}"
    for name, text in sample["fields"]:
        yield f"    {name}: {' '.join(text.split())}"


def _in_words(group: ErrorGroup) -> str:
    """Where and why; of equal errors how many there are, the first reason and the first places."""
    places = [f"{file}, line {line}" if line else file for file, line in group.places]
    note = "note: " if group.kept else ""
    if group.count == 1:
        return f"{note}{places[0]}: {group.reason}"
    more = f" and {group.more:,} more" if group.more else ""
    return f"{note}{group.count:,} times: {group.reason} ({'; '.join(places)}{more})"
