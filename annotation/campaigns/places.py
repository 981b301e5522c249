"""Where verbs are done: to a campaign, or to one of its things (see accounts/operations.py)."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.management.reporting import IN_CAMPAIGN
from accounts.operations import Found, Place
from accounts.refusals import NotHere
from annotation.campaigns.campaigns import campaign_with, fetch_campaign
from annotation.campaigns.pages.context import campaign_context
from annotation.campaigns.rules import check_has_page
from annotation.models import Campaign
from corpus.collections.rules import check_role, fetch_membership
from corpus.models import Membership

BASE = "annotation/campaign_base.html"  # of the page with the form: it says which campaign


def in_campaign(
    back: str,
    section: str = "",
    *,
    page: str = "",
    shows: Callable[[Membership, Campaign], dict[str, Any]] = lambda *_: {},
    to_form: bool = False,
) -> Place:
    """The campaign: the action gets it, and the form where `to_form`. The form leads back to the page `back`; `section`
    is the key of its tab, and `shows` is what its page shows to a member.

    `page`: the key in `Kind.tabs` of what not every kind has; refused with the reason where this kind has none.
    """

    def find(campaign: Campaign) -> Found:
        return Found({"campaign": campaign}, {"campaign": campaign} if to_form else {})

    return _place(find, shows, back, section=section, page=page, more={})


def thing_in_campaign(
    name: str,
    things: Callable[[Campaign], QuerySet[Any]],
    back: str,
    section: str = "",
    *,
    page: str = "",
    shows: Callable[[Membership, Any], dict[str, Any]] = lambda *_: {},
    named: Callable[[Campaign, str], Any] | None = None,
    about: str = "",
) -> Place:
    """One of the campaign's things: the action and the form get it by its `name`, addresses know its `pk`.

    `shows` is what the page with the form shows of it to a member. Commands have the number too, or an argument of this
    `name`, with the help `about`, that `named` understands. The others are those of `in_campaign`.
    """

    def find(campaign: Campaign, **where: Any) -> Found:
        thing = named(campaign, where[name]) if named and name in where else things(campaign).filter(**where).first()
        if thing is None:
            raise NotHere(f"There is no {name} {where['pk']} in {campaign.slug}.")
        return Found({name: thing}, {name: thing})

    arguments = {name: about} if named else {"pk": f"number of the {name}"}
    return _place(find, lambda *seen: {name: seen[1]} | shows(*seen), back, section=section, page=page, more=arguments)


def _place(
    find: Callable[..., Found], shows: Any, back: str, *, section: str, page: str, more: dict[str, str]
) -> Place:
    def within(campaign: Campaign, where: dict[str, Any]) -> Found:
        if page:
            check_has_page(campaign, page)
        return find(campaign, **where)

    def on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, campaign: str, **where: Any) -> Found:
        membership = fetch_membership(request.user, slug)
        check_role(membership, *roles)
        place = fetch_campaign(membership, campaign)
        found = within(place, where)
        shown = campaign_context(membership, place, section, base=BASE, **shows(membership, *found.target.values()))
        return Found(found.target, found.form, shown, reverse(back, args=[slug, campaign]))

    return Place(
        on_page,
        rest=lambda view: within(view.campaign, {"pk": view.kwargs["pk"]} if more else {}),
        command=lambda slug, campaign, **where: within(campaign_with(slug, campaign), where),
        arguments=IN_CAMPAIGN | more,
    )
