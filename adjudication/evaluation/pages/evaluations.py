"""Pages of evaluations: all of a collection, asking for one, its table next to a plot, and both as files; qrels."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.jobs import fragment_context
from accounts.refusal_messages import refusals_in_message
from adjudication.agreement.pages.figures import drawn_file
from adjudication.evaluation.further import further_tables
from adjudication.evaluation.golds.qrels import imported_qrels
from adjudication.evaluation.measured import Measured, fetch_measured, reports_of
from adjudication.evaluation.plots import draw_plot, plot_of, sorted_table
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.evaluation.presets.standing import why_stale
from adjudication.evaluation.requests import delete_qrels, request_evaluation
from adjudication.evaluation.rules import check_can_see
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreTable
from adjudication.evaluation.writers import noted, with_stale, write_report
from adjudication.labels.rules import can_adjudicate
from adjudication.models import Evaluation, ImportedQrels
from adjudication.verdicts.road import fetch_road
from annotation.models import Annotator, AnnotatorKind
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import DECIDE, check_role, fetch_manager, fetch_overseer
from corpus.models import Collection, Membership, TopicKind
from engines.extras import lacking, require

PER_PAGE = 50
TYPES = {
    "csv": ("csv", "text/csv; charset=utf-8"),
    "md": ("markdown", "text/markdown; charset=utf-8"),
    "tex": ("latex", "application/x-tex; charset=utf-8"),
}
PLOT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
FIGURES = "figures"  # every figure in full, as CSV


@require_safe
def evaluation_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The evaluations, newest first."""
    membership = fetch_overseer(request.user, slug)
    jobs = Evaluation.objects.filter(collection=membership.collection).select_related("requested_by").order_by("-pk")
    page = Paginator(jobs, PER_PAGE).get_page(request.GET.get("page"))
    context = context_of(membership) | {
        "page": page,
        "has_runs": can_be_measured(membership.collection),
        "qrels": imported_qrels(membership.collection),
        "questions": membership.collection.topics.filter(kind=TopicKind.QUESTION).exists(),
        "road": fetch_road(membership.collection),
    }
    return render(request, "adjudication/evaluation/evaluation_list.html", context)


@require_safe
def evaluation_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The table next to the plot of one of its columns; until it is there, the progress."""
    membership, job = fetch_evaluation(request, slug, pk)
    context = context_of(membership) | {"evaluation": job, "spec": EvaluationSpec.from_json(job.parameters)}
    if job.results:
        context["stale"] = why_stale(job)
        spread = _spread(request)
        table = ScoreTable.from_json(job.results["table"]).shown(**spread)
        column = numbered(request, "sort", len(table.columns))
        context |= {"table": sorted_table(table, column), "column": column or 0, "report": job.results["report"]}
        names = list(job.scores.filter(part=0).order_by("pk").values_list("run", flat=True))
        preset = PRESETS.get(job.parameters.get("preset") or "")
        measures_runs = preset is None or preset.measures_runs
        plot = plot_of(table, column or 0) if measures_runs else None
        context |= {"plot": plot, "measures_runs": measures_runs, "run_names": names}
        context["why_no_files"] = lacking("matplotlib")
        context |= {"has_topics": bool(names), "several_runs": len(names) > 1, "spread": spread}
        context |= {"query": urlencode({name: "on" for name, on in spread.items() if on})}
        context |= {"further": further_tables(job.results["report"])}
    else:
        context |= fragment_context(job, membership)
    return render(request, "adjudication/evaluation/evaluation_detail.html", context)


@require_POST
def evaluation_repetition(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Measure the same runs against the same gold as they are today: a new evaluation, next to the earlier one."""
    membership, job = fetch_evaluation(request, slug, pk)
    check_role(membership, *DECIDE)
    with refusals_in_message(request):
        spec = EvaluationSpec.from_json(job.parameters)
        job = request_evaluation(collection=job.collection, spec=spec, by=membership.user, at=timezone.now())
        messages.success(request, "The runs are being measured again. This page shows how far it is.")
    return redirect("evaluation_detail", slug, job.pk)


