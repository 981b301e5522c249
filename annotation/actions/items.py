"""A campaign's items: built at once where that is quick, by a job where it is not."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.jobs import new_job
from accounts.models import User
from annotation.models import Campaign, ItemBuild
from annotation.permissions.campaigns import check_not_closed
from annotation.queries.items import fetch_supply
from annotation.runs.items import Built, build
from corpus.permissions import check_manager

JOB_FROM = 50_000  # items; more take longer than a person should wait for a page


@transaction.atomic
def build_items(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    sample: int | None = None,
    seed: int | None = None,
    stratified: bool = False,
) -> Built:
    """Make items of all pairs (distinct aspect, pooled document) the campaign lacks, or of a sample of them.

    A topic without aspects is judged as a whole; the items of an extraction are papers. `seed` draws the sample;
    without one it is the campaign's own. Call it again when pools have grown.
    Errors: Refused for a closed campaign and when too few pairs are left.
    """
    campaign = _current(campaign, by)
    seed = campaign.seed if seed is None else seed
    built = build(campaign, sample=sample, seed=seed, stratified=stratified)
    facts = {"sample": sample, "seed": seed, "stratified": stratified, "created": built.created}
    record_event(by=by, at=at, verb="build_items", target=campaign, scope=campaign.collection.slug, **facts)
    return built


@transaction.atomic
def request_item_build(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    sample: int | None = None,
    seed: int | None = None,
    stratified: bool = False,
) -> ItemBuild:
    """The same as a background job, for more than JOB_FROM items."""
    campaign = _current(campaign, by)
    return new_job(
        ItemBuild,
        by=by,
        at=at,
        campaign=campaign,
        seed=campaign.seed if seed is None else seed,
        parameters={"sample": sample, "stratified": stratified},
    )


def needs_job(campaign: Campaign, sample: int | None) -> bool:
    """Whether building these items takes longer than a person should wait for a page."""
    return (fetch_supply(campaign).left if sample is None else sample) > JOB_FROM


def _current(campaign: Campaign, by: User | None) -> Campaign:
    """The campaign as it is now, after checking that `by` may add items to it."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign.pk)
    check_manager(campaign.collection, by)
    check_not_closed(campaign)
    return campaign
