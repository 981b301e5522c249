"""Celery entry points of this app: word to other workers that a job can be helped."""

from celery import shared_task

from corpus.searching.indexes import ShardBuilding
from corpus.searching.parts import help_with
from corpus.searching.shard_search import ShardSearches

KINDS = {each.kind: each for each in (ShardBuilding, ShardSearches)}


@shared_task
def help_with_parts(folder: str) -> int:
    """Do parts of a job's work; safe to run twice, late or in vain."""
    return help_with(folder, KINDS)
