"""By papers: the extractions that several people made of a paper are compared, and one is made of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from adjudication.papers.merging import accept_majorities
from adjudication.papers.pages.papers import paper_screen
from adjudication.papers.papers import count_papers
from adjudication.procedure import Procedure
from annotation.campaigns.seals import seals_of
from annotation.campaigns.unjudged import labels_shown_to
from annotation.kind import Judged
from annotation.models import Campaign, Extraction, ExtractionSource, ExtractionState


def accept_papers(campaign: Campaign, **_: Any) -> tuple[str, dict[str, Any]]:
    """Accept the papers in which a majority has decided every difference."""
    found = accept_majorities(campaign=campaign, by=None, at=timezone.now())
    text = (
        f"{found.accepted:,} papers accepted, {found.decided:,} were; on {found.alike:,} all agree;"
        f" {found.left:,} wait for an adjudicator."
    )
    counts = {"unanimous": found.alike, "single": 0, "majority": found.accepted, "tie_resolved": 0, "excluded": 0}
    return text, {**counts, "by_hand": found.decided, "unresolved": found.left}


def open_papers(collections: QuerySet[Any], user: User) -> Iterator[tuple[Campaign, int]]:
    """Campaigns with papers to adjudicate, and how many."""
    finished = Extraction.objects.filter(
        assignment__item__campaign=OuterRef("pk"), source=ExtractionSource.ANNOTATOR, state=ExtractionState.FINISHED
    )
    campaigns = Campaign.objects.judging(Judged.PAPERS).filter(Exists(finished), collection__in=collections)
    if not campaigns.exists():  # as in most collections; what of them the person may see takes 20 ms to find out
        return
    shown = list(labels_shown_to(user, campaigns).select_related("collection"))
    sealed = seals_of(shown)
    counts = count_papers([each for each in shown if each.pk not in sealed])
    for campaign in shown:
        if (found := counts.get(campaign.pk)) and found.open:
            yield campaign, found.open


def decided_papers(campaigns: Sequence[Campaign]) -> dict[int, tuple[int, int]]:
    """Of the papers that several people have finished."""
    return {pk: (counts.decided, counts.compared) for pk, counts in count_papers(campaigns).items()}


def _waits(count: int) -> str:
    papers = "paper" if count == 1 else "papers"
    return f"Annotators differ on {count:,} {papers}, or have submitted again since it was decided."


PAPERS = Procedure(
    by_majority=accept_papers,
    waiting=open_papers,
    waits=_waits,
    decided=decided_papers,
    no_votes="has no votes: its papers are compared and accepted on the adjudication screen.",
    no_agreement="has no grades, so there are no labels to compare: agreement on its papers is computed separately.",
    screen=paper_screen,
)
