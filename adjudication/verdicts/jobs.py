"""The jobs that count votes, and that accept very many of them."""

from datetime import datetime

from django.urls import reverse

from accounts import jobs
from accounts.counting import counted
from accounts.models import JobState
from accounts.queues import Queue
from adjudication.agreement.jobs import ResultJob
from adjudication.labels.rules import can_adjudicate
from adjudication.models import VoteAcceptance, VoteRun
from adjudication.verdicts.acceptances import accept_in_steps
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


class AcceptanceJob(ResultJob[VoteAcceptance]):
    """Accepting votes in bulk, or undoing that."""

    model = VoteAcceptance
    queue = Queue.HEAVY
    doing = "Accepting votes in"
    did = "Votes accepted in"
    purpose = "Accepting a vote adds the name of the person and the time to it."
    counted = "votes"
    cancel_verb = "cancel_acceptance"
    section = "adjudication"
    page_name = "acceptance"

    def work(self, job: VoteAcceptance, progress: jobs.Progress) -> None:
        accept_in_steps(job, progress)

    def words(self, job: VoteAcceptance) -> str:
        if not job.is_undoing:
            return super().words(job)
        return "Acceptance undone in" if job.state == JobState.DONE else "Undoing an acceptance in"

    def about(self, job: VoteAcceptance) -> str:
        return "The votes are then no longer accepted; their values stay." if job.is_undoing else self.purpose

    def outcome(self, job: VoteAcceptance) -> str:
        return f"{counted(job.changed, 'vote')} {'no longer accepted' if job.is_undoing else 'accepted'}."

    def links(self, job: VoteAcceptance, member: Membership) -> list[tuple[str, str]]:
        return [(self.page(job), "Accept more, or undo")] if can_adjudicate(member) else []
