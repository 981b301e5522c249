"""Commands about citation mentions and the questions that a language model writes about them."""

from argparse import SUPPRESS
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.options import add_option
from accounts.management.reporting import IN_COLLECTION, ReportingCommand, valid
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.collections.collections import collection_with
from corpus.imports.commands import ImportCommand
from corpus.models import Collection, QuestionRun
from corpus.questions.api.question_runs import CountsSerializer, as_json
from corpus.questions.decisions import FilteredAgain
from corpus.questions.forms.generation import CutoffsForm, GenerationForm
from corpus.questions.generation import continue_questions, generate_questions, preview_questions
from corpus.questions.question_runs import Estimate, filter_of, run_figures, used_of_again


class ImportMentions(ImportCommand):
    """litmus import_mentions SLUG FILE… [--format F] [--only-linked] [--dry-run] [--json]"""

    called = "import_mentions"
    task = "Bring in"
    example = "import_mentions demo mentions.jsonl"
    line = "Paragraphs that cite other papers"
    kind = "mentions"


class GenerateQuestions(ReportingCommand):
    """litmus generate_questions SLUG [--source inside|outside] [--words W] [--used no|again|stored] [--sample N]
    [--seed S] [--prompt NAME[@VERSION]] [--overlap-definition D] [--cutoff-inside S] [--cutoff-outside S] [--dry-run]
    [--json], or --continue RUN [--ask-again]"""

    called = "generate_questions"
    where = IN_COLLECTION
    task = "Prepare"
    example = "generate_questions demo --sample 2 --dry-run"
    line = "Ask a language model for questions about citation mentions"
    help = (
        "Ask a language model for literature-search questions about citation mentions. What"
        " has been answered is not asked again: --continue goes on with a run that was stopped or gave up."
        " --used stored asks nothing: the runs that asked about these mentions are filtered again, each as a whole."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        for name in (*GenerationForm.field_order, *CutoffsForm.base_fields):
            field = GenerationForm.base_fields[name]
            add_option(parser, name, field, former="overlap" if name == "overlap_definition" else "")
        parser.add_argument("--again", action="store_true", help=SUPPRESS)  # as 0.1 had it
        parser.add_argument("--dry-run", action="store_true", help="only show what it would take")
        parser.add_argument("--continue", type=int, dest="run", metavar="RUN", help="go on with this run")
        parser.add_argument(
            "--ask-again",
            action="store_true",
            help="with --continue: ask again where the kept answer could not be read, was a refusal or was cut off",
        )

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        if options["run"]:
            again = options["ask_again"]
            found = run_numbered(collection, options["run"])
            return _work(continue_questions(by=None, at=timezone.now(), run=found, ask_again=again, send=False))
        if options["ask_again"]:
            raise Refused("Name the run whose answers are asked for again: --continue RUN --ask-again.")
        given = {name: options[name] for name in GenerationForm.base_fields if options[name] is not None}
        if options["again"]:
            given["used"] = self._used_of_again(given)
        form = GenerationForm.of(given, collection)
        valid(form)
        arguments = {"collection": collection, **form.arguments}
        if options["dry_run"]:
            return preview_summary(preview_questions(by=None, at=timezone.now(), **arguments))
        done = generate_questions(by=None, at=timezone.now(), **arguments, send=False)
        return (str(done), as_json(done)) if isinstance(done, FilteredAgain) else _work(done)

    def _used_of_again(self, given: dict[str, Any]) -> str:
        """What --again meant in version 0.1. Errors: Refused next to --used."""
        if "used" in given:
            raise Refused("--again is now --used. Give it once.")
        present = used_of_again(again=True, with_cutoffs=any(name in given for name in CutoffsForm.base_fields))
        self.stderr.write(f"--again is now --used {present}; the former name works in version 0.2 only.", str)
        return present


def _work(run: QuestionRun) -> tuple[str, dict[str, Any]]:
    """Do the job here and now. Errors: Refused with its reason where it failed."""
    jobs.carry_out(run)
    run.refresh_from_db()
    if run.state != JobState.DONE:
        raise Refused(f"Run {run.pk}: {run.reason}")
    return run_summary(run)


def run_numbered(collection: Collection, number: int) -> QuestionRun:
    """Errors: Refused where the collection has no such run."""
    found = collection.question_runs.filter(pk=number).select_related("collection").first()
    if found is None:
        raise Refused(f"There is no run {number} in {collection.slug}.")
    return found


def preview_summary(found: Estimate | FilteredAgain) -> tuple[str, dict[str, Any]]:
    """What a dry run says."""
    if isinstance(found, FilteredAgain):
        return f"Nothing was changed. Without --dry-run: {found}", as_json(found)
    cost = "" if found.cost is None else f", for about {found.cost:.4f}"
    summary = (
        f"{found.mentions:,} mentions ({found.inside:,} inside, {found.outside:,} outside), about "
        f"{found.prompt_tokens:,} tokens to send and {found.completion_tokens:,} to receive{cost}; nothing was asked"
    )
    return summary, as_json(found)


def run_summary(run: QuestionRun) -> tuple[str, dict[str, Any]]:
    """What came of a run: all its counts."""
    figures = run_figures(run.collection, run)
    spending = figures.spending
    summary = [
        f"Run {run.pk}: {figures.asked:,} mentions, {figures.questions:,} questions; {run.overlap_rule}",
        f"  answers: {_counted(figures.outcomes)}",
        f"  questions: {_counted(figures.states)}",
    ]
    summary += [f"  {each.source}: {each.about_filter}" for each in figures.sources]
    return "\n".join(summary), CountsSerializer(figures).data | filter_of(run) | {
        "run": run.pk,
        "prompt_tokens": figures.prompt_tokens,
        "completion_tokens": figures.completion_tokens,
        "cost": None if spending.whole is None else float(spending.whole),
        "cost_at_least": None if spending.known is None else float(spending.known),
    }


def _counted(counts: list[tuple[str, str, int]]) -> str:
    return ", ".join(f"{count:,} {label}" for _, label, count in counts) or "none"
