"""A cycle as commands and the API give it: what is fixed, how machines do on its dev sets, where its test stands."""

from typing import Any

from django.db.models import QuerySet

from accounts.refusals import Refused
from adjudication.cycles.cycles import count_tests, dev_sets
from adjudication.cycles.trials import Trial, evidence_of, fetch_trial
from adjudication.cycles.tuning import dev_table
from annotation.models import AnnoCycle
from corpus.collections.collections import collection_with
from corpus.models import Collection


def cycles_with_names(collection: Collection) -> QuerySet[AnnoCycle]:
    """The collection's cycles with what names them. Their campaigns come with their collection."""
    named = ("collection", "dev__collection", "test__collection", "frozen_prompt", "created_by")
    return AnnoCycle.objects.filter(collection=collection).select_related(*named, "frozen_by", "decided_by")


def cycle_with(slug: str, number: int) -> AnnoCycle:
    """The collection's cycle of this number. Errors: Refused where there is none."""
    found = cycles_with_names(collection_with(slug)).filter(number=number).first()
    if found is None:
        raise Refused(f"There is no cycle {number} in {slug}.")
    return found


def cycle_as_json(cycle: AnnoCycle) -> dict[str, Any]:
    """What is fixed. `margin` is a share; `machine`, `outcome` and the rest are null until there is one."""
    prompt = cycle.frozen_prompt
    return {
        "number": cycle.number,
        "criterion": cycle.criterion,
        "margin": cycle.margin,
        "runs": cycle.runs,
        "dev": cycle.dev.slug,
        "test": cycle.test.slug if cycle.test else None,
        "seen_before": cycle.seen_before,
        "created_at": cycle.created_at,
        "machine": cycle.frozen_name or None,
        "machine_source": cycle.frozen_source or None,
        "prompt": f"{prompt.name}@{prompt.version}" if prompt else None,
        "sha256": cycle.frozen_hash or None,
        "frozen_at": cycle.frozen_at,
        "outcome": cycle.outcome or None,
        "reason": cycle.reason or None,
        "is_override": cycle.is_override,
        "decided_at": cycle.decided_at,
    }


def cycle_details(cycle: AnnoCycle) -> dict[str, Any]:
    """`cycle_as_json` with the tables of its dev sets (as `DevTable`) and its test, None before there is one."""
    tests = count_tests(cycle)
    trial = fetch_trial(cycle, tests)
    return {
        **cycle_as_json(cycle),
        "tests_of_criterion": tests,
        "dev_sets": [dev_table(campaign, cycle.criterion) for campaign in dev_sets(cycle)],
        "trial": _trial(trial) if trial else None,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    equal = [row.is_equivalent for row in trial.rows]
    rows = [{**row, "equivalent": flag} for row, flag in zip(evidence_of(trial.rows), equal, strict=True)]
    return {
        "machine": trial.machine or None,
        "runs": trial.n_runs,
        "is_running": trial.are_running,
        "is_computing": trial.is_computing,
        "is_current": trial.is_current,
        "is_passed": trial.is_passed,
        "rows": rows,
    }
