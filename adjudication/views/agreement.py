"""The agreement of a campaign: figures with intervals, who agrees with whom, and the way down to the judgments."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.models import JobState
from adjudication.forms.jobs import AgreementForm
from adjudication.models import AgreementFigure, AgreementRun, TiePolicy
from adjudication.queries.agreement import (
    BLOCKS,
    SHARES,
    STATISTICS,
    Shown,
    as_json,
    block_figures,
    comparisons,
    fetch_standing,
    method_sentence,
    pair_figures,
    whole_figures,
)
from adjudication.queries.matrix import confusion, confusion_pairs, forest, pair_matrix, topic_rows
from adjudication.queries.people import annotator_figures
from adjudication.queries.queue import fetch_vote_standing
from adjudication.queries.report import make_report
from adjudication.stats.pairwise import PAIR_ALPHAS, PAIR_STATISTICS
from adjudication.views.jobs import job_context
from adjudication.views.scope import chosen_criterion, fetch_scope
from annotation.models import Criterion

FIGURE_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
POLICIES = {**dict(TiePolicy.choices), "weighted": "weights of the annotators break ties"}
PAIRWISE = [name for name in STATISTICS if name in {**PAIR_STATISTICS, **PAIR_ALPHAS}]


@require_safe
def agreement_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest finished figures with what is newer than they are, or what to do to get any."""
    scope = fetch_scope(request, slug, campaign)
    criteria = scope.criteria()
    criterion = chosen_criterion(request, criteria)
    standing = fetch_standing(scope.campaign)
    context = scope.context(
        criteria=criteria, criterion=criterion, standing=standing, form=AgreementForm(), section="agreement"
    )
    if standing.job is not None and standing.job != standing.run:
        context |= job_context(scope, standing.job)
    if standing.run is not None and criterion is not None and criterion.key in standing.run.detail:
        context |= _figures(request, standing.run, criterion)
    return render(request, "adjudication/agreement_detail.html", context)


@require_safe
def agreement_download(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Every figure of one finished run as JSON, in the shape of the command's."""
    scope = fetch_scope(request, slug, campaign)
    run = get_object_or_404(AgreementRun, pk=pk, campaign=scope.campaign, state=JobState.DONE)
    answer = JsonResponse(as_json(run), json_dumps_params={"ensure_ascii": False, "allow_nan": False, "indent": 1})
    name = slugify(f"{scope.collection.slug}-{scope.campaign.slug}-agreement-{run.pk}")
    answer["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return answer


@require_safe
def agreement_figure(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One drawn figure as a file."""
    scope = fetch_scope(request, slug, campaign)
    figure = get_object_or_404(AgreementFigure, pk=pk, run__campaign=scope.campaign)
    answer = HttpResponse(bytes(figure.content), content_type=FIGURE_TYPES[figure.format])
    name = slugify(f"{scope.collection.slug}-{scope.campaign.slug}-{figure.criterion}-{figure.name}")
    answer["Content-Disposition"] = f'attachment; filename="{name}.{figure.format}"'
    return answer


@require_safe
def agreement_report(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest figures as one table to paste into a paper, and what other ways of voting would have given."""
    scope = fetch_scope(request, slug, campaign)
    criteria = scope.criteria()
    criterion = chosen_criterion(request, criteria)
    standing, votes = fetch_standing(scope.campaign), fetch_vote_standing(scope.campaign)
    context = scope.context(section="agreement", criteria=criteria, criterion=criterion, standing=standing, votes=votes)
    if criterion is not None and standing.run is not None and criterion.key in standing.run.detail:
        context["report"] = make_report(standing.run, criterion.key)
        figures = standing.run.figures.filter(criterion=criterion.key).order_by("name", "-format").defer("content")
        context["figures"] = [(figure, STATISTICS[figure.name]) for figure in figures]
    if criterion is not None and votes.run is not None:
        context["opinions"] = votes.run.detail.get(criterion.key)
        context["policies"] = POLICIES
    return render(request, "adjudication/agreement_report.html", context)


def _figures(request: HttpRequest, run: AgreementRun, criterion: Criterion) -> dict[str, Any]:
    wanted = request.GET.get("statistic", "")
    statistic = wanted if wanted in PAIRWISE else "cohen_kappa"
    columns, rows = pair_matrix(run, criterion.key, statistic)
    blocks = block_figures(run, criterion.key)
    marks, ticks = forest(_pairs_by_name(run, criterion.key, statistic))
    pairs = confusion_pairs(run, criterion.key)
    return {
        "run": run,
        "detail": run.detail[criterion.key],
        "statistic": statistic,
        "statistic_label": STATISTICS[statistic],
        "statistics": [(name, STATISTICS[name]) for name in PAIRWISE],
        "is_share": statistic in SHARES,
        "columns": columns,
        "rows": rows,
        "whole": whole_figures(run, criterion.key),
        "block_names": [(block, BLOCKS[block]) for block in blocks],
        "blocks": _block_table(blocks),
        "comparisons": comparisons(run, criterion.key),
        "marks": marks,
        "ticks": ticks,
        "forest_height": 28 * len(marks) + 8,
        "confusion": confusion(run, criterion.key, request.GET.get("pair", "")),
        "confusion_pairs": pairs,
        "topics": topic_rows(run, criterion.key),
        "annotators": annotator_figures(run, criterion.key),
        "method": method_sentence(run, criterion.key),
    }


def _pairs_by_name(run: AgreementRun, criterion: str, statistic: str) -> list[Shown]:
    """Figures of the pairs, the best first."""
    found = pair_figures(run, criterion, statistic, named=True)
    return sorted(found.values(), key=lambda figure: -figure.points.get("value", -2))


def _block_table(blocks: dict[str, list[Shown]]) -> list[tuple[str, list[list[Shown]]]]:
    """[(statistic, its figures in each block)], for blocks side by side; a block has one figure for each model."""
    labels = list(dict.fromkeys(figure.label for figures in blocks.values() for figure in figures))
    return [
        (label, [[figure for figure in figures if figure.label == label] for figures in blocks.values()])
        for label in labels
    ]
