"""Agreement of a campaign: one pass over the labels, then every figure with its interval, criterion by criterion.

Each criterion's figures are stored at once with the tables the pages draw. A run that is taken up again after a crash
keeps the criteria it had finished if everything they came from is still the same (labels, verdicts, topics, scales,
annotators, code and libraries), and otherwise begins again; either way the same inputs and seed give the same figures.
"""

import time
from typing import Any

import numpy as np
import scipy
from django.conf import settings
from django.db import transaction

from accounts import jobs
from adjudication.agreement.results import as_row
from adjudication.agreement.tables import confusion_tables, self_consistency, topic_tables
from adjudication.labels.inputs import Inputs, await_verdicts, labels_of, read_inputs
from adjudication.labels.labels import IntArray, LabelMatrix, newest_submission, scale_of
from adjudication.models import AgreementResult, AgreementRun
from annotation.assignment.ordering import judged_sample
from annotation.models import Campaign, Criterion
from engines.stats.labels import Labels
from engines.stats.report import Agreement, Options, measure_agreement
from engines.stats.results import CODE_VERSION, to_jsonable
from engines.stats.statistics import statistics_for


def compute_agreement(run: AgreementRun, progress: jobs.Progress) -> None:
    """Read the labels, measure each criterion that is not finished yet, and store its figures as they come."""
    started = time.monotonic()
    progress.report(0, 0, "reading the labels")
    snapshot = newest_submission()
    run.verdicts_at = await_verdicts(run.campaign)
    inputs = read_inputs(run.campaign)
    _begin(run, inputs, snapshot)
    criteria = list(run.campaign.criteria.prefetch_related("levels"))
    try:
        for place, criterion in enumerate(criteria):
            if criterion.key not in run.detail:
                _measure(run, criterion, inputs, progress, (place, len(criteria)))
    except jobs.Cancelled:
        _forget(run)
        raise
    run.seconds = round(time.monotonic() - started, 3)
    run.save(update_fields=["seconds"])


def _begin(run: AgreementRun, inputs: Inputs, snapshot: int) -> None:
    """Note what is computed from, and by what. Figures of an earlier attempt stay only if both are still the same."""
    versions = library_versions()
    with transaction.atomic():
        before = (run.inputs_hash, run.verdicts_hash, run.library_versions)
        if before != (inputs.digest, inputs.verdicts_digest, versions):
            _forget(run)
        run.snapshot, run.inputs_hash, run.verdicts_hash = snapshot, inputs.digest, inputs.verdicts_digest
        run.n_judgments = inputs.table.n_labels
        run.library_versions = versions
        hashes = ["inputs_hash", "verdicts_hash"]
        run.save(update_fields=["snapshot", "verdicts_at", *hashes, "n_judgments", "library_versions", "detail"])


def library_versions() -> dict[str, str]:
    """Whatever may change a figure although its inputs are the same; `litmus` is the build that computed."""
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "statistics": CODE_VERSION,
        "litmus": settings.CODE_VERSION,
    }


def _forget(run: AgreementRun) -> None:
    """Drop what an attempt has stored: it was cancelled, or what it came from is no longer what counts."""
    run.results.all().delete()
    run.detail = {}
    run.save(update_fields=["detail"])


def _measure(
    run: AgreementRun, criterion: Criterion, inputs: Inputs, progress: jobs.Progress, place: tuple[int, int]
) -> None:
    """Measure one criterion and store it whole. `place` is (index, number of criteria), for the progress bar."""
    matrix, labels = labels_of(criterion, inputs)
    index, count = place

    def report(done: int, expected: int) -> None:
        progress.report(index * expected + done, count * expected, f"computing {criterion.label}")

    agreement = (
        measure_agreement(labels, options_of(run, criterion), progress=report) if matrix.annotators.size else None
    )
    detail = _detail(criterion, matrix, labels, agreement, inputs)
    with transaction.atomic():
        run.results.filter(criterion=criterion.key).delete()
        if agreement is not None:
            rows = [as_row(result, run=run, criterion=criterion.key) for result in agreement.results]
            AgreementResult.objects.bulk_create(rows)
        run.detail = {**run.detail, criterion.key: detail}
        run.save(update_fields=["detail"])


def options_of(run: AgreementRun, criterion: Criterion) -> Options:
    """The run's parameters as the statistics take them; the seed is always the stored one.

    A nominal scale has no distances and no ranks, so it gets only what needs none.
    """
    given = run.parameters
    return Options(
        seed=run.seed or 0,
        statistics=statistics_for(criterion.scale),
        resamples=given.get("resamples", 10_000),
        level=given.get("level", 0.95),
        interval=given.get("interval", "auto"),
        unit=given.get("cluster", "auto"),
        margin=given.get("margin"),
    )


def _detail(
    criterion: Criterion, matrix: LabelMatrix, labels: Labels, agreement: Agreement | None, inputs: Inputs
) -> dict[str, Any]:
    """What pages draw next to the figures; JSON-safe, small whatever the number of items."""
    how: dict[str, Any] = {}
    if agreement is not None:
        names = ("n_items", "n_topics", "unit", "resamples", "level")
        how = {name: to_jsonable(getattr(agreement, name)) for name in names}
        how["comparisons"] = [comparison.to_json() for comparison in agreement.comparisons]
    return {
        "scale": [[level.value, level.label] for level in sorted(criterion.levels.all(), key=lambda one: one.value)],
        "annotators": _columns(matrix, inputs),
        "voters": matrix.annotators[list(labels.voting)].tolist(),
        "has_verdicts": labels.adjudicated is not None,
        "tables": confusion_tables(labels),
        "sample": judged_sample(criterion.campaign).sentence,
        "repeats": self_consistency(matrix, inputs.repeats.of_criterion(criterion.pk), scale_of(criterion)),
        **topic_tables(
            labels, _topic_numbers(criterion.campaign, inputs.topics_of(matrix.items)), statistics_for(criterion.scale)
        ),
        **how,
    }


def _columns(matrix: LabelMatrix, inputs: Inputs) -> list[dict[str, Any]]:
    counts = (matrix.positions >= 0).sum(axis=0).tolist()
    people = [inputs.people[pk] for pk in matrix.annotators.tolist()]
    return [
        {
            "id": one["pk"],
            "name": one["name"],
            "kind": one["kind"],
            "model": one["model"],
            "run": one["run_number"],
            "n_items": count,
        }
        for one, count in zip(people, counts, strict=True)
    ]


def _topic_numbers(campaign: Campaign, topics: IntArray) -> list[tuple[int, str]]:
    """(topic id, number) of these topics, each once, rising by id: the order of the labels' topic index."""
    ids = np.unique(topics).tolist()
    numbers = dict(campaign.collection.topics.filter(pk__in=ids).values_list("pk", "number"))
    return [(pk, numbers.get(pk, "")) for pk in ids]
