"""The first page and the overview of a collection: both show the cards that the rooms register."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import ErasureRequest
from accounts.requests import Request
from accounts.slots import cards
from corpus.collections.reads.collections import memberships_of
from corpus.collections.rules import can_create_collections, fetch_membership
from corpus.collections.views.context import collection_context


@require_safe
def home(request: Request) -> HttpResponse:
    """What waits for the person, the collections they are in, and what to do if there are none."""
    every = list(memberships_of(request.user))
    memberships = [each for each in every if not each.collection.archived_at]
    context = {
        "memberships": memberships,
        "archived": len(every) - len(memberships),
        "cards": cards("home", request.user, memberships) if memberships else [],
        "may_create": can_create_collections(request.user),
        "erasures": ErasureRequest.objects.count() if request.user.is_staff else 0,
    }
    return render(request, "corpus/collections/home.html", context)


@require_safe
def collection_dashboard(request: Request, slug: str) -> HttpResponse:
    """How far the collection is; annotators see their own work only, because each card asks for the role."""
    membership = fetch_membership(request.user, slug)
    context = collection_context(membership, "overview", cards=cards("overview", request, membership))
    return render(request, "corpus/collections/collection_dashboard.html", context)
