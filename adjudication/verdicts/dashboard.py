"""What the overview of a collection shows: material, campaigns with their progress and figures, what is open."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import FINAL_STATES, User
from adjudication.agreement.results import FigureText, show
from adjudication.agreement.standing import fetch_standing
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.rules import why_labels_are_hidden
from adjudication.labels.staleness import Standing
from adjudication.models import AgreementResult, AgreementRun, Method, Verdict, VoteRun
from adjudication.procedure import Procedure, procedure_of
from annotation.campaigns.progress import (
    AnnotatorRow,
    CampaignProgress,
    Estimate,
    annotator_rows,
    estimate_end,
    fetch_progress,
)
from annotation.campaigns.unjudged import judges_anywhere
from annotation.models import AnnotatorKind, Campaign, CampaignState, Criterion, Split
from corpus.models import Aspect, Collection, Document, PoolEntry, RetrievalRun, Topic
from engines.stats.statistics import statistic

HEADLINES = (("alpha_ordinal", "all"), ("cohen_kappa", "mean"), ("accuracy", "mean"))
WAYS = (  # name in a count, method, words after a number
    ("unanimous", Method.UNANIMOUS, "unanimous"),
    ("majority", Method.MAJORITY, "by majority"),
    ("single", Method.SINGLE, "by a single label"),
    ("tie_resolved", Method.TIE_POLICY, "by the rule for ties"),
    ("excluded", Method.EXCLUDED, "left out by it"),
    ("by_hand", Method.BY_HAND, "by hand"),
)
ALWAYS = (Method.UNANIMOUS, Method.MAJORITY)  # shown although they are 0


@dataclass(frozen=True)
class Material:
    """What a collection holds."""

    documents: int
    topics: int
    aspects: int
    pooled: int
    runs: int
    people: int


def fetch_material(collection: Collection) -> Material:
    """Six counts."""
    return Material(
        documents=Document.objects.filter(collection=collection).count(),
        topics=Topic.objects.filter(collection=collection).count(),
        aspects=Aspect.objects.filter(topic__collection=collection).count(),
        pooled=PoolEntry.objects.filter(topic__collection=collection).count(),
        runs=RetrievalRun.objects.filter(collection=collection).count(),
        people=collection.memberships.count(),
    )


@dataclass(frozen=True)
class CampaignCard:
    """One campaign on the overview."""

    campaign: Campaign
    progress: CampaignProgress
    annotators: list[AnnotatorRow]
    estimate: Estimate
    agreement: Standing[AgreementRun]
    headline: list[FigureText]
    headline_criterion: Criterion | None
    votes: Standing[VoteRun]
    procedure: Procedure
    counts: Any = None  # what the procedure counts for its part of the card
    undecided: int = 0  # verdicts that have no value now, whatever the last count left
    hidden: str = ""  # why the person sees neither labels nor anything made of them: no figure is read then

    @property
    def ways(self) -> list[tuple[str, str]]:
        """How the last count decided: the method as pages are asked for it, and "12 by majority"."""
        counts = self.votes.run.counts if self.votes.run else {}
        found = [(method, words, counts.get(name, 0)) for name, method, words in WAYS]
        return [(method.value, f"{many:,} {words}") for method, words, many in found if many or method in ALWAYS]

    @property
    def is_under_way(self) -> bool:
        """Whether it is no wonder that something is missing: judgments are still to come, or no vote was counted."""
        return self.campaign.state != CampaignState.CLOSED and (self.progress.left > 0 or self.votes.run is None)


def fetch_cards(collection: Collection, user: User, now: datetime) -> list[CampaignCard]:
    """Open campaigns first, then the newest, as this person sees them; drafts without items are cards too."""
    order = [CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED]
    found = collection.campaigns.select_related("work_summary")
    campaigns = sorted(found, key=lambda one: (order.index(CampaignState(one.state)), -one.pk))
    judges = judges_anywhere(user)
    for campaign in campaigns:
        campaign.collection = collection
    hidden = [
        why_labels_are_hidden(campaign, user) if judges or campaign.split == Split.TEST else ""
        for campaign in campaigns
    ]
    return [_card(campaign, now, why) for campaign, why in zip(campaigns, hidden, strict=True)]


def _card(campaign: Campaign, now: datetime, hidden: str) -> CampaignCard:
    progress = fetch_progress(campaign, now)
    rows = annotator_rows(campaign, now)
    procedure = procedure_of(campaign)
    agreement = Standing[AgreementRun]() if hidden else fetch_standing(campaign)
    measured = agreement.run.detail if agreement.run else {}  # JSON keeps no order
    criterion = next((one for one in campaign.criteria.all() if one.key in measured), None) if measured else None
    votes = Standing[VoteRun]() if hidden else fetch_vote_standing(campaign)
    unresolved = Verdict.objects.filter(criterion__campaign=campaign, method=Method.UNRESOLVED)
    return CampaignCard(
        campaign=campaign,
        progress=progress,
        annotators=rows,
        estimate=estimate_end(progress, rows, now, campaign.state),
        agreement=agreement,
        headline=_headline(agreement.run, criterion) if agreement.run and criterion else [],
        headline_criterion=criterion,
        votes=votes,
        undecided=unresolved.count() if votes.run else 0,
        procedure=procedure,
        counts=None if hidden else procedure.count(campaign),
        hidden=hidden,
    )


def _headline(run: AgreementRun, criterion: Criterion) -> list[FigureText]:
    """The most important figures: of the people, where there are machines and two people; else of everybody."""
    names = [name for name, _ in HEADLINES]
    results = AgreementResult.objects.filter(run=run, criterion=criterion.key, statistic__in=names)
    rows = {(row.statistic, row.block or row.scope): row for row in results.exclude(scope="pair")}
    kinds = [one["kind"] for one in run.detail[criterion.key]["annotators"]]
    people = kinds.count(AnnotatorKind.HUMAN)
    keys = [(name, "HH") for name in names] if 2 <= people < len(kinds) else list(HEADLINES)
    tail = {"all": "", "mean": ", mean of pairs", "HH": ", people"}
    return [show(rows[key], statistic(key[0]).label + tail[key[1]]) for key in keys if key in rows]


def chosen_card(cards: list[CampaignCard], slug: str) -> CampaignCard | None:
    """The campaign whose annotators and figures the overview shows: the one named, else the first that has figures.

    Without any figures, the first with judgments.
    """
    active = [card for card in cards if card.progress.judgments or card.annotators]
    active.sort(key=lambda card: card.agreement.run is None)
    return next((card for card in active if card.campaign.slug == slug), active[0] if active else None)


def fetch_running(collection: Collection) -> list[AgreementRun | VoteRun]:
    """Agreement and vote jobs of the collection that have not ended."""
    found: list[AgreementRun | VoteRun] = []
    for model in (AgreementRun, VoteRun):
        jobs = model._default_manager.filter(campaign__collection=collection).exclude(state__in=FINAL_STATES)
        found += jobs.select_related("campaign__collection")
    return found
