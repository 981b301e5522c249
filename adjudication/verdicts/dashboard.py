"""What the overview of a collection shows: material, campaigns with their progress and figures, what is open."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import FINAL_STATES
from adjudication.labels.counts import fetch_vote_standings
from adjudication.labels.rules import why_each_is_hidden
from adjudication.labels.staleness import Standing
from adjudication.models import AgreementRun, VoteRun
from adjudication.procedure import procedure_of, procedures
from annotation.campaigns.overrides import campaigns_with_overrides
from annotation.campaigns.progress import CampaignProgress, fetch_progresses
from annotation.models import Campaign, CampaignState
from corpus.models import Aspect, Collection, Document, Membership, PoolEntry, RetrievalRun, Topic


@dataclass(frozen=True)
class Material:
    """What a collection holds."""

    documents: int
    papers: int
    topics: int
    aspects: int
    pooled: int
    runs: int
    people: int


def fetch_material(collection: Collection) -> Material:
    """Seven counts."""
    return Material(
        documents=Document.objects.filter(collection=collection).count(),
        papers=collection.papers.count(),
        topics=Topic.objects.filter(collection=collection).count(),
        aspects=Aspect.objects.filter(topic__collection=collection).count(),
        pooled=PoolEntry.objects.filter(topic__collection=collection).count(),
        runs=RetrievalRun.objects.filter(collection=collection).count(),
        people=collection.memberships.count(),
    )


@dataclass(frozen=True)
class CampaignRow:
    """One campaign on the overview: what is judged and what is decided of it."""

    campaign: Campaign
    progress: CampaignProgress
    decided: tuple[int, int] | None  # of how many; None where the person may not see it or it is too much to count
    votes: Standing[VoteRun]  # empty where labels are hidden
    hidden: str = ""  # why the person sees no labels of it and nothing made of them
    is_overridden: bool = False  # whether a machine without a passed test annotates here

    @property
    def since(self) -> str:
        """What has changed since the votes were counted, or ""."""
        counts = self.decided and self.decided[1] and not procedure_of(self.campaign).no_votes
        return self.votes.since if counts else ""

    @property
    def has_judgments(self) -> bool:
        """Whether its labels are listed one by one."""
        return "judgments" in self.campaign.kind_object.tabs

    @property
    def judged_page(self) -> str:
        return "judgment_list" if self.has_judgments else "item_list"

    @property
    def decided_page(self) -> str:
        return "judgment_list" if self.has_judgments else "extraction_agreement"

    @property
    def open(self) -> int:
        """How many verdicts of the list of judgments wait for a decision."""
        return self.decided[1] - self.decided[0] if self.decided and self.has_judgments else 0


def fetch_rows(membership: Membership, now: datetime) -> list[CampaignRow]:
    """Open campaigns first, then the newest, as this person sees them. As many queries for many as for one."""
    order = [CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED]
    found = membership.collection.campaigns.select_related("work_summary")
    campaigns = sorted(found, key=lambda one: (order.index(CampaignState(one.state)), -one.pk))
    for campaign in campaigns:
        campaign.collection = membership.collection
    hidden = why_each_is_hidden(campaigns, membership.user)
    progress = fetch_progresses(campaigns, now)
    shown = [each for each in campaigns if each.pk not in hidden]
    votes = fetch_vote_standings(shown)
    decided = _decided([each for each in shown if progress[each.pk].items and not progress[each.pk].is_stored])
    overridden = campaigns_with_overrides(shown)
    return [
        CampaignRow(
            campaign=each,
            progress=progress[each.pk],
            decided=decided.get(each.pk),
            votes=votes.get(each.pk, Standing()),
            hidden=hidden.get(each.pk, ""),
            is_overridden=each.pk in decided and each.pk in overridden,
        )
        for each in campaigns
    ]


def _decided(campaigns: Sequence[Campaign]) -> dict[int, tuple[int, int]]:
    """How many verdicts of each of these campaigns are decided, of how many. A few queries for each procedure."""
    found: dict[int, tuple[int, int]] = {}
    for procedure in procedures().values():
        own = [each for each in campaigns if procedure_of(each) is procedure]
        counts = procedure.decided(own) if own else {}
        found |= {each.pk: counts.get(each.pk, (0, 0)) for each in own}
    return found


def fetch_running(collection: Collection) -> list[AgreementRun | VoteRun]:
    """Agreement and vote jobs of the collection that have not ended."""
    found: list[AgreementRun | VoteRun] = []
    for model in (AgreementRun, VoteRun):
        jobs = model._default_manager.filter(campaign__collection=collection).exclude(state__in=FINAL_STATES)
        found += jobs.select_related("campaign__collection")
    return found
