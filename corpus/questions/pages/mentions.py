"""Citation mentions: found, sampled, put aside."""

from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_manage, fetch_manager, fetch_overseer
from corpus.models import CitationMention, Collection, DiscardReason, Membership
from corpus.questions.forms.generation import DiscardForm, MentionFilterForm
from corpus.questions.mentions import (
    MentionFilter,
    cited_in,
    count_mentions,
    discard_mention,
    find_mentions,
    for_pages,
    pieces_of,
    relink_mentions,
    restore_mention,
)
from corpus.questions.question_runs import Used

PER_PAGE = 25


@require_safe
def mention_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The mentions that a filter lets through, or a sample of them, with what they cite."""
    membership = fetch_overseer(request.user, slug)
    form = MentionFilterForm(request.GET.dict())
    form.is_valid()
    page = Paginator(for_pages(find_mentions(membership.collection, form.criteria)), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = collection_context(membership, "mentions") | {
        "form": form,
        "page": page,
        "rows": [(mention, pieces_of(mention), cited_in(mention)) for mention in page.object_list],
        "counts": count_mentions(membership.collection),
        "reasons": DiscardReason.choices,
        "filter_query": _query_of(request),
        "ask_query": _ask_query(form),
        "has_unasked": _has_unasked(membership.collection, form.criteria),
        "discarded": _just_discarded(request, membership),
    }
    return render(request, "corpus/questions/mention_list.html", context, status=422 if form.errors else 200)


@require_POST
def mention_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put a mention aside, with a reason."""
    membership = fetch_manager(request.user, slug)
    mention = _fetch(membership, pk)
    form = DiscardForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose a reason.")
        return _back(request, slug)
    reason = DiscardReason(form.cleaned_data["reason"])
    with refusals_in_message(request):
        discard_mention(
            by=membership.user, at=timezone.now(), mention=mention, reason=reason, note=form.cleaned_data["note"]
        )
        return _back(request, slug, discarded=pk)
    return _back(request, slug)


@require_POST
def mention_restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a discarded mention back."""
    membership = fetch_manager(request.user, slug)
    with refusals_in_message(request):
        restore_mention(by=membership.user, at=timezone.now(), mention=_fetch(membership, pk))
        messages.success(request, "The mention can be used again.")
    return _back(request, slug)


@require_POST
def mention_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Look up again what the mentions cite, after documents have come in."""
    membership = fetch_manager(request.user, slug)
    changed = relink_mentions(by=membership.user, at=timezone.now(), collection=membership.collection)
    messages.success(request, f"{changed:,} links changed." if changed else "No links have changed.")
    return redirect("mention_list", slug)


def _fetch(membership: Membership, pk: int) -> CitationMention:
    return get_object_or_404(membership.collection.mentions.select_related("collection"), pk=pk)


def _query_of(request: HttpRequest) -> str:
    """The filter of the page as a query string, to come back to."""
    query = request.GET.copy()
    query.pop("discarded", None)
    return query.urlencode()


def _has_unasked(collection: Collection, criteria: MentionFilter) -> bool:
    """Whether among those that the filter, without its sample, lets through is one that no model was asked about."""
    return criteria.used != "yes" and find_mentions(collection, replace(criteria, used="no", sample=0)).exists()


def _ask_query(form: MentionFilterForm) -> str:
    """The filter as the page that asks the model understands it."""
    criteria = form.criteria
    parameters = {
        "source": criteria.source,
        "words": criteria.text,
        "used": Used.AGAIN.value if criteria.used == "yes" else "",
        "sample": criteria.sample,
        "seed": criteria.seed,
    }
    return urlencode({name: value for name, value in parameters.items() if value or name == "sample"})


def _back(request: HttpRequest, slug: str, **more: int) -> HttpResponse:
    """To the list with its filter, which the form has; to no other page."""
    query = request.POST.get("back", "")[:2_000]
    added = "&".join(f"{name}={value}" for name, value in more.items())
    return redirect(f"{reverse('mention_list', args=[slug])}?{'&'.join(filter(None, (query, added)))}")


def _just_discarded(request: HttpRequest, membership: Membership) -> CitationMention | None:
    """The mention that was put aside a moment ago, for its undo button."""
    pk = request.GET.get("discarded", "")
    if not (can_manage(membership) and pk.isascii() and pk.isdigit() and len(pk) < 19):
        return None
    return membership.collection.mentions.filter(pk=pk, discarded_at__isnull=False).first()
