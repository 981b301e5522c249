"""The base of jobs over a campaign's labels, and the job that computes agreement."""

from datetime import datetime

from accounts import jobs
from accounts.counting import counted
from accounts.job_kinds import J
from accounts.models import User
from accounts.queues import Queue
from adjudication.agreement.computing import compute_agreement
from adjudication.agreement.due import drop_superseded, start_due
from adjudication.labels.rules import can_adjudicate, check_adjudicator
from adjudication.models import AgreementRun
from annotation.campaigns.jobs import CampaignJob
from annotation.campaigns.seals import check_not_sealed
from corpus.models import Membership


class ResultJob(CampaignJob[J]):
    """The base of jobs that compute results from the labels of a campaign.

    Those who may adjudicate ask for it and cancel it; a sealed test campaign shows nobody anything.
    """

    def check_can_see(self, job: J, membership: Membership) -> None:
        super().check_can_see(job, membership)
        check_not_sealed(self.campaign_of(job))

    def may_cancel(self, member: Membership) -> bool:
        return can_adjudicate(member)

    def check_can_cancel(self, job: J, by: User | None) -> None:
        check_adjudicator(self.collection_of(job), by)


class AgreementJob(ResultJob[AgreementRun]):
    """The agreement of a campaign's annotators."""

    model = AgreementRun
    queue = Queue.QUICK
    doing = "Computing the agreement in"
    did = "Agreement computed for"
    onward = "See the agreement"
    purpose = "Agreement shows how often people gave the same item the same value."
    cancel_verb = "cancel_agreement"
    section = "agreement"
    page_name = "agreement_detail"

    def work(self, job: AgreementRun, progress: jobs.Progress) -> None:
        compute_agreement(job, progress)
        drop_superseded(job)

    def outcome(self, job: AgreementRun) -> str:
        return f"Computed from {counted(job.n_judgments, 'judgment')}."

    def links(self, job: AgreementRun, member: Membership) -> list[tuple[str, str]]:
        """To the figures; without a judgment there are none to see."""
        return super().links(job, member) if job.n_judgments else []

    def start_due(self, now: datetime) -> None:
        """Compute what has changed and is cheap."""
        start_due(now)
