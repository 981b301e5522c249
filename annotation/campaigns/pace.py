"""How long a judgment takes, and what that makes of the items that could be added."""

from dataclasses import asdict, dataclass, field
from typing import Any

from accounts.counting import counted
from accounts.sql import execute
from annotation.campaigns.progress import LEAST_ANSWERS
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.models import AnnotatorKind, AnnotatorState, Campaign
from corpus.models import Collection

# The newest answers of each person in campaigns of the kind: what the pace is now, at a cost that does not grow.
PACE = """
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY last.active_ms) / 1000.0, count(*)
FROM annotation_campaign c
JOIN annotation_annotator n ON n.campaign_id = c.id AND n.kind <> %(machine)s
CROSS JOIN LATERAL (
  SELECT a.id FROM annotation_assignment a
  WHERE a.annotator_id = n.id AND a.finished_at IS NOT NULL ORDER BY a.finished_at DESC LIMIT 50
) recent
CROSS JOIN LATERAL (
  SELECT s.active_ms FROM annotation_submission s
  WHERE s.assignment_id = recent.id AND s.kind = 'answer' AND s.active_ms IS NOT NULL ORDER BY s.id DESC LIMIT 1
) last
WHERE c.collection_id = %(collection)s AND c.kind = %(kind)s
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of active time for a judgment: the median of `answers` timed ones, or assumed where that is 0."""

    seconds: float = field(metadata={"help": "of active time for a judgment"})
    answers: int = field(metadata={"help": "that this is the median of; 0: assumed"})

    @property
    def is_measured(self) -> bool:
        return self.answers > 0

    @property
    def origin(self) -> str:
        """The seconds, and where they come from."""
        at = f"At {self.seconds:,.0f} s a judgment"
        if self.is_measured:
            return f"{at}: the median of the last {self.answers:,} timed answers in campaigns of this kind here."
        return f"{at}, which the template assumes: too few answers were timed in this collection so far."


@dataclass(frozen=True, slots=True)
class WorkToAdd:
    """What adding items would bring: `items` of `left` that are chosen and left, made of `parts`.

    `judgments`: each item by as many people as the campaign has it judged by, without a calibration sample or repeats.
    """

    items: int = field(metadata={"help": "that would be made"})
    left: int = field(metadata={"help": "that could be made without a sample"})
    parts: tuple[tuple[str, int], ...]
    overlap: int
    annotators: int = field(metadata={"help": "active people"})
    pace: Pace

    @property
    def judgments(self) -> int:
        return self.items * self.overlap

    @property
    def hours(self) -> float:
        return self.judgments * self.pace.seconds / 3600

    @property
    def time(self) -> str:
        """About how long all of it takes, in words: "40 min", "10 h"."""
        return f"{self.hours:,.0f} h" if self.hours >= 2 else f"{max(1, round(self.hours * 60))} min"

    @property
    def people(self) -> str:
        return counted(self.overlap, "person", "people")

    @property
    def source(self) -> str:
        """What the items are a sample of, or made of."""
        if self.items < self.left:
            return f"drawn from {self.left:,}"
        parts = ", ".join(counted(number, noun) for noun, number in self.parts if number)
        return f"of {parts}" if parts else ""

    @property
    def hours_each(self) -> float | None:
        """For each active annotator, None where the campaign has none."""
        return self.hours / self.annotators if self.annotators else None

    def data(self) -> dict[str, Any]:
        """For the API and commands."""
        return asdict(self) | {"judgments": self.judgments, "hours": round(self.hours, 2)}


def fetch_pace(campaign: Campaign, assumed: float | None = None) -> Pace:
    """How long people take in campaigns of this kind in the collection; assumed below LEAST_ANSWERS timed answers."""
    kind = campaign.kind_object
    named: dict[str, Any] = {
        "collection": campaign.collection_id,
        "kind": kind.name,
        "machine": str(AnnotatorKind.MACHINE),
    }
    ((seconds, answers),) = execute(PACE, named)
    return Pace(float(seconds), answers) if answers >= LEAST_ANSWERS else Pace(assumed or kind.assumed_seconds, 0)


def fetch_workload(campaign: Campaign, choice: Any = None, sample: int | None = None) -> WorkToAdd:
    """What these items would bring. Errors: Refused for a choice that names what the collection does not have."""
    kind = campaign.kind_object
    people = campaign.annotators.filter(state=AnnotatorState.ACTIVE).exclude(kind=AnnotatorKind.MACHINE).count()
    parts = kind.count_parts(campaign, choice) if kind.count_parts else ()
    return _work_of(campaign, choice, sample, people=people, pace=fetch_pace(campaign), parts=parts)


def foresee_workload(
    collection: Collection,
    template: CampaignTemplate,
    *,
    split: str = "",
    overlap: int | None = None,
    people: int = 0,
    choice: Any = None,
    sample: int | None = None,
) -> WorkToAdd:
    """What a campaign that is not there yet would bring, without its parts. Errors: as fetch_workload."""
    values = template.values
    campaign = Campaign(
        pk=0,  # no item is of it
        collection=collection,
        kind=template.kind,
        split=split or values["split"],
        overlap=overlap or values["overlap"],
        options=dict(template.options or {}),
    )
    return _work_of(campaign, choice, sample, people=people, pace=fetch_pace(campaign, template.assumed_seconds))


def _work_of(
    campaign: Campaign,
    choice: Any,
    sample: int | None,
    *,
    people: int,
    pace: Pace,
    parts: tuple[tuple[str, int], ...] = (),
) -> WorkToAdd:
    supply = campaign.kind_object.items.fetch_supply(campaign, choice, sampled=sample is not None)
    items = supply.left if sample is None else min(sample, supply.left)
    return WorkToAdd(items, supply.left, parts, campaign.overlap, people, pace)
