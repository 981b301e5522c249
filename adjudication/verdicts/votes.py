"""The majority vote of a campaign: one pass over the labels, then a set-based write of the verdicts.

All in one transaction: nobody ever reads some verdicts by former rules and others by new ones, and a count that was
cancelled or whose worker died has changed nothing and is done again from its start.

Decisions by hand always stand. A decision (or an acceptance) whose votes have changed since is reopened, visibly;
what was accepted is kept with the verdict. Running again over the same labels by the same rules changes nothing.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.contrib.postgres.functions import TransactionNow
from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.locks import briefly
from accounts.refusals import Refused
from adjudication.labels.ballots import KINDS
from adjudication.labels.counts import newest_count, votes_in
from adjudication.labels.labels import IntArray, LabelMatrix, Positions, newest_submission, read_labels, scale_of
from adjudication.models import Method, Verdict, Voters, VoteRun
from adjudication.verdicts import vote_sql
from adjudication.verdicts.announcing import announce_changed
from adjudication.verdicts.probabilities import PeoplesModel, confusion, fit_people
from adjudication.verdicts.second_opinions import second_opinions
from annotation.models import AnnotatorKind, Campaign, Criterion
from engines.stats.cells import reduce_rows
from engines.stats.policies import tie_policy
from engines.stats.votes import Outcome, vote

AT_ONCE = 100_000  # items whose verdicts one statement writes; between two, the count can be cancelled
LINES = 10_000  # copied at once
_METHODS = {
    Outcome.UNRESOLVED: Method.UNRESOLVED,
    Outcome.UNANIMOUS: Method.UNANIMOUS,
    Outcome.SINGLE: Method.SINGLE,
    Outcome.MAJORITY: Method.MAJORITY,
    Outcome.TIE_RESOLVED: Method.TIE_POLICY,
    Outcome.EXCLUDED: Method.EXCLUDED,
}


@dataclass(frozen=True)
class Electorate:
    """Who votes in a campaign, with what weight; kinds and weights by annotator id."""

    kinds: dict[int, str]
    weights: dict[int, float]
    voters: str
    weighted: bool

    def is_voter(self, annotators: IntArray) -> np.ndarray:
        """(m,) whether each annotator has a vote."""
        return np.array([self.kinds[int(one)] in KINDS[self.voters] for one in annotators], dtype=bool)

    def is_machine(self, annotators: IntArray) -> np.ndarray:
        return np.array([self.kinds[int(one)] == AnnotatorKind.MACHINE for one in annotators], dtype=bool)

    def fit_people(self, matrix: LabelMatrix, levels: int) -> PeoplesModel:
        """The model of the people among the annotators, whether they have a vote or not."""
        return fit_people(matrix, ~self.is_machine(matrix.annotators), levels)

    def all_weights_of(self, annotators: IntArray) -> list[float]:
        return [self.weights[int(one)] for one in annotators]

    def weights_of(self, annotators: IntArray) -> list[float] | None:
        """None where each vote counts once."""
        return self.all_weights_of(annotators) if self.weighted else None


def count_votes(run: VoteRun, progress: jobs.Progress) -> None:
    """Read the labels, vote on each criterion, write the verdicts, and store the counts, all in one transaction."""
    campaign = run.campaign
    with transaction.atomic(), connection.cursor() as cursor:
        # One count at a time, reading included, lest one that has read earlier writes later. Labelling goes on.
        with briefly("waiting for other work on this campaign"):
            Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        read_at = timezone.now()
        run.snapshot = newest_submission()
        progress.report(0, 4, "reading the labels")
        table = read_labels(campaign)
        run.inputs_hash = votes_in(campaign, table, run.voters).inputs_hash
        electorate = _note_weights(run)
        criteria = list(campaign.criteria.prefetch_related("levels"))
        matrices = {one.pk: table.of_criterion(one.pk).matrix(scale_of(one)) for one in criteria}
        progress.report(1, 4, "counting the votes")
        models = {one.pk: electorate.fit_people(matrices[one.pk], len(scale_of(one))) for one in criteria}
        cursor.execute(vote_sql.CREATE)
        for criterion in criteria:
            patterns = _count_patterns(criterion, matrices[criterion.pk], models[criterion.pk], electorate, run)
            for statement, lines in ((vote_sql.COPY_PATTERNS, patterns.lines), (vote_sql.COPY_ITEMS, patterns.items)):
                with cursor.copy(statement) as copy:
                    for some in lines():
                        copy.write(some)
            progress.check()
        run.cleared = _write_verdicts(cursor, run, read_at, progress)
        written = Verdict.objects.filter(criterion__campaign=campaign, changed_at__gte=TransactionNow())
        announce_changed(campaign, written, at=read_at, cleared=run.cleared)
        by_criterion = {one.key: count_methods(one) for one in criteria}
        ways = dict.fromkeys(way for counts in by_criterion.values() for way in counts)
        run.counts = {way: sum(counts[way] for counts in by_criterion.values()) for way in ways}
        run.detail = {
            one.key: {
                "counts": by_criterion[one.key],
                **_opinions(one, matrices[one.pk], models[one.pk], electorate, run),
            }
            for one in criteria
        }
        run.save(update_fields=["snapshot", "inputs_hash", "parameters", "counts", "detail", "cleared"])
        progress.check()  # the last moment at which cancelling still undoes everything


def _write_verdicts(cursor: Any, run: VoteRun, read_at: datetime, progress: jobs.Progress) -> int:
    """Set the copied votes against the verdicts there are, `AT_ONCE` items at a time; how many verdicts went."""
    named: dict[str, Any] = {"campaign": run.campaign_id, "run": run.pk, "read_at": read_at}
    named |= {"same": _same_rules(run), "revoted": _is_revoted(run)}
    for place, statement in enumerate(vote_sql.BEFORE, start=1):
        progress.report(place, len(vote_sql.BEFORE), "comparing with the verdicts")
        cursor.execute(statement, named)
    cursor.execute(vote_sql.BOUNDS, {"at_once": AT_ONCE})
    bounds = [0, *(item for (item,) in cursor.fetchall())]
    for place, (after, until) in enumerate(itertools.pairwise(bounds)):
        progress.report(place, len(bounds), "writing the verdicts")
        cursor.execute(vote_sql.UPSERT, {**named, "from": after, "until": until})
    progress.report(len(bounds) - 1, len(bounds), "writing the verdicts")
    cursor.execute(vote_sql.CLEAR, named)
    cleared: int = cursor.rowcount
    cursor.execute(vote_sql.DROP)
    return cleared


def count_methods(criterion: Criterion) -> dict[str, int]:
    """Verdicts on the criterion by how they came about, each once; `reopened` are among them."""
    with connection.cursor() as cursor:
        cursor.execute(vote_sql.COUNT, {"criterion": criterion.pk})
        names = [column.name for column in cursor.description]
        return dict(zip(names, cursor.fetchone(), strict=True))


def _same_rules(run: VoteRun) -> list[int]:
    """Ids of the campaign's counts by the rules of this one (the weights used are among them), itself included."""
    rows = VoteRun.objects.filter(campaign=run.campaign_id, ties=run.ties, min_votes=run.min_votes)
    return [run.pk, *rows.filter(parameters=run.parameters).exclude(pk=run.pk).values_list("pk", flat=True)]


