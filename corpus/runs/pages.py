"""Retrieval runs: hidden from annotators, for whom a rank would be a hint."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import FINAL_STATES, JobState
from accounts.refusal_messages import refusals_in_form
from accounts.refusals import refusal_reason
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_manage, check_can_manage, check_run_is_free, fetch_manager, fetch_overseer
from corpus.endpoints.endpoints import service_for, why_no_language_model
from corpus.models import Collection, Membership, ModelPurpose, PromptPurpose, RetrievalRun
from corpus.questions.prompts import prompt_versions, write_rerank_prompt
from corpus.runs.files import metadata_lines, metadata_text, run_pieces
from corpus.runs.forms import DescriptionForm, NameForm, RerankPromptForm, recipe_form
from corpus.runs.recipes.queries import usual_topics
from corpus.runs.recipes.recipe import Recipe
from corpus.runs.recipes.registry import RECIPES
from corpus.runs.rules import LONGEST_NAME
from corpus.runs.runs import (
    compare_with_pools,
    describe_run,
    example_messages,
    first_of,
    judged_documents_of,
    list_runs,
    overlap_of,
    rankings_of,
    request_run,
)
from engines.text.languages import LANGUAGES
from engines.text.reranking import FOR_EACH, ONCE, STARTERS, USUAL

RUNS_PER_PAGE = 50
TOPICS_PER_PAGE = 25
SHOWN_RANKS = 100
SHOWN_ENDED = 5  # makings that failed or were cancelled


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs with their sizes."""
    membership = fetch_overseer(request.user, slug)
    page = Paginator(list_runs(membership.collection), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    makings = membership.collection.run_makings.exclude(state=JobState.DONE).select_related("requested_by")
    context = collection_context(membership, "runs") | {
        "page": page,
        "under_way": makings.exclude(state__in=FINAL_STATES).order_by("pk"),
        "ended": makings.filter(state__in=FINAL_STATES).order_by("-pk")[:SHOWN_ENDED],
    }
    return render(request, "corpus/runs/run_list.html", context)


@require_http_methods(["GET", "POST"])
def run_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a recipe, fill in its form, and have the run made."""
    membership = fetch_manager(request.user, slug)
    collection, recipe = membership.collection, RECIPES.get(request.GET.get("recipe", ""))
    usual = _asked_again(collection, request) or (
        {"name": recipe.name, "topics": usual_topics(collection)} if recipe else {}
    )
    named = NameForm(request.POST or None, initial=usual)
    form = recipe_form(recipe, collection, request.POST or None, initial=usual) if recipe else None
    if request.method == "POST" and recipe and form and form.is_valid() and named.is_valid():
        with refusals_in_form(named):
            job = request_run(
                by=membership.user,
                at=timezone.now(),
                collection=collection,
                name=named.cleaned_data["name"],
                recipe=recipe,
                options=form.cleaned_data,
            )
            return redirect("job_detail", "runs", job.pk)
    context = collection_context(membership, "runs", recipe=recipe, named=named, form=form, **_offered(membership))
    return render(request, "corpus/runs/run_create.html", context, status=422 if request.method == "POST" else 200)


def _offered(membership: Membership) -> dict[str, Any]:
    """The recipes that can be followed here, and those that cannot by what they lack."""
    not_now: dict[str, list[Recipe]] = {}
    collection, reader = membership.collection, membership.user
    lacks = {
        purpose: why_no_language_model(collection, reader, purpose) or refusal_reason(service_for, purpose, collection)
        for purpose in ModelPurpose
    }
    for recipe in RECIPES.values():
        not_now.setdefault(lacks[recipe.needs] if recipe.needs else "", []).append(recipe)
    return {"recipes": not_now.pop("", []), "not_now": not_now}


@require_http_methods(["GET", "POST"])
def rerank_prompt_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The prompts for reranking: their versions, one of them with what it sends; saving makes the next version."""
    membership = fetch_overseer(request.user, slug)
    if request.method == "POST":
        check_can_manage(membership)
    collection = membership.collection
    versions = list(prompt_versions(collection, PromptPurpose.RERANKING))
    begun = request.GET.get("from", "")
    chosen = next((each for each in versions if str(each.pk) == begun), None)
    name = chosen.name if chosen else begun if begun in STARTERS else USUAL
    body = chosen.body if chosen else STARTERS[name]
    form = RerankPromptForm(request.POST or None, initial={"name": name, "body": body})
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form, "body"):
            saved = write_rerank_prompt(
                by=membership.user, at=timezone.now(), collection=collection, **form.cleaned_data
            )
            messages.success(request, f"{saved} is saved. Runs that name it use this text.")
            return redirect(f"{reverse('rerank_prompt_edit', args=[slug])}?from={saved.pk}")
    context = collection_context(membership, "runs", form=form, versions=versions, chosen=chosen, name=name, body=body)
    context |= {"starters": STARTERS, "once": ONCE, "for_each": FOR_EACH}
    context["example"] = example_messages(collection, body)
    return render(request, "corpus/runs/rerank_prompt_edit.html", context, status=422 if form.errors else 200)


