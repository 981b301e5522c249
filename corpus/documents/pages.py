"""Documents: search, browse, read."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_oversee, fetch_membership
from corpus.collections.statistics import corpus_statistics, document_statistics
from corpus.collections.statistics_table import WORDS, as_latex, as_markdown, lines_of
from corpus.documents.finding import (
    browse_documents,
    count_documents,
    document_with,
    full_text_of,
    has_searchable_words,
    pools_with,
    search_documents,
    targeting_topics,
    topics_near,
    unfinished_indexing,
)
from corpus.documents.forms import SearchForm
from corpus.models import Collection


@require_safe
def document_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Search results for `?q=`, else the documents by docno; the results alone for htmx."""
    membership = fetch_membership(request.user, slug)
    form = SearchForm(request.GET)
    indexing = unfinished_indexing(membership.collection)
    context = collection_context(membership, "documents", form=form, indexing=indexing)
    if form.is_valid():
        context |= _search_results(membership.collection, form, request)
    template = (
        "corpus/documents/_document_results.html"
        if getattr(request, "htmx", False)
        else "corpus/documents/document_list.html"
    )
    return render(request, template, context, status=200 if form.is_valid() else 422)


@require_safe
def document_figures(request: HttpRequest, slug: str) -> HttpResponse:
    """The counts of a dataset for a paper; annotators see those of documents. Reads all, so a separate page."""
    membership = fetch_membership(request.user, slug)
    sees_all = can_oversee(membership)
    figures = (corpus_statistics if sees_all else document_statistics)(membership.collection)
    lines = lines_of(figures)
    lacking = [
        WORDS[name].removeprefix("documents with ")
        for name, value in figures.items()
        if name.startswith("with_") and not value
    ]
    texts = {"markdown": as_markdown(lines), "latex": as_latex(lines)}
    section = "statistics" if sees_all else "documents"
    context = collection_context(membership, section, lines=lines, lacking=lacking, **texts)
    return render(request, "corpus/documents/document_figures.html", context)


@require_safe
def document_detail(request: HttpRequest, slug: str, docno: str) -> HttpResponse:
    """Everything known about one document; its full text with `?full-text`.

    What it is known to answer would give judgments away to annotators; so may fields of the file that nobody at Litmus
    has named.
    """
    membership = fetch_membership(request.user, slug)
    document = document_with(membership.collection, docno)
    if document is None:
        raise Http404
    context = collection_context(membership, "documents") | {
        "document": document,
        "full_text": full_text_of(document, whole="full-text" in request.GET),
        "targets": None,
    }
    if can_oversee(membership):
        context["targets"] = targeting_topics(document)
        context |= {"pooled": pools_with(document), "near": topics_near(document)}
    return render(request, "corpus/documents/document_detail.html", context)


def _search_results(collection: Collection, form: SearchForm, request: HttpRequest) -> dict[str, Any]:
    text, filters = form.cleaned_data["q"], form.filters
    if not text:
        count, is_cut = count_documents(collection)
        after, before = (request.GET.get(name, "") for name in ("after", "before"))
        browsed = browse_documents(collection, filters, after=after, before=before)
        return {"browsed": browsed, "count": count, "count_is_cut": is_cut}
    exact = document_with(collection, text)
    if not has_searchable_words(collection, text):
        return {"text": text, "exact": exact, "no_words": True}
    number = request.GET.get("page", "")
    page = search_documents(collection, text, filters, number=int(number) if number.isdecimal() else 1)
    return {"text": text, "exact": exact, "found": page}
