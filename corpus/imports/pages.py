"""Imports: the list, starting one, following one."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import jobs
from accounts.models import JobState
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import refusal_reason
from corpus.collections.pages.context import collection_context, form_page
from corpus.collections.rules import fetch_manager
from corpus.imports.errors import Problems, group_errors, others_for
from corpus.imports.forms import ImportForm
from corpus.imports.importing import OFFERED
from corpus.imports.limits import limits_of
from corpus.imports.registry import Importer, collection_importers
from corpus.imports.requests import (
    holds_files,
    request_dry_run_again,
    request_import,
    request_import_after_dry_run,
    undo_import,
)
from corpus.imports.undoing import check_can_undo
from corpus.models import ImportRun, Membership
from corpus.tables import csv_response
from engines.formats.topic_numbers import WAYS

PER_PAGE = 25


@require_safe
def import_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All imports, newest first, and the ways to bring in more."""
    membership = fetch_manager(request.user, slug)
    rows = membership.collection.import_runs.select_related("requested_by").order_by("-pk")
    rows = rows.defer("errors", "parameters")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    for run in page.object_list:
        jobs.with_live_progress(run)
    context = collection_context(membership, "imports", page=page, importers=collection_importers().values())
    context["limits"] = limits_of(membership.collection)
    return render(request, "corpus/imports/import_list.html", context)


@form_page
def import_create(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Choose files and send them."""
    membership = fetch_manager(request.user, slug)
    importer = collection_importers().get(kind)
    if importer is None:
        raise Http404
    form = importer.form(
        request.POST or None,
        request.FILES or None,
        kind=kind,
        initial=offered(request, importer),
    )
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form, "uploads"):
            run = request_import(
                by=membership.user,
                at=timezone.now(),
                collection=membership.collection,
                kind=kind,
                files=form.cleaned_data["uploads"],
                format=form.cleaned_data["format"],
                dry_run=form.cleaned_data["dry_run"],
                **form.parameters,
            )
            return redirect("import_detail", slug, run.pk)
    limits = limits_of(membership.collection)
    context = collection_context(membership, "imports", form=form, importer=importer, limits=limits)
    return render(request, "corpus/imports/import_create.html", context, status=422 if form.errors else 200)


def offered(request: HttpRequest, importer: Importer) -> dict[str, str]:
    """The format and the options that a link to the form fills in, such as a way of matching topics."""
    return {name: request.GET[name] for name in ("format", *importer.form.options()) if name in request.GET}


def _about(run: ImportRun) -> str:
    """What becomes of the records, or became of them; of one that failed or was cancelled, its state says more."""
    if run.dry_run:
        return "Nothing was stored." if run.is_final else "Nothing will be stored: the records will only be counted."
    words = {JobState.RUNNING: "are being", JobState.DONE: "were"}
    usual = "were to be" if run.is_final else "will be"
    return f"The records of the files {words.get(JobState(run.state), usual)} stored."


@require_safe
def import_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One import: its progress while it runs, its counts and first errors when it has ended."""
    membership = fetch_manager(request.user, slug)
    run = _fetch_run(membership, pk)
    others = [] if run.state == JobState.DONE else _others(run)
    offer = match_offer(run)
    context = collection_context(membership, "imports") | {
        "run": run,
        "about": _about(run),
        "way": run.importer and run.importer.way_on(run),
        "others": others,
        "opens_again": run.state == JobState.FAILED and not others and not offer,
        "never_undone": run.importer is not None and run.importer.undoing is None,
        "undo_refusal": refusal_reason(check_can_undo, run),
        "problems": Problems(run),
        "remarks": [remark for remark in run.remarks if remark not in run.reason],
        "again": _again_form(run) if run.dry_run and run.is_final and run.importer and holds_files(run) else None,
        "error_groups": [] if _says_it_all(run) else group_errors(run.errors),
        "offer": offer,
        "can_follow": run.dry_run and run.state == "done" and holds_files(run) and run.created + run.updated > 0,
    }
    return render(request, "corpus/imports/import_detail.html", context)


@require_safe
def import_errors(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """The errors as CSV, by file and line."""
    run = _fetch_run(fetch_manager(request.user, slug), pk)
    rows = ((error["file"], error["line"], error["reason"], "yes" if error.get("kept") else "") for error in run.errors)
    return csv_response(f"{slug}-import-{run.pk}-errors", ("file", "line", "reason", "came in anyway"), rows)


@require_POST
def import_undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take an import back."""
    membership = fetch_manager(request.user, slug)
    run = _fetch_run(membership, pk)
    with refusals_in_message(request):
        undo_import(by=membership.user, at=timezone.now(), run=run)
        messages.success(request, "Import undone. The imported records were removed.")
    return redirect("import_detail", slug, pk)


@require_POST
def import_follow(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Import the files of a dry run for good."""
    membership = fetch_manager(request.user, slug)
    run = _fetch_run(membership, pk)
    with refusals_in_message(request):
        match = request.POST.get("match", "")
        pk = request_import_after_dry_run(by=membership.user, at=timezone.now(), dry_run=run, match=match).pk
    return redirect("import_detail", slug, pk)


def match_offer(run: ImportRun) -> dict[str, Any] | None:
    """A way to match more topics that the import offers: its name and words; whether its files are still here."""
    name = run.parameters.get(OFFERED)
    if name not in WAYS or run.undone_at:
        return None
    return {"way": name, "words": WAYS[name].words, "holds_files": run.dry_run and holds_files(run)}


@require_POST
def import_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Try the files of a dry run again, read in another way."""
    membership = fetch_manager(request.user, slug)
    run = _fetch_run(membership, pk)
    form = _again_form(run, request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(reason) for found in form.errors.values() for reason in found))
        return redirect("import_detail", slug, pk)
    with refusals_in_message(request):
        pk = request_dry_run_again(
            by=membership.user,
            at=timezone.now(),
            dry_run=run,
            format=form.cleaned_data["format"],
            **form.parameters,
        ).pk
    return redirect("import_detail", slug, pk)


def _again_form(run: ImportRun, data: Any = None) -> ImportForm:
    """The form of the kind without its files, filled in as the dry run was."""
    form: ImportForm = run.importer.form(data, kind=run.kind, initial={**run.parameters, "format": run.format})
    del form.fields["uploads"], form.fields["dry_run"]
    form.offer(run.importer.found(run))
    return form


def _others(run: ImportRun) -> list[Importer]:
    """What the files may be imported as instead."""
    names = others_for(run)
    return [each for name, each in collection_importers().items() if name in names]


def _says_it_all(run: ImportRun) -> bool:
    """Whether the reason why it failed is its only error, which need not stand there twice."""
    return run.state == "failed" and len(run.errors) == 1 and run.errors[0]["reason"] in run.reason


def _fetch_run(membership: Membership, pk: int) -> ImportRun:
    runs = membership.collection.import_runs.select_related("requested_by", "collection")
    return get_object_or_404(runs, pk=pk)
