"""Background jobs of a campaign: building its items, assigning them."""

from django.db import models

from accounts.models import Job
from annotation.models.campaigns import Campaign, Strategy


class ItemBuild(Job):
    """Making a campaign's items from aspects and pools; `parameters` are those of `build_items`."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="item_builds")
    created = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return "building of items"


class AssignmentRun(Job):
    """Planning who judges what. A dry run keeps only the summary; the run that confirms it names its hash.

    `inputs_hash` is over everything the plan depends on, so that equal hash and seed mean the very same plan.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignment_runs")
    dry_run = models.BooleanField(default=True)
    strategy = models.CharField(max_length=8, choices=Strategy)
    overlap = models.PositiveSmallIntegerField()
    repeat_percent = models.PositiveSmallIntegerField(default=0)  # of each person's new items, asked them again unseen
    repeat_gap = models.PositiveSmallIntegerField(default=30)  # others at least between the first time and the second
    inputs_hash = models.CharField(max_length=64, blank=True)
    confirms = models.CharField(max_length=64, blank=True)  # hash of the preview that was agreed to; "": none was asked
    summary = models.JSONField(default=dict)

    def __str__(self) -> str:
        return "preview of the plan" if self.dry_run else "assignment of items"
