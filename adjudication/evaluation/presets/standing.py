"""Whether the figures of a stored evaluation are of today: all that it was measured from is read again and compared.

Hashes are stored with the figures, one for each thing, so that what has changed can be named. Nothing is measured.
They are made of what is stored, never of sentences about it, which another version may word in another way.
"""

import hashlib
import json
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from accounts.refusals import Reason, Refused
from accounts.snapshots import snapshot
from adjudication.evaluation.golds.kind import NO_GOLD, LoadedGold
from adjudication.evaluation.golds.registry import parse_selector, read_gold
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.rankings import find_runs, pool_sources, pools_of
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.subsets import attributes_of
from adjudication.models import Evaluation
from corpus.models import Collection

INPUTS = {
    "gold": "the gold",
    "facts": "the remarks on the gold",  # what was left out, and votes that were counted before newer labels
    "runs": "the runs",
    "subsets": "the attributes of topics",
    "pools": "the pools",
}
OTHER = "what the table is about"
OF_WORDS = "remarks"  # as development versions hashed the words of remarks: they say nothing of what has changed
NOT_AGAIN = "This evaluation’s figures can be read as they were measured, but not measured again."
CHOOSE_AGAIN = "Choose gold and runs again"
UNKNOWN = "Measured by an earlier version of Litmus. What has changed since is not known."


def inputs_of(collection: Collection, spec: EvaluationSpec, files: Container[str] = ()) -> dict[str, str]:
    """{what: SHA-256} of all that the evaluation is made of at this moment. A gold that one of `files` holds cannot be
    read again, so nothing is said of it. Errors: Refused where it could not be measured either."""
    with snapshot():
        preset = find_preset(spec.preset) if spec.preset else None
        specs = preset.specs(collection, spec) if preset else [spec]
        if preset and not preset.measures_runs:
            return {"other": _hash(preset.inputs(collection, specs))}
        found = {"runs": _hash([_stamp(run) for run in find_runs(collection, spec.runs)])}
        named = [gold for each in specs for gold in each.golds]
        if any(parse_selector(gold).name in files for gold in named):
            return found
        golds = {gold: read_gold(collection, gold) for gold in dict.fromkeys(named)}
        found["gold"] = _hash([_judgments(gold) for gold in golds.values()])
        found["facts"] = _hash([gold.facts for gold in golds.values()])
        subsets = [_attributes(collection, golds[each.gold], each.by) for each in specs if each.by]
        pools = [_pools(collection, golds[each.gold], each) for each in specs if each.random or each.sensitivity]
        return found | ({"subsets": _hash(subsets)} if subsets else {}) | ({"pools": _hash(pools)} if pools else {})


def why_stale(job: Evaluation) -> str:
    """A sentence that says what has changed since the evaluation was measured; "" where its figures are of today.

    It is a `Reason` where the same cannot be measured again now, with the page where something else is chosen.
    """
    if not job.results:
        return ""
    known = job.results.get("inputs")
    spec = EvaluationSpec.from_json(job.parameters)
    is_of_file = known is not None and not known.keys() & {"gold", "other"}
    files = [parse_selector(gold).name for gold in spec.golds] if is_of_file else []
    try:
        now = inputs_of(job.collection, spec, files)
    except Refused as refusal:
        causes = _causes(job.collection, spec, files) or [_without_heading(refusal)]
        return Reason(" ".join([NOT_AGAIN, *causes]), CHOOSE_AGAIN, "evaluation_create", job.collection.slug)
    if known is None:
        return UNKNOWN
    changed = [INPUTS.get(name, OTHER) for name in known if name != OF_WORDS and known[name] != now.get(name)]
    return f"Measured before {' and '.join(changed)} changed." if changed else ""


def _causes(collection: Collection, spec: EvaluationSpec, files: Container[str]) -> list[str]:
    """Everything that is in the way of measuring the same again: runs that are gone, golds that cannot be read.

    Of golds that one of `files` held nothing is said.
    """
    try:
        preset = find_preset(spec.preset) if spec.preset else None
        specs = preset.specs(collection, spec) if preset else [spec]
    except Refused as refusal:
        return [_without_heading(refusal)]
    there = set(collection.retrieval_runs.filter(name__in=spec.runs).values_list("name", flat=True))
    gone = [f"“{name}”" for name in dict.fromkeys(spec.runs) if name not in there]
    named = dict.fromkeys(gold for each in specs for gold in each.golds if parse_selector(gold).name not in files)
    reasons = dict.fromkeys(reason for gold in named if (reason := _why_unreadable(collection, gold)))
    runs, are = ("runs", "are") if len(gone) > 1 else ("run", "is")
    said = [f"The {runs} {', '.join(gone)} {are} no longer there."] if gone else []
    return said + [f"The gold cannot be read now: {reason}" for reason in reasons]


def _why_unreadable(collection: Collection, gold: str) -> str:
    try:
        read_gold(collection, gold)
    except Refused as refusal:
        return _without_heading(refusal)
    return ""


def _without_heading(refusal: Refused) -> str:
    return refusal.reason.removeprefix(NO_GOLD).strip()


def _stamp(run: Any) -> list[Any]:
    """Changes whenever other rankings are stored under the run's name."""
    return [run.pk, run.name, run.created_at.isoformat(), run.parameters]


def _judgments(found: LoadedGold) -> list[Any]:
    """Every judgment of the gold, topic by topic."""
    gold = found.gold
    docnos = [docno for places in gold.places for docno in places]
    numbers = [np.ascontiguousarray(each).tobytes().hex() for each in (gold.topic, gold.gain, gold.level)]
    return [gold.topics, docnos, numbers, gold.relevance, found.unit]


def _attributes(collection: Collection, found: LoadedGold, by: Sequence[str]) -> Any:
    return attributes_of(collection, found.unit, found.gold.topics, by)


def _pools(collection: Collection, found: LoadedGold, spec: EvaluationSpec) -> list[Any]:
    parts: list[Any] = [pools_of(collection, found.unit)] if spec.random else []
    if spec.sensitivity:
        alone, depth = pool_sources(found, collection)
        parts += [{name: np.flatnonzero(mask).tolist() for name, mask in alone.items()}, depth.tolist()]
    return parts


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
