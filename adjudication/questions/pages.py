"""The question set of a collection: its figures, its questions, its files."""

from dataclasses import replace

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.refusals import Refused
from adjudication.exporting.exporter import QUESTIONS
from adjudication.exporting.options import in_section
from adjudication.labels.rules import can_adjudicate
from adjudication.questions.question_set import DISCARDED, KEPT, UNDECIDED, fetch_question_set
from adjudication.questions.question_statistics import question_statistics
from adjudication.questions.rating import campaigns_rating, open_counts, rubric_campaigns
from annotation.labelling.rules import why_cannot_read_labels_of
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_overseer

PER_PAGE = 50
STATES = {KEPT: "kept", DISCARDED: "discarded", UNDECIDED: "not decided"}


@require_safe
def question_set(request: HttpRequest, slug: str) -> HttpResponse:
    """Tables and the questions in one state, by all rubric campaigns or one, for those who oversee the collection.

    People who still have to rate in one of these campaigns get the reason why nothing is shown (403).
    """
    membership = fetch_overseer(request.user, slug)
    campaigns = rubric_campaigns(membership.collection)
    chosen = request.GET.get("campaign", "")
    try:
        found = fetch_question_set(membership.collection, chosen)
    except Refused:
        chosen, found = "", fetch_question_set(membership.collection)
    narrowed_to = found.campaigns[0] if chosen else None
    reason = why_cannot_read_labels_of(campaigns_rating(membership.collection, narrowed_to), membership.user)
    if reason:
        found = replace(found, questions=())
    state = request.GET.get("state", KEPT)
    state = state if state in STATES else KEPT
    page = Paginator(found.in_state(state), PER_PAGE).get_page(request.GET.get("page"))
    context = collection_context(membership, "set") | {
        "found": found,
        "open_counts": [] if reason else open_counts(found.campaigns),
        "may_adjudicate": can_adjudicate(membership),
        "hidden_reason": reason,
        "statistics": question_statistics(found),
        "campaigns": campaigns,
        "chosen": chosen,
        "state": state,
        "states": [(name, label, len(found.in_state(name))) for name, label in STATES.items()],
        "page": page,
        "questions": page.object_list,
        "files": in_section(QUESTIONS),
    }
    return render(request, "adjudication/questions/question_set.html", context, status=403 if reason else 200)
