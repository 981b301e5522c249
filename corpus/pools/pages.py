"""Pools: the documents to judge and where they came from; hidden from annotators."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager, fetch_overseer
from corpus.models import Membership, PoolEntry, PoolRun
from corpus.pools.forms import BuildForm, DocnoForm
from corpus.pools.pool_report import CUTS, holes_of_runs, overlap_of_methods
from corpus.pools.pools import methods_by_topic, pool_methods, pool_of, pool_sizes
from corpus.pools.requests import add_to_pool, remove_from_pool, request_pools
from corpus.pools.upset import draw_upset
from corpus.topics.pages.topics import fetch_topic

TOPICS_PER_PAGE = 50
ENTRIES_PER_PAGE = 100


@require_safe
def pool_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The pools of all topics, what each method brings in, and the form that builds them."""
    membership = fetch_overseer(request.user, slug)
    return _show_list(request, membership, BuildForm(collection=membership.collection))


@require_safe
def pool_report(request: HttpRequest, slug: str) -> HttpResponse:
    """How the methods overlap, and how much of each run's top nobody has judged."""
    membership = fetch_overseer(request.user, slug)
    overlap = overlap_of_methods(membership.collection)
    context = collection_context(membership, "pools") | {
        "overlap": overlap,
        "has_pools": bool(overlap.pairs) or PoolEntry.objects.filter(topic__collection=membership.collection).exists(),
        "plot": draw_upset(overlap),
        "holes": holes_of_runs(membership.collection),
        "cuts": CUTS,
    }
    return render(request, "corpus/pools/pool_report.html", context)


@require_POST
def pool_build(request: HttpRequest, slug: str) -> HttpResponse:
    """Request pools from runs and searches."""
    membership = fetch_manager(request.user, slug)
    form = BuildForm(request.POST, collection=membership.collection)
    if form.is_valid():
        with refusals_in_form(form):
            request_pools(by=membership.user, at=timezone.now(), collection=membership.collection, **form.arguments)
            return redirect("pool_list", slug)
    return _show_list(request, membership, form)


@require_safe
def pool_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The pool of a topic with the provenance of each document."""
    membership = fetch_overseer(request.user, slug)
    return _show_pool(request, membership, pk, DocnoForm())


@require_POST
def pool_entry_create(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pool a document by hand."""
    membership = fetch_manager(request.user, slug)
    form = DocnoForm(request.POST)
    if form.is_valid():
        topic, docno = fetch_topic(membership, pk), form.cleaned_data["docno"]
        with refusals_in_form(form, "docno"):
            add_to_pool(by=membership.user, at=timezone.now(), topic=topic, docno=docno)
            messages.success(request, f"{docno} is in the pool of topic {topic.number}.")
            return redirect("pool_detail", slug, pk)
    return _show_pool(request, membership, pk, form)


@require_POST
def pool_entry_delete(request: HttpRequest, slug: str, pk: int, entry: int) -> HttpResponse:
    """Remove a document from a pool."""
    membership = fetch_manager(request.user, slug)
    entries = PoolEntry.objects.select_related("topic__collection", "document")
    found = get_object_or_404(entries, pk=entry, topic=fetch_topic(membership, pk))
    with refusals_in_message(request):
        remove_from_pool(by=membership.user, at=timezone.now(), entry=found)
        messages.success(request, f"{found.document.docno} is no longer in the pool.")
    return redirect("pool_detail", slug, pk)


def _show_list(request: HttpRequest, membership: Membership, form: BuildForm) -> HttpResponse:
    collection = membership.collection
    newest: PoolRun | None = collection.pool_runs.select_related("requested_by").order_by("-pk").first()
    methods = pool_methods(collection)
    page = Paginator(pool_sizes(collection), TOPICS_PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = collection_context(membership, "pools") | {
        "form": form,
        "run": newest,
        "is_under_way": newest is not None and not newest.is_final,
        "methods": methods,
        "n_pairs": PoolEntry.objects.filter(topic__collection=collection).count(),
        "page": page,
        "rows": methods_by_topic(page.object_list),
    }
    return render(request, "corpus/pools/pool_list.html", context, status=422 if form.errors else 200)


def _show_pool(request: HttpRequest, membership: Membership, pk: int, form: DocnoForm) -> HttpResponse:
    topic = fetch_topic(membership, pk)
    method, only = request.GET.get("method", ""), bool(request.GET.get("only"))
    context = collection_context(membership, "pools") | {
        "topic": topic,
        "method": method,
        "only": only,
        "is_narrowed": bool(method) or only,
        "methods": methods_by_topic([topic])[0].methods,
        "n_pool": topic.pool.count(),
        "page": Paginator(pool_of(topic, method, only=only), ENTRIES_PER_PAGE).get_page(request.GET.get("page")),
        "form": form,
    }
    return render(request, "corpus/pools/pool_detail.html", context, status=422 if form.errors else 200)
