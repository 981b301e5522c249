"""Campaigns: made, copied, changed while a draft, opened, closed, reopened, deleted while nothing is lost."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.text import slugify

from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from accounts.sql import execute
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.assignment.practice import give_practice
from annotation.campaigns.campaigns import drafts_of, fetch_readiness, has_submissions, record_change
from annotation.campaigns.copying import template_named
from annotation.campaigns.criteria import check_criteria, sort_levels, store_criteria
from annotation.campaigns.guidelines import check_body
from annotation.campaigns.items import count_held_elsewhere
from annotation.campaigns.rules import (
    check_can_close,
    check_can_open,
    check_is_draft,
    check_not_closed,
    check_serves_no_cycle,
    check_within,
    fetch_managed,
    why_cannot_delete,
)
from annotation.campaigns.seals import check_split_may_change
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.kind import DEFAULT_KIND
from annotation.models import AnnotatorState, Campaign, CampaignState, Guideline, Item, Order, Split, Strategy
from corpus.collections.rules import check_can_delete, check_manager
from corpus.loading.constraints import checked_at_once
from corpus.models import Collection, Event
from corpus.webhooks.events import announce, is_wanted
from engines.definitions.drafts import BadOptions, CriterionDraft
from engines.definitions.settings import LEASE, NAME, OVERLAP, SEED

RESERVED_SLUGS = {"new"}
COPIED = ("kind", "split", "overlap", "order", "strategy", "lease_minutes", "options")


@transaction.atomic
def create_campaign(
    *,
    collection: Collection,
    by: User | None,
    at: datetime,
    name: str,
    slug: str = "",
    template: str = "",
    kind: str = "",
    split: str = "",
    overlap: int | None = None,
    order: str = "",
    strategy: str = "",
    seed: int | None = None,
    lease_minutes: int | None = None,
    deadline: date | None = None,
    criteria: Sequence[CriterionDraft] = (),
    guideline: str = "",
    options: Mapping[str, Any] | None = None,
) -> Campaign:
    """A draft without items. What is not passed is as in the template, else as its kind has it.

    `template` is the name of one, or COLLECTION/CAMPAIGN: the definition, guideline and settings of another campaign.
    Without `slug` it is made from the name. Without `seed` one is drawn; it shuffles samples, plans and orders.
    Without `strategy` it is an open queue, where the kind has one. `options` are those of the kind.
    Errors: Refused for a kind or template that is not there, values out of range or a name that is taken.
    """
    check_manager(collection, by)
    begun = template_named(template, by) if template else CampaignTemplate(name="", label="", kind=kind or DEFAULT_KIND)
    if kind not in ("", begun.kind):
        raise Refused(f"The template “{template}” makes campaigns of kind {begun.kind}, not {kind}.")
    chosen, kind = begun.kind_object, begun.kind
    criteria = sort_levels(criteria or begun.criteria or chosen.criteria)
    given = {"split": split, "overlap": overlap, "order": order, "strategy": strategy, "lease_minutes": lease_minutes}
    settings = begun.values | {name: value for name, value in given.items() if value not in ("", None)}
    campaign = Campaign(
        collection=collection,
        name=name.strip(),
        slug=slug or slug_for(collection, name, kind),
        kind=kind,
        created_at=at,
        seed=secrets.randbelow(2**31) if seed is None else seed,
    )
    if not chosen.no_criteria:
        check_criteria(criteria)
    elif criteria:
        raise Refused(chosen.no_criteria)
    _set(campaign, **settings, deadline=deadline)
    campaign.options = checked_options(campaign, begun.options if options is None else options)
    _insert(campaign)
    store_criteria(campaign, criteria)
    body = check_body(guideline or begun.guideline or chosen.guideline)
    Guideline.objects.create(campaign=campaign, version=1, body=body, created_at=at, created_by=by)
    facts = {"kind": kind, "split": str(settings["split"]), "overlap": settings["overlap"], "seed": campaign.seed}
    record_change(campaign, by, at, "create_campaign", **facts, **({"template": template} if template else {}))
    return campaign


@transaction.atomic
def copy_campaign(*, campaign: Campaign, by: User | None, at: datetime, name: str, slug: str = "") -> Campaign:
    """A new draft with the settings, criteria, newest guideline and people of another, but no items and a new seed."""
    newest = campaign.guidelines.first()
    copy = create_campaign(
        collection=campaign.collection,
        by=by,
        at=at,
        name=name,
        slug=slug,
        criteria=drafts_of(campaign),
        guideline=newest.body if newest else "",
        **{name: getattr(campaign, name) for name in COPIED},
    )
    people = campaign.annotators.filter(state=AnnotatorState.ACTIVE, user__memberships__collection=campaign.collection)
    add_members(campaign=copy, users=[each.user for each in people.select_related("user") if each.user], by=by, at=at)
    record_change(copy, by, at, "copy_campaign", source=campaign.slug)
    return copy


@transaction.atomic
def update_campaign(*, campaign: Campaign, by: User | None, at: datetime, **changes: Any) -> Campaign:
    """Change any of name, split, overlap, order, strategy, seed, lease_minutes, deadline and options.

    While it is open only name, lease_minutes and deadline; overlap and strategy then change with the next assignment.
    Errors: Refused for values out of range, for what is settled, and for pairs that another held-out split has.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    if "options" in changes:
        changes["options"] = checked_options(campaign, changes["options"])
    before = {field: getattr(campaign, field) for field in changes}
    different = {field: value for field, value in changes.items() if before[field] != value}
    if not different:
        return campaign
    check_not_closed(campaign)
    if set(different) - {"name", "lease_minutes", "deadline", "options"}:
        check_is_draft(campaign)
    if "strategy" in different or "order" in different:
        _check_unassigned(campaign)
    if "split" in different:
        check_serves_no_cycle(campaign)
        check_split_may_change(campaign, different["split"])
    _set(campaign, **different)
    if "split" in different:
        _move_items(campaign)
    campaign.save(update_fields=list(different))
    old = {field: before[field] for field in different}
    record_change(campaign, by, at, "update_campaign", before=_plain(old), after=_plain(different))
    return campaign


