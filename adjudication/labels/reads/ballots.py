"""The votes on one item, as an adjudicator sees them: letters instead of names, in an order that means nothing."""

import hmac
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from adjudication.models import Verdict, VoteRun
from annotation.models import AnnotatorKind, AssignmentState, Judgment

KINDS = {
    "humans": [AnnotatorKind.HUMAN],
    "machines": [AnnotatorKind.MACHINE],
    "all": [AnnotatorKind.HUMAN, AnnotatorKind.MACHINE],
}


@dataclass(frozen=True)
class Ballot:
    """One label with what its annotator added. `seconds` is active time; `late` came after the decision."""

    letter: str
    annotator: int
    value: int
    note: str
    reason: str
    flagged: bool
    at: datetime
    seconds: float | None
    guideline: int | None
    late: bool
    more: object = None  # what the campaign kind adds: a rewrite, ticked components, …


@dataclass(frozen=True)
class Ballots:
    """Votes of people, A, B, C …, and labels of machines, M1, M2 …, which have no vote unless the vote says so."""

    people: list[Ballot]
    machines: list[Ballot]

    def votes(self, run: VoteRun | None) -> list[list[int]]:
        """Those that have a vote under the rules of `run`, as `current_votes` gives them."""
        voters = KINDS[run.voters if run else "humans"]
        shown = {AnnotatorKind.HUMAN: self.people, AnnotatorKind.MACHINE: self.machines}
        return sorted([ballot.annotator, ballot.value] for kind in voters for ballot in shown[kind])


def fetch_ballots(verdict: Verdict, attach: Callable[[Sequence[int]], Mapping[int, object]] | None = None) -> Ballots:
    """All labels that count on the verdict's item and criterion. One query. The order is random but always the same.

    `attach` reads what else the votes came with, by submission id.
    """
    judgments = list(
        Judgment.objects.filter(
            assignment__item=verdict.item_id,
            criterion=verdict.criterion_id,
            assignment__state=AssignmentState.DONE,
            assignment__repeat=0,
        )
        .select_related("assignment__annotator", "submission__guideline")
        .order_by("assignment__annotator_id")
    )
    random.Random(f"verdict {verdict.pk}").shuffle(judgments)  # noqa: S311 (hides who is who; guards no secret)
    more = attach([one.submission_id for one in judgments]) if attach else {}
    people = [one for one in judgments if _kind(one) == AnnotatorKind.HUMAN]
    machines = [one for one in judgments if _kind(one) == AnnotatorKind.MACHINE]
    return Ballots(
        [_ballot(letter(place), judgment, verdict, more) for place, judgment in enumerate(people)],
        [_ballot(f"M{place + 1}", judgment, verdict, more) for place, judgment in enumerate(machines)],
    )


def letter(place: int) -> str:
    """A to Z, then A2 to Z2 and so on."""
    rounds, rest = divmod(place, 26)
    return chr(ord("A") + rest) + (str(rounds + 1) if rounds else "")


def current_votes(item: int, criterion: int, run: VoteRun | None) -> list[list[int]]:
    """[[annotator id, value], …] by id: the labels of those who have a vote under the rules of `run` (None: people)."""
    voters = KINDS[run.voters if run else "humans"]
    rows = Judgment.objects.filter(
        assignment__item=item,
        criterion=criterion,
        assignment__state=AssignmentState.DONE,
        assignment__repeat=0,
        assignment__annotator__kind__in=voters,
    )
    found = rows.order_by("assignment__annotator_id").values_list("assignment__annotator_id", "value")
    return [[int(annotator or 0), value] for annotator, value in found]


def machine_values(item: int, criterion: int) -> set[int]:
    """What machines say of the item."""
    rows = Judgment.objects.filter(
        assignment__item=item,
        criterion=criterion,
        assignment__state=AssignmentState.DONE,
        assignment__annotator__kind=AnnotatorKind.MACHINE,
    )
    return set(rows.values_list("value", flat=True))


def fingerprint(votes: list[list[int]]) -> str:
    """A short name of these votes: equal for equal votes, another for others. Says nothing of who gave them."""
    return hmac.new(settings.SECRET_KEY.encode(), json.dumps(votes).encode(), "sha256").hexdigest()[:24]


def _kind(judgment: Judgment) -> str:
    annotator = judgment.assignment.annotator
    return annotator.kind if annotator else ""


def _ballot(name: str, judgment: Judgment, verdict: Verdict, more: Mapping[int, object]) -> Ballot:
    submission = judgment.submission
    active = submission.active_ms
    return Ballot(
        letter=name,
        annotator=judgment.assignment.annotator_id or 0,
        value=judgment.value,
        note=submission.note,
        reason=judgment.reason,
        flagged=submission.flagged,
        at=submission.received_at,
        seconds=None if active is None else active / 1000,
        guideline=submission.guideline.version if submission.guideline else None,
        late=verdict.decided_at is not None and submission.received_at > verdict.decided_at,
        more=more.get(judgment.submission_id),
    )
