"""A second person's review of a topic: asked for, withdrawn, given."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from corpus.collections.rules import check_role, fetch_manager, fetch_membership
from corpus.models import Membership, ReviewVerdict, Topic
from corpus.topics.actions.reviews import decide_review, request_review, withdraw_review
from corpus.topics.forms.workshop import ReviewForm
from corpus.topics.reads.reviews import REVIEWERS, last_approved
from corpus.topics.reads.versions import compare_versions
from corpus.topics.views.topics import every_place, fetch_topic, workshop_context


@require_POST
def topic_review_request(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for a review."""

    def change(membership: Membership, topic: Topic) -> str:
        request_review(membership=membership, at=timezone.now(), topic=topic, note=request.POST.get("note", ""))
        return "The review is asked for. Managers and adjudicators find it in the list of topics."

    return _change(request, slug, pk, change)


@require_POST
def topic_review_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the request back."""

    def change(membership: Membership, topic: Topic) -> str:
        withdraw_review(membership=membership, at=timezone.now(), topic=topic)
        return "The request is withdrawn."

    return _change(request, slug, pk, change)


@require_http_methods(["GET", "POST"])
def topic_review(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the topic aspect by aspect, remark on it, and approve it or ask for changes."""
    membership = fetch_membership(request.user, slug)
    check_role(membership, *REVIEWERS)
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
            done = "approved" if review.verdict == ReviewVerdict.APPROVED else "sent back with your remarks"
            messages.success(request, f"Topic {topic.number} is {done}.")
            return redirect("topic_detail", slug, pk)
    approved, newest = last_approved(topic), topic.versions.order_by("-number").first()
    context |= {
        "form": form,
        "fields": {text: form[f"remark-{at}"] for at, text in enumerate(texts)},
        "newest": newest,
        "approved": approved,
        "parts": compare_versions(approved, newest) if approved and newest else [],
    }
    for place in every_place(context["tree"]):
        place.field = context["fields"].pop(place.node.aspect.text, None)
    return render(request, "corpus/topics/topic_review.html", context, status=422 if form.errors else 200)


def _change(request: HttpRequest, slug: str, pk: int, change: Callable[[Membership, Topic], str]) -> HttpResponse:
    membership = fetch_manager(request.user, slug)
    with refusals_in_message(request):
        messages.success(request, change(membership, fetch_topic(membership, pk)))
    return redirect("topic_detail", slug, pk)
