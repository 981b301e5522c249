"""Search sheets: downloaded as CSV, filled by hand with the results of a search engine, and imported as a run."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.refusal_messages import refusals_in_form
from adjudication.evaluation.forms import FilledForm, SampleForm
from adjudication.evaluation.pages.evaluations import context_of
from adjudication.evaluation.requests import import_sheet
from adjudication.evaluation.rules import check_can_sample
from adjudication.evaluation.search_sheets import sheet_lines
from corpus.collections.rules import check_can_manage, fetch_overseer


@require_http_methods(["GET", "HEAD", "POST"])
def search_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """What a sheet is for; a filled one is imported, on the page of that import."""
    membership = fetch_overseer(request.user, slug)
    check_can_sample(membership.collection, membership)
    form = FilledForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        check_can_manage(membership)
        if form.is_valid():
            file = form.cleaned_data["file"]
            details: dict[str, Any] = {"by": membership.user, "at": timezone.now(), "name": form.cleaned_data["name"]}
            with refusals_in_form(form, "file"):
                _, run = import_sheet(collection=membership.collection, file=file.name, stream=file.file, **details)
                return redirect("import_detail", slug, run.pk)
    context = context_of(membership) | {"sample": SampleForm(), "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "adjudication/evaluation/search_sheet.html", context, status=status)


@require_safe
def search_sheet_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The empty sheet; the page again where the form is invalid."""
    membership = fetch_overseer(request.user, slug)
    check_can_sample(membership.collection, membership)
    form = SampleForm(request.GET)
    if form.is_valid():
        with refusals_in_form(form):
            lines = sheet_lines(membership.collection, **form.cleaned_data)
            response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
            response["Content-Disposition"] = f'attachment; filename="{slug}-search-sheet.csv"'
            return response
    context = context_of(membership) | {"sample": form, "form": FilledForm()}
    return render(request, "adjudication/evaluation/search_sheet.html", context, status=422)
