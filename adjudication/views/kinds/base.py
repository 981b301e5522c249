"""What the adjudication screen must know of a campaign kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse

from adjudication.actions.verdicts import decide_verdict
from adjudication.forms.verdicts import DecisionForm
from adjudication.models import Verdict
from adjudication.queries.items import fetch_topic_view
from adjudication.views.scope import Scope


@dataclass(frozen=True)
class ItemKind:
    """One campaign kind on the adjudication screen.

    - `fetch(item id)` reads what `template` draws as `view`: the item as its annotators had it.
    - A vote is drawn by `ballot` (context `ballot`); `attach([submission id, …])` reads, in one go, what else its
      annotator sent, by submission id: the template finds it as `ballot.more` (a rewrite, ticked components, …).
    - The verdict is chosen in `decision`, a fragment inside the decision form; what it sends is checked by `form` and
      stored by `decide(verdict=, by=, at=, **cleaned data)`, an action that raises Refused, NotAllowed or Conflict.
      The form has a field `seen`; sending `override` without it only asks to see the votes on an item of one's own.
    - `desk(request, scope)` takes over the whole screen where a verdict is more than one value per criterion.
    """

    template: str
    fetch: Callable[[int], Any] = fetch_topic_view
    ballot: str = "adjudication/_ballot.html"
    attach: Callable[[Sequence[int]], Mapping[int, object]] | None = None
    decision: str = "adjudication/_levels.html"
    form: type[forms.Form] = DecisionForm
    decide: Callable[..., Verdict] = decide_verdict
    desk: Callable[[HttpRequest, Scope], HttpResponse] | None = None
