"""The base of all jobs of a campaign."""

from typing import Any, ClassVar

from django.db.models import Model
from django.urls import reverse

from accounts.audit import Scope
from accounts.job_kinds import J
from annotation.models import Campaign
from corpus.collections.jobs.collection_jobs import CollectionJob
from corpus.models import Membership


class CampaignJob(CollectionJob[J]):
    """The audit log names the campaign, not the job."""

    base = "annotation/campaign_base.html"
    tab = "campaigns"
    section: ClassVar[str]  # of the campaign, the one that its page stands under
    related: ClassVar[tuple[str, ...]] = ("campaign__collection",)
    page_name: ClassVar[str] = ""  # of the page that shows its results

    def campaign_of(self, job: J) -> Campaign:
        """The campaign it belongs to."""
        return job.campaign  # type: ignore[attr-defined]

    def audited(self, job: J) -> tuple[Model, Scope | None, dict[str, Any]]:
        return self.campaign_of(job), self.collection_of(job), {}

    def context(self, job: J, member: Membership) -> dict[str, Any]:
        own = {"campaign": self.campaign_of(job), "section": self.section}
        return super().context(job, member) | own

    def where(self, job: J) -> list[str]:
        """The beginning of the path of the campaign's pages."""
        return [self.collection_of(job).slug, self.campaign_of(job).slug]

    def page(self, job: J) -> str:
        return reverse(self.page_name, args=self.where(job)) if self.page_name else self.address(job)
