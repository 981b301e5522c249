"""The base of all jobs of a campaign, and the job that builds its items."""

from typing import Any, ClassVar

from django.db.models import Model
from django.urls import reverse

from accounts.audit import Scope
from accounts.counting import counted
from accounts.job_kinds import J
from accounts.jobs import Progress
from accounts.models import JobState
from accounts.queues import Queue
from annotation.campaigns.campaigns import is_filled_at_opening
from annotation.campaigns.item_building import build_requested
from annotation.models import Campaign, ItemBuild
from corpus.collections.jobs import CollectionJob
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

    def subject(self, job: J) -> str:
        return f"“{self.campaign_of(job).name}”"

    def audited(self, job: J) -> tuple[Model, Scope | None, dict[str, Any]]:
        return self.campaign_of(job), self.collection_of(job), {}

    def context(self, job: J, member: Membership) -> dict[str, Any]:
        own = {"campaign": self.campaign_of(job), "section": self.section}
        return super().context(job, member) | own

    def where(self, job: J) -> list[str]:
        return [self.collection_of(job).slug, self.campaign_of(job).slug]

    def page(self, job: J) -> str:
        return reverse(self.page_name, args=self.where(job)) if self.page_name else self.address(job)


class ItemBuildJob(CampaignJob[ItemBuild]):
    model = ItemBuild
    queue = Queue.QUICK
    doing = "Adding items to"
    did = "Items added to"
    purpose = "An item is what people judge."
    cancel_verb = "cancel_item_build"
    section = "items"
    begins_at = "item_build"
    is_for_managers = True

    def work(self, job: ItemBuild, progress: Progress) -> None:
        build_requested(job, progress)

    def outcome(self, job: ItemBuild) -> str:
        return f"{counted(job.created, 'new item')}."

    def links(self, job: ItemBuild, member: Any) -> list[tuple[str, str]]:  # noqa: ARG002 - the base has it
        names = [("item_build", "Try again")] if job.is_final else []
        if job.state == JobState.DONE:
            plan = [] if is_filled_at_opening(self.campaign_of(job)) else [("assignment_plan", "Plan the assignment")]
            names = [("item_list", "See the items"), *plan]
        return [(reverse(name, args=self.where(job)), words) for name, words in names]
