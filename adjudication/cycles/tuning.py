"""Machines tried on a dev set: how far people agree there, and how far each machine agrees with them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.db.models import Count, Q

from accounts.caches import volatile
from accounts.models import FINAL_STATES
from accounts.refusals import Refused
from adjudication.agreement.results import FigureText, as_row, show
from adjudication.cycles.cycles import People, criterion_in, people_of
from adjudication.labels.inputs import Inputs, labels_of, read_inputs
from annotation.machines.machines import RunCounts, count_replies
from annotation.models import AnnotatorKind, Campaign, Criterion, MachineRun, MachineSource
from engines.stats.report import Agreement, Options, measure_agreement
from engines.stats.results import CODE_VERSION
from engines.stats.statistics import statistic

TRIED = ("macro_f1", "accuracy", "spearman", "cohen_kappa")
DEV_RESAMPLES = 1000
CACHE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class Candidate:
    """A machine tried on the dev set: all its runs together. `key` names it in the form that freezes it."""

    key: str
    name: str
    source: str
    runs: list[MachineRun] = field(default_factory=list)
    annotators: int = 1
    counts: RunCounts = field(default_factory=RunCounts)
    figures: list[FigureText] = field(default_factory=list)
    is_running: bool = False

    @property
    def run(self) -> MachineRun | None:
        return self.runs[0] if self.runs else None


@dataclass(frozen=True)
class DevTable:
    """One dev set with what people agree on among themselves and how each machine agrees with them."""

    campaign: Campaign
    people: People
    columns: list[str]
    among_people: list[FigureText]
    candidates: list[Candidate]


def dev_table(campaign: Campaign, key: str) -> DevTable:
    """Agreement among people and of each machine with them on one dev set, over all labels that are there now."""
    criterion = criterion_in(campaign, key)
    agreement = _measure(campaign, criterion) if criterion else None
    machines = _candidates(campaign, key)
    measured = [replace(one, figures=_block(agreement, "GH", one.name)) for one in machines]
    columns = [statistic(name).label for name in TRIED]
    among_people = _block(agreement, "HH", None)
    return DevTable(campaign, people_of(campaign), columns, among_people, sorted(measured, key=_by_agreement))


def _by_agreement(candidate: Candidate) -> float:
    first = next((figure.number for figure in candidate.figures), None)
    return -first if first is not None else 1.0


def _measure(campaign: Campaign, criterion: Criterion) -> Agreement | None:
    """The figures over the labels of this moment; they are kept as long as the labels stay the same."""
    inputs = read_inputs(campaign)
    # Pickled: whenever its classes change, the key changes, so that nothing kept by an earlier version is read.
    key = f"dev-agreement:{CODE_VERSION}:{criterion.pk}:{campaign.seed}:{inputs.digest}"
    found: Agreement | None = volatile.get(key)
    if found is None and (found := _compute(campaign, criterion, inputs)) is not None:
        volatile.set(key, found, CACHE_SECONDS)
    return found


def _compute(campaign: Campaign, criterion: Criterion, inputs: Inputs) -> Agreement | None:
    matrix, labels = labels_of(criterion, inputs)
    if not matrix.annotators.size:
        return None
    options = Options(seed=campaign.seed, statistics=TRIED, resamples=DEV_RESAMPLES, pairs=False)
    return measure_agreement(labels, options)


def _block(agreement: Agreement | None, block: str, model: str | None) -> list[FigureText]:
    """The figures of one block in the order of TRIED; [] where there are none."""
    if agreement is None:
        return []
    found = []
    for name in TRIED:
        try:
            result = agreement.find(name, "block", block, **({"model": model} if model else {}))
        except KeyError:
            return []
        found.append(show(as_row(result)))
    return found


def _candidates(campaign: Campaign, key: str) -> list[Candidate]:
    """The machines of the campaign by what groups their runs: the recipe, or the name under which labels came."""
    runs = list(
        campaign.machine_runs.filter(criteria__key=key).select_related("annotator", "prompt").order_by("run_number")
    )
    counts_by_run = count_replies(runs, campaign.items.count(), key)
    groups: dict[str, list[MachineRun]] = {}
    for run in runs:
        groups.setdefault(run.recipe_hash, []).append(run)
    found = [candidate_of(digest, group, counts_by_run) for digest, group in groups.items()]
    return found + _imported(campaign, key)


def candidates_named(candidates: Sequence[Candidate], text: str) -> list[Candidate]:
    """The machines of this key or name; where there are none, those whose key or name begins so."""
    exact = [one for one in candidates if text in (one.key, one.name)]
    return exact or [one for one in candidates if text and (one.key.startswith(text) or one.name.startswith(text))]


def candidate_named(candidates: Sequence[Candidate], text: str) -> Candidate:
    """The one machine of this key, name or beginning. Errors: Refused where there is none or are several, naming them.

    Machines of one model have one name and keys that differ.
    """
    found = candidates_named(candidates, text)
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{one.name} ({one.key[:12] if one.runs else one.key})" for one in found or candidates)
    if found:
        raise Refused(f"“{text[:80]}” names several machines: {listed}. Give more of the key in brackets.")
    known = f" There is {listed}." if listed else ""
    raise Refused(f"Choose one of the machines that were tried on the dev set.{known}")


def _imported(campaign: Campaign, key: str) -> list[Candidate]:
    """Machines whose labels came by a file, with how many of their answers could not be parsed."""
    machines = campaign.annotators.filter(kind=AnnotatorKind.MACHINE, machine_run__isnull=True).order_by("name")
    n_unparsed = Count("unparsed_answers", filter=Q(unparsed_answers__criterion__key=key))
    groups: dict[str, list[int]] = {}
    for machine in machines.annotate(n_unparsed=n_unparsed):
        groups.setdefault(machine.model or machine.name, []).append(machine.n_unparsed)
    return [
        Candidate(
            f"imported:{name}",
            name,
            MachineSource.IMPORTED.value,
            annotators=len(counts),
            counts=RunCounts(invalid=sum(counts)),
        )
        for name, counts in groups.items()
    ]


def candidate_of(digest: str, runs: list[MachineRun], counts_by_run: dict[int, RunCounts]) -> Candidate:
    """The runs of one recipe as one line of the table, their counts added up; `digest` is the hash of the recipe."""
    counts = [counts_by_run[run.pk] for run in runs]
    summed = ("items", "answered", "invalid", "waiting", "errors")
    whole = RunCounts(**{name: sum(getattr(one, name) for one in counts) for name in summed})
    return Candidate(
        key=digest,
        name=runs[0].annotator.model,
        source=runs[0].kind,
        runs=runs,
        annotators=len(runs),
        counts=whole,
        is_running=any(run.state not in FINAL_STATES for run in runs),
    )