@require_safe
def evaluation_plot(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponseBase:
    """The plot of the column that `?sort=` asks for as SVG or PDF, for a paper."""
    _, job = fetch_evaluation(request, slug, pk)
    table = noted(ScoreTable.from_json(job.results["table"]), why_stale(job)) if job.results else None
    if table is None or form not in PLOT_TYPES:
        raise Http404
    column = numbered(request, "sort", len(table.columns)) or 0
    if plot_of(table, column) is None:
        raise Http404
    require("matplotlib")
    return drawn_file(
        request, partial(draw_plot, table, column, form), PLOT_TYPES[form], f"{slug}-evaluation-{pk}.{form}"
    )


@require_safe
def evaluation_table(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    """The table as CSV, Markdown or LaTeX, or every figure in full as CSV."""
    _, job = fetch_evaluation(request, slug, pk)
    if not job.results or form not in (*TYPES, FIGURES):
        raise Http404
    name, content_type = TYPES.get(form, TYPES["csv"])
    stale = why_stale(job)
    table = noted(ScoreTable.from_json(job.results["table"]).shown(**_spread(request)), stale)
    figures = with_stale(job.results["figures"], stale)
    text = figures if form == FIGURES else write_report(name, table, job.results["report"])
    response = HttpResponse(text, content_type=content_type)
    ending = "-figures.csv" if form == FIGURES else f".{form}"
    response["Content-Disposition"] = f'attachment; filename="{slug}-evaluation-{pk}{ending}"'
    return response


def _spread(request: HttpRequest) -> dict[str, bool]:
    """Whether standard errors and intervals are to be shown."""
    return {name: request.GET.get(name) == "on" for name in ("se", "interval")}


@require_POST
def qrels_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete imported qrels."""
    membership = fetch_manager(request.user, slug)
    qrels = get_object_or_404(
        ImportedQrels.objects.select_related("collection"), collection=membership.collection, pk=pk
    )
    with refusals_in_message(request):
        delete_qrels(qrels=qrels, by=membership.user, at=timezone.now())
        messages.success(request, f"Qrels {qrels.name} deleted.")
    return redirect("evaluation_list", slug)


def can_be_measured(collection: Collection) -> bool:
    """Runs; or what papers' tables are about that measure none: papers (ACM-CR), a machine's labels (DORIS-MAE)."""
    machines = Annotator.objects.filter(campaign__collection=collection, kind=AnnotatorKind.MACHINE)
    return collection.retrieval_runs.exists() or collection.papers.exists() or machines.exists()


def fetch_evaluation(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation]:
    """The evaluation, for those who may see what its gold gives away."""
    membership = fetch_overseer(request.user, slug)
    jobs = Evaluation.objects.select_related("collection", "requested_by")
    job = get_object_or_404(jobs, collection=membership.collection, pk=pk)
    check_can_see(membership, EvaluationSpec.from_json(job.parameters))
    return membership, job


def fetch_part(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation, Measured]:
    """The evaluation with the part that `?part=` asks for; 404 where it is not done, or has no such part."""
    membership, job = fetch_evaluation(request, slug, pk)
    part = fetch_measured(job, numbered(request, "part", 1000) or 0)
    if part is None:
        raise Http404
    return membership, job, part


def part_context(membership: Membership, job: Evaluation, part: Measured) -> dict[str, Any]:
    """What the pages of a part show; `parts` are (number, words) where there are several."""
    parts = [(at, each.get("gold_label", "")) for at, each in enumerate(reports_of(job))]
    found = {"evaluation": job, "part": part, "parts": parts if len(parts) > 1 else [], "stale": why_stale(job)}
    return context_of(membership) | found | {"report": part.report}


def context_of(membership: Membership) -> dict[str, Any]:
    return collection_context(membership, "evaluation", may_ask=can_adjudicate(membership))


def chosen(request: HttpRequest, name: str, known: tuple[str, ...], default: int = 0) -> str:
    """One of the known words that the address asks for, the default without one. Errors: 404 for another word."""
    word = request.GET.get(name) or known[min(default, len(known) - 1)]
    if word not in known:
        raise Http404
    return word


def numbered(request: HttpRequest, name: str, most: int) -> int | None:
    """The number below `most` that the address asks for, None without one. Errors: 404 for another word."""
    if not (word := request.GET.get(name)):
        return None
    if not (word.isascii() and word.isdigit() and len(word) < 19 and int(word) < most):
        raise Http404
    return int(word)
