"""The job that plans assignments."""

from dataclasses import asdict

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.counting import counted
from accounts.jobs import Progress
from accounts.models import JobState
from accounts.queues import Queue
from annotation.assignment.ordering import store_order
from annotation.assignment.planning import draft_assignment, options_of, write_assignment
from annotation.assignment.queue_orders import ORDERS
from annotation.campaigns.jobs import CampaignJob
from annotation.models import AssignmentRun, QueueOrdering


class AssignmentJob(CampaignJob[AssignmentRun]):
    """Previewing a plan, or writing what was previewed."""

    model = AssignmentRun
    queue = Queue.QUICK
    doing = "Assigning the items of"
    did = "Items assigned in"
    onward = "See who judges what"
    purpose = "Each item is given to the people who will judge it."
    cancel_verb = "cancel_assignment"
    section = "assignment"
    begins_at = "assignment_plan"
    is_for_managers = True

    def work(self, job: AssignmentRun, progress: Progress) -> None:
        if job.summary:
            return  # it ended after its result was stored
        progress.report(0, 0, "planning")
        options = options_of(job)
        with transaction.atomic():
            if job.dry_run:
                summary = draft_assignment(job.campaign, options).summary
            else:
                by, at = job.requested_by, timezone.now()
                summary = write_assignment(job.campaign, options, confirms=job.confirms, by=by, at=at)
            job.summary, job.inputs_hash = asdict(summary), summary.inputs_hash
            job.save(update_fields=["summary", "inputs_hash"])
            # The last moment at which cancelling still undoes everything.
            progress.report(summary.judgments, summary.judgments, "planned" if job.dry_run else "written")

    def words(self, job: AssignmentRun) -> str:
        if not job.dry_run:
            return super().words(job)
        return "Assignment previewed for" if job.state == JobState.DONE else "Preview of the assignment of"

    def about(self, job: AssignmentRun) -> str:
        return "It shows who would judge how much. Nothing is assigned." if job.dry_run else self.purpose

    def outcome(self, job: AssignmentRun) -> str:
        many = counted(job.summary.get("judgments", 0), "judgment")
        return f"{many} planned. Nothing is assigned yet." if job.dry_run else f"{many} assigned."

    def page(self, job: AssignmentRun) -> str:
        return reverse("assignment_detail", args=[*self.where(job), job.pk])


class QueueOrderingJob(CampaignJob[QueueOrdering]):
    """Putting the free places of an open queue into the order that was chosen."""

    model = QueueOrdering
    queue = Queue.QUICK
    doing = "Ordering the open queue of"
    did = "Open queue ordered in"
    onward = "See the order"
    purpose = "Free items are handed out in the order that was chosen. What people have in hand stays with them."
    counted = "items in order"
    cancel_verb = "cancel_queue_ordering"
    section = "assignment"
    begins_at = "queue_order"
    page_name = "queue_order"
    is_for_managers = True

    def work(self, job: QueueOrdering, progress: Progress) -> None:
        store_order(job, progress)

    def outcome(self, job: QueueOrdering) -> str:
        return f"{counted(job.items, 'item')} {ORDERS.label_of(job.order)}."
