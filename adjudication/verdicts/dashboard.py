"""What the overview of a collection shows: material, campaigns with their progress and figures, what is open."""

from dataclasses import dataclass
from datetime import datetime

from accounts.models import FINAL_STATES
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.rules import why_labels_are_hidden
from adjudication.models import AgreementRun, VoteRun
from adjudication.procedure import procedure_of
from annotation.campaigns.overrides import overrides_in
from annotation.campaigns.progress import CampaignProgress, fetch_progress
from annotation.campaigns.unjudged import judges_anywhere
from annotation.models import Campaign, CampaignState, Split
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
    """One campaign on the overview: what is judged and what is decided of it.

    `since`: what has changed since the votes were counted, or "".
    """

    campaign: Campaign
    progress: CampaignProgress
    decided: tuple[int, int] | None  # of how many; None where the person may not see it or it is too much to count
    since: str = ""
    hidden: str = ""  # why the person sees no labels of it and nothing made of them
    is_overridden: bool = False  # whether a machine without a passed test annotates here

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
    """Open campaigns first, then the newest, as this person sees them."""
    order = [CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED]
    found = membership.collection.campaigns.select_related("work_summary")
    campaigns = sorted(found, key=lambda one: (order.index(CampaignState(one.state)), -one.pk))
    judges = judges_anywhere(membership.user)
    rows = []
    for campaign in campaigns:
        campaign.collection = membership.collection
        asks = judges or campaign.split == Split.TEST
        hidden = why_labels_are_hidden(campaign, membership.user) if asks else ""
        progress = fetch_progress(campaign, now)
        procedure = procedure_of(campaign)
        is_counted = progress.items and not hidden and not progress.is_stored
        decided = procedure.decided(campaign) if is_counted else None
        since = fetch_vote_standing(campaign).since if decided and decided[1] and not procedure.no_votes else ""
        rows.append(CampaignRow(campaign, progress, decided, since, hidden, bool(decided and overrides_in(campaign))))
    return rows


def fetch_running(collection: Collection) -> list[AgreementRun | VoteRun]:
    """Agreement and vote jobs of the collection that have not ended."""
    found: list[AgreementRun | VoteRun] = []
    for model in (AgreementRun, VoteRun):
        jobs = model._default_manager.filter(campaign__collection=collection).exclude(state__in=FINAL_STATES)
        found += jobs.select_related("campaign__collection")
    return found
