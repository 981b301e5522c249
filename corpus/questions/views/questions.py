"""Generated questions: found, kept, discarded."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from corpus.collections.rules import check_can_manage, check_can_oversee, fetch_membership
from corpus.models import GeneratedQuestion
from corpus.questions.actions.questions import discard_question, keep_question
from corpus.questions.forms.generation import QuestionFilterForm
from corpus.questions.reads.generation import list_questions, run_figures
from corpus.questions.views.mentions import context_of

PER_PAGE = 50


@require_safe
def question_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions, with what became of each and why."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    form = QuestionFilterForm(request.GET.dict())
    values = form.cleaned_data if form.is_valid() else {}
    found = list_questions(
        membership.collection,
        run=values.get("run"),
        state=values.get("state", ""),
        source=values.get("source", ""),
        text=values.get("q", ""),
    )
    context = context_of(membership) | {
        "form": form,
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "figures": run_figures(membership.collection),
        "is_narrowed": any(values.values()),
        "filter_query": request.GET.urlencode(),
    }
    return render(request, "corpus/questions/question_list.html", context, status=422 if form.errors else 200)


@require_POST
def question_keep(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a topic of a question that was filtered, doubted or discarded."""
    return _decide(request, slug, pk, keep_question, "It is a topic now.")


@require_POST
def question_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a question out; it can be kept again."""
    return _decide(request, slug, pk, discard_question, "It is discarded; “Keep” brings it back.")


def _decide(request: HttpRequest, slug: str, pk: int, act: Callable[..., None], done: str) -> HttpResponse:
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership)
    questions = GeneratedQuestion.objects.filter(reply__run__collection=membership.collection)
    question = get_object_or_404(questions.select_related("reply__run__collection"), pk=pk)
    with refusals_in_message(request):
        act(by=membership.user, at=timezone.now(), question=question)
        messages.success(request, done)
    return redirect(f"{reverse('question_list', args=[slug])}?{request.POST.get('back', '')[:2_000]}#question-{pk}")
