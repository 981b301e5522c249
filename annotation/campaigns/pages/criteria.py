"""Criteria and levels: as a form, or as TOML."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusal_messages import RefusalReport, refusals_in_form
from annotation.campaigns.campaigns import drafts_of, has_judgments
from annotation.campaigns.criteria import replace_criteria
from annotation.campaigns.forms.campaigns import TomlForm
from annotation.campaigns.forms.criteria import CriteriaForm
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.campaigns.rules import why_cannot_change_criteria
from annotation.models import Campaign
from corpus.models import Membership
from engines.definitions.campaign_file import write_criteria
from engines.definitions.drafts import CriterionDraft


@require_http_methods(["GET", "POST"])
def criteria_edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The form with all criteria and levels; without anything to change once there are judgments."""
    membership, found = fetch_for_manager(request, slug, campaign, page="levels")
    form = CriteriaForm(request.POST if request.method == "POST" else None, drafts_of(found))
    if form.is_valid():
        with RefusalReport(form.errors.append):
            return _replace(request, membership, found, form.drafts())
    return _show(request, membership, found, form, None)


@require_POST
def criteria_import(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Replace all criteria by those of a TOML text."""
    membership, found = fetch_for_manager(request, slug, campaign, page="levels")
    toml = TomlForm(request.POST)
    if toml.is_valid():
        with refusals_in_form(toml, "toml"):
            return _replace(request, membership, found, toml.cleaned_data["toml"].criteria)
    return _show(request, membership, found, CriteriaForm(None, drafts_of(found)), toml)


def _replace(
    request: HttpRequest, membership: Membership, campaign: Campaign, criteria: tuple[CriterionDraft, ...]
) -> HttpResponse:
    replace_criteria(campaign=campaign, criteria=criteria, by=membership.user, at=timezone.now())
    messages.success(request, "Levels saved.")
    return redirect("criteria_edit", campaign.collection.slug, campaign.slug)


def _show(
    request: HttpRequest, membership: Membership, campaign: Campaign, form: CriteriaForm, toml: TomlForm | None
) -> HttpResponse:
    settled = why_cannot_change_criteria(has_judgments(campaign))
    current = write_criteria(drafts_of(campaign))
    context = campaign_context(
        membership,
        campaign,
        "levels",
        form=form,
        settled=settled,
        toml_form=toml or TomlForm(initial={"toml": current}),
        criteria=campaign.criteria.prefetch_related("levels"),
    )
    invalid = toml is not None or form.is_sent
    return render(request, "annotation/campaigns/criteria_edit.html", context, status=422 if invalid else 200)
