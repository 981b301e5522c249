"""The first page: my work and my collections. And the help page."""

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.extensions import extensions
from accounts.models import ErasureRequest
from accounts.requests import Request
from annotation.forms.samples import SampleForm
from annotation.queries.home import work_of
from annotation.queries.preferences import KEYS, preferences_of
from corpus.models import Role
from corpus.permissions import can_create_collections
from corpus.queries.collections import memberships_of
from corpus.queries.people import ROLE_WORDS
from corpus.queries.reviews import reviews_waiting

WORDS = {  # what each of annotation.queries.preferences.KEYS does
    "submit": "submit and go to the next item",
    "undo": "take the last submission back",
    "earlier": "back through what I judged",
    "later": "forward again",
    "skip": "skip, with a reason",
    "flag": "flag for the adjudicators",
    "note": "write a note",
    "guideline": "go to the guideline",
    "highlights": "highlights on or off",
    "help": "show the keys of the screen",
    "rewrite": "rewrite the question",
    "search": "search the collection for papers that fit",
    "too_many": "discard the question: too many papers fit",
}
SHOWN = {"ArrowLeft": "←", "ArrowRight": "→"}


@require_safe
def home(request: Request) -> HttpResponse:
    """What waits for the person, the collections they are in, and what to do if there are none."""
    work, every = work_of(request.user), list(memberships_of(request.user))
    memberships = [each for each in every if not each.collection.archived_at]
    context = {
        "work": [each for each in work if each.left and not each.paused],
        "rest": [each for each in work if not each.left or each.paused],
        "is_judge": bool(work) or any(each.role == Role.ANNOTATOR for each in memberships),
        "memberships": memberships,
        "archived": len(every) - len(memberships),
        "reviews": reviews_waiting(request.user),
        "may_create": can_create_collections(request.user),
        "erasures": ErasureRequest.objects.count() if request.user.is_staff else 0,
    }
    return render(request, "annotation/home.html", context)


@login_not_required
@require_safe
def show_help(request: Request) -> HttpResponse:
    """The keys, the words, the way through a collection. Open to everybody."""
    roles = [(role.label, words) for role, words in ROLE_WORDS.items()]
    context = {"roles": roles, "key_map": _key_map(request), "pages": extensions("help_pages").values()}
    return render(request, "annotation/help.html", context)


def _key_map(request: Request) -> list[tuple[list[str], str]]:
    """Keys as they are written on a keyboard and what they do: the person's own, or the usual ones."""
    own = preferences_of(request.user).keys if request.user.is_authenticated else KEYS
    lines = [([str(digit) for digit in range(4)] + ["…", "9"], "give this grade")]
    for action, words in WORDS.items():
        shown = SHOWN.get(own[action], own[action].capitalize())
        lines.append(([shown, "Ctrl+Z"] if action == "undo" else [shown], words))
    return [*lines, (["Esc"], "leave a text field")]


@require_safe
def show_style(request: Request) -> HttpResponse:
    """Every component of the design system once, for those who build pages."""
    page = Paginator(range(240), 20).page(3)
    return render(request, "annotation/style.html", {"form": SampleForm({"text": "", "choice": "1"}), "page": page})
