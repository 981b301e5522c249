"""Pages of evaluations: all of a collection, asking for one, its table next to a plot, its topics run against run."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.jobs import shown
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from adjudication.evaluation.actions import delete_qrels, request_evaluation
from adjudication.evaluation.forms import EvaluationForm
from adjudication.evaluation.reads.evaluation import EvaluationSpec
from adjudication.evaluation.reads.pages import fetch_topics, plot_of, sorted_table
from adjudication.evaluation.reads.qrels import imported_qrels
from adjudication.evaluation.reads.tables import WRITERS, Table
from adjudication.evaluation.rules import check_can_see
from adjudication.labels.rules import can_adjudicate, check_can_adjudicate
from adjudication.models import Evaluation, ImportedQrels
from corpus.collections.rules import can_manage, check_can_manage, check_can_oversee, fetch_membership
from corpus.models import Membership

PER_PAGE = 50
TYPES = {
    "csv": ("csv", "text/csv; charset=utf-8"),
    "md": ("markdown", "text/markdown; charset=utf-8"),
    "tex": ("latex", "application/x-tex; charset=utf-8"),
}
FIGURES = "figures"  # every figure in full, as CSV


@require_safe
def evaluation_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The evaluations, newest first."""
    membership = _overseer(request, slug)
    jobs = Evaluation.objects.filter(collection=membership.collection).select_related("requested_by").order_by("-pk")
    page = Paginator(jobs, PER_PAGE).get_page(request.GET.get("page"))
    context = _context(membership) | {
        "page": page,
        "has_runs": membership.collection.retrieval_runs.exists(),
        "qrels": imported_qrels(membership.collection),
        "may_manage": can_manage(membership),
    }
    return render(request, "adjudication/evaluation/evaluation_list.html", context)


@require_POST
def qrels_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete imported qrels."""
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership)
    qrels = get_object_or_404(
        ImportedQrels.objects.select_related("collection"), collection=membership.collection, pk=pk
    )
    with refusals_in_message(request):
        delete_qrels(qrels=qrels, by=membership.user, at=timezone.now())
        messages.success(request, f"Qrels {qrels.name} deleted.")
    return redirect("evaluation_list", slug)


@require_http_methods(["GET", "POST"])
def evaluation_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for an evaluation; on to its page, where it shows its progress."""
    membership = fetch_membership(request.user, slug)
    check_can_adjudicate(membership)
    collection = membership.collection
    form = EvaluationForm(request.POST or None, collection=collection)
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form):
            job = request_evaluation(collection=collection, spec=form.spec(), by=membership.user, at=timezone.now())
            return redirect("evaluation_detail", slug, job.pk)
    context = _context(membership) | {"form": form, "has_runs": bool(form.fields["runs"].choices)}  # type: ignore[attr-defined]
    status = 422 if request.method == "POST" else 200
    return render(request, "adjudication/evaluation/evaluation_create.html", context, status=status)


@require_safe
def evaluation_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The table next to the plot of one of its columns; until it is there, the progress."""
    membership, job = _fetch(request, slug, pk)
    context = _context(membership) | {"evaluation": job, "spec": EvaluationSpec.from_json(job.parameters)}
    if job.results:
        table = Table.from_json(job.results["table"])
        column = _number(request.GET.get("sort"), len(table.columns))
        context |= {"table": sorted_table(table, column), "column": column or 0, "report": job.results["report"]}
        context |= {"plot": plot_of(table, column or 0), "parts": job.results["report"].get("parts", [])}
    else:
        context |= shown(job, membership)
    return render(request, "adjudication/evaluation/evaluation_detail.html", context)


@require_safe
def evaluation_topics(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Every topic's value of a measure under each run, by the difference of two of them."""
    membership, job = _fetch(request, slug, pk)
    if not job.results:
        return redirect("evaluation_detail", slug, pk)
    found = fetch_topics(job, {name: request.GET.get(name, "") for name in ("measure", "a", "b")})
    if found is None:
        raise Http404
    page = Paginator(found.rows, PER_PAGE).get_page(request.GET.get("page"))
    context = _context(membership) | {"evaluation": job, "topics": found, "page": page}
    return render(request, "adjudication/evaluation/evaluation_topics.html", context)


@require_safe
def evaluation_table(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    """The table as CSV, Markdown or LaTeX, or every figure in full as CSV."""
    _, job = _fetch(request, slug, pk)
    if not job.results or form not in (*TYPES, FIGURES):
        raise Http404
    name, content_type = TYPES.get(form, TYPES["csv"])
    text = job.results["figures"] if form == FIGURES else WRITERS[name](Table.from_json(job.results["table"]))
    response = HttpResponse(text, content_type=content_type)
    ending = "-figures.csv" if form == FIGURES else f".{form}"
    response["Content-Disposition"] = f'attachment; filename="{slug}-evaluation-{pk}{ending}"'
    return response


def _fetch(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation]:
    membership = _overseer(request, slug)
    jobs = Evaluation.objects.select_related("collection", "requested_by")
    job = get_object_or_404(jobs, collection=membership.collection, pk=pk)
    check_can_see(membership, EvaluationSpec.from_json(job.parameters))
    return membership, job


def _overseer(request: HttpRequest, slug: str) -> Membership:
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    return membership


def _context(membership: Membership) -> dict[str, Any]:
    may_ask = can_adjudicate(membership)
    return {"membership": membership, "collection": membership.collection, "tab": "evaluation", "may_ask": may_ask}


def _number(word: str | None, most: int) -> int | None:
    return int(word) if word and word.isascii() and word.isdigit() and int(word) < most else None