@transaction.atomic
def open_campaign(*, campaign: Campaign, by: User | None, at: datetime) -> Campaign:
    """Let its annotators judge. A closed one is reopened. An open queue in which nothing waits yet is filled.

    Errors: Refused while something is missing.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    ready = fetch_readiness(campaign)
    check_can_open(campaign, ready)
    if campaign.for_what.is_practice:
        give_practice(campaign.pk)
    elif not ready.slots:
        assign_items(campaign=campaign, by=by, at=at)
    verb = "reopen_campaign" if campaign.state == CampaignState.CLOSED else "open_campaign"
    campaign.state, campaign.closed_at = CampaignState.OPEN, None
    campaign.opened_at = campaign.opened_at or at
    campaign.save(update_fields=["state", "opened_at", "closed_at"])
    record_change(campaign, by, at, verb)
    _announce(Event.CAMPAIGN_OPENED, campaign, at)
    return campaign


@transaction.atomic
def close_campaign(*, campaign: Campaign, by: User | None, at: datetime) -> Campaign:
    """Take no further judgments. Nothing is withdrawn, so reopening continues where it stopped."""
    campaign = fetch_managed(campaign, by, lock=True)
    check_can_close(campaign)
    campaign.state, campaign.closed_at = CampaignState.CLOSED, at
    campaign.save(update_fields=["state", "closed_at"])
    record_change(campaign, by, at, "close_campaign")
    _announce(Event.CAMPAIGN_CLOSED, campaign, at)
    return campaign


@transaction.atomic
def delete_campaign(*, campaign: Campaign, by: User | None, at: datetime) -> Campaign:
    """Delete a campaign that holds no answers, which frees its held-out pairs. Errors: Refused where it does."""
    campaign = fetch_managed(campaign, by, lock=True)
    if reason := why_cannot_delete(campaign, has_submissions(campaign)):
        raise Refused(reason)
    check_serves_no_cycle(campaign)
    check_can_delete(campaign, campaign.collection_id)
    record_change(campaign, by, at, "delete_campaign", items=campaign.items.count())
    try:
        _delete_items(campaign)
    except IntegrityError as error:
        raise Refused("Its items have verdicts or other work depends on them. Close the campaign instead.") from error
    campaign.delete()
    return campaign


def checked_options(campaign: Campaign, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the campaign keeps as its options: all those of its kind, none where the kind has none. What is left out
    stays as it is. Errors: Refused.
    """
    kind = campaign.kind_object
    if kind.options is None:
        if options:
            raise Refused(f"A campaign of kind {kind} has no options.")
        return {}
    try:
        return kind.options.read(kind.options.changed(campaign.options, options or {}))
    except BadOptions as bad:
        raise Refused(bad.reason) from bad


