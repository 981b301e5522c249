"""The job that adds up the work of a campaign."""

from datetime import datetime

from accounts.job_kinds import Progress
from accounts.queues import Queue
from adjudication.following.counting import count_work, due_campaigns, queue_count
from annotation.campaigns.jobs import CampaignJob
from annotation.models import WorkSummary


class WorkJob(CampaignJob[WorkSummary]):
    model = WorkSummary
    queue = Queue.QUICK
    doing = "Counting quality and hours in"
    did = "Quality and hours counted in"
    onward = "See quality and hours"
    purpose = "It adds up who judged how much on which day, and how long it took."
    counted = "people counted"
    cancel_verb = "cancel_work_count"
    section = "work"
    is_for_managers = True
    page_name = "work_detail"

    def work(self, job: WorkSummary, progress: Progress) -> None:
        count_work(job, progress)

    def start_due(self, now: datetime) -> None:
        """Count what has changed, rarely where counting takes long."""
        for campaign in due_campaigns(now):
            queue_count(campaign, by=None, at=now)
