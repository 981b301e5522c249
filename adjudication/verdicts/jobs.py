"""The job that counts votes."""

from datetime import datetime

from django.urls import reverse

from accounts import jobs
from accounts.queues import Queue
from adjudication.agreement.jobs import ResultJob
from adjudication.labels.rules import can_adjudicate
from adjudication.models import VoteRun
from adjudication.verdicts.due import start_due
from adjudication.verdicts.votes import count_votes
from annotation.consent.consents import settle_withdrawals
from corpus.models import Membership


class VoteJob(ResultJob[VoteRun]):
    """Counting the votes of a campaign."""

    model = VoteRun
    queue = Queue.QUICK
    doing = "Counting the votes in"
    did = "Votes counted in"
    onward = "See what is undecided"
    purpose = "An item gets the value that most of its annotators chose."
    cancel_verb = "cancel_vote"
    section = "adjudication"
    page_name = "adjudication_screen"

    def work(self, job: VoteRun, progress: jobs.Progress) -> None:
        count_votes(job, progress)

    def outcome(self, job: VoteRun) -> str:
        return job.result if any(job.counts.values()) else "No item had a vote."

    def start_due(self, now: datetime) -> None:
        """Count where every judgment that is needed is there, and the kind of campaign wants no more than that; before
        that, do to labels what withdrawals asked for while votes were counted."""
        settle_withdrawals()
        start_due(now)

    def links(self, job: VoteRun, member: Membership) -> list[tuple[str, str]]:
        """To the adjudication screen for those who adjudicate; others see what came of it in the list of items.

        Where no item had a vote there is nothing to see.
        """
        if not any(job.counts.values()):
            return []
        if can_adjudicate(member):
            return super().links(job, member)
        return [(reverse("disagreement_list", args=self.where(job)), "See the items")]
