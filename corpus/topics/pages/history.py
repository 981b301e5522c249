"""The history of a topic: its changes, versions compared and restored, and its reviews by a second person."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import DECIDE, check_role, fetch_manager, fetch_membership, fetch_overseer
from corpus.models import ReviewVerdict
from corpus.topics.forms import CompareForm, ReviewForm, SeenForm
from corpus.topics.history import restore_version
from corpus.topics.pages.topics import every_place, fetch_topic, workshop_context
from corpus.topics.pages.workshop import valid
from corpus.topics.reviews import decide_review, last_approved, request_review, withdraw_review
from corpus.topics.versions import compare_versions

PER_PAGE = 50


@require_safe
def topic_version_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """All versions, newest first, and the differences of two of them: of the last two unless others are chosen."""
    membership = fetch_overseer(request.user, slug)
    topic = fetch_topic(membership, pk)
    versions = list(topic.versions.defer("content").select_related("saved_by").order_by("-number"))
    form = CompareForm(request.GET, versions=versions)
    choice = form.cleaned_data if form.is_valid() else {}
    newest = versions[0].number if versions else 0
    new = choice.get("new") or newest
    old = choice.get("old") or max(new - 1, 1)
    pair = {each.number: each for each in topic.versions.filter(number__in=(old, new)).select_related("saved_by")}
    context = collection_context(membership, "topics") | {
        "topic": topic,
        "page": Paginator(versions, PER_PAGE).get_page(request.GET.get("page")),
        "versions": [(each.number, f"Version {each.number}") for each in versions],
        "newest": newest,
        "old": pair.get(old),
        "new": pair.get(new),
        "parts": compare_versions(pair[old], pair[new]) if old in pair and new in pair else [],
        "approved": set(topic.reviews.filter(verdict="approved").values_list("version__number", flat=True)),
    }
    return render(request, "corpus/topics/topic_version_list.html", context)


@require_POST
def topic_version_restore(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """Make the topic read as it did in that version."""
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    with refusals_in_message(request):
        seen = valid(SeenForm(request.POST))["seen"]
        restore_version(by=membership.user, at=timezone.now(), topic=topic, number=number, seen=seen)
        messages.success(request, f"Topic {topic.number} reads as in version {number} again.")
        return redirect("topic_detail", slug, pk)
    return redirect("topic_version_list", slug, pk)


@require_POST
def topic_review_request(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for a review."""
    membership = fetch_manager(request.user, slug)
    topic, note = fetch_topic(membership, pk), request.POST.get("note", "")
    with refusals_in_message(request):
        request_review(membership=membership, at=timezone.now(), topic=topic, note=note)
        messages.success(request, "Review requested. Managers and adjudicators find it in the list of topics.")
    return redirect("topic_detail", slug, pk)


@require_POST
def topic_review_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the request back."""
    membership = fetch_manager(request.user, slug)
    with refusals_in_message(request):
        withdraw_review(membership=membership, at=timezone.now(), topic=fetch_topic(membership, pk))
        messages.success(request, "Request withdrawn.")
    return redirect("topic_detail", slug, pk)


@require_http_methods(["GET", "POST"])
def topic_review(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the topic aspect by aspect, remark on it, and approve it or ask for changes."""
    membership = fetch_membership(request.user, slug)
    check_role(membership, *DECIDE)
    topic = fetch_topic(membership, pk)
    context = workshop_context(membership, topic)
    texts = list(dict.fromkeys(place.node.aspect.text for place in every_place(context["tree"])))
    form = ReviewForm(request.POST if request.method == "POST" else None, aspects=texts)
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form):
            review = decide_review(
                membership=membership,
                at=timezone.now(),
                topic=topic,
                seen=form.cleaned_data["seen"],
                verdict=ReviewVerdict(form.cleaned_data["verdict"]),
                note=form.cleaned_data["note"],
                remarks=form.remarks,
            )
            state = "approved" if review.verdict == ReviewVerdict.APPROVED else "sent back with your remarks"
            messages.success(request, f"Topic {topic.number} is {state}.")
            return redirect("topic_detail", slug, pk)
    approved, newest = last_approved(topic), topic.versions.order_by("-number").first()
    context |= {
        "form": form,
        "newest": newest,
        "approved": approved,
        "parts": compare_versions(approved, newest) if approved and newest else [],
    }
    fields = {text: form[f"remark-{at}"] for at, text in enumerate(texts)}
    for place in every_place(context["tree"]):
        place.field = fields.pop(place.node.aspect.text, None)
    return render(request, "corpus/topics/topic_review.html", context, status=422 if form.errors else 200)
