"""Rewrites of questions: all of them for those who oversee, and the few that somebody was asked to confirm."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from annotation.campaigns.forms.campaigns import possible_annotators
from annotation.campaigns.reads.campaigns import fetch_campaign
from annotation.campaigns.rules.campaigns import can_see, check_has_page
from annotation.campaigns.views.context import campaign_context, fetch_for_overseer
from annotation.labelling.forms import read_number
from annotation.labelling.rules.labels import check_can_read_labels
from annotation.labelling.views.answers import person_of
from annotation.models import Campaign, ReviewDecision
from annotation.rubric.actions import DECIDERS, ask_for_reviews, decide_rewrite
from annotation.rubric.reads import STANDINGS, current_rewrites, describe_rewrites, pieces_of, reviews_for
from corpus.collections.rules import fetch_membership
from corpus.models import Membership

PER_PAGE = 50


@require_safe
def rewrite_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The rewrites that count now, what was said of them, and whom to ask."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="rewrites")
    check_can_read_labels(found, membership.user)
    page = Paginator(current_rewrites(found), PER_PAGE).get_page(request.GET.get("page"))
    context = campaign_context(
        membership,
        found,
        "rewrites",
        page=page,
        rows=describe_rewrites(page.object_list),  # type: ignore[arg-type] # a slice of a queryset is one
        standings=STANDINGS,
        may_decide=membership.role in DECIDERS and not membership.collection.archived_at,
        possible=possible_annotators(membership),
    )
    return render(request, "annotation/rubric/rewrite_list.html", context)


@require_POST
def rewrite_ask(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask one person to look at the ticked rewrites."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="rewrites")
    chosen = [number for pk in request.POST.getlist("rewrites") if (number := read_number(pk)) is not None]
    reviewer = get_object_or_404(possible_annotators(membership), pk=read_number(request.POST.get("reviewer", "")) or 0)
    with refusals_in_message(request):
        made = ask_for_reviews(
            campaign=found, rewrites=chosen, reviewer=reviewer, by=membership.user, at=timezone.now()
        )
        message = f"{reviewer} is asked about {len(made):,} rewrites, and finds them on the campaign's page."
        messages.success(request, message)
    return redirect("rewrite_list", slug, campaign)


@require_safe
def review_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What the person is asked to confirm: the two wordings, and nothing of how the question was rated or by whom."""
    membership, found = _fetch_for_asked(request, slug, campaign)
    reviews = [(review, *pieces_of(review.rewrite)) for review in reviews_for(person_of(request), found)[:PER_PAGE]]
    context = campaign_context(membership, found, "", reviews=reviews, is_guest=not can_see(membership, found))
    return render(request, "annotation/rubric/review_list.html", context)


@require_POST
def rewrite_decide(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Confirm or reject, from either page."""
    _, found = _fetch_for_asked(request, slug, campaign)
    decision, comment = request.POST.get("decision", ""), request.POST.get("comment", "")
    by, at = person_of(request), timezone.now()
    with refusals_in_message(request):
        decide_rewrite(campaign=found, rewrite=pk, by=by, at=at, decision=decision, comment=comment)
        messages.success(request, f"The rewrite is {ReviewDecision(decision).label}.")
    back = "review_list" if request.POST.get("from") == "reviews" else "rewrite_list"
    return HttpResponseRedirect(reverse(back, args=[slug, campaign]))


def _fetch_for_asked(request: HttpRequest, slug: str, campaign: str) -> tuple[Membership, Campaign]:
    """For members, also those who do not judge in the campaign: anyone may be asked. 404 where it has no rewrites."""
    membership = fetch_membership(request.user, slug)
    found = fetch_campaign(membership, campaign)
    check_has_page(found, "rewrites")
    return membership, found
