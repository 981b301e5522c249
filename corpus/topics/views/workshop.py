"""The query workshop next to the tree: the query itself, checks while typing, undo and redo."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST

from corpus.collections.rules import fetch_manager
from corpus.models import Membership, Topic
from corpus.text.aspect_checks import check_draft
from corpus.text.sentences import check_sentences
from corpus.topics.actions.topics import reword_query
from corpus.topics.actions.versions import redo_change, undo_change
from corpus.topics.forms.workshop import CheckForm, QueryForm, StepForm, lines_of, split_lines
from corpus.topics.reads.topics import aspect_tree, places_in, written
from corpus.topics.views.aspects import Done, change_topic, valid
from corpus.topics.views.topics import detail_context, every_place, fetch_topic


@require_POST
def topic_check(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What to look at again in what is being written. Nothing is stored."""
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


@require_POST
def topic_reword(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give the query other sentences; with `way=split`, show it split into sentences and save nothing."""
    if request.POST.get("way") == "split":
        return _show_split(request, slug, pk)

    def change(membership: Membership, topic: Topic) -> Done:
        given = valid(QueryForm(request.POST)).cleaned_data
        reword_query(by=membership.user, at=timezone.now(), topic=topic, sentences=given["query"], seen=given["seen"])
        return {}

    return change_topic(request, slug, pk, change)


@require_POST
def topic_step(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Undo the newest change, or do the one again that was undone."""

    def change(membership: Membership, topic: Topic) -> Done:
        wanted = valid(StepForm(request.POST)).cleaned_data
        step = undo_change if wanted["way"] == "undo" else redo_change
        step(by=membership.user, at=timezone.now(), topic=topic, seen=wanted["seen"])
        return {}

    return change_topic(request, slug, pk, change)


def _show_split(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = fetch_manager(request.user, slug)
    topic = fetch_topic(membership, pk)
    text = "\n".join(split_lines(lines_of(request.POST.get("query", ""))))
    context = detail_context(membership, topic) | {"query_text": text, "is_rewording": True}
    part = "corpus/topics/_workshop.html" if getattr(request, "htmx", False) else "corpus/topics/topic_detail.html"
    return render(request, part, context)