@require_safe
def run_file(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """The run as TREC's six columns; with ?header=1, metadata before them."""
    run = _fetch(request, slug, pk)
    pieces = run_pieces(run, header=request.GET.get("header") == "1")
    response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(run)}"'
    return response


@require_safe
def run_metadata(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How the run was made, as a separate file."""
    run = _fetch(request, slug, pk)
    response = HttpResponse(metadata_text(run), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(run)}.metadata.yml"'
    return response


@require_http_methods(["GET", "POST"])
def run_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run topic by topic against the pools, the ranking of one topic, its description."""
    membership = fetch_overseer(request.user, slug)
    run = get_object_or_404(list_runs(membership.collection).select_related("collection"), pk=pk)
    form = DescriptionForm(request.POST or None, initial={"description": run.description})
    if request.method == "POST":
        check_can_manage(membership)
        if form.is_valid():
            describe_run(
                by=membership.user, at=timezone.now(), run=run, description=form.cleaned_data["description"].strip()
            )
            messages.success(request, "Description saved.")
            return redirect("run_detail", slug, pk)
    context = collection_context(membership, "runs", run=run, form=form) | _rankings(request, run) | _origin(run)
    if can_manage(membership):
        context["refusal"] = _why_not_deletable(run)
        recipe = RECIPES.get(run.parameters.get("recipe", ""))
        context["may_ask_again"] = recipe is not None and "answer" in recipe.form.base_fields
    return render(request, "corpus/runs/run_detail.html", context, status=422 if form.errors else 200)


def file_name(run: RetrievalRun) -> str:
    """The name of the run's file: the run's name in characters that every file system takes."""
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in run.name)
    return f"{safe}.run"


def _fetch(request: HttpRequest, slug: str, pk: int) -> RetrievalRun:
    membership = fetch_overseer(request.user, slug)
    return get_object_or_404(membership.collection.retrieval_runs.select_related("collection"), pk=pk)


def _rankings(request: HttpRequest, run: RetrievalRun) -> dict[str, Any]:
    """The ranking of the topic in the address, or a page of all rankings."""
    number = request.GET.get("topic", "")
    ranking = run.rankings.select_related("topic").filter(topic__number=number).first() if number else None
    if ranking:
        return {"ranking": ranking, "ranked": first_of(ranking, SHOWN_RANKS)}
    page = Paginator(rankings_of(run), TOPICS_PER_PAGE).get_page(request.GET.get("page"))
    rows = compare_with_pools(run.collection, page.object_list)
    return {"page": page, "rows": rows, "overlap": overlap_of(run)}


def _origin(run: RetrievalRun) -> dict[str, Any]:
    """How the run was made: the recipe with its settings, or the metadata that came with it."""
    settings = run.parameters.get("settings", {})
    recipe = RECIPES.get(run.parameters.get("recipe", ""))
    fields = recipe.form.options() if isinstance(recipe, Recipe) else {}
    shown = [(str(fields[name].label) if name in fields else name, value) for name, value in settings.items()]
    if "language" in settings:  # of the collection, when the run was made
        shown[[name for name, _ in shown].index("language")] = ("Language", LANGUAGES[settings["language"]].name)
    label = RECIPES.label_of(run.parameters["recipe"]) if "recipe" in run.parameters else ""
    metadata = metadata_lines(run) if run.parameters.get("metadata") else []
    run.n_parts = run.part_rankings.count()  # type: ignore[attr-defined]
    return {"recipe_label": label, "settings": shown, "metadata": metadata}


def _asked_again(collection: Collection, request: HttpRequest) -> dict[str, Any]:
    """What the form starts from where the run named in the address is made again with the next answers of its model."""
    number = request.GET.get("again", "")
    run = collection.retrieval_runs.filter(pk=number).first() if number.isascii() and number.isdigit() else None
    if run is None:
        return {}
    settings = run.parameters.get("settings", {})
    answer = settings.get("answer", 1) + 1
    return {**settings, "answer": answer, "name": f"{run.name}-{answer}"[:LONGEST_NAME]}


def _why_not_deletable(run: RetrievalRun) -> str:
    return refusal_reason(check_run_is_free, run, judged_documents_of(run))
