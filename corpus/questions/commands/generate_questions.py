"""manage.py generate_questions SLUG [--sample N] [--seed S] [--source inside|outside] [--dry-run] [--json]"""

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.models import Collection, OverlapDefinition, QuestionRun
from corpus.questions.actions.generation import continue_questions, request_questions
from corpus.questions.reads.generation import estimate_questions, prompt_body, run_figures
from corpus.questions.reads.mentions import SOURCES, MentionFilter


def share(text: str) -> float | None:
    """A share from 0 to 1, or "none"."""
    try:
        value = None if text == "none" else float(text)
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1, nor “none”")
    return value


class Command(ReportingCommand):
    help = (
        "Ask the language model of LITMUS_LLM_BASE_URL for literature-search questions about citation mentions. What "
        "has been answered is not asked again: --continue goes on with a run that was stopped or gave up."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--sample", type=int, default=0, help="so many mentions at random (default: all)")
        parser.add_argument("--seed", type=int, default=0, help="of the sample; the same seed takes the same mentions")
        parser.add_argument("--source", choices=SOURCES, default="", help="source papers inside or outside only")
        parser.add_argument("--words", default="", help="only paragraphs with these words")
        parser.add_argument("--again", action="store_true", help="also mentions that were asked about before")
        parser.add_argument("--cutoff-inside", type=share, default=0.3, help="highest overlap, or none (default: 0.3)")
        parser.add_argument("--cutoff-outside", type=share, default=0.1, help="highest overlap, or none (default: 0.1)")
        parser.add_argument("--overlap", choices=OverlapDefinition.values, default="words", help="how words count")
        parser.add_argument("--dry-run", action="store_true", help="only show what it would take")
        parser.add_argument("--continue", type=int, dest="run", metavar="RUN", help="go on with this run")

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        used = "" if options["again"] else "no"
        wanted = MentionFilter(
            source=options["source"], used=used, text=options["words"], sample=options["sample"], seed=options["seed"]
        )
        if options["dry_run"]:
            return estimate_summary(collection, wanted)
        run = self.begin(collection, wanted, options)
        jobs.carry_out(run)
        run.refresh_from_db()
        if run.state != JobState.DONE:
            raise Refused(f"Run {run.pk}: {run.reason}")
        return run_summary(run)

    def begin(self, collection: Collection, wanted: MentionFilter, options: dict[str, Any]) -> QuestionRun:
        """The job's row, not sent to a worker."""
        if options["run"]:
            found = collection.question_runs.filter(pk=options["run"]).select_related("collection").first()
            if found is None:
                raise Refused(f"There is no run {options['run']} in {collection.slug}.")
            return continue_questions(by=None, at=timezone.now(), run=found, send=False)
        return request_questions(
            by=None,
            at=timezone.now(),
            collection=collection,
            wanted=wanted,
            cutoff_inside=options["cutoff_inside"],
            cutoff_outside=options["cutoff_outside"],
            overlap_definition=OverlapDefinition(options["overlap"]),
            send=False,
        )


def estimate_summary(collection: Collection, wanted: MentionFilter) -> tuple[str, dict[str, Any]]:
    """What asking would take."""
    found = estimate_questions(collection, wanted, prompt_body(collection))
    cost = None if found.cost is None else float(found.cost)
    summary = (
        f"{found.mentions:,} mentions ({found.inside:,} inside, {found.outside:,} outside), about "
        f"{found.prompt_tokens:,} tokens to send and {found.completion_tokens:,} to receive"
        f"{'' if cost is None else f', for about {cost:.4f}'}; nothing was asked"
    )
    tokens = {"prompt_tokens": found.prompt_tokens, "completion_tokens": found.completion_tokens}
    return summary, {"mentions": found.mentions, "inside": found.inside, "outside": found.outside} | tokens | {
        "cost": cost,
        "minutes": found.minutes,
    }


def run_summary(run: QuestionRun) -> tuple[str, dict[str, Any]]:
    """What came of a run."""
    figures = run_figures(run.collection, run)
    states = {value: count for value, _, count in figures.states}
    cost = None if figures.cost is None else float(figures.cost)
    summary = (
        f"Run {run.pk}: {figures.asked:,} mentions, {figures.questions:,} questions, "
        f"{sum(each.kept for each in figures.sources):,} of them topics, {states.get('filtered', 0):,} filtered, "
        f"{figures.for_a_person:,} answers for a person to look at"
    )
    return summary, {
        "run": run.pk,
        "mentions": figures.asked,
        "questions": figures.questions,
        "outcomes": {value: count for value, _, count in figures.outcomes},
        "states": states,
        "prompt_tokens": figures.prompt_tokens,
        "completion_tokens": figures.completion_tokens,
        "cost": cost,
    }
