"""The aspect tree of a topic, changed place by place: the workshop alone comes back to htmx, else the topic's page."""

from collections.abc import Callable
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
from corpus.topics.actions.aspects import (
    add_aspect,
    delete_aspect,
    edit_aspect,
    move_aspect,
    shift_aspect,
    toggle_tie,
)
from corpus.topics.forms.topics import AspectForm, PlaceForm, TieForm
from corpus.topics.views.topics import fetch_topic, workshop_context

Done = dict[str, Any]  # what the workshop does after a change: `focus` (a node's id), `adding`, `refusal`


@require_POST
def aspect_create(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add an aspect on top, or a sub-aspect below another."""

    def change(membership: Membership, topic: Topic) -> Done:
        form = valid(AspectForm(request.POST, topic=topic))
        parent = _node(topic, form.cleaned_data["parent"]) if form.cleaned_data["parent"] else None
        add_aspect(
            by=membership.user,
            at=timezone.now(),
            topic=topic,
            text=form.cleaned_data["text"],
            parent=parent,
            sentences=form.cleaned_data["sentences"],
        )
        return {"adding": parent.pk if parent else "top"}

    return change_topic(request, slug, pk, change)


@require_POST
def aspect_update(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Reword a place and tie it to sentences."""

    def change(membership: Membership, topic: Topic) -> Done:
        form = valid(AspectForm(request.POST, topic=topic))
        given = {"text": form.cleaned_data["text"], "sentences": form.cleaned_data["sentences"]}
        edit_aspect(by=membership.user, at=timezone.now(), node=_node(topic, node), **given)
        return {"focus": node}

    return change_topic(request, slug, pk, change)


@require_POST
def aspect_move(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Move a place one step (`way`), or below `parent` (or on top) at `place`."""

    def change(membership: Membership, topic: Topic) -> Done:
        wanted = valid(PlaceForm(request.POST)).cleaned_data
        by, at, place = membership.user, timezone.now(), _node(topic, node)
        if wanted["way"]:
            shift_aspect(by=by, at=at, node=place, way=wanted["way"])
        else:
            parent = _node(topic, wanted["parent"]) if wanted["parent"] else None
            move_aspect(by=by, at=at, node=place, parent=parent, place=wanted["place"])
        return {"focus": node}

    return change_topic(request, slug, pk, change)


@require_POST
def aspect_delete(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Remove a place and those below it."""

    def change(membership: Membership, topic: Topic) -> Done:
        delete_aspect(by=membership.user, at=timezone.now(), node=_node(topic, node))
        return {}

    return change_topic(request, slug, pk, change)


@require_POST
def aspect_tie(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Tie a place to a sentence, or untie it."""

    def change(membership: Membership, topic: Topic) -> Done:
        sentence = valid(TieForm(request.POST)).cleaned_data["sentence"]
        toggle_tie(by=membership.user, at=timezone.now(), node=_node(topic, node), sentence=sentence)
        return {"focus": node}

    return change_topic(request, slug, pk, change)


def change_topic(request: HttpRequest, slug: str, pk: int, change: Callable[[Membership, Topic], Done]) -> HttpResponse:
    """Check the role, do it, and show the workshop with what came of it, or with why not."""
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    done: Done = {}
    try:
        done = change(membership, topic)
    except NotAllowed:
        raise
    except Refused as refusal:
        done = {"refusal": refusal.reason}
    if getattr(request, "htmx", False):
        context = workshop_context(membership, fetch_topic(membership, pk)) | done
        return render(request, "corpus/topics/_workshop.html", context, status=422 if "refusal" in done else 200)
    if "refusal" in done:
        messages.error(request, done["refusal"])
    return redirect(reverse("topic_detail", args=[slug, pk]) + "#aspects")


def _node(topic: Topic, pk: int) -> AspectNode:
    return get_object_or_404(AspectNode.objects.select_related("aspect", "parent", "topic"), pk=pk, topic=topic)


def valid(form: Any) -> Any:
    if not form.is_valid():
        raise Refused(" ".join(error for errors in form.errors.values() for error in errors))
    return form
