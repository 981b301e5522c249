"""Celery entry points of the annotation app."""

from celery import shared_task

from annotation.runs import assignments, items, machines


@shared_task(acks_late=True)
def run_item_build(run_id: int) -> None:
    """Build a campaign's items."""
    items.run_item_build(run_id)


@shared_task(acks_late=True)
def run_assignment_run(run_id: int) -> None:
    """Preview or write a plan."""
    assignments.run_assignment_run(run_id)


@shared_task(acks_late=True)
def run_machine_run(run_id: int) -> None:
    """Go on with a machine annotator's run."""
    machines.run_machine_run(run_id)
