"""Making a run: the queries of its topics, ranked by its recipe, stored as one run with how it was made.

Rankings are spooled to a file while they come and stored in one transaction, so that nobody sees half a run. Work that
was interrupted is done again; answers of an endpoint are stored separately and never asked for twice. Hashes of what a
run is made from are stored with it: the same recipe with the same inputs gives the same run.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.refusals import Refused
from accounts.sql import execute
from corpus.models import Aspect, PartRanking, Ranking, RetrievalRun, RunMaking
from corpus.runs.recipes.earlier import earlier_rankings
from corpus.runs.recipes.lexical import fields_of
from corpus.runs.recipes.queries import Query, queries_of
from corpus.runs.recipes.recipe import POOLS, Task
from corpus.runs.recipes.registry import RECIPES
from corpus.runs.rules import check_new_name, lock_names
from corpus.searching.indexes import FULL_TEXT, collection_state, full_text_state
from engines.ranking.order import ScoredList

BATCH = 100  # rankings of one statement
CHECK_EVERY = 30.0  # seconds between two looks at whether the inputs are as they were
# Sums of hashes of rows do not depend on the order of rows and on ids.
STATES = {
    "citations": """
SELECT count(*), sum(hashtextextended(a.docno || ' ' || b.docno, 0)),
  (SELECT sum(hashtextextended(d.docno || ' ' || (d.extra->'citations')::text, 0)) FROM corpus_document d
   WHERE d.collection_id = %(collection)s AND d.extra ? 'citations')
FROM corpus_citation c JOIN corpus_document a ON a.id = c.citing_id JOIN corpus_document b ON b.id = c.cited_id
WHERE a.collection_id = %(collection)s
""",
    "pools": """
