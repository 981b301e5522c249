"""The jobs of this room."""

from datetime import datetime

from accounts.job_kinds import Progress
from adjudication.following.counting import AT_LATEST, DUE, LEAST_PAUSE, LOAD, _rows, count_work, queue_count
from annotation.campaigns import progress as campaign_progress
from annotation.campaigns.jobs import CampaignJob
from annotation.models import WorkSummary


class WorkJob(CampaignJob[WorkSummary]):
    model = WorkSummary
    title = "Count of the work"
    counted = "people counted"
    cancel_verb = "cancel_work_count"
    section = "work"
    is_for_managers = True
    page_name = "work_detail"

    def work(self, job: WorkSummary, progress: Progress) -> None:
        count_work(job, progress)

    def start_due(self, now: datetime) -> None:
        """Count what has changed, rarely where counting takes long."""
        named = {
            "now": now,
            "pause": LEAST_PAUSE,
            "load": LOAD,
            "latest": AT_LATEST,
            "live_most": campaign_progress.LIVE_MOST,
        }
        for (pk,) in _rows(DUE, named):
            queue_count(pk, by=None, at=now)
