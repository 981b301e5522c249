"""The help page, and the components that pages are made of."""

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.refusals import Reason
from accounts.requests import Request
from annotation.campaigns.forms.samples import SampleForm
from annotation.campaigns.preferences import KEYS, keys_of_kinds, preferences_of, usual_keys
from corpus.collections.collections import ROLE_WORDS

SHOWN = {"ArrowLeft": "←", "ArrowRight": "→"}


@login_not_required
@require_safe
def show_help(request: Request) -> HttpResponse:
    """The keys, the words, the way through a collection. Open to everybody."""
    roles = [(role.label, words) for role, words in ROLE_WORDS.items()]
    context = {"roles": roles, "key_map": _key_map(request), "ask_key": _own_keys(request)["ask"].capitalize()}
    return render(request, "annotation/campaigns/help.html", context)


def _key_map(request: Request) -> list[tuple[list[str], str]]:
    """Keys as they are written on a keyboard and what they do: the person's own, or the usual ones."""
    own = _own_keys(request)
    lines = [([str(digit) for digit in range(4)] + ["…", "9"], "give this grade")]
    for action, key in {**KEYS, **keys_of_kinds()}.items():
        shown = SHOWN.get(own[action], own[action].capitalize())
        words = str(key.words)
        lines.append(([shown, "Ctrl+Z"] if action == "undo" else [shown], words[0].lower() + words[1:]))
    return [*lines, (["Esc"], "leave a text field")]


def _own_keys(request: Request) -> dict[str, str]:
    return preferences_of(request.user).keys if request.user.is_authenticated else usual_keys()


@require_safe
def show_style(request: Request) -> HttpResponse:
    """Every component of the design system once, for those who build pages."""
    shown = {
        "form": SampleForm({"text": "", "choice": "1"}),
        "page": Paginator(range(240), 20).page(3),
        "refused_example": Reason("Say here why not.", "Name the page that mends it", "help"),
    }
    return render(request, "annotation/campaigns/style.html", shown)
