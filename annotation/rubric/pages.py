"""Questions of a rubric: the search next to one that is being rated, and rewrites with their reviews."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.counting import numeral
from accounts.management.reporting import valid
from accounts.refusal_messages import refusals_in_message
from accounts.refusals import NotHere
from annotation.assignment.participation import fetch_participation
from annotation.assignment.rules import check_can_label
from annotation.campaigns.campaigns import fetch_campaign
from annotation.campaigns.forms.campaigns import possible_annotators
from annotation.campaigns.pages.context import campaign_context, fetch_for_overseer
from annotation.campaigns.rules import can_see, check_has_page
from annotation.labelling.pages.answers import answer_json, for_script, person_of
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign
from annotation.rubric.forms import AskForm, RewriteDecisionForm
from annotation.rubric.rewrites import (
    STANDINGS,
    ask_for_reviews,
    current_rewrites,
    decide_rewrite,
    describe_rewrites,
    pieces_of,
    reviews_for,
)
from corpus.collections.rules import DECIDE, fetch_membership
from corpus.documents.finding import (
    HIT_END,
    HIT_START,
    SearchPage,
    has_searchable_words,
    unfinished_indexing,
)
from corpus.documents.similar import similar_documents
from corpus.models import Collection, Membership

HITS = 20  # a page: raters go through the first 20
LONGEST_SEARCH = 2_000  # characters: whole questions


@require_safe
@for_script
def label_search(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """A page of the documents most similar to `q`, by any of its words, for people who judge in a rubric now."""
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request))
    if not participation.labelling.takes_extras:
        raise NotHere(_("This campaign has no search next to an item."))
    check_can_label(participation)
    words = request.GET.get("q", "").replace("\0", "")[:LONGEST_SEARCH].strip()
    number = request.GET.get("page", "")
    collection = Collection.objects.get(pk=participation.collection)
    if not words or not has_searchable_words(collection, words):
        return answer_json({"hits": [], "more": False, "words": _("Type words from a title or an abstract.")})
    found = similar_documents(
        collection, words, number=int(number) if number.isdecimal() and len(number) < 10 else 1, size=HITS
    )
    return answer_json(
        {"hits": [_hit(hit) for hit in found.hits], "more": found.has_next, "words": _result_words(found, collection)}
    )


def _hit(hit: Any) -> dict[str, Any]:
    about = ", ".join(filter(None, (hit.venue, str(hit.year or ""))))
    return {
        "docno": hit.docno,
        "title": hit.title.replace(HIT_START, "").replace(HIT_END, ""),
        "about": about,
        "extract": _pieces(hit.extract),
    }


def _pieces(text: str) -> list[tuple[str, bool]]:
    """The extract cut into (text, is a hit)."""
    pieces: list[tuple[str, bool]] = []
    for number, part in enumerate(text.split(HIT_START)):
        hit, ended, rest = part.partition(HIT_END) if number else ("", "", part)
        pieces += [(hit, True)] if hit else []
        pieces += [(rest, False)] if rest else []
        if number and not ended:
            pieces.append(("", False))
    return [piece for piece in pieces if piece[0]]


def _result_words(found: SearchPage, collection: Collection) -> str:
    unfinished = _("Some documents are not searchable yet.") if unfinished_indexing(collection) else ""
    return f"{_count(found)} {unfinished}".rstrip()


def _count(found: SearchPage) -> str:
    if not found.matches:
        return _("No document of the collection has any of these words.")
    if found.is_cut:
        return _("The {matches} documents most similar to these words, the most similar first.").format(
            matches=numeral(found.matches)
        )
    words = ngettext(
        "1 document shares words with this.",
        "{count} documents share words with this, the most similar first.",
        found.matches,
    )
    return words.format(count=numeral(found.matches))


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
        may_decide=membership.role in DECIDE and not membership.collection.archived_at,
        possible=possible_annotators(membership),
    )
    return render(request, "annotation/rubric/rewrite_list.html", context)


@require_POST
def rewrite_ask(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask one person to look at the ticked rewrites."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="rewrites")
    form = AskForm(request.POST, membership=membership)
    with refusals_in_message(request):
        asked = valid(form)
        made = ask_for_reviews(campaign=found, by=membership.user, at=timezone.now(), **asked)
        message = f"{asked['reviewer']} is asked about {len(made):,} rewrites, and finds them on the campaign's page."
        messages.success(request, message)
    return redirect("rewrite_list", slug, campaign)


@require_safe
def review_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What the person is asked to confirm: the two wordings, and nothing of how the question was rated or by whom."""
    membership, found = _fetch_for_reviewer(request, slug, campaign)
    reviews = [(review, *pieces_of(review.rewrite)) for review in reviews_for(person_of(request), found)[:PER_PAGE]]
    context = campaign_context(membership, found, "", reviews=reviews, is_guest=not can_see(membership, found))
    return render(request, "annotation/rubric/review_list.html", context)


@require_POST
def rewrite_decide(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Confirm or reject, from either page."""
    __, found = _fetch_for_reviewer(request, slug, campaign)
    by, at = person_of(request), timezone.now()
    with refusals_in_message(request):
        review = decide_rewrite(campaign=found, rewrite=pk, by=by, at=at, **valid(RewriteDecisionForm(request.POST)))
        messages.success(request, _("The rewrite is {decision}.").format(decision=_(review.get_decision_display())))
    back = "review_list" if request.POST.get("from") == "reviews" else "rewrite_list"
    return HttpResponseRedirect(reverse(back, args=[slug, campaign]))


def _fetch_for_reviewer(request: HttpRequest, slug: str, campaign: str) -> tuple[Membership, Campaign]:
    """For members, also those who do not judge in the campaign: anyone may be asked. 404 where it has no rewrites."""
    membership = fetch_membership(request.user, slug)
    found = fetch_campaign(membership, campaign)
    check_has_page(found, "rewrites")
    return membership, found
