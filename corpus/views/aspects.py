"""The aspect tree of a topic, changed place by place: the tree alone comes back to htmx, else the topic's page."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.refusals import NotAllowed, Refused
from corpus.actions.aspects import (
    add_aspect,
    delete_aspect,
    move_aspect,
    restore_aspect,
    reword_aspect,
    shift_aspect,
    tie_aspect,
)
from corpus.forms.topics import AspectForm, PlaceForm
from corpus.models import AspectNode, Membership, Topic
from corpus.permissions import check_can_manage, fetch_membership
from corpus.views.topics import context_of, deletion_of, fetch_topic, tree_context

Done = dict[str, Any]  # what the tree shows after a change: `focus` (a node's id), `undo` (an event), `notice`


@require_POST
def aspect_create(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add an aspect on top, or a sub-aspect below another."""

    def change(membership: Membership, topic: Topic) -> Done:
        form = _valid(AspectForm(request.POST, topic=topic))
        parent = _node(topic, form.cleaned_data["parent"]) if form.cleaned_data["parent"] else None
        node = add_aspect(
            by=membership.user, at=timezone.now(), topic=topic, text=form.cleaned_data["text"], parent=parent
        )
        return {"adding": parent.pk if parent else "top", "added": node.pk}

    return _change(request, slug, pk, change)


@require_POST
def aspect_update(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Reword a place and tie it to sentences."""

    def change(membership: Membership, topic: Topic) -> Done:
        form = _valid(AspectForm(request.POST, topic=topic))
        by, at, place = membership.user, timezone.now(), _node(topic, node)
        reword_aspect(by=by, at=at, node=place, text=form.cleaned_data["text"])
        tie_aspect(by=by, at=at, node=place, sentences=form.cleaned_data["sentences"])
        return {"focus": node}

    return _change(request, slug, pk, change)


@require_POST
def aspect_move(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Move a place one step (`way`), or below `parent` (or on top) at `place`."""

    def change(membership: Membership, topic: Topic) -> Done:
        wanted = _valid(PlaceForm(request.POST)).cleaned_data
        by, at, place = membership.user, timezone.now(), _node(topic, node)
        if wanted["way"]:
            shift_aspect(by=by, at=at, node=place, way=wanted["way"])
        else:
            parent = _node(topic, wanted["parent"]) if wanted["parent"] else None
            move_aspect(by=by, at=at, node=place, parent=parent, place=wanted["place"])
        return {"focus": node}

    return _change(request, slug, pk, change)


@require_POST
def aspect_delete(request: HttpRequest, slug: str, pk: int, node: int) -> HttpResponse:
    """Remove a place and those below it; the answer offers to bring them back."""

    def change(membership: Membership, topic: Topic) -> Done:
        event = delete_aspect(by=membership.user, at=timezone.now(), node=_node(topic, node))
        return {"undo": event}

    return _change(request, slug, pk, change)


@require_POST
def aspect_restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Bring back what was deleted."""

    def change(membership: Membership, topic: Topic) -> Done:
        event = deletion_of(topic, request.POST.get("event", ""))
        if event is None:
            raise Refused("There is no such deletion to take back.")
        back = restore_aspect(by=membership.user, at=timezone.now(), topic=topic, event=event)
        return {"focus": back.pk}

    return _change(request, slug, pk, change)


def _change(request: HttpRequest, slug: str, pk: int, change: Callable[[Membership, Topic], Done]) -> HttpResponse:
    """Check the role, do it, and show the tree with what came of it, or with why not."""
    membership = fetch_membership(request.user, slug)
    check_can_manage(membership)
    topic = fetch_topic(membership, pk)
    done: Done = {}
    try:
        done = change(membership, topic)
    except NotAllowed:
        raise
    except Refused as refusal:
        done = {"refusal": refusal.reason}
    if getattr(request, "htmx", False):
        context = context_of(membership) | tree_context(topic) | done
        return render(request, "corpus/_aspect_tree.html", context, status=422 if "refusal" in done else 200)
    if "refusal" in done:
        messages.error(request, done["refusal"])
    undo = f"?undo={done['undo'].pk}" if "undo" in done else ""
    return redirect(reverse("topic_detail", args=[slug, pk]) + undo + "#aspects")


def _node(topic: Topic, pk: int) -> AspectNode:
    return get_object_or_404(AspectNode.objects.select_related("aspect", "parent", "topic"), pk=pk, topic=topic)


def _valid(form: Any) -> Any:
    if not form.is_valid():
        raise Refused(" ".join(error for errors in form.errors.values() for error in errors))
    return form
