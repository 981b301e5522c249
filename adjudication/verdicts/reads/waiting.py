"""What waits for an adjudicator, over all their collections."""

from dataclasses import dataclass

from accounts.models import User
from adjudication.procedure import procedure_of, procedures
from annotation.models import Campaign
from corpus.models import Membership, Role


@dataclass(frozen=True)
class Waiting:
    """A campaign with `count` items that need a decision by hand."""

    campaign: Campaign
    count: int

    @property
    def text(self) -> str:
        return procedure_of(self.campaign).waits(self.count)


def waiting_for(user: User) -> list[Waiting]:
    """Campaigns whose verdicts or papers the person may decide and that need it: most first.

    Campaigns in which they have something to judge themselves are left out: they judge first.
    """
    deciding = Membership.objects.filter(user=user, role__in=[Role.MANAGER, Role.ADJUDICATOR]).values("collection")
    found = [Waiting(*each) for procedure in procedures().values() for each in procedure.waiting(deciding, user)]
    return sorted(found, key=lambda each: (-each.count, each.campaign.name))
