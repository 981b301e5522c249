"""Where questions and runs of a release come from: what models were asked, what authors were asked, each run's recipe.

All of it goes whole into the manifest, and in sentences into card, datasheet and appendix.
"""

from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from corpus.models import Collection, QuestionCall, QuestionRun, RetrievalRun
from corpus.questions.authors import count_call, invitations_of
from corpus.questions.question_runs import SourceFigures, filter_of, run_figures

SAMPLING = ("sample", "seed")


def question_runs(collection: Collection) -> list[dict[str, Any]]:
    """What language models were asked for questions and what came of it, run by run; [] where none was asked."""
    runs = collection.question_runs.select_related("template").order_by("pk")
    return [found for number, run in enumerate(runs, 1) if (found := _question_run(number, run))["asked"]]


def _question_run(number: int, run: QuestionRun) -> dict[str, Any]:
    figures = run_figures(run.collection, run)
    sample = run.parameters.get("sample")
    return {
        "number": number,
        "date": run.requested_at.date().isoformat(),
        "model": run.model,
        "prompt": {name: getattr(run.template, name) for name in ("name", "version", "sha256", "body")},
        "mentions": {name: value for name, value in run.parameters.items() if name not in SAMPLING},
        "sample": sample,
        "seed": run.parameters.get("seed") if sample else None,
        "asked": figures.asked,
        "outcomes": {label: n for value, label, n in figures.outcomes if value != "waiting"},
        **filter_of(run),
        "overlap_rule": run.overlap_rule,
        "questions": {label: n for _, label, n in figures.states},
        "sources": {each.source: _source(each) for each in figures.sources},
    }


def _source(figures: SourceFigures) -> dict[str, Any]:
    """The questions of one source, and the share filtered of those that could be kept."""
    return {
        "questions": figures.questions,
        "could_be_kept": figures.keepable,
        "topics": figures.kept,
        "filtered": figures.filtered,
        "filtered_percent": None if figures.filtered_percent is None else round(figures.filtered_percent, 2),
        "about_filter": figures.about_filter,
    }


def author_calls(collection: Collection) -> list[dict[str, Any]]:
    """Each call for questions that authors write: what they read, how many were listed, sent a letter, and answered."""
    return [_author_call(call) for call in collection.question_calls.order_by("pk")]


def _author_call(call: QuestionCall) -> dict[str, Any]:
    counts = count_call(call)
    return {
        "name": call.name,
        "source": call.source,
        "last_day": timezone.localdate(call.deadline_at).isoformat(),  # in the site's time zone, as authors see it
        "listed": counts.invited,
        "sent_letters": invitations_of(call).aggregate(n=Count("pk", filter=Q(went_out=True)))["n"],
        "answered": counts.answered,
        "withdrawn": counts.withdrawn,
        "topics": counts.taken,
        "guideline": call.guideline,
        "letter": {"subject": call.mail_subject, "body": call.mail_body},
    }


def run_recipes(collection: Collection) -> list[dict[str, Any]]:
    """How each retrieval run was made, as far as Litmus made it; an imported one has what its file says of itself."""
    return [_run(run) for run in collection.retrieval_runs.order_by("name")]


def _run(run: RetrievalRun) -> dict[str, Any]:
    facts = run.parameters
    found = {
        "name": run.name,
        "imported": run.imported_in_id is not None,
        "description": run.description or None,
        "recipe": facts.get("recipe"),
        "settings": facts.get("settings"),
        "recipe_sha256": facts.get("recipe_hash"),
        "prompt": facts.get("prompt"),
        "code_version": facts.get("code_version"),
        "inputs": facts.get("inputs"),
        "counts": facts.get("counts") or None,
        "warnings": facts.get("warnings") or None,
        "metadata": facts.get("metadata"),
    }
    return {name: value for name, value in found.items() if value is not None}
