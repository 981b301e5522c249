"""Questions from citation mentions: a model asked, its runs and answers, its questions kept or discarded."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import jobs
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import Reason
from accounts.refused_forms import form_again
from corpus.collections.pages.context import collection_context, form_page
from corpus.collections.rules import (
    can_manage,
    check_can_manage,
    check_can_oversee,
    fetch_manager,
    fetch_membership,
    fetch_overseer,
)
from corpus.endpoints.endpoints import why_no_language_model
from corpus.models import (
    GeneratedQuestion,
    GenerationReply,
    Membership,
    QuestionRun,
)
from corpus.questions.decisions import (
    correct_reply,
    discard_question,
    keep_question,
)
from corpus.questions.forms.generation import (
    CorrectionForm,
    CutoffsForm,
    GenerationForm,
    PromptForm,
    QuestionFilterForm,
)
from corpus.questions.generation import generate_questions, write_question_prompt
from corpus.questions.question_runs import (
    Used,
    estimate_questions,
    list_questions,
    mentions_to_ask,
    prompt_body,
    prompt_versions,
    replies_for_a_person,
    run_figures,
    standing_of,
)
from corpus.tables import Column, Step, read_table, wants_file
from engines.text.questions import DEFAULT_TEMPLATE, own_part

PER_PAGE = 25
QUESTIONS_PER_PAGE = 50

COLUMNS = (
    Column("question", "Question", lambda question: question.text, ("text",)),
    Column("state", "State", lambda question: question.get_state_display(), ("state",)),
    Column("problem", "", lambda question: question.problem),
    Column("source", "", lambda question: question.reply.source),
    Column(
        "overlap_titles", "Overlap with titles", lambda one: one.overlap_titles, ("overlap_titles",), is_number=True
    ),
    Column("overlap_texts", "… and abstracts", lambda one: one.overlap_texts, ("overlap_texts",), is_number=True),
    Column("overlap_definition", "", lambda question: question.reply.run.overlap_definition),
    Column("topic", "", lambda question: question.topic.number if question.topic else None),
)
NO_MENTIONS = "No usable mention that cites a document of the collection matches. Change the selection above."


@require_safe
def generation_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All runs with what came of them together."""
    membership = fetch_overseer(request.user, slug)
    collection = membership.collection
    runs = collection.question_runs.select_related("requested_by", "template").order_by("-pk")
    page = Paginator(runs, PER_PAGE).get_page(request.GET.get("page"))
    for run in page.object_list:
        jobs.with_live_progress(run)
    context = collection_context(membership, "generation") | {
        "page": page,
        "figures": run_figures(collection),
        "no_model": why_no_language_model(collection, membership.user),
        "n_mentions": collection.mentions.count(),
    }
    return render(request, "corpus/questions/generation_list.html", context)


@require_http_methods(["GET", "POST"])
def generation_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose mentions and prompt; what it would take is shown before anything is asked for."""
    membership = fetch_manager(request.user, slug)
    collection = membership.collection
    query = request.POST if request.method == "POST" else request.GET
    form = GenerationForm.of(query.dict(), collection) if query else GenerationForm(collection=collection)
    if request.method == "POST" and form.is_valid():
        facts: dict[str, Any] = {"by": membership.user, "at": timezone.now(), "collection": collection}
        with refusals_in_form(form):
            done = generate_questions(**facts, **form.arguments)
            if isinstance(done, QuestionRun):
                return redirect("generation_detail", slug, done.pk)
            messages.success(request, str(done))
            return redirect("generation_list", slug)
    context = collection_context(membership, "generation") | {
        "form": form,
        "no_model": why_no_language_model(collection, membership.user),
        "no_mentions": Reason(NO_MENTIONS, "See the mentions", "mention_list", slug),
        "figures": run_figures(collection),
    }
    if form.is_bound and form.is_valid():
        body = form.template.body if form.template else prompt_body(collection)
        criteria, endpoint = mentions_to_ask(**form.choice), form.arguments["endpoint"]
        context["estimate"] = estimate_questions(collection, criteria, body, endpoint)
        context["is_stored"] = form.choice["used"] == Used.STORED
        context["sent"] = [(name, form.data.get(name, "")) for name in form.fields]
    return render(request, "corpus/questions/generation_create.html", context, status=422 if form.errors else 200)


@require_safe
def generation_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One run: its progress, what came of it, and the answers that wait for a person."""
    membership = fetch_overseer(request.user, slug)
    run = _fetch_run(membership, pk)
    figures = run_figures(membership.collection, run)
    page = Paginator(replies_for_a_person(run), PER_PAGE).get_page(request.GET.get("page"))
    context = collection_context(membership, "generation") | {
        "run": run,
        "form": form_again(request, CutoffsForm(initial=CutoffsForm.initial_of(run))),
        "figures": figures,
        "page": page,
        "standing": standing_of(run, figures),
        "is_to_see": run.is_final and figures.questions and not (figures.left or figures.all_lost),
        "no_answers": next((count for value, _, count in figures.outcomes if value == "no-answer"), 0),
    }
    return render(request, "corpus/questions/generation_detail.html", context)


