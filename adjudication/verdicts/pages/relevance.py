"""Relevance from verdicts: topics with what is relevant to them, and the ranked pool of each. For overseers only."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.text import Truncator
from django.views.decorators.http import require_safe

from accounts.counting import counted
from adjudication.exporting.forms import EVERY, JUDGED
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.pages import Scope, fetch_scope
from adjudication.labels.relevance import (
    TopicRelevance,
    parts_of,
    rank_documents,
    relevance_note,
    shown_relevance,
)

TOPICS_PER_PAGE = 100
DOCUMENTS_PER_PAGE = 100
SHOWN_SHORT = 3  # topics named as examples
LONGEST_LIST = 120  # characters of a list of topics


@require_safe
def relevance_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Every topic of the campaign: aspects judged where it has some, documents with a score, relevant ones, the best.

    `?aspects=judged` scores over the judged aspects alone, here and below.
    """
    scope, context = _begin(request, slug, campaign)
    criterion = context["criterion"]
    judged_only = context["judged_only"]
    rows, counted_at = shown_relevance(scope.campaign, criterion, judged_only=judged_only) if criterion else ([], None)
    short = [row for row in rows if row.is_short]
    context |= {
        "counted_at": counted_at,
        "stale": relevance_note(scope.campaign, counted_at),
        "by_aspect": any(row.by_aspect for row in rows),
        "short_words": _short_words(short, judged_only=judged_only) if short else "",
        "summary": _summary(rows, judged_only=judged_only),
        "page": Paginator(rows, TOPICS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "adjudication/verdicts/relevance_list.html", context)


def _short_words(short: Sequence[TopicRelevance], *, judged_only: bool) -> str:
    """Of topics that are not judged on every aspect, or not at all: which, and what that means for their documents."""
    by_aspect, whole = [row for row in short if row.by_aspect], [row.number for row in short if not row.by_aspect]
    said = []
    if by_aspect:
        named = [f"topic {row.number} ({row.judged:,} of {row.things:,} aspects judged)" for row in by_aspect]
        so = f"{'Its' if len(by_aspect) == 1 else 'Their'} documents have no sum."
        if judged_only:
            so = "Scores over different numbers of aspects cannot be compared."
        topics = counted(len(by_aspect), "topic is", "topics are")
        said.append(f"{topics} not judged on every aspect: {_some(named)}. {so}")
    if whole:
        said.append(f"{counted(len(whole), 'topic has', 'topics have')} no judged document: {_some(whole)}.")
    return " ".join(said)


def _some(names: Sequence[str]) -> str:
    others = " and others" if len(names) > SHOWN_SHORT else ""
    return f"{', '.join(names[:SHOWN_SHORT])}{others}"


def _summary(rows: Sequence[TopicRelevance], *, judged_only: bool) -> str:
    """How many documents are relevant, of how many, and the topics that have none."""
    relevant, complete = sum(row.relevant for row in rows), sum(row.complete for row in rows)
    scored = "documents scored over judged aspects only" if judged_only else "fully judged documents"
    found = f"{relevant:,} relevant of {complete:,} {scored} ({sum(row.documents for row in rows):,} in the campaign)"
    if without := [row.number for row in rows if row.complete and not row.relevant]:
        named = Truncator(", ".join(without)).chars(LONGEST_LIST)
        found += f"; {counted(len(without), 'topic')} without a relevant one: {named}"
    return f"{found}."


@require_safe
def relevance_detail(request: HttpRequest, slug: str, campaign: str, topic: int) -> HttpResponse:
    """A topic's documents ranked by their sums, over the whole topic, an aspect or a sub-query (`?part=`)."""
    scope, context = _begin(request, slug, campaign)
    found = get_object_or_404(scope.collection.topics, pk=topic)
    parts = parts_of(found)
    part = next((each for each in parts if each.key == request.GET.get("part", "")), parts[0])
    criterion = context["criterion"]
    judged_only = context["judged_only"]
    rows = rank_documents(scope.campaign, criterion, found, part, judged_only=judged_only) if criterion else []
    context |= {
        "topic": found,
        "parts": parts,
        "part": part,
        "has_aspects": scope.campaign.items.filter(topic=found, aspect__isnull=False).exists(),
        "page": Paginator(rows, DOCUMENTS_PER_PAGE).get_page(request.GET.get("page")),
        "relevant": sum(row.is_relevant for row in rows),
        "complete": sum(row.rank is not None for row in rows),
        "things": rows[0].things if rows else 0,
        "partial": sum(row.rank is not None and row.valued < row.things for row in rows),
    }
    return render(request, "adjudication/verdicts/relevance_detail.html", context)


def _begin(request: HttpRequest, slug: str, campaign: str) -> tuple[Scope, dict[str, Any]]:
    scope = fetch_scope(request, slug, campaign, page="relevance")
    votes, judged_only = fetch_vote_standing(scope.campaign), request.GET.get("aspects") == JUDGED
    offered = [(EVERY, "all of the topic"), (JUDGED, "only those judged")]
    aspects = {"judged_only": judged_only, "aspects": JUDGED if judged_only else EVERY, "aspects_offered": offered}
    return scope, scope.criterion_context(section="relevance", votes=votes, **aspects)
