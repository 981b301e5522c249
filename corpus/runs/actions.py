"""Requests to make runs here, and descriptions of runs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.models import Collection, RetrievalRun, RunMaking
from corpus.runs.recipes.queries import queries_of, topic_sets
from corpus.runs.recipes.recipe import Recipe, recipe_hash
from corpus.runs.recipes.registry import RECIPES
from corpus.runs.rules import check_new_name, lock_names


def recipe_named(name: str) -> Recipe:
    """The recipe of this name. Errors: Refused, with the names of all recipes."""
    if name not in RECIPES:
        raise Refused(f"There is no recipe “{name[:60]}”. There are {', '.join(RECIPES)}.")
    return RECIPES[name]


@transaction.atomic
def request_run(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    name: str,
    recipe: Recipe,
    options: Mapping[str, Any],
    send: bool = True,
) -> RunMaking:
    """Request a run of this name by a recipe; `options` are its settings that differ from the defaults.

    `send=False` leaves the work to the caller. Errors: Refused for settings, names and recipes that cannot be used
    here, Conflict for a name that is taken and while a run of the name is being made.
    """
    check_manager(collection, by)
    lock_names(collection.pk)
    values = recipe.values(collection, options)
    digest = recipe_hash(recipe.name, values)
    check_new_name(collection, name, digest)
    if not collection.documents.exists():
        raise Refused("The collection has no documents to rank. Import documents first.")
    if not queries_of(collection, values["topics"]):
        raise Refused(f"The collection has nothing of this sort to rank for: {topic_sets()[values['topics']].label}.")
    if recipe.check is not None:
        recipe.check(collection, values)
    if collection.run_makings.filter(name=name).exclude(state__in=FINAL_STATES).exists():
        raise Conflict(f"The run {name} is being made already. Wait for it, or cancel it first.")
    kept = recipe.keep(collection, values, by, at) if recipe.keep else {}
    parameters = {"recipe": recipe.name, "settings": values, **kept}
    fields = {"collection": collection, "name": name, "recipe_hash": digest, "parameters": parameters}
    job = jobs.new_job(RunMaking, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="request_run", target=job, scope=collection, name=name, **parameters)
    return job


@transaction.atomic
def describe_run(*, by: User, at: datetime, run: RetrievalRun, description: str) -> None:
    """Describe the system that made the run."""
    check_manager(run.collection, by)
    if run.description == description:
        return
    run.description = description
    run.save(update_fields=["description"])
    record_event(by=by, at=at, verb="describe_run", target=run, scope=run.collection, description=description)
