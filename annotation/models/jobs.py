"""Background jobs of a campaign: building its items, assigning them, adding up the work of its people."""

from django.db import models

from accounts.models import Job
from annotation.models.campaigns import Campaign, Strategy
from annotation.models.items import Annotator
from engines.definitions.settings import USUAL_GAP, USUAL_GOLD_GAP


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
    repeat_gap = models.PositiveSmallIntegerField(default=USUAL_GAP)  # others at least in between
    gold_percent = models.PositiveSmallIntegerField(default=0)  # of each person's new items, known answers in addition
    gold_gap = models.PositiveSmallIntegerField(default=USUAL_GOLD_GAP)  # others at least in between
    inputs_hash = models.CharField(max_length=64, blank=True)
    confirms = models.CharField(max_length=64, blank=True)  # hash of the preview that was agreed to; "": none was asked
    summary = models.JSONField(default=dict)

    def __str__(self) -> str:
        return "preview of the plan" if self.dry_run else "assignment of items"


class QueueOrdering(Job):
    """An order that a manager chose for the open queue. Those done are the history of what was handed out under which.

    `given` counts the assignments of people that were handed out before it took effect, `items` those of the campaign
    then; `Job.seed` shuffles, `parameters` hold the names of runs.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="queue_orderings")
    order = models.CharField(max_length=40)  # a name in annotation.assignment.queue_orders.ORDERS
    given = models.BigIntegerField(default=0)
    items = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.order

    @property
    def runs(self) -> list[str]:
        return list(self.parameters.get("runs", ()))


class WorkSummary(Job):
    """The work of a campaign added up, so that its pages read few rows however many judgments there are.

    One for each campaign, counted again and again: `counted_at` is when the newest finished count began. Daily figures
    are the rows of DailyWork; those of each person stand in `people` (adjudication/following/counting.py writes both),
    and `progress` holds what annotation/campaigns/progress.py counts, for campaigns too large to be counted live.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="work_summary")
    counted_at = models.DateTimeField(null=True, blank=True)
    people = models.JSONField(default=dict)
    progress = models.JSONField(default=dict)

    def __str__(self) -> str:
        return "count of the work"


class DailyWork(models.Model):
    """What one person did on one day (of the site's time zone): items finished, answers and skips sent, active time."""

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="daily_work", db_index=False)
    day = models.DateField()
    judgments = models.PositiveIntegerField()  # finished that day and still counted; imported ones are not work
    sent = models.PositiveIntegerField()  # answers and skips received that day, also those replaced since
    timed = models.PositiveIntegerField()  # of `sent`, those with a measured time
    active_ms = models.BigIntegerField()  # of `timed` together

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "day"], name="daily_work_once"),
            models.CheckConstraint(
                name="daily_work_adds_up",
                condition=models.Q(timed__lte=models.F("sent"), active_ms__gte=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} on {self.day}"
