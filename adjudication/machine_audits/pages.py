"""The audits of a campaign's machine labels: what was drawn, and what it shows."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.labels.labels import judging_annotators
from adjudication.machine_audits.reading import audits_of
from annotation.campaigns.pages.context import campaign_context, fetch_for_overseer
from annotation.models import AnnotatorKind


@require_safe
def machine_audit_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Every audit with how far people are; nothing of what they say."""
    membership, found = fetch_for_overseer(request, slug, campaign, "machines")
    machines = judging_annotators(found).filter(kind=AnnotatorKind.MACHINE)
    more = {"audits": list(audits_of(found)), "has_labels": machines.exists()}
    context = campaign_context(membership, found, "audits", **more)
    return render(request, "adjudication/machine_audits/machine_audit_list.html", context)
