"""Asking for an evaluation; deleting imported qrels."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from adjudication.evaluation.golds.registry import check_gold, settled_gold
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.reads.evaluation import TOPICS, UNJUDGED, EvaluationSpec
from adjudication.evaluation.reads.rankings import find_runs
from adjudication.evaluation.rules import check_can_see, check_not_sealed_labels
from adjudication.labels.rules import check_adjudicator, fetch_role
from adjudication.models import Evaluation, ImportedQrels
from annotation.campaigns.rules.settings import check_within
from annotation.definitions.settings import RESAMPLES, SEED
from corpus.collections.rules import check_manager
from corpus.models import Collection


@transaction.atomic
def request_evaluation(*, collection: Collection, spec: EvaluationSpec, by: User, at: datetime) -> Evaluation:
    """Have the runs measured by a background job. What is wrong with the words is refused now.

    Errors: NotAllowed for who may not see the gold's labels, Refused for what is unknown or does not go together.
    """
    check_adjudicator(collection, by)
    check_words(collection, spec)
    check_can_see(fetch_role(collection, by), spec)
    spec = _settled(collection, spec)
    job = jobs.new_job(Evaluation, by=by, at=at, collection=collection, seed=spec.seed, parameters=spec.as_json())
    words = {"gold": spec.gold, "runs": list(spec.runs), "preset": spec.preset}
    record_event(by=by, at=at, verb="request_evaluation", target=job, scope=collection, **words)
    return job


def _settled(collection: Collection, spec: EvaluationSpec) -> EvaluationSpec:
    """The same evaluation in words that mean the same campaigns for good: who may see it is asked of them later."""
    parts = find_preset(spec.preset).parts if spec.preset else ()
    gold = spec.gold or (parts[0].gold if len(parts) == 1 else "")
    golds = [each and settled_gold(collection, each) for each in (gold, spec.against)]
    return replace(spec, gold=golds[0], against=golds[1])


def check_words(collection: Collection, spec: EvaluationSpec) -> None:
    """Errors: Refused where the words make no sense, before any work; NotAllowed for sealed labels."""
    check_within(RESAMPLES, spec.resamples)
    check_within(SEED, spec.seed)
    if not (spec.gold or spec.preset):
        raise Refused("Say against what the runs are measured: choose a gold or a preset.")
    for gold in spec.golds:
        check_gold(collection, gold)
    if not spec.preset or find_preset(spec.preset).parts:
        find_runs(collection, spec.runs)
    if spec.baseline and spec.baseline not in spec.runs:
        raise Refused(f"The baseline “{spec.baseline[:60]}” is not among the runs that are evaluated.")
    if spec.unjudged not in UNJUDGED or spec.topics not in TOPICS:
        raise Refused(f"“unjudged” is one of {', '.join(UNJUDGED)}; “topics” one of {', '.join(TOPICS)}.")
    spec.parsed()
    check_not_sealed_labels(collection, spec)


@transaction.atomic
def delete_qrels(*, qrels: ImportedQrels, by: User, at: datetime) -> None:
    """Delete imported qrels; evaluations that were made with them keep their figures. Errors: NotAllowed, Conflict."""
    check_manager(qrels.collection, by)
    record_event(by=by, at=at, verb="delete_qrels", target=qrels, scope=qrels.collection, name=qrels.name)
    qrels.delete()
