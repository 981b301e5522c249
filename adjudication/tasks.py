"""Celery entry points of the adjudication app: ids only, safe to run twice."""

from celery import shared_task

from adjudication.runs import agreement, contexts, votes


@shared_task(acks_late=True)
def run_agreement_run(run_id: int) -> None:
    """Compute the agreement of a campaign."""
    agreement.run_agreement(run_id)


@shared_task(acks_late=True)
def run_context_check(run_id: int) -> None:
    """Search the collection with its citation contexts."""
    contexts.run_context_check(run_id)


@shared_task(acks_late=True)
def run_vote_run(run_id: int) -> None:
    """Count the votes of a campaign."""
    votes.run_vote(run_id)
