"""Splits of topics: listed with their counts, one in full."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from adjudication.models import Split
from adjudication.splits.splits import figures_of
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_overseer
from corpus.models import Membership

PER_PAGE = 100


@require_safe
def split_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All splits, with the number of topics of each part."""
    membership = fetch_overseer(request.user, slug)
    splits = membership.collection.splits.select_related("collection", "created_by")
    context = collection_context(membership, "splits") | {
        "found": [figures_of(split) for split in splits],
        "has_topics": membership.collection.topics.exists(),
    }
    return render(request, "adjudication/splits/split_list.html", context)


@require_safe
def split_detail(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One split: how it was drawn, its parts by attribute, its topics."""
    membership = fetch_overseer(request.user, slug)
    split = _fetch(membership, name)
    members = split.members.select_related("topic").order_by("topic__position", "topic_id")
    part = request.GET.get("part", "")
    members = members.filter(part=part) if part in split.parts else members
    page = Paginator(members, PER_PAGE).get_page(request.GET.get("page"))
    context = collection_context(membership, "splits", split=split, figures=figures_of(split), page=page, part=part)
    return render(request, "adjudication/splits/split_detail.html", context)


def _fetch(membership: Membership, name: str) -> Split:
    splits = Split.objects.select_related("collection", "created_by")
    return get_object_or_404(splits, collection=membership.collection, name=name)
