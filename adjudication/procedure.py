"""How labels become gold: one object a procedure, named by the `adjudication` of a campaign's kind.

Procedures are in adjudication/procedures/, one line each in `procedures` of adjudication/apps.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accounts.extensions import extensions
from corpus.collections.rules import DECIDE
from corpus.models import Membership

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from accounts.models import User
    from adjudication.labels.pages import Scope
    from annotation.models import Campaign


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """One way from labels to gold. `no_votes` and `no_agreement` say why there are none, after the campaign's name.

    - `by_majority(campaign, **options of the command)` decides what a majority decides: a summary and its JSON.
    - `waiting(collections, user)`: campaigns with something to decide by hand, and how much; `waits(how much)` says so.
    - `decided(campaigns)`: of each campaign that has any, how many verdicts have been decided, and of how many that
      votes or comparisons opened.
    - `screen(request, scope)` is the whole page where a verdict is more than one value per criterion. Without one, the
      usual screen draws votes by `ballot` and the choice by `decision`, a fragment inside the decision form; what
      that sends is checked by `form` and stored by `decide(verdict=, by=, at=, **cleaned data)`, an action that raises
      Refused, NotAllowed or Conflict. The form has a field `seen`; sending `override` without it only asks to see
      the votes on an item of one's own.
    """

    by_majority: Callable[..., tuple[str, dict[str, Any]]]
    waiting: Callable[[QuerySet[Any], User], Iterable[tuple[Campaign, int]]]
    waits: Callable[[int], str]
    decided: Callable[[Sequence[Campaign]], dict[int, tuple[int, int]]]
    no_votes: str = ""
    no_agreement: str = ""
    screen: Callable[[HttpRequest, Scope], HttpResponse] | None = None
    ballot: str = ""
    decision: str = ""
    form: Any = None
    decide: Any = None


def procedures() -> dict[str, Procedure]:
    return extensions("procedures")


def procedure_of(campaign: Campaign) -> Procedure:
    """The procedure that the kind of the campaign has chosen."""
    return procedures()[campaign.kind_object.adjudication]


@dataclass(frozen=True)
class WaitingCampaign:
    """A campaign with `count` items that need a decision by hand."""

    campaign: Campaign
    count: int

    @property
    def text(self) -> str:
        return procedure_of(self.campaign).waits(self.count)


def waiting_for(user: User) -> list[WaitingCampaign]:
    """Campaigns whose verdicts or papers the person may decide and that need it: most first.

    Campaigns in which they have something to judge themselves are left out: they judge first.
    """
    deciding = Membership.objects.filter(user=user, role__in=DECIDE).values("collection")
    found = [
        WaitingCampaign(*each) for procedure in procedures().values() for each in procedure.waiting(deciding, user)
    ]
    return sorted(found, key=lambda each: (-each.count, each.campaign.name))
