"""What an annotator sends, what they get back, and how an answer is checked against the campaign's scales."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.refusals import Conflict, Refused
from annotation.assignment.participation import CriterionScale, Participation
from annotation.models import SubmissionKind

Units = list[list[int]]  # each unit: the ids of the assignments shown at once


class Invalid(Refused):
    """An answer that the campaign's scales do not have; `field` is the criterion's key, or the field's name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class ChangedElsewhere(Conflict):
    """The assignment's current submission is not the one the sender knew; `current` is that one."""

    def __init__(self, current: dict[str, Any] | None) -> None:
        super().__init__(
            _(
                "You have answered this elsewhere since you opened it here, perhaps in another window. Both "
                "answers are shown: keep the saved one, or send yours in its place."
            )
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """What somebody sends: one answer, skip or undo for one assignment.

    `uuid` is the sender's own; sent again it changes nothing. `base` is the uuid of the submission the sender took
    for the current one, None for none. Times are milliseconds. `device` is keyboard, mouse, touch, api or "".
    Of a question: `rewrite` is another wording ("": none), `found` are docnos of further documents that answer it.
    """

    uuid: UUID
    assignment: int
    kind: str = SubmissionKind.ANSWER
    base: UUID | None = None
    answers: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    note: str = ""
    flagged: bool = False
    rewrite: str = ""
    found: tuple[str, ...] = ()
    guideline: int | None = None
    active_ms: int | None = None
    away_ms: int | None = None
    device: str = ""
    client_at: datetime | None = None

    @property
    def content(self) -> tuple[object, ...]:
        """What makes two submissions of one uuid the same: all but timing, device and what extras.py compares."""
        facts = (self.assignment, str(self.kind), dict(self.answers), dict(self.reasons))
        return (*facts, self.reason.strip(), self.note, self.flagged)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The server's word that a submission is stored. `state`: the assignment's now; `repeated`: it was sent before."""

    uuid: UUID
    assignment: int
    outcome: str
    state: str
    received_at: datetime
    repeated: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """One receipt or refusal for each submission, in order, and the units that fill the sender's hand up again."""

    participation: Participation
    results: list[Receipt | Refused]
    units: Units


def check_answers(scales: Sequence[CriterionScale], answers: Mapping[str, int], reasons: Mapping[str, str]) -> None:
    """Refuse with Invalid unless every criterion has one of its levels, with a reason where the level wants one."""
    unknown = {*answers, *reasons} - {scale.key for scale in scales}
    if unknown:
        raise Invalid(min(unknown), _("This campaign has no criterion “{key}”.").format(key=min(unknown)))
    for scale in scales:
        if scale.key not in answers:
            raise Invalid(
                scale.key, _("{label} has no answer yet. Choose one of its levels.").format(label=scale.label)
            )
        value = answers[scale.key]
        if value not in scale.reasons:
            known = ", ".join(map(str, sorted(scale.reasons)))
            raise Invalid(
                scale.key,
                _("{value} is not on the scale of {label}: it has {known}.").format(
                    value=value, label=scale.label, known=known
                ),
            )
        known_reasons = scale.reasons[value]
        if known_reasons and reasons.get(scale.key) not in known_reasons:
            raise Invalid(
                scale.key,
                _("{label} {value} needs a reason: {reasons}.").format(
                    label=scale.label, value=value, reasons=", ".join(known_reasons)
                ),
            )
        if not known_reasons and scale.key in reasons:
            raise Invalid(
                scale.key,
                _("{label} {value} takes no reason. Write what you want to say as a note.").format(
                    label=scale.label, value=value
                ),
            )
