"""The query workshop: the aspect tree changed place by place, the query itself, checks while typing, undo and redo."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.refusals import NotAllowed, Refused
from corpus.collections.rules import fetch_manager
from corpus.models import AspectNode, Membership, Topic
from corpus.topics.aspects import (
    add_aspect,
    delete_aspect,
    edit_aspect,
    move_aspect,
    shift_aspect,
    toggle_tie,
)
from corpus.topics.forms import (
    AspectForm,
    CheckForm,
    PlaceForm,
    QueryForm,
    StepForm,
    TieForm,
    lines_of,
    split_lines,
)
from corpus.topics.history import redo_change, undo_change
from corpus.topics.pages.topics import detail_context, every_place, fetch_topic, workshop_context
from corpus.topics.topics import aspect_tree, places_in, reword_query, written
from engines.text.aspect_checks import check_draft
from engines.text.sentences import check_sentences

Outcome = dict[str, Any]  # for the workshop after a change: `focus` (a node's id), `adding`, `refusal`


def changes_topic(change: Callable[..., Outcome]) -> Callable[..., HttpResponse]:
    """The view of a change that managers make: the workshop alone comes back to htmx, else the topic's page.

    `change` takes the request, the membership, the topic and what else the address names. A refusal is shown.
    """

    @require_POST
    @wraps(change)
    def view(request: HttpRequest, slug: str, pk: int, **places: int) -> HttpResponse:
        membership = fetch_manager(request.user, slug)
        try:
            outcome = change(request, membership, fetch_topic(membership, pk), **places)
        except NotAllowed:
            raise
        except Refused as refusal:
            outcome = {"refusal": refusal.reason}
        if getattr(request, "htmx", False):
            context = workshop_context(membership, fetch_topic(membership, pk)) | outcome
            return render(request, "corpus/topics/_workshop.html", context, status=422 if "refusal" in outcome else 200)
        if "refusal" in outcome:
            messages.error(request, outcome["refusal"])
        return redirect(reverse("topic_detail", args=[slug, pk]) + "#aspects")

    return view


@changes_topic
def aspect_create(request: HttpRequest, membership: Membership, topic: Topic) -> Outcome:
    """Add an aspect on top, or a sub-aspect below another."""
    values = valid(AspectForm(request.POST, topic=topic))
    parent = _node(topic, values["parent"]) if values["parent"] else None
    facts = {"text": values["text"], "sentences": values["sentences"]}
    add_aspect(by=membership.user, at=timezone.now(), topic=topic, parent=parent, **facts)
    return {"adding": parent.pk if parent else "top"}


@changes_topic
def aspect_update(request: HttpRequest, membership: Membership, topic: Topic, node: int) -> Outcome:
    """Reword a place and tie it to sentences."""
    values = valid(AspectForm(request.POST, topic=topic))
    facts = {"text": values["text"], "sentences": values["sentences"]}
    edit_aspect(by=membership.user, at=timezone.now(), node=_node(topic, node), **facts)
    return {"focus": node}


@changes_topic
def aspect_move(request: HttpRequest, membership: Membership, topic: Topic, node: int) -> Outcome:
    """Move a place one step (`way`), or below `parent` (or on top) at `place`."""
    values = valid(PlaceForm(request.POST))
    by, at, place = membership.user, timezone.now(), _node(topic, node)
    if values["way"]:
        shift_aspect(by=by, at=at, node=place, way=values["way"])
    else:
        parent = _node(topic, values["parent"]) if values["parent"] else None
        move_aspect(by=by, at=at, node=place, parent=parent, place=values["place"])
    return {"focus": node}


@changes_topic
def aspect_delete(request: HttpRequest, membership: Membership, topic: Topic, node: int) -> Outcome:  # noqa: ARG001
    """Remove a place and those below it."""
    delete_aspect(by=membership.user, at=timezone.now(), node=_node(topic, node))
    return {}


@changes_topic
def aspect_tie(request: HttpRequest, membership: Membership, topic: Topic, node: int) -> Outcome:
    """Tie a place to a sentence, or untie it."""
    sentence = valid(TieForm(request.POST))["sentence"]
    toggle_tie(by=membership.user, at=timezone.now(), node=_node(topic, node), sentence=sentence)
    return {"focus": node}


@changes_topic
def topic_step(request: HttpRequest, membership: Membership, topic: Topic) -> Outcome:
    """Undo the newest change, or do the one again that was undone."""
    values = valid(StepForm(request.POST))
    step = undo_change if values["way"] == "undo" else redo_change
    step(by=membership.user, at=timezone.now(), topic=topic, seen=values["seen"])
    return {}


@require_POST
def topic_reword(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give the query other sentences; with `way=split`, show it split into sentences and save nothing."""
    if request.POST.get("way") != "split":
        return _reword(request, slug, pk)
    membership = fetch_manager(request.user, slug)
    text = "\n".join(split_lines(lines_of(request.POST.get("query", ""))))
    context = detail_context(membership, fetch_topic(membership, pk)) | {"query_text": text, "is_rewording": True}
    part = "corpus/topics/_workshop.html" if getattr(request, "htmx", False) else "corpus/topics/topic_detail.html"
    return render(request, part, context)


@changes_topic
def _reword(request: HttpRequest, membership: Membership, topic: Topic) -> Outcome:
    values = valid(QueryForm(request.POST))
    reword_query(by=membership.user, at=timezone.now(), topic=topic, sentences=values["query"], seen=values["seen"])
    return {}


@require_POST
def topic_check(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hints on what is being written. Nothing is stored."""
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    form = CheckForm(request.POST)
    if not form.is_valid():
        return render(request, "corpus/topics/_draft_hints.html", {"errors": form.errors})
    tree = aspect_tree(topic)
    if form.cleaned_data["query"]:
        lines = lines_of(form.cleaned_data["query"])
        ties = [(place.node.aspect.text, place.node.sentences) for place in every_place(tree)]
        context = {"sentence_hints": check_sentences(topic.sentences, lines, ties), "n_sentences": len(lines)}
        context["splits"] = len(split_lines(lines)) > len(lines)
        return render(request, "corpus/topics/_draft_hints.html", context)
    places = places_in(tree)
    place = places.get(form.cleaned_data["node"] or 0)
    parent = places.get(form.cleaned_data["parent"] or 0)
    hints = check_draft(written(tree), form.cleaned_data["text"], place=place, below=parent[0] if parent else None)
    return render(request, "corpus/topics/_draft_hints.html", {"hints": hints})


def valid(form: Any) -> dict[str, Any]:
    """The values of the form. Errors: Refused with all that is wrong."""
    if not form.is_valid():
        raise Refused(" ".join(error for errors in form.errors.values() for error in errors))
    return dict(form.cleaned_data)


def _node(topic: Topic, pk: int) -> AspectNode:
    return get_object_or_404(AspectNode.objects.select_related("aspect", "parent", "topic"), pk=pk, topic=topic)
