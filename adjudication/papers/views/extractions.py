"""How far the annotators of an extraction agree, and the papers on which they differ."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.labels.views import fetch_label_scope
from adjudication.papers.reads.extractions import MOST_PAPERS, NAMES, compare_annotators


@require_safe
def extraction_agreement(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The figures of every pair over the papers that both have finished, computed now."""
    scope = fetch_label_scope(request, slug, campaign, page="comparison")
    compared = compare_annotators(scope.campaign)
    context = scope.context(section="comparison", compared=compared, columns=NAMES.values(), most=MOST_PAPERS)
    return render(request, "adjudication/papers/extraction_agreement.html", context)
