"""The test of a frozen machine: its runs on the test set, the table of DORIS-MAE's Table 1, and what it shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from accounts.models import FINAL_STATES, JobState
from adjudication.agreement.results import Difference, FigureText, comparisons, show
from adjudication.agreement.standing import fetch_standing
from adjudication.cycles.cycles import People, people_of
from adjudication.cycles.tuning import candidate_of
from adjudication.labels.counts import newest_count
from adjudication.labels.inputs import campaign_seed
from adjudication.labels.staleness import Standing
from adjudication.models import AgreementRun, VoteRun
from annotation.machines.machines import RunCounts, count_replies
from annotation.models import (
    AnnoCycle,
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    MachineRun,
    MachineSource,
    UnparsedAnswer,
)
from engines.stats.statistics import TABLE_ONE, statistic

ALPHA = 0.05
TEST_RESAMPLES = 10_000


@dataclass(frozen=True)
class ResultRow:
    """One line of the table of the test (DORIS-MAE, Table 1), with the difference and what it shows."""

    test: Difference
    people: FigureText | None
    machine: FigureText | None
    verdict: FigureText | None
    p_cycles: str
    outcome: str
    is_equivalent: bool

    @property
    def label(self) -> str:
        return self.test.label


@dataclass(frozen=True)
class Trial:
    """Where the test stands: runs of the frozen machine on the test set, the figures and whether they are of today."""

    people: People
    machine: str  # the frozen machine's name among the annotators of the test set, "" before it has run there
    runs: list[MachineRun]
    counts: RunCounts
    n_runs: int  # runs that have labels, imported ones included
    standing: Standing[AgreementRun]
    votes: VoteRun | None
    rows: list[ResultRow]

    @property
    def are_running(self) -> bool:
        return any(run.state not in FINAL_STATES for run in self.runs)

    @property
    def agreement(self) -> AgreementRun | None:
        return self.standing.run

    @property
    def job(self) -> AgreementRun | None:
        return self.standing.job

    @property
    def is_computing(self) -> bool:
        return self.job is not None and self.job.state not in FINAL_STATES

    @property
    def is_current(self) -> bool:
        return self.agreement is not None and not self.since and bool(self.rows)

    @property
    def is_passed(self) -> bool:
        """Every figure of the test is equivalent within the cycle's margin; an undefined one is not."""
        return bool(self.rows) and all(row.is_equivalent for row in self.rows)

    @property
    def since(self) -> str:
        """What came after the figures, in words."""
        return self.standing.since


def fetch_trial(cycle: AnnoCycle, tests: int) -> Trial | None:
    """None before a test set is chosen and a machine frozen. `tests`: of this criterion so far, this one included."""
    if cycle.test is None or not cycle.is_frozen:
        return None
    runs = frozen_runs(cycle, cycle.test)
    counts_by_run = count_replies(runs, cycle.test.items.count(), cycle.criterion)
    name = runs[0].annotator.model if runs else ""
    n_runs, counts = len(runs), candidate_of(cycle.frozen_hash, runs, counts_by_run).counts if runs else RunCounts()
    if cycle.frozen_source == MachineSource.IMPORTED:
        name, n_runs, counts = _imported(cycle)
    standing = fetch_standing(cycle.test, _as_fixed(cycle, cycle.test))
    return Trial(
        people=people_of(cycle.test),
        machine=name,
        runs=runs,
        counts=counts,
        n_runs=n_runs,
        standing=standing,
        votes=newest_count(cycle.test.pk),
        rows=_result_rows(standing, cycle, name, tests) if name else [],
    )


def _as_fixed(cycle: AnnoCycle, test: Campaign) -> Q:
    """Figures asked for after the freeze, by the margin of the cycle, the campaign's own seed and the usual settings.

    Others of the same labels are no test: one could choose among them until one pleases.
    """
    usual = Q(parameters__resamples=TEST_RESAMPLES, parameters__interval="auto", parameters__cluster="auto")
    return usual & Q(
        requested_at__gte=cycle.frozen_at, parameters__margin=cycle.margin, seed=campaign_seed(test, "agreement")
    )


