"""The votes on one item, as an adjudicator sees them: letters instead of names, in an order that means nothing."""

import hmac
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db.models import OuterRef, Q, QuerySet

from adjudication.models import Verdict, VoteRun
from annotation.models import AnnotatorKind, AssignmentState, Judgment, MachineReply

KINDS = {
    "humans": [AnnotatorKind.HUMAN],
    "machines": [AnnotatorKind.MACHINE],
    "all": [AnnotatorKind.HUMAN, AnnotatorKind.MACHINE],
}


def has_vote(voters: str, annotator: str = "") -> Q:
    """Of annotators, or of what leads to one: who votes. Members of a committee do not once it has answered, as it
    votes for them; one that was cancelled before takes nobody's vote."""
    answered = f"{annotator}machine_run__committees__replies__isnull"
    return Q(**{f"{annotator}kind__in": KINDS[voters]}) & ~Q(**{answered: False})


@dataclass(frozen=True, kw_only=True)
class ShownLabel:
    """One label with what its annotator added. `seconds` is active time, `said` a machine's words."""

    value: int
    note: str
    reason: str
    flagged: bool
    at: datetime
    seconds: float | None
    guideline: int | None
    said: str = ""

    @classmethod
    def of(cls, judgment: Judgment, **more: Any) -> Self:
        """The label of a judgment that comes with its submission and guideline; `more` are the fields of a subclass."""
        submission = judgment.submission
        return cls(
            value=judgment.value,
            note=submission.note,
            reason=judgment.reason,
            flagged=submission.flagged,
            at=submission.received_at,
            seconds=None if submission.active_ms is None else submission.active_ms / 1000,
            guideline=submission.guideline.version if submission.guideline else None,
            **more,
        )


@dataclass(frozen=True, kw_only=True)
class Ballot(ShownLabel):
    """A label under a letter; `late`: it came after the decision."""

    letter: str
    annotator: int
    late: bool
    more: object = None  # what the campaign kind adds: a rewrite, ticked components, …


@dataclass(frozen=True)
class Ballots:
    """Votes of people, A, B, C …, and labels of machines, M1, M2 …, which have no vote unless the vote says so."""

    people: list[Ballot]
    machines: list[Ballot]


def fetch_ballots(verdict: Verdict, attach: Callable[[Sequence[int]], Mapping[int, object]] | None = None) -> Ballots:
    """All labels that count on the verdict's item and criterion. Two queries. The order is random but stays.

    `attach` reads what else the votes came with, by submission id.
    """
    counted = labels_on(verdict.item_id, verdict.criterion_id).filter(assignment__repeat=0)
    named = counted.select_related("assignment__annotator", "submission__guideline")
    judgments = list(named.order_by("assignment__annotator_id"))
    random.Random(f"verdict {verdict.pk}").shuffle(judgments)  # noqa: S311 (hides who is who; guards no secret)
    more = attach([one.submission_id for one in judgments]) if attach else {}
    said = machine_words(judgments)
    people = [one for one in judgments if _kind(one) == AnnotatorKind.HUMAN]
    machines = [one for one in judgments if _kind(one) == AnnotatorKind.MACHINE]
    return Ballots(
        [_ballot(letter(place), judgment, verdict, more) for place, judgment in enumerate(people)],
        [
            _ballot(f"M{place + 1}", judgment, verdict, more, said.get(judgment.pk, ""))
            for place, judgment in enumerate(machines)
        ],
    )


def machine_words(judgments: Iterable[Judgment]) -> dict[int, str]:
    """What machines said where they gave these labels, by the label's id: the words that came with an import, else
    the reply of the machine's run. One query, none without machines. The labels come with assignment and annotator.
    """
    found = [one for one in judgments if _kind(one) == AnnotatorKind.MACHINE]
    if not found:
        return {}
    replies = MachineReply.objects.filter(
        item__in={one.assignment.item_id for one in found},
        run__annotator__in={one.assignment.annotator_id for one in found},
    ).values_list("run__annotator_id", "item_id", "text")
    texts = {(annotator, item): text for annotator, item, text in replies}
    return {
        one.pk: one.submission.said or texts.get((one.assignment.annotator_id or 0, one.assignment.item_id), "")
        for one in found
    }


def labels_on(item: int | OuterRef, criterion: int | OuterRef) -> QuerySet[Judgment]:
    """The labels of finished assignments of an item, answers to hidden repeats among them."""
    return Judgment.objects.filter(assignment__item=item, criterion=criterion, assignment__state=AssignmentState.DONE)


def letter(place: int) -> str:
    """A to Z, then A2 to Z2 and so on."""
    rounds, rest = divmod(place, 26)
    return chr(ord("A") + rest) + (str(rounds + 1) if rounds else "")


def current_votes(item: int, criterion: int, run: VoteRun | None) -> list[list[int]]:
    """[[annotator id, value], …] by id: the labels of those who have a vote under the rules of `run` (None: people)."""
    entitled = has_vote(run.voters if run else "humans", "assignment__annotator__")
    votes = labels_on(item, criterion).filter(entitled, assignment__repeat=0)
    found = votes.order_by("assignment__annotator_id").values_list("assignment__annotator_id", "value")
    return [[int(annotator or 0), value] for annotator, value in found]


def machine_values(item: int, criterion: int) -> set[int]:
    """What machines say of the item."""
    labels = labels_on(item, criterion).filter(assignment__annotator__kind=AnnotatorKind.MACHINE)
    return set(labels.values_list("value", flat=True))


def fingerprint(votes: list[list[int]]) -> str:
    """A short name of these votes: equal for equal votes, another for others. Says nothing of who gave them."""
    return hmac.new(settings.SECRET_KEY.encode(), json.dumps(votes).encode(), "sha256").hexdigest()[:24]


def _kind(judgment: Judgment) -> str:
    annotator = judgment.assignment.annotator
    return annotator.kind if annotator else ""


def _ballot(name: str, judgment: Judgment, verdict: Verdict, more: Mapping[int, object], said: str = "") -> Ballot:
    return Ballot.of(
        judgment,
        said=said,
        letter=name,
        annotator=judgment.assignment.annotator_id or 0,
        late=verdict.decided_at is not None and judgment.submission.received_at > verdict.decided_at,
        more=more.get(judgment.submission_id),
    )