def slug_for(collection: Collection, name: str, kind: str) -> str:
    """The short name that the name gives; of a name in other letters the first free one, such as relevance-1."""
    if found := slugify(name)[:80].strip("-_"):
        return found
    taken = set(collection.campaigns.values_list("slug", flat=True))
    return next(free for n in range(1, len(taken) + 2) if (free := f"{kind}-{n}") not in taken)


def _announce(event: Event, campaign: Campaign, at: datetime) -> None:
    if is_wanted(event, campaign.collection_id):  # an address loads all pages
        where = [campaign.collection.slug, campaign.slug]
        links = {"page": reverse("campaign_detail", args=where), "api": reverse("api_campaign", args=where)}
        announce(event, campaign.collection, at=at, campaign=campaign.slug, links=links)


def _set(campaign: Campaign, **values: Any) -> None:
    """Set fields after checking what a form would have checked, so that every way in is checked."""
    choices = {"split": Split, "order": Order, "strategy": Strategy}
    for field, value in values.items():
        if field in choices and value not in choices[field].values:
            raise Refused(f"The {field} must be one of {', '.join(choices[field].values)}, not “{value}”.")
        setattr(campaign, field, value.strip() if field == "name" else value)
    if not campaign.name:
        raise Refused("The campaign needs a name.")
    check_within(NAME, campaign.name)
    check_within(OVERLAP, campaign.overlap)
    check_within(LEASE, campaign.lease_minutes)
    check_within(SEED, campaign.seed)
    if campaign.strategy == Strategy.QUEUE and (no_queue := campaign.kind_object.no_queue):
        raise Refused(no_queue)


def _insert(campaign: Campaign) -> None:
    slug = campaign.slug
    if slug in RESERVED_SLUGS:
        raise Conflict(f"The short name “{slug}” is used by Litmus itself. Choose another.")
    with taken_is_conflict(f"This collection already has a campaign “{slug}”. Choose another name."):
        campaign.save()


def _delete_items(campaign: Campaign) -> None:
    """A million items need not be loaded to be deleted. Errors: IntegrityError where something refers to them."""
    of_items = "item_id IN (SELECT id FROM annotation_item WHERE campaign_id = %s)"
    with transaction.atomic(), checked_at_once():
        execute("DELETE FROM annotation_inquiry WHERE campaign_id = %s", [campaign.pk])
        execute(f"DELETE FROM annotation_assignment WHERE {of_items}", [campaign.pk])
        execute("DELETE FROM annotation_item WHERE campaign_id = %s", [campaign.pk])


def _check_unassigned(campaign: Campaign) -> None:
    if campaign.items.filter(assignments__slot__isnull=False).exists():
        raise Refused(
            "Items are already assigned, so the strategy and the order cannot change here. To change"
            " the strategy, plan the assignment again. To change the order, first withdraw the items"
            " of all annotators."
        )


def _move_items(campaign: Campaign) -> None:
    """Items follow their campaign into another split, unless it is held out and a pair is in one already."""
    kind = campaign.kind_object
    if campaign.split != Split.MAIN and (held := count_held_elsewhere(campaign)):
        items = f"{kind.words.item}s"
        raise Refused(
            f"{held:,} of its {items} are in another development or test campaign. Held-out {items}"
            " must never overlap, so this campaign must stay in the main split."
        )
    Item.objects.filter(campaign=campaign).update(split=campaign.split)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON takes them."""
    return {field: value.isoformat() if isinstance(value, date) else value for field, value in values.items()}
