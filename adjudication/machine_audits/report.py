"""What an audit shows by now: what people would have said of all items, from the sample and the machine's labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.counting import counted
from accounts.sql import execute
from adjudication.labels.inputs import campaign_seed
from adjudication.labels.labels import read_topics, scale_of
from adjudication.machine_audits.reading import read_people
from adjudication.machine_audits.strata import TAKEN, unpack_frame
from adjudication.models import MachineAudit
from annotation.models import Assignment, AssignmentState, Judgment, Scale, Strategy
from corpus.models import Topic
from engines.stats.audits.planning import assumed_spread, plan, spread_of
from engines.stats.audits.report import AuditReport, audit
from engines.stats.audits.sample import Population, Sample
from engines.stats.audits.targets import Ranks, linear_measure, share_of_levels
from engines.stats.bootstrap import make_rng
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, IntArray

# The first documents of runs with their ranks and items; without an item, null.
RANKED = """
SELECT r.name, i.id, top.rank FROM corpus_retrievalrun r
JOIN corpus_ranking k ON k.run_id = r.id AND k.topic_id = ANY(%(topics)s)
CROSS JOIN LATERAL unnest(k.docnos[1:%(depth)s]) WITH ORDINALITY top(docno, rank)
LEFT JOIN corpus_document d ON d.collection_id = r.collection_id AND d.docno = top.docno
LEFT JOIN annotation_item i ON i.campaign_id = %(campaign)s AND i.topic_id = k.topic_id AND i.document_id = d.id
WHERE r.collection_id = %(collection)s AND r.name = ANY(%(runs)s)
"""
USUAL_DEPTH = 10
MOST_RUNS = 12  # measured where nobody chooses
ERRORS = 0.2  # share of wrong labels that a plan assumes before anybody has judged

SUMMED = (
    "Topics are judged aspect by aspect, and a document gains the sum of its grades. P@k and nDCG@k do not add up over"
    " such items, so they are not estimated."
)
APPROXIMATE = "nDCG is approximate, because nobody knows the best possible ranking."
UNLABELLED = "{:,} documents among the first {} of these runs have no label of the machine: they count as not relevant."


@dataclass(frozen=True)
class SampleProgress:
    """How far people are with the sample: `undecided` items are tied, `given_up` ones skipped or returned by all."""

    drawn: int
    judged: int
    waiting: int
    undecided: int
    given_up: int
    taken: int  # further items, which people had labelled when the sample was drawn
    lost: int  # those of them that have no label of people any longer
    later: int  # further items, which people have labelled since
    changed: int  # drawn items that the machine has labelled differently since
    in_turn: bool = False  # whether the judged ones come question after question, not in random order

    @property
    def is_whole(self) -> bool:
        return self.judged == self.drawn

    @property
    def notes(self) -> list[str]:
        """What must be known of the figures."""
        found = [f"{self.judged:,} of the {self.drawn:,} drawn items are judged."]
        missing = (
            ("Waiting for people", self.waiting),
            ("Without a value, because people differ and nobody has decided", self.undecided),
            ("Skipped or returned", self.given_up),
        )
        found += [f"{why}: {counted(n, 'item')}." for why, n in missing if n]
        if self.judged and not self.is_whole:
            found.append(
                "Figures are of the judged ones, taken as a random part of each stratum. That is wrong as far as the"
                " missing ones are harder, or come later for a reason that has to do with their grade."
                + " Here people judge one question after another. Until all are judged, intervals may be too narrow or"
                " off." * self.in_turn
            )
        if self.taken:
            found.append(
                f"People had labelled {counted(self.taken, 'further item')} before the sample was drawn. What they say"
                " of these counts as it is: nothing is estimated there."
            )
        if self.lost:
            found.append(f"{self.lost:,} of these labels no longer count. The others stand for them.")
        if self.later:
            found.append(
                f"People have labelled {counted(self.later, 'further item')} since. No figure uses these labels: nobody"
                " knows with which probability these items were chosen."
            )
        if self.changed:
            found.append(
                f"The machine's label of {counted(self.changed, 'drawn item')} has changed since. Figures are of what"
                " it said when the sample was drawn."
            )
        return found


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the figures are made from."""

    audit: MachineAudit
    items: IntArray
    taken: BoolArray
    population: Population
    sample: Sample
    standing: SampleProgress


@dataclass(frozen=True, eq=False)
class Findings:
    """The figures, what must be known of them, and when the labels were read."""

    evidence: Evidence
    report: AuditReport
    notes: tuple[str, ...]
    counted_at: datetime
    needed: int | None = None  # items to judge for a wished half-width


