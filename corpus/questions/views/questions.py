"""Generated questions: found, kept, discarded."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusal_messages import refusals_in_message
from corpus.collections.rules import can_manage, check_can_manage, fetch_manager, fetch_overseer
from corpus.collections.views.context import collection_context
from corpus.models import GeneratedQuestion, Membership
from corpus.questions.actions.questions import discard_question, keep_question
from corpus.questions.forms.generation import QuestionFilterForm
from corpus.questions.reads.generation import list_questions, run_figures
from corpus.tables import Column, Step, read_table, wants_file

PER_PAGE = 50


COLUMNS = (
    Column("question", "Question", lambda question: question.text, ("text",)),
    Column("state", "State", lambda question: question.get_state_display(), ("state",)),
    Column("problem", "", lambda question: question.problem),
    Column("source", "", lambda question: question.reply.source),
    Column("overlap_titles", "In titles", lambda one: one.overlap_titles, ("overlap_titles",), is_number=True),
    Column("overlap_texts", "… and abstracts", lambda one: one.overlap_texts, ("overlap_texts",), is_number=True),
    Column("topic", "", lambda question: question.topic.number if question.topic else None),
)


@require_http_methods(["GET", "HEAD", "POST"])
def question_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The questions, with what became of each and why; several are kept or discarded at once."""
    membership = fetch_overseer(request.user, slug)
    if request.method == "POST":
        check_can_manage(membership)
    form = QuestionFilterForm(request.GET.dict())
    values = form.cleaned_data if form.is_valid() else {}
    found = list_questions(
        membership.collection,
        run=values.get("run"),
        state=values.get("state", ""),
        source=values.get("source", ""),
        text=values.get("q", ""),
    )
    steps = _steps(membership) if can_manage(membership) else ()
    table = read_table(request, f"{slug}-questions", COLUMNS, steps)
    found = table.ordered(found)
    if request.method == "POST":
        return table.carry_out(request, found)
    if wants_file(request):
        return table.download(found.iterator())
    context = collection_context(membership, "questions") | {
        "form": form,
        "table": table,
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "figures": run_figures(membership.collection),
        "is_narrowed": any(values.values()),
        "filter_query": request.GET.urlencode(),
    }
    return render(request, "corpus/questions/question_list.html", context, status=422 if form.errors else 200)


def _steps(membership: Membership) -> tuple[Step, ...]:
    who: dict[str, Any] = {"by": membership.user, "at": timezone.now()}
    return (
        Step("keep", "Keep", "Questions kept as topics", lambda question: keep_question(**who, question=question)),
        Step("discard", "Discard", "Questions discarded", lambda question: discard_question(**who, question=question)),
    )


@require_POST
def question_keep(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a topic of a question that was filtered, doubted or discarded."""
    return _decide(request, slug, pk, keep_question, "It is a topic now.")


@require_POST
def question_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a question out; it can be kept again."""
    return _decide(request, slug, pk, discard_question, "It is discarded; “Keep” brings it back.")


def _decide(request: HttpRequest, slug: str, pk: int, act: Callable[..., None], done: str) -> HttpResponse:
    membership = fetch_manager(request.user, slug)
    questions = GeneratedQuestion.objects.filter(reply__run__collection=membership.collection)
    question = get_object_or_404(questions.select_related("reply__run__collection"), pk=pk)
    with refusals_in_message(request):
        act(by=membership.user, at=timezone.now(), question=question)
        messages.success(request, done)
    return redirect(f"{reverse('question_list', args=[slug])}?{request.POST.get('back', '')[:2_000]}#question-{pk}")
