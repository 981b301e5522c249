"""The history of a topic: who changed what and when, two versions compared, one restored."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from corpus.collections.rules import fetch_manager, fetch_overseer
from corpus.collections.views.context import collection_context
from corpus.topics.actions.versions import restore_version
from corpus.topics.forms.workshop import CompareForm, SeenForm
from corpus.topics.reads.versions import compare_versions
from corpus.topics.views.aspects import valid
from corpus.topics.views.topics import fetch_topic

PER_PAGE = 50


@require_safe
def topic_version_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """All versions, newest first, and what two of them have in common: the last two unless others are chosen."""
    membership = fetch_overseer(request.user, slug)
    topic = fetch_topic(membership, pk)
    versions = list(topic.versions.defer("content").select_related("saved_by").order_by("-number"))
    form = CompareForm(request.GET, versions=versions)
    chosen = form.cleaned_data if form.is_valid() else {}
    newest = versions[0].number if versions else 0
    new = chosen.get("new") or newest
    old = chosen.get("old") or max(new - 1, 1)
    pair = {each.number: each for each in topic.versions.filter(number__in=(old, new)).select_related("saved_by")}
    context = collection_context(membership, "topics") | {
        "topic": topic,
        "page": Paginator(versions, PER_PAGE).get_page(request.GET.get("page")),
        "versions": versions,
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
        seen = valid(SeenForm(request.POST)).cleaned_data["seen"]
        restore_version(by=membership.user, at=timezone.now(), topic=topic, number=number, seen=seen)
        messages.success(request, f"Topic {topic.number} reads as in version {number} again.")
        return redirect("topic_detail", slug, pk)
    return redirect("topic_version_list", slug, pk)
