"""The base of jobs that compute results from the labels of a campaign."""

from accounts.job_kinds import J
from accounts.models import User
from adjudication.labels.rules import can_adjudicate, check_adjudicator
from annotation.campaigns.jobs import CampaignJob
from annotation.campaigns.rules.seals import check_not_sealed
from corpus.models import Membership


class ResultJob(CampaignJob[J]):
    """Those who may adjudicate ask for it and cancel it; a sealed test campaign shows nobody anything."""

    def check_can_see(self, job: J, membership: Membership) -> None:
        super().check_can_see(job, membership)
        check_not_sealed(self.campaign_of(job))

    def may_cancel(self, member: Membership) -> bool:
        return can_adjudicate(member)

    def check_can_cancel(self, job: J, by: User | None) -> None:
        check_adjudicator(self.collection_of(job), by)
