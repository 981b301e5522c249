"""The palette: one field that leads to any page, campaign, topic, document or person."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.views.decorators.http import require_safe

from accounts.requests import Request
from corpus.collections.finding import LONGEST, Wish, find_entries
from corpus.collections.reads.collections import memberships_of


@require_safe
def palette(request: Request) -> HttpResponse:
    """Links for `?q=`, asked for on the page `?at=`: their list alone for htmx, else a page with the field."""
    text = " ".join(request.GET.get("q", "").split())[:LONGEST]
    at = request.GET.get("at", "")
    wish = _wish(request, text, at)
    found = find_entries(wish)
    context = {"text": text, "at": at, "found": found, "count": sum(len(entries) for _, entries in found)}
    context["place"] = wish.here.collection if wish.here else None
    is_part = getattr(request, "htmx", False)
    return render(request, f"corpus/collections/{'_palette_results' if is_part else 'palette'}.html", context)


def _wish(request: Request, text: str, at: str) -> Wish:
    """Where one is comes from the address of the page; of collections that are not one's own nothing is taken."""
    try:
        where = resolve(at).kwargs
    except Resolver404:
        where = {}
    memberships = list(memberships_of(request.user))
    here = next((each for each in memberships if each.collection.slug == where.get("slug")), None)
    return Wish(request.user, text, memberships, here, str(where.get("campaign", "")) if here else "")
