"""Celery entry points of the corpus app: ids only, safe to run twice."""

from celery import shared_task

from corpus.runs import imports


@shared_task(acks_late=True)
def run_import_run(run_id: int) -> None:
    """Read uploaded files into a collection."""
    imports.run_import(run_id)