def _is_revoted(run: VoteRun) -> bool:
    """Whether others have a vote than at the count before: figures then compare with other verdicts' voters."""
    before = newest_count(run.campaign_id)
    return before is not None and before.voters != run.voters


def _opinions(
    criterion: Criterion, matrix: LabelMatrix, people: PeoplesModel, electorate: Electorate, run: VoteRun
) -> dict[str, Any]:
    votes = matrix.columns(matrix.annotators[electorate.is_voter(matrix.annotators)])
    of_voters = people.fitted if run.voters == Voters.HUMANS else None
    found = second_opinions(criterion, votes, electorate.all_weights_of(votes.annotators), run, of_voters)
    return {**found, "confusion": confusion(people, matrix, electorate.is_machine(matrix.annotators))}


def settle(votes: list[list[int]], scale: list[int], run: VoteRun) -> tuple[int | None, Method]:
    """The value and method that the rules of `run` give these votes, [[annotator id, value], …], of one item."""
    electorate = _electorate(run)
    annotators = np.array([annotator for annotator, _ in votes], dtype=np.int64)
    ballot = np.array([[scale.index(value) for _, value in votes]], dtype=np.int16)
    weights = electorate.weights_of(annotators)
    result = vote(ballot, len(scale), policy=_installed(run), weights=weights, min_votes=run.min_votes)
    label = int(result.labels[0])
    return (None if label < 0 else scale[label]), _METHODS[Outcome(int(result.outcomes[0]))]


