"""Making a run by a recipe, and what came of it."""

import json
from collections.abc import Sequence
from typing import Any

from accounts import jobs
from corpus.models import Collection, RetrievalRun, RunMaking
from corpus.runs.runs import recipe_named, request_run
from tests.factories.accounts import AT
from tests.stubs.chat import Call, Garbage, Step


def made(collection: Collection, name: str, recipe: str, **asked: Any) -> RunMaking:
    job = request_run(
        by=None, at=AT, collection=collection, name=name, recipe=recipe_named(recipe), options=asked, send=False
    )
    jobs.carry_out(job)
    job.refresh_from_db()
    return job


def vectors(call: Call, vector: list[float]) -> Step:
    rows = [{"index": place, "embedding": vector} for place, _ in enumerate(call.body["input"])]
    return Garbage(json.dumps({"data": rows}).encode(), "application/json")


def docnos(name: str, topic: str = "1") -> Sequence[str]:
    found: list[str] = RetrievalRun.objects.get(name=name).rankings.get(topic__number=topic).docnos
    return found
