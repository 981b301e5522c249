"""What can be done with runs that ask for questions (they go on, and are filtered again), and with calls to authors
(one author is asked, letters are sent). Beginning either is in pages, api and commands."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.models import JobState
from accounts.operations import Found, Operation, Place, Rest
from corpus.collections.rules import MANAGE
from corpus.models import AuthorInvitation, LetterState, OverlapDefinition, QuestionCall, QuestionRun
from corpus.questions.author_calls import invite_author, request_mailing
from corpus.questions.authors import STATES, authors_as_json, invitations_of
from corpus.questions.decisions import change_cutoffs
from corpus.questions.forms.authors import AuthorForm, MailingForm
from corpus.questions.forms.generation import ContinuationForm, CutoffsForm
from corpus.questions.generation import continue_questions
from corpus.questions.pages.author_calls import call_context
from corpus.questions.places import thing_with_page

RUN = thing_with_page(
    "run",
    lambda of: of.question_runs.select_related("collection", "template"),
    tab="generation",
    page="generation_detail",
)
CALL = thing_with_page(
    "call", lambda of: of.question_calls.select_related("collection"), tab="authors", page="author_call_detail"
)
AUTHOR_STATES = [(name, name) for name in STATES]


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


class RefilteredSerializer(serializers.Serializer[Any]):
    """Questions that became topics, that no longer are, and that stay because a campaign has them."""

    kept = serializers.IntegerField(source="changed.kept")
    filtered = serializers.IntegerField(source="changed.filtered")
    held = serializers.IntegerField(source="changed.held")


class RunFilteredAgainSerializer(RefilteredSerializer):
    """What changed in the run, and the filter that it has now."""

    run = serializers.IntegerField(source="run.pk")
    overlap_definition = serializers.ChoiceField(OverlapDefinition.choices, source="run.overlap_definition")
    cutoff_inside = serializers.FloatField(source="run.cutoff_inside", allow_null=True)
    cutoff_outside = serializers.FloatField(source="run.cutoff_outside", allow_null=True)


class FilteredAgainSerializer(RefilteredSerializer):
    """The runs whose stored answers were filtered again, and what changed in all of them together."""

    runs = serializers.ListField(child=serializers.IntegerField())


class MailingSerializer(serializers.Serializer[Any]):
    """Letters being sent, or sent. Cancelled on the page of the call."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(JobState.choices)
    sent = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)


class AuthorSerializer(serializers.Serializer[Any]):
    """One author and one paper. The `link` answers in the author's name; null once there is an answer, or revoked."""

    id = serializers.IntegerField()
    email = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    docno = serializers.CharField()
    state = serializers.ChoiceField(AUTHOR_STATES)
    link = serializers.CharField(allow_null=True)
    letter = serializers.ChoiceField(LetterState.choices, allow_null=True)
    letter_reason = serializers.CharField(allow_null=True)
    question = serializers.CharField(allow_null=True)
    credit_name = serializers.CharField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)
    topic = serializers.CharField(allow_null=True, help_text="number of the topic made of the answer")


def _page(run: QuestionRun) -> str:
    return reverse("generation_detail", args=[run.collection.slug, run.pk])


def _page_of_call(call: QuestionCall) -> str:
    return reverse("author_call_detail", args=[call.collection.slug, call.pk])


CHANGE_CUTOFFS = Operation(
    called="change_cutoffs",
    rest=Rest("question_runs_change_cutoffs", RunFilteredAgainSerializer, status=200, takes="Cutoffs"),
    task="Prepare",
    example="change_cutoffs demo 1 --cutoff-inside 0.3",
    action=change_cutoffs,
    form=CutoffsForm,
    place=RUN,
    roles=MANAGE,
    about="Filter the questions of a run again: by other cut-offs, or by another way of counting overlap with the"
    " cut-offs that belong to it. Nothing is asked. What a person has decided stays, and what a campaign has.",
    title="Filter again",
    button="Filter again",
    template="",
    is_change=True,
    former={"overlap": "overlap_definition"},
    report=lambda done: f"Run {done.run.pk}: {done.changed} {done.run.overlap_rule}",
    goes_to=lambda done: _page(done.run),
    shows=lambda done: RunFilteredAgainSerializer(done).data,
)

CONTINUE_QUESTIONS = Operation(
    rest=Rest("question_runs_continue", QuestionRunSerializer, status=202, takes="Continuation"),
    action=continue_questions,
    form=ContinuationForm,
    place=RUN,
    roles=MANAGE,
    about="Ask what has no answer yet. What is answered is not asked for again, unless it is asked to be.",
    title="Go on",
    button="Go on",
    template="",
    report=lambda _: "The remaining questions are being asked. This page shows the progress.",
    goes_to=_page,
    shows=lambda run: QuestionRunSerializer(run).data,
)


def _on_page_of_call(place: Place) -> Place:
    """Its form stands on the page of the call, with all that this shows."""

    def page(request: HttpRequest, roles: tuple[Any, ...], slug: str, pk: int) -> Found:
        found = place.page(request, roles, slug=slug, pk=pk)
        shown = call_context(request, found.shown["membership"], found.target["call"])
        return replace(found, shown=shown)

    return replace(place, page=page)


def _show_author(invitation: AuthorInvitation) -> dict[str, Any]:
    [found] = authors_as_json(list(invitations_of(invitation.call).filter(pk=invitation.pk)))
    return dict(AuthorSerializer(found).data)


INVITE_AUTHOR = Operation(
    rest=Rest("author_calls_invite", AuthorSerializer, takes="NewAuthor"),
    action=invite_author,
    form=AuthorForm,
    place=_on_page_of_call(CALL),
    roles=MANAGE,
    about="Ask one author about one paper; the letter goes out with the next mailing.",
    title="Ask one author",
    button="Add",
    template="corpus/questions/author_call_detail.html",
    report=lambda invitation: f"{invitation.email} is on the list. Send the letters when it is full.",
    goes_to=lambda invitation: _page_of_call(invitation.call),
    shows=_show_author,
)

SEND_LETTERS = Operation(
    rest=Rest("author_calls_mail", MailingSerializer, status=202, takes="NewMailing"),
    action=request_mailing,
    form=MailingForm,
    place=CALL,
    roles=MANAGE,
    about="Send the letters that are due: invitations, or reminders to those who have not answered.",
    title="Send the letters",
    button="Send",
    template="",
    report=lambda _: "The letters are being sent. This page shows the progress.",
    goes_to=lambda mailing: _page_of_call(mailing.call),
    shows=lambda mailing: MailingSerializer(mailing).data,
)
