"""Drawing the sample of an audit, and having people judge it: nothing shows them which items were drawn."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction

from accounts.audit import record_event
from accounts.counting import counted
from accounts.models import User
from accounts.refusals import Refused
from adjudication.machine_audits.reading import criterion_with, machine_of, read_labelled
from adjudication.machine_audits.strata import Frame, Labelled, Stratum, divide
from adjudication.models import AuditItem, MachineAudit
from annotation.assignment.planning import PlanOptions, draft_assignment, write_assignment
from annotation.assignment.queue_front import move_to_front
from annotation.campaigns.pace import Pace, fetch_pace
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.campaigns.seals import check_not_sealed
from annotation.models import Annotator, Campaign, CampaignState, Criterion, Strategy
from engines.definitions.settings import SAMPLE, SEED
from engines.stats.audits.planning import draw
from engines.stats.audits.sample import LEAST
from engines.stats.results import IntArray

Z = 1.96
TOO_FEW = f"A sample has at least {LEAST} items, so that the spread of the answers is known."


@dataclass(frozen=True)
class Drawing:
    """A sample that could be drawn, or was (`audit`)."""

    campaign: Campaign
    criterion: Criterion
    machine: Annotator
    seed: int
    strata: list[Stratum]
    labelled: int = field(metadata={"help": "items that the machine has labelled"})
    taken: int = field(metadata={"help": "those of them that people have labelled already; none of these is drawn"})
    pace: Pace
    audit: MachineAudit | None = None

    @property
    def size(self) -> int:
        return sum(each.sample for each in self.strata)

    @property
    def judgments(self) -> int:
        return self.size * self.campaign.overlap

    @property
    def hours(self) -> float:
        return self.judgments * self.pace.seconds / 3600

    @property
    def half_width(self) -> float:
        """The widest that a 95% interval of a share of items can be, to each side: where half of the items of each
        stratum are of the grade, and the machine's labels show nothing."""
        sizes = np.array([each.items for each in self.strata], dtype=np.float64)
        drawn = np.array([each.sample for each in self.strata])
        variance = ((sizes / self.labelled) ** 2 * 0.25 / drawn * (1 - drawn / sizes)).sum()
        return float(Z * np.sqrt(variance))

    @property
    def sentence(self) -> str:
        """What it takes, and how well figures will be known."""
        people = counted(self.campaign.overlap, "person judges", "people judge")
        return (
            f"{people} each item: about {self.hours:.1f} hours. {self.pace.origin} The share of items of a grade will"
            f" be known to within {100 * self.half_width:.1f} percentage points or better (95% interval)."
        )

    def to_json(self) -> dict[str, Any]:
        """For the API and commands."""
        return {
            "id": self.audit.pk if self.audit else None,
            "criterion": self.criterion.key,
            "machine": self.machine.name,
            "seed": self.seed,
            "labelled": self.labelled,
            "taken": self.taken,
            "size": self.size,
            "strata": [asdict(each) for each in self.strata],
            "half_width": self.half_width,
            "judgments": self.judgments,
            "hours": self.hours,
        }


@transaction.atomic
def draw_audit_sample(
    *,
    campaign: Campaign,
    size: int,
    by: User | None,
    at: datetime,
    machine: str = "",
    criterion: str = "",
    by_disagreement: bool = True,
    by_topic: bool = True,
    seed: int | None = None,
    dry_run: bool = False,
) -> Drawing:
    """Draw items that the machine labelled and people did not, and give them to people as the campaign gives out items.

    In an open queue they come next. A dry run writes nothing.
    Errors: NotAllowed; Refused for a closed or practice campaign, a queue that is not filled yet, a machine or a
    criterion that is not there, too few items, and where the items cannot be given out.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    _check_can_be_audited(campaign)
    check_within(SAMPLE, size)
    check_within(SEED, seed)
    one, judged_by = criterion_with(campaign, criterion), machine_of(campaign, machine)
    labelled = read_labelled(campaign, one, judged_by)
    _check_size(labelled, size)
    stratum, strata = divide(labelled, size, by_disagreement=by_disagreement, by_topic=by_topic)
    seed = campaign.seed if seed is None else seed
    found = Drawing(
        campaign, one, judged_by, seed, strata, len(labelled), int(labelled.taken.sum()), fetch_pace(campaign)
    )
    free = np.flatnonzero(~labelled.taken)
    counts = np.array([each.sample for each in strata])
    places = np.sort(free[draw(stratum[free], counts, np.random.default_rng(seed))])
    options = PlanOptions(campaign.overlap, campaign.strategy, seed, 0, 1)
    drawn = labelled.items[places].tolist()
    if dry_run:
        draft_assignment(campaign, options, drawn)
        return found
    facts = {"criterion": one.key, "machine": judged_by.name, "size": size, "seed": seed}
    record_event(by=by, at=at, verb="draw_audit_sample", target=campaign, scope=campaign.collection, **facts)
    audit = MachineAudit.objects.create(
        campaign=campaign,
        criterion=one,
        machine=judged_by,
        seed=seed,
        size=found.size,
        strata=[asdict(each) for each in strata],
        frame=Frame(labelled.items, labelled.values, stratum).packed(),
        drawn_by=by,
        drawn_at=at,
    )
    _store_sample(audit, labelled, stratum, places)
    write_assignment(campaign, options, confirms="", by=by, at=at, only=drawn)
    if campaign.strategy == Strategy.QUEUE:
        move_to_front(campaign.pk, drawn)
    return replace(found, audit=audit)


def _check_can_be_audited(campaign: Campaign) -> None:
    check_not_closed(campaign)
    check_not_sealed(campaign)
    if campaign.for_what.is_practice:
        raise Refused(f"{campaign} is for practice, so nothing in it is a result that could be audited.")
    if campaign.strategy == Strategy.QUEUE and campaign.state == CampaignState.DRAFT:
        raise Refused(
            f"Opening {campaign} puts all its items in its open queue. Open it first, or have its items assigned in"
            " advance if people are to judge the sample alone."
        )


def _check_size(labelled: Labelled, size: int) -> None:
    free = int((~labelled.taken).sum())
    if size < LEAST:
        raise Refused(TOO_FEW)
    if size > free:
        raise Refused(
            f"The machine has labelled {counted(free, 'item')} that people have not, so a sample of {size:,} cannot be"
            " drawn."
        )


def _store_sample(audit: MachineAudit, labelled: Labelled, stratum: IntArray, places: IntArray) -> None:
    share = [each["sample"] / each["items"] for each in audit.strata]
    rows = zip(*(column[places].tolist() for column in (labelled.items, labelled.values, stratum)), strict=True)
    AuditItem.objects.bulk_create(
        [AuditItem(audit=audit, item_id=item, value=value, stratum=h, probability=share[h]) for item, value, h in rows],
        batch_size=1_000,
    )
