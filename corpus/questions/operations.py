"""What can be done with runs that ask for questions: they go on, and their questions are filtered again."""

from dataclasses import asdict
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.models import JobState
from accounts.operations import Operation
from corpus.collections.rules import MANAGE
from corpus.models import QuestionRun
from corpus.questions.actions.generation import continue_questions
from corpus.questions.actions.questions import RunFilteredAgain, change_cutoffs
from corpus.questions.forms.generation import ContinuationForm, CutoffsForm
from corpus.questions.places import thing_with_page
from corpus.questions.reads.generation import filter_of

RUN = thing_with_page(
    "run",
    lambda of: of.question_runs.select_related("collection", "template"),
    tab="questions",
    page="generation_detail",
)


class QuestionRunSerializer(serializers.ModelSerializer[QuestionRun]):
    """A run with the filter that its questions went through."""

    template = serializers.CharField(source="template.sha256", help_text="SHA-256 of the prompt")
    state = serializers.ChoiceField(JobState.choices)

    class Meta:
        model = QuestionRun
        fields = (
            *("id", "state", "reason", "done", "total", "requested_at", "finished_at", "model", "template", "seed"),
            *("parameters", "overlap_definition", "cutoff_inside", "cutoff_outside"),
        )


def _page(run: QuestionRun) -> str:
    return reverse("generation_detail", args=[run.collection.slug, run.pk])


def _show(done: RunFilteredAgain) -> dict[str, Any]:
    return {"run": done.run.pk, **asdict(done.changed), **filter_of(done.run)}


CHANGE_CUTOFFS = Operation(
    action=change_cutoffs,
    form=CutoffsForm,
    place=RUN,
    roles=MANAGE,
    about="Filter the questions of a run again by other cut-offs, or by another way of counting overlap with the"
    " cut-offs that belong to it. Nothing is asked. What a person has decided stays, and what a campaign has.",
    title="Filter again",
    button="Filter again",
    template="",
    is_change=True,
    former={"overlap": "overlap_definition"},
    report=lambda done: f"Run {done.run.pk}: {done.changed} {done.run.overlap_rule}",
    goes_to=lambda done: _page(done.run),
    to_json=_show,
)

CONTINUE_QUESTIONS = Operation(
    action=continue_questions,
    form=ContinuationForm,
    place=RUN,
    roles=MANAGE,
    about="Ask what has no answer yet. What is answered is not asked for again, unless it is asked to be.",
    title="Go on",
    button="Go on",
    template="",
    report=lambda _: "The rest is being asked for. This page shows how far it is.",
    goes_to=_page,
    to_json=lambda run: QuestionRunSerializer(run).data,
)
