"""Pages above those of one collection: the first page, a collection's overview, and the palette.

Both pages show the cards that the rooms register. The palette is one field that leads to any page, campaign, topic,
document or person.
"""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, get_script_prefix, resolve
from django.views.decorators.http import require_safe

from accounts.models import ErasureRequest
from accounts.requests import Request
from accounts.slots import cards
from corpus.collections.collections import memberships_of
from corpus.collections.finding import LONGEST, PaletteSearch, find_entries
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_create_collections, fetch_membership


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


@require_safe
def palette(request: Request) -> HttpResponse:
    """Links for `?q=`, asked for on the page `?at=`: their list alone for htmx, else a page with the field."""
    text = " ".join(request.GET.get("q", "").split())[:LONGEST]
    at = request.GET.get("at", "")
    search = _search(request, text, at)
    found = find_entries(search)
    context = {"text": text, "at": at, "found": found, "count": sum(len(entries) for _, entries in found)}
    context["place"] = search.here.collection if search.here else None
    is_part = getattr(request, "htmx", False)
    return render(request, f"corpus/collections/{'_palette_results' if is_part else 'palette'}.html", context)


def _search(request: Request, text: str, at: str) -> PaletteSearch:
    """The address of the page says where the person is; it counts only for their own collections."""
    try:
        where = resolve("/" + at.removeprefix(get_script_prefix())).kwargs
    except Resolver404:
        where = {}
    memberships = list(memberships_of(request.user))
    here = next((each for each in memberships if each.collection.slug == where.get("slug")), None)
    return PaletteSearch(request.user, text, memberships, here, str(where.get("campaign", "")) if here else "")
