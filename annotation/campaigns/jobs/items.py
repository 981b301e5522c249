"""Making items, as the kind of the campaign has it: at once, or as a job."""

from typing import Any

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.audit import record_event
from accounts.jobs import Progress
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from annotation.campaigns.jobs.built import Built, silent
from annotation.campaigns.jobs.calibration import check_calibration, draw_calibration
from annotation.campaigns.jobs.campaign_jobs import CampaignJob
from annotation.kind import Draw, Report, Supply
from annotation.models import Campaign, ItemBuild
from corpus.models import Collection


@transaction.atomic
def build(campaign: Campaign, parameters: dict[str, Any], *, seed: int, report: Report = silent) -> Built:
    """Make items of all that is left for the campaign, or of a sample drawn by `seed`.

    `parameters` are those of an ItemBuild: sample, stratified, and what the kind's `Choosing` reads. Builds of one
    collection wait for each other, so that held-out splits cannot take the same item.
    Errors: Refused when there is nothing to take or less than asked for; Conflict where something changed meanwhile.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=campaign.collection_id)
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    kind = campaign.kind_object
    draw = Draw(parameters.get("sample"), seed, bool(parameters.get("stratified")))
    choice = kind.choosing.read(parameters) if kind.choosing else None
    supply = kind.items.fetch_supply(campaign, choice, sampled=draw.sample is not None)
    _check_supply(campaign, supply, draw.sample)
    try:
        created = kind.items.insert(campaign, supply, draw, choice, report)
    except IntegrityError as error:
        raise Conflict("Somebody changed the collection or another campaign at the same moment. Try again.") from error
    left = supply.left - created
    return Built(created, campaign.items.count(), left, supply.held_elsewhere, supply.filtered)


class ItemBuildJob(CampaignJob[ItemBuild]):
    """Building a campaign's items."""

    model = ItemBuild
    title = "Building items"
    cancel_verb = "cancel_item_build"
    section = "items"
    is_for_managers = True

    def work(self, job: ItemBuild, progress: Progress) -> None:
        _work(job, progress)

    def links(self, job: ItemBuild, member: Any) -> list[tuple[str, str]]:  # noqa: ARG002 - the base has it
        names = [("item_build", "Try again")] if job.is_final else []
        if job.state == JobState.DONE:
            names = [("item_list", "See the items"), ("assignment_plan", "Plan the assignment")]
        return [(reverse(name, args=self.where(job)), words) for name, words in names]


def _work(job: ItemBuild, progress: Progress) -> None:
    if job.created:
        return  # it ended after its result was stored
    with transaction.atomic():
        built = build(job.campaign, job.parameters, seed=job.seed or 0, report=progress.report)
        job.created = built.created
        job.save(update_fields=["created"])
        _record(job, "build_items", created=built.created, **job.parameters)
        if wanted := job.parameters.get("calibration"):
            _calibrate(job, wanted)
        # The last moment at which cancelling still undoes everything.
        progress.report(built.created, built.created, "all items made")


def _calibrate(job: ItemBuild, wanted: dict[str, int]) -> None:
    """The calibration sample that was asked for with the items. Errors: Refused where they are too few, undoing all."""
    campaign, sample, overlap = job.campaign, wanted["sample"], wanted["overlap"]
    check_calibration(campaign, sample, overlap, campaign.items.count())
    changed = draw_calibration(campaign, sample, wanted["seed"], overlap - campaign.overlap)
    _record(job, "set_calibration", changed=changed, **wanted)


def _record(job: ItemBuild, verb: str, **facts: Any) -> None:
    scope = job.campaign.collection
    record_event(by=job.requested_by, at=timezone.now(), verb=verb, target=job.campaign, scope=scope, **facts)


def _check_supply(campaign: Campaign, supply: Supply, sample: int | None) -> None:
    words = campaign.kind_object.words
    if not supply.total:
        raise Refused(words.nothing)
    why = _left_out(supply, words.item)
    if not supply.left:
        raise Refused(f"No {words.item}s are left for this campaign: all that it may take it has already.{why}")
    if sample is not None and sample > supply.left:
        raise Refused(
            f"Only {supply.left:,} {words.item}s are left for this campaign, and {sample:,} were asked for.{why}"
        )


def _left_out(supply: Supply, item: str) -> str:
    """What of the collection the campaign may not take, in words."""
    found = ""
    if supply.held_elsewhere:
        found += (
            f" {supply.held_elsewhere:,} of the collection's {supply.total:,} {item}s are in other development or test"
            " campaigns."
        )
    if supply.filtered:
        found += f" {supply.filtered:,} more are left out by the word-overlap filter."
    return found
