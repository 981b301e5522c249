"""What a done evaluation says of one run, one topic, two runs, and every pair of runs."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import NO_GOLD
from adjudication.evaluation.golds.registry import read_decided
from adjudication.evaluation.measured import (
    ORDERS,
    TESTS,
    Measured,
    RunMatrix,
    compare_pair,
    matrix_table,
    pair_matrix,
    pairs_csv,
    run_subsets,
    topic_values,
)
from adjudication.evaluation.pages.evaluations import TYPES, chosen, fetch_evaluation, fetch_part, part_context
from adjudication.evaluation.plots import bars_of
from adjudication.evaluation.presets.standing import why_stale
from adjudication.evaluation.rankings import topic_texts
from adjudication.evaluation.topics import printed_scores, topic_page
from adjudication.evaluation.unjudged import DEPTHS
from adjudication.evaluation.writers import WRITERS, noted, with_stale
from adjudication.models import Evaluation
from corpus.models import Membership

PER_PAGE = 50


@require_safe
def evaluation_run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One run: its figures, its topics from worst to best, what it lacks."""
    membership, job, part = fetch_part(request, slug, pk)
    run = chosen(request, "run", part.runs)
    measure, order = chosen(request, "measure", part.measures), chosen(request, "order", tuple(ORDERS))
    texts = topic_texts(membership.collection, part.unit)
    rows = topic_values(part, run, measure, order, texts)
    context = part_context(membership, job, part) | {
        "run": run,
        "stored": membership.collection.retrieval_runs.filter(name=run).first(),
        "subsets": run_subsets(part, run),
        "measure": measure,
        "order": order,
        "orders": ORDERS.items(),
        "missing": part.report.get("missing", {}).get(run, []),
        "tied": part.report.get("tied", {}).get(run, {}),
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "pages": {"run": run, "measure": measure, "order": order, "part": part.number},
    }
    return render(request, "adjudication/evaluation/evaluation_run.html", context)


@require_safe
def evaluation_topic(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One topic: ranks of the relevant documents under each run, what was missed, what is unjudged at the top."""
    membership, job, part = fetch_part(request, slug, pk)
    topic = chosen(request, "topic", part.topics)
    depth = int(chosen(request, "depth", tuple(map(str, DEPTHS)), default=1))
    context = part_context(membership, job, part) | {
        "topic": topic,
        "text": topic_texts(membership.collection, part.unit).get(topic, ""),
        "depth": depth,
        "depths": DEPTHS,
        "scores": printed_scores(part, topic),
        **_neighbours(part.topics, topic),
    }
    try:
        found = read_decided(membership.collection, str(part.report["gold"]))
        context["view"] = topic_page(membership.collection, part, found, topic, depth)
    except Refused as refusal:
        context["refusal"] = refusal.reason.removeprefix(NO_GOLD).strip()
    return render(request, "adjudication/evaluation/evaluation_topic.html", context)


def _neighbours(topics: tuple[str, ...], topic: str) -> dict[str, str | None]:
    at = topics.index(topic)
    return {
        "previous": topics[at - 1] if at else None,
        "next": topics[at + 1] if at + 1 < len(topics) else None,
    }


@require_safe
def evaluation_topics(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Run against run, topic by topic: wins, losses and ties, tests, and every topic's difference."""
    _, job = fetch_evaluation(request, slug, pk)
    if not job.results:
        return redirect("evaluation_detail", slug, pk)
    membership, job, part = fetch_part(request, slug, pk)
    a, b = chosen(request, "a", part.runs), chosen(request, "b", part.runs, default=1)
    measure = chosen(request, "measure", part.measures)
    pair = compare_pair(part, a, b, measure, topic_texts(membership.collection, part.unit))
    context = part_context(membership, job, part) | {
        "pair": pair,
        "bars": bars_of([row.gap for row in pair.rows if row.gap is not None]),
        "page": Paginator(pair.rows, PER_PAGE).get_page(request.GET.get("page")),
        "pages": {"a": a, "b": b, "measure": measure, "part": part.number},
    }
    return render(request, "adjudication/evaluation/evaluation_topics.html", context)


@require_safe
def evaluation_matrix(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Every run against every other on a measure, with Holm-adjusted p values."""
    membership, job, part, matrix = _matrix(request, slug, pk)
    context = part_context(membership, job, part) | {
        "matrix": matrix,
        "measure": matrix.measure,
        "test": matrix.test,
        "tests": TESTS.items(),
        "query": urlencode({"measure": matrix.measure, "test": matrix.test, "part": part.number}),
    }
    return render(request, "adjudication/evaluation/evaluation_matrix.html", context)


@require_safe
def evaluation_matrix_file(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    """The pairs one a line as CSV, or the matrix as Markdown or LaTeX."""
    _, job, _, matrix = _matrix(request, slug, pk)
    if form not in TYPES:
        raise Http404
    name, content_type = TYPES[form]
    stale = why_stale(job)
    pairs = with_stale("".join(pairs_csv(matrix)), stale)
    text = pairs if form == "csv" else WRITERS[name](noted(matrix_table(matrix), stale))
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{slug}-evaluation-{pk}-pairs.{form}"'
    return response


def _matrix(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation, Measured, RunMatrix]:
    membership, job, part = fetch_part(request, slug, pk)
    if len(part.runs) < 2:
        raise Http404
    measure, test = chosen(request, "measure", part.measures), chosen(request, "test", tuple(TESTS))
    return membership, job, part, pair_matrix(part, measure, test)
