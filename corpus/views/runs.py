"""Retrieval runs: hidden from annotators, for whom a rank would be a hint."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.actions.pools import delete_run, describe_run
from corpus.forms.pools import DescriptionForm
from corpus.models import Membership
from corpus.permissions import can_manage, check_can_manage, check_can_oversee, fetch_membership
from corpus.queries.pools import first_of, list_runs, rankings_of

PER_PAGE = 50
SHOWN_RANKS = 100


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs with their sizes."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    return render(request, "corpus/run_list.html", context_of(membership) | {"runs": list_runs(membership.collection)})


@require_http_methods(["GET", "POST"])
def run_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run topic by topic, the ranking of one of them, its description."""
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
    wanted = request.GET.get("topic", "").replace("\0", "")
    ranking = run.rankings.select_related("topic").filter(topic__number=wanted).first() if wanted else None
    context = context_of(membership) | {
        "run": run,
        "form": form,
        "page": Paginator(rankings_of(run), PER_PAGE).get_page(request.GET.get("page")),
        "ranking": ranking,
        "ranked": first_of(ranking, SHOWN_RANKS) if ranking else [],
    }
    return render(request, "corpus/run_detail.html", context, status=422 if form.errors else 200)


@require_POST
def run_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a run; pools built from it stay."""
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership)
    run = get_object_or_404(membership.collection.retrieval_runs.select_related("collection"), pk=pk)
    delete_run(by=membership.user, at=timezone.now(), run=run)
    messages.success(request, f"The run {run.name} is deleted. Pools it was built into stay as they are.")
    return redirect("run_list", slug)


def context_of(membership: Membership) -> dict[str, Any]:
    return {
        "membership": membership,
        "collection": membership.collection,
        "tab": "runs",
        "may_manage": can_manage(membership),
    }
