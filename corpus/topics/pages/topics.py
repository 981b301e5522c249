"""Topics: listed, read, made, changed, put in order."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import Refused
from corpus.collections.pages.context import collection_context, form_page
from corpus.collections.rules import DECIDE, can_manage, can_oversee, check_can_manage, fetch_manager, fetch_membership
from corpus.models import Membership, ReviewVerdict, Topic, TopicKind
from corpus.tables import Column, Step, Table, read_table, wants_file
from corpus.topics.forms import PlaceForm, TopicForm, initial_of, query_initial
from corpus.topics.judged import is_judged
from corpus.topics.origins import fetch_origin
from corpus.topics.reviews import ReviewState, fetch_review_part, request_review, with_review_state
from corpus.topics.topics import (
    JUDGED,
    Place,
    aspect_tree,
    delete_topic,
    list_topics,
    move_topic,
    neighbours,
    update_topic,
    why_keep_topic,
    with_counts,
    written,
)
from corpus.topics.versions import READ_BY_ANNOTATORS, fetch_steps
from engines.text.aspect_checks import check_aspects

PER_PAGE = 100
STEPS = {"up": -1, "down": 1}

COLUMNS = (
    Column("number", "Number", lambda topic: topic.number, ("number",)),
    Column("topic", "Topic", lambda topic: topic.title or topic.text, ("title", "text")),
    Column("text", "", lambda topic: topic.text),
    Column("kind", "", lambda topic: topic.kind),
    Column("aspects", "Aspects", lambda topic: topic.n_aspects, ("n_aspects",), is_number=True),
    Column("sub_aspects", "Sub-aspects", lambda topic: topic.n_sub_aspects, ("n_sub_aspects",), is_number=True),
)
# What is known to answer a topic would give judgments away to annotators.
FOR_OVERSEERS = (
    Column("source", "", lambda topic: topic.source),
    Column("review", "", lambda topic: topic.review_state),
    Column("pool", "Pool", lambda topic: topic.n_pool, ("n_pool",), is_number=True),
    Column("targets", "Targets", lambda topic: topic.n_targets, ("n_targets",), is_number=True),
)


@require_http_methods(["GET", "HEAD", "POST"])
def topic_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The topics in their order, to be searched, sorted and, by managers, reordered and changed in bulk."""
    membership = fetch_membership(request.user, slug)
    if request.method == "POST":
        check_can_manage(membership)
    elif not wants_file(request):
        return _show_list(request, membership)
    table, rows, _ = _find(request, membership)
    return table.carry_out(request, rows) if request.method == "POST" else table.download(rows.iterator())


@require_safe
def topic_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A topic with its tree; what is known to answer it would give judgments away to annotators."""
    membership = fetch_membership(request.user, slug)
    topic = fetch_topic(membership, pk)
    return render(request, "corpus/topics/topic_detail.html", detail_context(membership, topic))


@form_page
def topic_edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a topic; of a judged one, only what annotators do not read."""
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    form = TopicForm(request.POST or None, initial=initial_of(topic))
    reason = JUDGED if is_judged(topic) else ""
    if reason:
        form.fix(READ_BY_ANNOTATORS)
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form):
            update_topic(by=membership.user, at=timezone.now(), topic=topic, **form.cleaned_data)
            messages.success(request, f"Topic {topic.number} is saved.")
            return redirect("topic_detail", slug, pk)
    context = collection_context(membership, "topics", form=form, topic=topic, reason=reason)
    context["why_keep"] = why_keep_topic(topic)
    return render(request, "corpus/topics/topic_edit.html", context, status=422 if form.errors else 200)


@require_POST
def topic_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a topic that no campaign needs."""
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    with refusals_in_message(request):
        delete_topic(by=membership.user, at=timezone.now(), topic=topic)
        messages.success(request, f"Topic {topic.number} is deleted.")
        return redirect("topic_list", slug)
    return redirect("topic_edit", slug, pk)


@require_POST
def topic_move(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put a topic elsewhere in the order."""
    membership = fetch_manager(request.user, slug)
    form = PlaceForm(request.POST)
    if not form.is_valid() or (form.cleaned_data["place"] is None and form.cleaned_data["way"] not in STEPS):
        raise Refused("Choose where to move the topic: up, down, or to a position.")
    move_topic(
        by=membership.user,
        at=timezone.now(),
        topic=fetch_topic(membership, pk),
        to=form.cleaned_data["place"],
        steps=STEPS.get(form.cleaned_data["way"], 0),
    )
    if getattr(request, "htmx", False):
        return _show_list(request, membership, "corpus/topics/_topic_table.html")
    return redirect("topic_list", slug)


def fetch_topic(membership: Membership, pk: int) -> Topic:
    return get_object_or_404(Topic.objects.select_related("collection"), pk=pk, collection=membership.collection)


