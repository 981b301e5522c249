"""Drawing the sample of an audit, and having people judge it: nothing shows them which items were drawn."""

from dataclasses import asdict, dataclass, field
from datetime import datetime

import numpy as np
from django.db import transaction

from accounts.audit import record_event
from accounts.counting import counted
from accounts.models import User
from accounts.refusals import Refused
from adjudication.machine_audits.reading import read_labelled
from adjudication.machine_audits.strata import Labelled, Stratum, divide, pack_frame
from adjudication.models import AuditItem, MachineAudit
from annotation.assignment.plan_summary import PlanOptions
from annotation.assignment.planning import draft_assignment, write_assignment
from annotation.assignment.queue_front import move_to_front
from annotation.campaigns.pace import Pace, fetch_pace
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.campaigns.seals import check_not_sealed
from annotation.models import Annotator, Campaign, CampaignState, Criterion, Strategy
from engines.definitions.settings import SAMPLE, SEED
from engines.stats.audits.planning import draw, expected_half_width
from engines.stats.audits.sample import LEAST
from engines.stats.results import IntArray


@dataclass(frozen=True)
class Drawing:
    """A sample that was drawn, or in a dry run could be."""

    campaign: Campaign
    id: int | None = field(metadata={"help": "of the audit; null in a dry run"})
    criterion: str
    machine: str
    seed: int
    strata: tuple[Stratum, ...]
    labelled: int = field(metadata={"help": "items that the machine has labelled"})
    taken: int = field(metadata={"help": "those of them that people have labelled already; none of them is drawn"})
    pace: Pace

    @property
    def size(self) -> int:
        return sum(each.sample for each in self.strata)

    @property
    def hours(self) -> float:
        return self.size * self.campaign.overlap * self.pace.seconds / 3600

    @property
    def half_width(self) -> float:
        """The most that a 95% interval of a share of items can reach to each side: when in each stratum half of the
        items are of the grade and the machine's labels say nothing about it."""
        sizes, drawn = np.array([(each.items, each.sample) for each in self.strata]).T
        return expected_half_width(sizes, drawn, np.full(len(sizes), 0.5 / self.labelled))

    @property
    def sentence(self) -> str:
        """What it takes, and how well figures will be known."""
        people = counted(self.campaign.overlap, "person judges", "people judge")
        return (
            f"{people} each item: about {self.hours:.1f} hours. {self.pace.origin} The share of items of a grade will"
            f" be known to within {100 * self.half_width:.1f} percentage points or better (95% interval)."
        )


@transaction.atomic
def draw_audit_sample(
    *,
    campaign: Campaign,
    machine: Annotator | None,
    criterion: Criterion | None,
    size: int,
    by: User | None,
    at: datetime,
    by_disagreement: bool = True,
    by_topic: bool = True,
    seed: int | None = None,
    dry_run: bool = False,
) -> Drawing:
    """Draw items that the machine labelled and people did not, and give them to people as the campaign gives out items.

    In an open queue they come next. A dry run writes nothing.
    Errors: NotAllowed; Refused for a closed or practice campaign, a queue that is not filled yet, too few items, and
    where the items cannot be given out.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    check_can_be_audited(campaign)
    if machine is None or criterion is None:
        raise Refused(f"Say which machine and which criterion. {campaign} needs a machine that has labelled its items.")
    check_within(SAMPLE, size)
    check_within(SEED, seed)
    labelled = read_labelled(criterion, machine)
    _check_size(labelled, size)
    stratum, strata = divide(labelled, size, by_disagreement=by_disagreement, by_topic=by_topic)
    seed = campaign.seed if seed is None else seed
    places = _draw(labelled, stratum, strata, seed)
    drawn = labelled.items[places].tolist()
    audit = MachineAudit(
        campaign=campaign, criterion=criterion, machine=machine, seed=seed, size=len(drawn), drawn_by=by, drawn_at=at
    )
    options = PlanOptions(campaign.overlap, campaign.strategy, seed, 0, 1)
    if dry_run:
        draft_assignment(campaign, options, drawn)
    else:
        facts = {"criterion": criterion.key, "machine": machine.name, "size": len(drawn), "seed": seed}
        record_event(by=by, at=at, verb="draw_audit_sample", target=campaign, scope=campaign.collection, **facts)
        _store(audit, labelled, stratum, strata, places)
        write_assignment(campaign, options, confirms="", by=by, at=at, only=drawn)
        if campaign.strategy == Strategy.QUEUE:
            move_to_front(campaign.pk, drawn)
    return Drawing(
        campaign=campaign,
        id=audit.pk,
        criterion=criterion.key,
        machine=machine.name,
        seed=seed,
        strata=tuple(strata),
        labelled=len(labelled.items),
        taken=int(labelled.taken.sum()),
        pace=fetch_pace(campaign),
    )


def _draw(labelled: Labelled, stratum: IntArray, strata: list[Stratum], seed: int) -> IntArray:
    """Places of the drawn items, in random order."""
    free = np.flatnonzero(~labelled.taken)
    counts = np.array([each.sample for each in strata])
    return free[draw(stratum[free], counts, np.random.default_rng(seed))]


def _store(audit: MachineAudit, labelled: Labelled, stratum: IntArray, strata: list[Stratum], places: IntArray) -> None:
    audit.strata = [asdict(each) for each in strata]
    audit.frame = pack_frame(labelled.items, labelled.values, stratum)
    audit.save()
    share = [each.sample / each.items for each in strata]
    rows = zip(*(column[places].tolist() for column in (labelled.items, labelled.values, stratum)), strict=True)
    AuditItem.objects.bulk_create(
        [AuditItem(audit=audit, item_id=item, value=value, stratum=h, probability=share[h]) for item, value, h in rows],
        batch_size=1_000,
    )


def check_can_be_audited(campaign: Campaign) -> None:
    """Errors: Refused for a closed, sealed or practice campaign, and for a queue that is not filled yet."""
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
    if not LEAST <= size <= free:
        raise Refused(
            f"A sample has at least {LEAST} items, and the machine has labelled {counted(free, 'item')} that people"
            f" have not, so {size:,} cannot be drawn."
        )
