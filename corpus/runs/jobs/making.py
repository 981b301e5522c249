"""Making a run: the queries of its topics, ranked by its recipe, stored as one run with all that tells how it was made.

Rankings are spooled to a file while they come and stored in one transaction, so that no one sees half a run. Work that
was interrupted is done again; what an endpoint has answered is kept apart and never asked twice.
"""

import json
import time
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.audit import Scope, record_event
from accounts.job_kinds import Cancelled
from accounts.refusals import Refused
from corpus.collections.jobs.collection_jobs import CollectionJob
from corpus.models import PartRanking, Ranking, RetrievalRun, RunMaking
from corpus.ranking.order import RankedList
from corpus.runs.jobs.inputs import inputs_of
from corpus.runs.recipes.queries import Query, queries_of
from corpus.runs.recipes.recipe import Task
from corpus.runs.recipes.registry import RECIPES
from corpus.runs.rules import check_new_name, lock_names

BATCH = 100  # rankings of one statement


class RunMakingJob(CollectionJob[RunMaking]):
    """Making a run."""

    model = RunMaking
    title = "Making a run"
    cancel_verb = "cancel_run_making"
    tab = "runs"

    def work(self, job: RunMaking, progress: jobs.Progress) -> None:
        try:
            make_run(job, progress)
        except Cancelled as cancelled:
            raise Cancelled("Cancelled. No run is stored; what an endpoint has answered is kept.") from cancelled

    def audited(self, job: RunMaking) -> tuple[Any, Scope | None, dict[str, Any]]:
        return job, job.collection, {"name": job.name}

    def page(self, job: RunMaking) -> str:
        if job.run_id:
            return reverse("run_detail", args=[job.collection.slug, job.run_id])
        return reverse("run_list", args=[job.collection.slug])


def make_run(job: RunMaking, progress: jobs.Progress) -> None:
    """Rank for every query and store the run. Does nothing where the run was stored already."""
    if job.run_id:
        return
    started = time.monotonic()
    recipe, values = _recipe_of(job), job.parameters["settings"]
    queries = queries_of(job.collection, values["topics"], values["words"])
    task = Task(job.collection, queries, values, progress)
    inputs = _inputs(job, queries)
    with TemporaryFile("w+", encoding="utf-8") as spool:
        lines, empty = _spool(recipe.rank(task), spool)
        progress.report(len(queries), len(queries), "storing the run")
        _check_unchanged(job, inputs)
        if not lines:
            raise Refused("No document was found for any topic, so the run would be empty.")
        seconds = round(time.monotonic() - started, 3)
        made = {
            **job.parameters,
            "recipe_hash": job.recipe_hash,
            "code_version": job.code_version,
            "inputs": inputs,
            "topics": len(queries) - empty,
            "without_documents": empty,
            "lines": lines,
            "seconds": seconds,
            "cost": None if task.cost is None else str(task.cost),
            "counts": dict(sorted(task.counts.items())),
        }
        _store(job, made, spool)


def _inputs(job: RunMaking, queries: list[Query]) -> dict[str, str]:
    return inputs_of(job.collection, queries, _recipe_of(job).reads, job.parameters["settings"])


def _check_unchanged(job: RunMaking, inputs: dict[str, str]) -> None:
    """Refuse a run of which one part was made before a change and the other after it: no recipe would give it again."""
    values = job.parameters["settings"]
    now = _inputs(job, queries_of(job.collection, values["topics"], values["words"]))
    if changed := [name for name, value in inputs.items() if now[name] != value]:
        raise Refused(
            f"The {' and '.join(changed)} of the collection were changed while the run was made, so it would belong to "
            "neither state. Make it again; what an endpoint has answered is kept."
        )


def _recipe_of(job: RunMaking) -> Any:
    name = job.parameters["recipe"]
    if name not in RECIPES:
        raise Refused(f"The recipe {name} is not installed here any longer.")
    return RECIPES[name]


def _spool(rankings: Iterator[tuple[Query, RankedList]], spool: IO[str]) -> tuple[int, int]:
    """Write rankings to the file; how many lines they have, and how many are empty and were passed over."""
    lines = empty = 0
    for query, found in rankings:
        if found:
            spool.write(json.dumps((query.topic, query.sub_query, query.aspect, found.docnos, found.scores)) + "\n")
        lines += len(found)
        empty += not found
    return lines, empty


@transaction.atomic
def _store(job: RunMaking, made: dict[str, Any], spool: IO[str]) -> None:
    """The run with its rankings, in place of one that the same recipe made before."""
    lock_names(job.collection_id)
    check_new_name(job.collection, job.name, job.recipe_hash)
    run = RetrievalRun.objects.filter(collection=job.collection, name=job.name).first()
    run = run or RetrievalRun(collection=job.collection, name=job.name)
    run.created_at, run.parameters = timezone.now(), made
    run.save()
    run.rankings.all().delete()
    run.part_rankings.all().delete()
    whole, parts = [], []
    spool.seek(0)
    for topic, sub_query, aspect, docnos, scores in map(json.loads, spool):
        if sub_query or aspect:
            part = PartRanking(run=run, sub_query_id=sub_query, aspect_id=aspect, docnos=docnos, scores=scores)
            parts.append(part)
        else:
            whole.append(Ranking(run=run, topic_id=topic, docnos=docnos, scores=scores))
        if len(whole) + len(parts) == BATCH:
            _flush(whole, parts)
    _flush(whole, parts)
    job.run = run
    job.save(update_fields=["run"])
    facts = {key: made[key] for key in ("recipe", "recipe_hash", "topics", "lines", "seconds", "cost")}
    record_event(
        by=job.requested_by,
        at=run.created_at,
        verb="make_run",
        target=run,
        scope=job.collection,
        name=run.name,
        **facts,
    )


def _flush(whole: list[Ranking], parts: list[PartRanking]) -> None:
    Ranking.objects.bulk_create(whole)
    PartRanking.objects.bulk_create(parts)
    whole.clear()
    parts.clear()
