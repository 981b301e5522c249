"""Retrieval runs: hidden from annotators, for whom a rank would be a hint."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from accounts.refusals import Refused
from corpus.collections.rules import (
    can_manage,
    check_can_manage,
    check_can_oversee,
    check_run_is_free,
    fetch_membership,
)
from corpus.models import Membership, RetrievalRun
from corpus.pools.actions import delete_run, describe_run
from corpus.pools.forms import DescriptionForm
from corpus.runs.reads import compare_with_pools, first_of, judged_documents_of, list_runs, overlap_of, rankings_of

RUNS_PER_PAGE = 50
TOPICS_PER_PAGE = 25
SHOWN_RANKS = 100


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs with their sizes."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    page = Paginator(list_runs(membership.collection), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "corpus/runs/run_list.html", context_of(membership) | {"page": page})


@require_http_methods(["GET", "POST"])
def run_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run topic by topic against the pools, the ranking of one topic, its description."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    run = get_object_or_404(list_runs(membership.collection).select_related("collection"), pk=pk)
    form = DescriptionForm(request.POST or None, initial={"description": run.description})
    if request.method == "POST":
        check_can_manage(membership)
        if form.is_valid():
            describe_run(
                by=membership.user, at=timezone.now(), run=run, description=form.cleaned_data["description"].strip()
            )
            messages.success(request, "The description is saved.")
            return redirect("run_detail", slug, pk)
    context = context_of(membership) | {"run": run, "form": form} | _rankings(request, run)
    if can_manage(membership):
        context["refusal"] = _why_it_stays(run)
    return render(request, "corpus/runs/run_detail.html", context, status=422 if form.errors else 200)


@require_POST
def run_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a run, and what only it brought into the pools."""
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership)
    run = get_object_or_404(membership.collection.retrieval_runs.select_related("collection"), pk=pk)
    with refusals_in_message(request):
        removed = delete_run(by=membership.user, at=timezone.now(), run=run)
        messages.success(request, f"The run {run.name} is deleted. {removed:,} documents left the pools with it.")
        return redirect("run_list", slug)
    return redirect("run_detail", slug, pk)


def context_of(membership: Membership, tab: str = "runs") -> dict[str, Any]:
    return {
        "membership": membership,
        "collection": membership.collection,
        "tab": tab,
        "may_manage": can_manage(membership),
    }


def _rankings(request: HttpRequest, run: RetrievalRun) -> dict[str, Any]:
    """The ranking of the topic that is asked for, or a page of all."""
    wanted = request.GET.get("topic", "")
    ranking = run.rankings.select_related("topic").filter(topic__number=wanted).first() if wanted else None
    if ranking:
        return {"ranking": ranking, "ranked": first_of(ranking, SHOWN_RANKS)}
    page = Paginator(rankings_of(run), TOPICS_PER_PAGE).get_page(request.GET.get("page"))
    rows = compare_with_pools(run.collection, page.object_list)
    return {"page": page, "rows": rows, "overlap": overlap_of(run)}


def _why_it_stays(run: RetrievalRun) -> str:
    try:
        check_run_is_free(run, judged_documents_of(run))
    except Refused as refusal:
        return refusal.reason
    return ""
