"""What every page about a campaign's results begins with: the member, their role, the campaign, the criterion."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest

from accounts.models import User
from adjudication.labels.rules import can_adjudicate
from annotation.campaigns.pages.context import fetch_for_overseer
from annotation.campaigns.seals import check_not_sealed
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign, Criterion
from corpus.long_lists import KeyedPage, NumberedPage
from corpus.models import Collection, Membership


@dataclass(frozen=True)
class Scope:
    """One campaign as one member who may oversee it sees it."""

    membership: Membership
    campaign: Campaign
    key: str = ""  # of the criterion that the address names

    @property
    def collection(self) -> Collection:
        return self.membership.collection

    @property
    def user(self) -> User:
        return self.membership.user

    @cached_property
    def criteria(self) -> list[Criterion]:
        return list(self.campaign.criteria.prefetch_related("levels"))

    @cached_property
    def criterion(self) -> Criterion | None:
        """The one that the address names, the first where it names none; None while the campaign has none.

        Errors: Http404 for an unknown name.
        """
        return one_of(self.criteria, self.key)

    def context(self, **more: Any) -> dict[str, Any]:
        """What the templates of these pages share."""
        return {
            "collection": self.collection,
            "membership": self.membership,
            "campaign": self.campaign,
            "tab": "campaigns",
            "may_adjudicate": can_adjudicate(self.membership),
            **more,
        }

    def criterion_context(self, **more: Any) -> dict[str, Any]:
        """What the templates of pages about one criterion share."""
        return self.context(criteria=self.criteria, criterion=self.criterion, **more)

    def rows_found(self, page: NumberedPage | KeyedPage) -> int | None:
        """How many rows the list has, for its filters; None where these choose the criterion and are always shown."""
        return None if len(self.criteria) > 1 else page.count


def fetch_scope(request: HttpRequest, slug: str, campaign: str, page: str = "") -> Scope:
    """404 for outsiders and unknown campaigns, 403 for annotators: they learn nothing of labels, votes or verdicts.

    403 for everybody while a test campaign is sealed, and for people who still have items to judge (ADR 11): neither
    labels nor what is computed from them is shown. `page` as in `fetch_for_overseer`.
    """
    membership, found = fetch_for_overseer(request, slug, campaign, page)
    check_not_sealed(found)
    check_can_read_labels(found, membership.user)
    return Scope(membership, found, named_criterion(request))


def named_criterion(request: HttpRequest) -> str:
    """The key in `?criterion=`, "" where there is none."""
    return request.GET.get("criterion", "") or request.POST.get("criterion", "")


def one_of(criteria: list[Criterion], key: str) -> Criterion | None:
    """The criterion of this key, the first without a key; None where there is none. Errors: Http404 for an unknown
    key: figures and files of another criterion would be taken for its own."""
    found = next((one for one in criteria if key in ("", one.key)), None)
    if key and found is None:
        raise Http404("There is no such criterion.")
    return found


def whole_number(text: str | None) -> int | None:
    """A whole number from an address, None for anything else."""
    return int(text) if text and text.isdecimal() and len(text) < 19 else None
