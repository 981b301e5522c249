"""The first page: my work and my collections. And the help page."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.queries.home import work_of
from corpus.permissions import can_create_collections
from corpus.queries.collections import memberships_of
from corpus.queries.people import ROLE_WORDS

KEY_MAP = (
    (("0", "1", "2", "3"), "give this grade"),
    (("Enter",), "submit and go to the next item"),
    (("U", "Ctrl+Z"), "take the last submission back"),
    (("←", "→"), "walk through what I judged"),
    (("X",), "skip, with a reason"),
    (("F",), "flag for the adjudicators"),
    (("N",), "write a note"),
    (("G",), "go to the guideline"),
    (("H",), "highlights on or off"),
    (("Esc",), "leave a text field"),
    (("?",), "show the keys of the screen"),
)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What waits for the person, the collections they are in, and what to do if there are none."""
    work = work_of(request.user)
    context = {
        "work": [each for each in work if each.left and not each.paused],
        "rest": [each for each in work if not each.left or each.paused],
        "memberships": memberships_of(request.user),
        "may_create": can_create_collections(request.user),
    }
    return render(request, "annotation/home.html", context)


@login_not_required
@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    """The keys, the words, the way through a collection. Open to everybody."""
    roles = [(role.label, words) for role, words in ROLE_WORDS.items()]
    return render(request, "annotation/help.html", {"roles": roles, "key_map": KEY_MAP})
