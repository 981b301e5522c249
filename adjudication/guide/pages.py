"""The buttons of the guide: each does what its own page does, and leads back to where it was pressed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from accounts.refusal_messages import refusals_in_message
from adjudication.guide.acts import Press
from adjudication.guide.guide import act_of, guide_for
from annotation.campaigns.campaigns import fetch_campaign
from corpus.collections.rules import check_role, fetch_membership


@require_POST
def guide_step(request: HttpRequest, slug: str, step: str, act: str) -> HttpResponse:
    """Do what the button says, about the campaign that the form names, and go back to its page."""
    membership = fetch_membership(request.user, slug)
    name = request.POST.get("campaign", "")
    guide = guide_for(membership, fetch_campaign(membership, name) if name else None)
    found = act_of(guide, step, act)
    check_role(membership, *found.roles)
    with refusals_in_message(request):
        said = found.acts[act](Press(guide.facts, membership.user, timezone.now(), request.POST.get("emails", "")))
        if said:
            messages.success(request, said)
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    # A screen that a form's answer has put together has no address of its own to go back to.
    usual = guide.facts.inside("campaign_detail") if guide.facts.campaign else guide.facts.to("collection_dashboard")
    return redirect(target if is_ours else usual)