SELECT count(*), sum(hashtextextended(t.number || ' ' || d.docno, 0)) FROM corpus_poolentry p
JOIN corpus_topic t ON t.id = p.topic_id JOIN corpus_document d ON d.id = p.document_id
WHERE t.collection_id = %(collection)s
""",
}


def make_run(job: RunMaking, progress: jobs.Progress) -> None:
    """Rank for every query and store the run. Does nothing where the run was stored already."""
    if job.run_id:
        return
    started = time.monotonic()
    recipe, values = _recipe_of(job), job.parameters["settings"]
    queries = queries_of(job.collection, values["topics"], values["words"])
    inputs = _input_hashes(job, queries)
    task = Task(job.collection, queries, values, WatchfulProgress(progress, job, inputs))
    with TemporaryFile("w+", encoding="utf-8") as spool:
        lines, empty = _spool(recipe.rank(task), spool)
        progress.report(len(queries), len(queries), "storing the run")
        same = {name: _count_same(task, name, spool) for name in _bases(values)}
        _check_unchanged(job, inputs)
        there = _there(job)
        gone, gone_lines = _count_gone(spool, there)
        if lines == gone_lines:
            raise Refused("No document was found for any topic, so the run would be empty.")
        seconds = round(time.monotonic() - started, 3)
        facts = {
            **job.parameters,
            "recipe_hash": job.recipe_hash,
            "code_version": job.code_version,
            "inputs": inputs,
            "topics": len(queries) - empty - gone,
            "without_documents": empty,
            "lines": lines - gone_lines,
            "seconds": seconds,
            "cost": None if task.cost is None else str(task.cost),
            "counts": dict(sorted((name, count) for name, count in task.counts.items() if count)),
            "same_order": same,
            "warnings": [*_warnings(same, len(queries) - empty, gone), *task.warnings],
        }
        _store(job, facts, spool, there)


def _input_hashes(job: RunMaking, queries: Sequence[Query]) -> dict[str, str]:
    """Hashes of documents, topics, what the recipe reads, pools and full texts where they are searched, by name."""
    hashed = hashlib.sha256()
    for query in queries:
        hashed.update(repr((query.number, query.text)).encode())
    return {"topics": hashed.hexdigest(), **_states(job)}


def _states(job: RunMaking) -> dict[str, str]:
    """The hashes of all inputs but the topics, which are read once."""
    collection, values = job.collection, job.parameters["settings"]
    found = {"documents": collection_state(collection)}
    for name in (*_recipe_of(job).reads, *(["pools"] if values["among"] == POOLS else [])):
        (row,) = execute(STATES[name], {"collection": collection.pk})
        found[name] = hashlib.sha256(repr([str(each) for each in row]).encode()).hexdigest()
    if FULL_TEXT in fields_of(str(values.get("fields", "")))[0]:
        found["full texts"] = full_text_state(collection)
    return found


class WatchfulProgress(jobs.Progress):
    """Progress that also notices when inputs of the run have changed, so that it does not go on in vain.

    Topics are ranked as they were at the start: what is added or changed meanwhile makes no difference.
    """

    def __init__(self, progress: jobs.Progress, job: RunMaking, inputs: dict[str, str]) -> None:
        super().__init__(job, progress.claim)
        self.progress, self.making, self.inputs = progress, job, inputs
        self.due = time.monotonic() + CHECK_EVERY

    def report(self, done: int, total: int | None = None, step: str = "") -> None:
        self.progress.report(done, total, step)
        self._look()

    def check(self) -> None:
        self.progress.check()
        self._look()

    def _look(self) -> None:
        if time.monotonic() >= self.due:
            _check_unchanged(self.making, self.inputs)
            self.due = time.monotonic() + CHECK_EVERY


def _check_unchanged(job: RunMaking, inputs: dict[str, str]) -> None:
    """Refuse a run of which one part was made before a change and the other after it: no recipe would give it again."""
    if changed := [name for name, value in _states(job).items() if inputs[name] != value]:
        raise Refused(
            f"The {' and '.join(changed)} of the collection were changed while the run was made, so it would belong to "
            "neither state. Make it again; what an endpoint has answered is kept."
        )


def _recipe_of(job: RunMaking) -> Any:
    name = job.parameters["recipe"]
    if name not in RECIPES:
        raise Refused(f"The recipe {name} is no longer installed.")
    return RECIPES[name]


def _spool(rankings: Iterator[tuple[Query, ScoredList]], spool: IO[str]) -> tuple[int, int]:
    """Write rankings to the file; return how many lines they have, and how many were empty and left out."""
    lines = empty = 0
    for query, found in rankings:
        if found:
            spool.write(json.dumps((query.topic, query.sub_query, query.aspect, found.docnos, found.scores)) + "\n")
        lines += len(found)
        empty += not found
    return lines, empty


def _bases(values: Mapping[str, Any]) -> list[str]:
    """The runs of the collection that these settings start from."""
    return [*([values["run"]] if values.get("run") else []), *str(values.get("runs") or "").split()]


def _count_same(task: Task, name: str, spool: IO[str]) -> int:
    """For how many queries the ranking is that of an earlier run, as far as it was asked for."""
    spool.seek(0)
    own = {tuple(row[:3]): hash(tuple(row[3])) for row in map(json.loads, spool)}
    pairs = zip(task.queries, earlier_rankings(task, name), strict=True)
    return sum(
        own.get((query.topic, query.sub_query, query.aspect)) == hash(tuple(found.docnos[: task.depth]))
        for query, found in pairs
    )


def _there(job: RunMaking) -> tuple[set[int | None], ...]:
    """The ids of the topics, sub-queries and aspects that are there now, each with None."""
    collection = job.collection
    rows = (collection.topics, collection.sub_queries, Aspect.objects.filter(topic__collection=collection))
    return tuple({None, *found.values_list("pk", flat=True)} for found in rows)


def _is_there(row: Sequence[Any], there: Sequence[set[int | None]]) -> bool:
    return all(pk in ids for pk, ids in zip(row[:3], there, strict=True))


def _count_gone(spool: IO[str], there: Sequence[set[int | None]]) -> tuple[int, int]:
    """How many rankings are of what was deleted meanwhile, and how many lines they have."""
    spool.seek(0)
    lines = [len(row[3]) for row in map(json.loads, spool) if not _is_there(row, there)]
    return len(lines), sum(lines)


def _warnings(same: Mapping[str, int], topics: int, gone: int) -> Iterator[str]:
    if gone:
        yield f"Topics deleted while it was made: {gone:,}. Their rankings are not stored."
    for name, count in same.items():
        if topics and count == topics:
            yield f"It ranks every topic exactly like the run {name}, so its results will be the same."


@transaction.atomic
def _store(job: RunMaking, facts: dict[str, Any], spool: IO[str], there: Sequence[set[int | None]]) -> None:
    """Store the run with its rankings, in place of one that the same recipe made before."""
    lock_names(job.collection_id)
    check_new_name(job.collection, job.name, job.recipe_hash)
    run = RetrievalRun.objects.filter(collection=job.collection, name=job.name).first()
    run = run or RetrievalRun(collection=job.collection, name=job.name)
    run.created_at, run.parameters = timezone.now(), facts
    run.save()
    run.rankings.all().delete()
    run.part_rankings.all().delete()
    spool.seek(0)
    rows = (row for row in map(json.loads, spool) if _is_there(row, there))
    while block := list(islice(rows, BATCH)):
        whole, parts = [], []
        for topic, sub_query, aspect, docnos, scores in block:
            ranking = {"run": run, "docnos": docnos, "scores": scores}
            if sub_query or aspect:
                parts.append(PartRanking(sub_query_id=sub_query, aspect_id=aspect, **ranking))
            else:
                whole.append(Ranking(topic_id=topic, **ranking))
        Ranking.objects.bulk_create(whole)
        PartRanking.objects.bulk_create(parts)
    job.run = run
    job.save(update_fields=["run"])
    record_event(
        by=job.requested_by,
        at=run.created_at,
        verb="make_run",
        target=run,
        scope=job.collection,
        name=run.name,
        **{key: facts[key] for key in ("recipe", "recipe_hash", "topics", "lines", "seconds", "cost")},
    )
