"""Citation-context statistics: table 1, and how much of what is cited is known."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.papers.context_table import as_csv, as_latex, paper_rows, papers_csv, table_rows
from adjudication.papers.contexts import source_words
from annotation.papers.gold import ORIGINS, context_figures
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_overseer

MOST_LIVE = 300  # papers that a page counts while somebody waits; more take a file or an evaluation
TYPES = {  # what is written, how, and how its file's name ends
    "csv": (as_csv, "text/csv; charset=utf-8", "contexts.csv"),
    "tex": (as_latex, "application/x-tex; charset=utf-8", "contexts.tex"),
    "papers": (papers_csv, "text/csv; charset=utf-8", "contexts-by-paper.csv"),
}


@require_safe
def context_report(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures of what is confirmed, or with drafts."""
    membership = fetch_overseer(request.user, slug)
    collection, drafts = membership.collection, request.GET.get("drafts") == "1"
    papers = collection.papers.count()
    figures = context_figures(collection, drafts=drafts) if papers <= MOST_LIVE else None
    context = collection_context(membership, "contexts") | {
        "drafts": drafts,
        "figures": figures,
        "sources": source_words(_counted(figures.get("sources", {}), drafts=drafts)) if figures else [],
        "rows": table_rows(figures) if figures else [],
        "paper_rows": paper_rows(figures) if figures else [],
        "latex": as_latex(figures) if figures else "",
        "papers": papers,
    }
    return render(request, "adjudication/papers/context_report.html", context)


def _counted(sources: Mapping[str, int], *, drafts: bool) -> Mapping[str, int]:
    """Of how many papers what is counted: drafts and proposals only where they were asked for."""
    return sources if drafts else {name: count for name, count in sources.items() if name in ORIGINS}


@require_safe
def context_table(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """The tables as CSV or LaTeX, or the counts of each paper as CSV."""
    membership = fetch_overseer(request.user, slug)
    if form not in TYPES:
        raise Http404
    figures = context_figures(membership.collection, drafts=request.GET.get("drafts") == "1")
    write, content_type, name = TYPES[form]
    response = HttpResponse(write(figures), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}"'
    return response