def detail_context(membership: Membership, topic: Topic) -> dict[str, Any]:
    """The workshop with the rest of the topic's page."""
    before, after = neighbours(topic)
    context = workshop_context(membership, topic) | {"before": before, "after": after}
    if can_oversee(membership):
        known = set(topic.collection.documents.filter(docno__in=topic.source_papers).values_list("docno", flat=True))
        context["source_papers"] = [(docno, docno in known) for docno in topic.source_papers]
        context["targets"] = topic.targets.select_related("document").order_by("pk")
        context["n_pool"] = topic.pool.count()
        context["origin"] = fetch_origin(topic)
    return context


def workshop_context(membership: Membership, topic: Topic) -> dict[str, Any]:
    """The context of the workshop, on the page and alone. Annotators get the words alone."""
    context = collection_context(membership, "topics") | tree_context(topic)
    if not can_oversee(membership):
        return context
    part = fetch_review_part(topic, membership.user)
    remarks = {each.aspect_text: each.text for each in part.review.remarks.all()} if part.review else {}
    texts = set()
    for place in every_place(context["tree"]):
        place.remark = remarks.get(place.node.aspect.text, "")
        texts.add(place.node.aspect.text)
    context["review"] = part
    context["lost_remarks"] = {text: remark for text, remark in remarks.items() if text not in texts}
    context["may_review"] = membership.role in DECIDE and not membership.collection.archived_at
    if can_manage(membership):
        context["steps"] = fetch_steps(topic)
        context["is_fixed"] = is_judged(topic)
        context["query_text"] = query_initial(topic)
    return context


def tree_context(topic: Topic) -> dict[str, Any]:
    """The query with its aspect tree."""
    tree = aspect_tree(topic)
    places = every_place(tree)
    hints = check_aspects(written(tree))
    for place in places:
        place.hints = [hint for hint in hints if hint.text == place.node.aspect.text]
    return {
        "topic": topic,
        "tree": tree,
        "n_sub_aspects": sum(len(place.below) for place in tree),
        "n_distinct": len({place.node.aspect_id for place in places}),
        "hints": hints,
        "sentences": list(enumerate(topic.sentences)),
        "tied": {at for place in places for at in place.node.sentences},
        "n_loose": sum(not place.node.sentences for place in tree) if topic.sentences else 0,
    }


def every_place(tree: list[Place]) -> list[Place]:
    """All places in reading order."""
    return [place for top in tree for place in (top, *top.below)]


def _show_list(
    request: HttpRequest, membership: Membership, template: str = "corpus/topics/topic_list.html"
) -> HttpResponse:
    table, rows, filters = _find(request, membership)
    context = collection_context(membership, "topics") | filters
    context |= {
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "table": table,
        "kinds": TopicKind.choices,
        "reviews": [(value, capfirst(label)) for value, label in ReviewState.choices],
        "is_narrowed": any(filters.values()),
        "may_reorder": can_manage(membership) and not (any(filters.values()) or table.sort),
    }
    if can_oversee(membership):
        context["n_waiting"] = membership.collection.topics.filter(reviews__verdict=ReviewVerdict.OPEN).count()
    return render(request, template, context)


def _find(request: HttpRequest, membership: Membership) -> tuple[Table, QuerySet[Any], dict[str, str]]:
    """The table and the topics that the address asks for, and the filters they went through."""
    kind, review = request.GET.get("kind", ""), request.GET.get("review", "")
    filters = {
        "text": request.GET.get("q", "").strip(),
        "kind": kind if kind in TopicKind.values else "",
        "review": review if review in ReviewState.values and can_oversee(membership) else "",
    }
    found: QuerySet[Any] = with_counts(list_topics(membership.collection, filters["text"], filters["kind"]))
    if can_oversee(membership):
        found = with_review_state(found)
    if filters["review"]:
        found = found.filter(review_state=filters["review"])
    columns = COLUMNS + (FOR_OVERSEERS if can_oversee(membership) else ())
    steps = _steps(membership) if can_manage(membership) else ()
    table = read_table(request, f"{membership.collection.slug}-topics", columns, steps)
    return table, table.ordered(found), filters


def _steps(membership: Membership) -> tuple[Step, ...]:
    by, at = membership.user, timezone.now()

    def review(topic: Topic) -> None:
        request_review(membership=membership, at=at, topic=topic)

    return (
        Step("review", "Ask for a review", "Reviews asked for", review),
        Step(
            "delete",
            "Delete",
            "Topics deleted",
            lambda topic: delete_topic(by=by, at=at, topic=topic),
            "Delete the selected topics with their aspects, targets and pools? Topics used by a campaign are not"
            " deleted.",
        ),
    )