def read_evidence(one: MachineAudit) -> Evidence:
    """The labels as they are now, against the frame that the sample was drawn from."""
    items, values, stratum = unpack_frame(bytes(one.frame))
    scale = np.array(scale_of(one.criterion))
    known, said, tied = read_people(one.criterion)
    drawn = np.isin(items, list(one.sample.values_list("item", flat=True)))
    taken = stratum == TAKEN
    has_value = np.isin(items, known)
    pair = np.flatnonzero(has_value & (drawn | taken))
    human = np.searchsorted(scale, said[np.searchsorted(known, items[pair])])
    topics = np.unique(read_topics(one.campaign, items), return_inverse=True)[1]
    strata = np.where(taken, len(one.strata), stratum)
    levels = np.searchsorted(scale, values)
    levels[pair] = np.where(taken[pair], human, levels[pair])  # what is published of them
    population = Population(levels, topics, strata, scale.astype(np.float64))
    missing = items[drawn & ~has_value]
    undecided, waiting = len(np.intersect1d(missing, tied)), _count_waiting(np.setdiff1d(missing, tied))
    standing = SampleProgress(
        drawn=int(drawn.sum()),
        judged=int((drawn & has_value).sum()),
        waiting=waiting,
        undecided=undecided,
        given_up=len(missing) - undecided - waiting,
        taken=int(taken.sum()),
        lost=int((taken & ~has_value).sum()),
        later=int((has_value & ~drawn & ~taken).sum()),
        changed=one.sample.filter(~Exists(_said_now(one))).count(),
        in_turn=one.campaign.strategy != Strategy.QUEUE,
    )
    return Evidence(one, items, taken, population, Sample(pair, human), standing)


def _said_now(one: MachineAudit) -> QuerySet[Judgment]:
    """The machine's label of the outer item of the sample, where it is still the one that was drawn."""
    counts = {"assignment__state": AssignmentState.DONE, "assignment__repeat": 0, "criterion": one.criterion_id}
    own = {"assignment__item": OuterRef("item"), "value": OuterRef("value")}
    return Judgment.objects.filter(**counts, **own, assignment__annotator=one.machine_id)


def _count_waiting(items: IntArray) -> int:
    states = [AssignmentState.OPEN, AssignmentState.PENDING]
    found = Assignment.objects.filter(item__in=items.tolist(), state__in=states, slot__isnull=False)
    return found.values("item").distinct().count()


def find(
    one: MachineAudit,
    runs: Sequence[str] = (),
    depth: int = USUAL_DEPTH,
    relevance: int | None = None,
    half_width: float | None = None,
) -> Findings:
    """The figures now, with P, DCG and nDCG at `depth` of the runs of these names (none: of the first MOST_RUNS).

    Documents from the grade `relevance` on are relevant (None: from the second level on). With `half_width`: how many
    items to judge, so that the interval of every grade's share reaches at most so far to each side.
    """
    evidence, values = read_evidence(one), scale_of(one.criterion)
    known = one.campaign.collection.retrieval_runs.order_by("name").values_list("name", flat=True)
    ranks, unlabelled = _read_ranks(evidence, runs or list(known[:MOST_RUNS]), depth)
    by_aspect = one.campaign.items.filter(aspect__isnull=False).exists()
    least = values[min(1, len(values) - 1)] if relevance is None else relevance
    measures = [linear_measure(f"{name}@{depth}", least) for name in (["DCG"] if by_aspect else ["P", "DCG", "nDCG"])]
    rng = make_rng(campaign_seed(one.campaign, f"audit {one.pk}"))
    if one.criterion.scale == Scale.NOMINAL:
        ranks = []  # such grades are no gains
    of_runs = ranks, measures if ranks else []
    report = audit(evidence.population, evidence.sample, *of_runs, labelled=~evidence.taken, rng=rng)
    notes = evidence.standing.notes
    if ranks:
        notes += [SUMMED if by_aspect else APPROXIMATE]
        notes += [UNLABELLED.format(unlabelled, depth)] * bool(unlabelled)
    needed = plan_size(evidence, half_width) if half_width else None
    return Findings(evidence, report, tuple(notes), timezone.now(), needed)


def plan_size(evidence: Evidence, half_width: float) -> int:
    """Items to judge: from the spread of what is judged; before that, as if ERRORS of its labels were wrong."""
    needed = []
    for level in range(len(evidence.population.values)):
        target = share_of_levels(evidence.population, level, level)
        spread = spread_of(evidence.sample, target)
        known = assumed_spread(target, ERRORS) if isinstance(spread, Reason) else spread
        needed.append(plan(target, known, half_width, evidence.sample).n_labels)
    return max(needed) - evidence.standing.taken


def _read_ranks(evidence: Evidence, runs: Sequence[str], depth: int) -> tuple[list[Ranks], int]:
    """Where the runs rank the items, and how many documents that they rank there the machine has not labelled."""
    campaign, items = evidence.audit.campaign, evidence.items
    topics = Topic.objects.filter(items__campaign=campaign).distinct()
    named = {"campaign": campaign.pk, "collection": campaign.collection_id, "runs": list(runs), "depth": depth}
    rows = execute(RANKED, named | {"topics": list(topics.values_list("pk", flat=True))})
    pairs = np.array([(item or 0, rank) for _, item, rank in rows], dtype=np.int64).reshape(-1, 2)
    place = np.searchsorted(items, pairs[:, 0]).clip(max=len(items) - 1)
    is_labelled = items[place] == pairs[:, 0]
    of_run = np.array([run for run, *_ in rows], dtype=object)
    chosen = {run: is_labelled & (of_run == run) for run in runs}
    ranks = [Ranks(run, place[here], pairs[here, 1]) for run, here in chosen.items() if here.any()]
    return ranks, int((~is_labelled).sum())