def frozen_runs(cycle: AnnoCycle, campaign: Campaign) -> list[MachineRun]:
    """Runs of the frozen recipe over the campaign."""
    runs = MachineRun.objects.filter(campaign=campaign, recipe_hash=cycle.frozen_hash, criteria__key=cycle.criterion)
    return list(runs.select_related("annotator", "campaign").order_by("run_number"))


def _imported(cycle: AnnoCycle) -> tuple[str, int, RunCounts]:
    """The frozen machine's name ("" before its labels came), its runs that came, their labels and unparsed answers."""
    machines = Annotator.objects.filter(campaign=cycle.test, kind=AnnotatorKind.MACHINE).filter(
        Q(model=cycle.frozen_name) | Q(model="", name=cycle.frozen_name)
    )
    given = Assignment.objects.filter(annotator__in=machines, state=AssignmentState.DONE)
    runs, unparsed = given.values("annotator").distinct().count(), UnparsedAnswer.objects.filter(annotator__in=machines)
    return (cycle.frozen_name if runs else "", runs, RunCounts(answered=given.count(), invalid=unparsed.count()))


def _result_rows(standing: Standing[AgreementRun], cycle: AnnoCycle, machine: str, tests: int) -> list[ResultRow]:
    if (run := standing.run) is None:
        return []
    detail = run.detail.get(cycle.criterion, {})
    found = {(one["statistic"], one["model"]): one for one in detail.get("comparisons", ())}
    tests_by_name = {(one.statistic, one.model): one for one in comparisons(run, cycle.criterion)} if detail else {}
    blocks = run.results.filter(criterion=cycle.criterion, scope="block", statistic__in=TABLE_ONE)
    shown = {(row.statistic, row.block, row.model): show(row) for row in blocks}
    rows = []
    for name in TABLE_ONE:
        compared = found.get((name, machine))
        if compared is None:
            continue
        p = compared["difference"]["p"]
        rows.append(
            ResultRow(
                test=tests_by_name[name, machine],
                people=shown.get((name, "HH", "")),
                machine=shown.get((name, "GH", machine)),
                verdict=None if standing.changed else shown.get((name, "GA", machine)),
                p_cycles="" if p is None else f"{min(1.0, p * tests):.3f}",
                outcome=_outcome(compared),
                is_equivalent=compared["equivalent"] is True,
            )
        )
    return rows


def _outcome(compared: dict[str, Any]) -> str:
    """What one line of the test says, in words that claim no more than it shows."""
    difference, margin = compared["difference"], compared["margin"]
    if difference["value"] is None or difference["ci"] is None:
        return "nothing can be said"
    if compared["equivalent"]:
        return f"equivalent within ±{statistic(compared['statistic']).difference_text(margin)}"
    p = compared["p_holm"] if compared["p_holm"] is not None else difference["p"]
    if p is not None and p < ALPHA:
        return "the machine agrees less" if difference["value"] > 0 else "the machine agrees more"
    if compared["non_inferior"]:
        return f"not worse by {statistic(compared['statistic']).difference_text(margin)} or more"
    return "no difference shown, and no equivalence either"


def decided_on(cycle: AnnoCycle) -> AgreementRun | None:
    """The figures that the cycle was decided on, as far as they are stored: its `evidence` is a copy of them."""
    if cycle.test is None or not cycle.evidence:
        return None
    runs = AgreementRun.objects.filter(_as_fixed(cycle, cycle.test), campaign=cycle.test, state=JobState.DONE)
    return runs.filter(finished_at__lte=cycle.decided_at).order_by("-pk").first()


def evidence_of(rows: Sequence[ResultRow]) -> list[dict[str, Any]]:
    """The table as it is kept with the decision."""
    return [
        {
            "label": row.label,
            "people": row.people.value if row.people else "",
            "machine": row.machine.value if row.machine else "",
            "verdict": row.verdict.value if row.verdict else "",
            "difference": row.test.value,
            "low": row.test.low,
            "high": row.test.high,
            "p": row.test.p,
            "p_holm": row.test.p_holm,
            "p_cycles": row.p_cycles,
            "outcome": row.outcome,
            "n_items": row.test.n_items,
        }
        for row in rows
    ]
