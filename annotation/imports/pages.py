"""Importing judgments into a campaign; the job's own page is the corpus'."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.refusal_messages import refusals_in_form
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.imports.forms import JudgmentImportForm
from annotation.imports.importing import request_judgment_import
from annotation.models import CampaignState
from corpus.collections.pages.context import form_page
from corpus.imports.pages import offered_match

SHOWN_RUNS = 10


@form_page
def judgment_import(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Choose files and import them."""
    membership, found = fetch_for_manager(request, slug, campaign, page="judgments")
    sent = request.method == "POST"
    form = JudgmentImportForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        kind="judgments",
        initial=offered_match(request) | {"machine": "machine" in request.GET},
    )
    if form.is_valid():
        with refusals_in_form(form, "uploads"):
            run = request_judgment_import(
                campaign=found,
                by=membership.user,
                at=timezone.now(),
                files=form.cleaned_data["uploads"],
                format=form.cleaned_data["format"],
                dry_run=form.cleaned_data["dry_run"],
                **form.parameters,
            )
            return redirect("import_detail", slug, run.pk)
    runs = membership.collection.import_runs.filter(kind="judgments", parameters__campaign=found.pk)
    context = campaign_context(
        membership,
        found,
        "annotators",
        form=form,
        is_closed=found.state == CampaignState.CLOSED,
        runs=runs.defer("errors").order_by("-pk")[:SHOWN_RUNS],
    )
    return render(request, "annotation/imports/annotator_import.html", context, status=422 if form.errors else 200)
