"""What an evaluation does as a job: the report with its table and the scores by topic are stored at once."""

from collections.abc import Mapping

from django.db import transaction

from accounts.job_kinds import Progress
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.presets.reports import make_report
from adjudication.evaluation.presets.standing import inputs_of
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.rules import check_not_sealed_labels
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.writers import figures_csv
from adjudication.models import Evaluation, EvaluationScores
from engines.stats.results import finite


def measure_runs(job: Evaluation, progress: Progress, files: Mapping[str, Grades] | None = None) -> None:
    """`files` are qrels of the command line, by the name their gold calls them."""
    if job.results:
        return  # it ended after its results were stored
    spec = EvaluationSpec.from_json(job.parameters)
    check_not_sealed_labels(job.collection, spec)
    inputs = inputs_of(job.collection, spec, files or ())  # first: what changes meanwhile makes it stale at once
    report = make_report(job.collection, spec, files=files, progress=progress.report)
    results = {"inputs": inputs, **report.results(), "figures": figures_csv(report.parts)}
    scores = [row for part, each in enumerate(report.parts) for row in _score_rows(job, part, each)]
    with transaction.atomic():
        job.scores.all().delete()
        EvaluationScores.objects.bulk_create(scores, batch_size=10)
        job.results = results
        job.save(update_fields=["results"])


def _score_rows(job: Evaluation, part: int, done: EvaluationResult) -> list[EvaluationScores]:
    return [
        EvaluationScores(
            evaluation=job,
            part=part,
            run=run,
            topics=list(scores.topics),
            measures=list(done.measures),
            values=[finite(value) for value in scores.values.ravel()],
        )
        for run, scores in done.scores.items()
    ]
