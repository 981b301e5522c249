"""Celery entry points of the corpus app: ids only, safe to run twice."""

from celery import shared_task

from corpus.runs import author_mails, generation, imports, pools, removals


@shared_task(acks_late=True)
def run_import_run(run_id: int) -> None:
    """Read uploaded files into a collection."""
    imports.run_import(run_id)


@shared_task(acks_late=True)
def run_pool_run(run_id: int) -> None:
    """Build the pools of a collection."""
    pools.run_pools(run_id)


@shared_task(acks_late=True)
def run_question_run(run_id: int) -> None:
    """Ask a language model for questions about sampled citation mentions."""
    generation.run_questions(run_id)


@shared_task(acks_late=True)
def run_author_mailing(run_id: int) -> None:
    """Send the letters of a call to authors."""
    author_mails.run_mailing(run_id)


@shared_task(acks_late=True)
def run_collection_removal(run_id: int) -> None:
    """Delete an archived collection with everything in it."""
    removals.run_removal(run_id)