@form_page
def reply_correct(request: HttpRequest, slug: str, pk: int, reply: int) -> HttpResponse:
    """Put an answer right that could not be read; the raw text stays."""
    membership = fetch_manager(request.user, slug)
    run = _fetch_run(membership, pk)
    replies = run.replies.select_related("mention", "run__collection", "run__template")
    found: GenerationReply = get_object_or_404(replies, pk=reply)
    form = CorrectionForm(request.POST or None, initial={"text": found.corrected or found.text})
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form, "text"):
            count = correct_reply(by=membership.user, at=timezone.now(), reply=found, text=form.cleaned_data["text"])
            messages.success(request, f"Questions read from it: {count}.")
            return redirect("generation_detail", slug, pk)
    question = own_part(found.run.template.body, found.prompt)
    context = collection_context(membership, "generation", run=run, reply=found, asked=question, form=form)
    return render(request, "corpus/questions/reply_correct.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def prompt_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The prompt and its versions; saving makes the next one."""
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership) if request.method == "POST" else check_can_oversee(membership)
    collection = membership.collection
    versions = list(prompt_versions(collection).select_related("created_by"))
    chosen = next((each for each in versions if str(each.version) == request.GET.get("version")), None)
    body = chosen.body if chosen else prompt_body(collection)
    form = PromptForm(request.POST or None, initial={"body": body})
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form, "body"):
            template = write_question_prompt(
                by=membership.user, at=timezone.now(), collection=collection, body=form.cleaned_data["body"]
            )
            messages.success(request, f"Version {template.version} is used from now on.")
            return redirect("prompt_edit", slug)
    context = collection_context(membership, "generation") | {
        "form": form,
        "versions": versions,
        "chosen": chosen or (versions[0] if versions else None),
        "shown": body,
        "is_ours": body == DEFAULT_TEMPLATE.strip(),
    }
    return render(request, "corpus/questions/prompt_edit.html", context, status=422 if form.errors else 200)


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
        "page": Paginator(found, QUESTIONS_PER_PAGE).get_page(request.GET.get("page")),
        "figures": run_figures(membership.collection),
        "is_narrowed": any(values.values()),
        "filter_query": request.GET.urlencode(),
    }
    return render(request, "corpus/questions/question_list.html", context, status=422 if form.errors else 200)


def _steps(membership: Membership) -> tuple[Step, ...]:
    facts: dict[str, Any] = {"by": membership.user, "at": timezone.now()}
    return (
        Step("keep", "Keep", "Questions kept as topics", lambda question: keep_question(**facts, question=question)),
        Step(
            "discard", "Discard", "Questions discarded", lambda question: discard_question(**facts, question=question)
        ),
    )


@require_POST
def question_keep(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a topic of a question that was filtered, doubted or discarded."""
    return _decide(request, slug, pk, keep_question, "Kept as a topic.")


@require_POST
def question_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a question out; it can be kept again."""
    return _decide(request, slug, pk, discard_question, "Discarded. “Keep” restores it.")


def _decide(request: HttpRequest, slug: str, pk: int, act: Callable[..., None], done: str) -> HttpResponse:
    membership = fetch_manager(request.user, slug)
    questions = GeneratedQuestion.objects.filter(reply__run__collection=membership.collection)
    question = get_object_or_404(questions.select_related("reply__run__collection"), pk=pk)
    with refusals_in_message(request):
        act(by=membership.user, at=timezone.now(), question=question)
        messages.success(request, done)
    return redirect(f"{reverse('question_list', args=[slug])}?{request.POST.get('back', '')[:2_000]}#question-{pk}")


def _fetch_run(membership: Membership, pk: int) -> QuestionRun:
    runs = membership.collection.question_runs.select_related("requested_by", "collection", "template")
    return get_object_or_404(runs, pk=pk)