def _installed(run: VoteRun) -> str:
    """The run's rule for ties. Errors: Refused where the package that brings it is missing."""
    if tie_policy(run.ties).settle is None:
        raise Refused(
            f"The rule for ties “{run.ties}” comes from a package that is not installed. Ask the operator of Litmus to"
            " install it, or count the votes again by another rule."
        )
    return run.ties


def _note_weights(run: VoteRun) -> Electorate:
    """Whose votes count how much now; weights become part of the count's rules, whatever they are changed to later."""
    run.parameters.pop("weights", None)  # of an attempt that died
    electorate = _electorate(run)
    if electorate.weighted:
        run.parameters["weights"] = {str(pk): weight for pk, weight in sorted(electorate.weights.items())}
    return electorate


def _electorate(run: VoteRun) -> Electorate:
    """Weights are those the count was made with; who joined since has their present one."""
    noted = run.parameters.get("weights", {})
    rows = list(run.campaign.annotators.values_list("pk", "kind", "weight"))
    return Electorate(
        kinds={pk: kind for pk, kind, _ in rows},
        weights={pk: noted.get(str(pk), weight) for pk, _, weight in rows},
        voters=run.voters,
        weighted=bool(run.parameters.get("weighted", False)),
    )


@dataclass(frozen=True)
class CountedPatterns:
    """What each distinct row of labels gives, as lines to copy, and which of them each item with a vote has.

    item_ids (n,), of (n,): the number of each item's pattern.
    """

    criterion: int
    rows: list[str]
    item_ids: IntArray
    of: IntArray

    def lines(self) -> Iterator[str]:
        return iter(self.rows)

    def items(self) -> Iterator[str]:
        for start in range(0, len(self.item_ids), LINES):
            some = zip(
                self.item_ids[start : start + LINES].tolist(), self.of[start : start + LINES].tolist(), strict=True
            )
            yield "".join([f"{item}\t{self.criterion}\t{pattern}\n" for item, pattern in some])


def _count_patterns(
    criterion: Criterion, matrix: LabelMatrix, people: PeoplesModel, electorate: Electorate, run: VoteRun
) -> CountedPatterns:
    """The vote on each distinct pattern of labels of one criterion."""
    voting = electorate.is_voter(matrix.annotators)
    if not voting.any():
        return CountedPatterns(criterion.pk, [], matrix.items[:0], matrix.items[:0])
    scale = scale_of(criterion)
    cells = reduce_rows(matrix.positions, len(scale) + 1)
    voters = matrix.annotators[voting]
    ballots = cells.patterns[:, voting]
    weights = electorate.weights_of(voters)
    result = vote(ballots, len(scale), policy=_installed(run), weights=weights, min_votes=run.min_votes)
    machines = cells.patterns[:, electorate.is_machine(matrix.annotators)]
    an_item = np.zeros(cells.n_cells, dtype=np.int64)  # of each pattern
    an_item[cells.inverse] = np.arange(len(matrix.items))
    rows = []
    for index, ballot in enumerate(ballots):
        label = int(result.labels[index])
        probability, reason = people.of_value(int(an_item[index]), label)
        fields = (
            criterion.pk,
            index,
            r"\N" if label < 0 else scale[label],
            _METHODS[Outcome(int(result.outcomes[index]))].value,
            json.dumps([[int(voter), scale[at]] for voter, at in zip(voters, ballot.tolist(), strict=True) if at >= 0]),
            int((ballot >= 0).sum()),
            share_equal(ballot[ballot >= 0]),
            r"\N" if probability is None else probability,
            str(reason),
            _differs(machines[index], ballot, label),
            "{" + ",".join(str(scale[place]) for place in machines[index].tolist() if place >= 0) + "}",
        )
        rows.append("\t".join(str(field) for field in fields) + "\n")
    has_vote = np.asarray((ballots >= 0).any(axis=1))[cells.inverse]
    return CountedPatterns(criterion.pk, rows, matrix.items[has_vote], cells.inverse[has_vote])


def share_equal(votes: Positions | IntArray) -> float:
    """The share of pairs of votes that are equal; 1 when there is at most one vote."""
    _, counts = np.unique(votes, return_counts=True)
    total = int(counts.sum())
    return float((counts * (counts - 1)).sum() / (total * (total - 1))) if total > 1 else 1.0


def _differs(machines: Positions, ballot: Positions, label: int) -> bool:
    labels = machines[machines >= 0]
    return bool((labels != label).any()) if label >= 0 else not np.isin(labels, ballot).all()
