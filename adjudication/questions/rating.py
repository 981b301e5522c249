"""Campaigns that rate questions, and whether their votes are those of today's ratings."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from accounts.refusals import Refused
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.labels import counted_judgments
from annotation.kind import Judged
from annotation.models import Campaign, Item, Split
from corpus.models import Collection


def rubric_campaigns(collection: Collection) -> list[Campaign]:
    """Campaigns whose ratings can make a question set, oldest first: rubrics of the main split."""
    found = collection.campaigns.counted().judging(Judged.QUESTIONS).filter(split=Split.MAIN)
    return list(found.order_by("pk"))


def find_rating(collection: Collection, slug: str) -> Campaign:
    """The one with this short name. Errors: Refused where the collection has none."""
    for campaign in rubric_campaigns(collection):
        if campaign.slug == slug:
            return campaign
    raise Refused(f"{collection.slug} has no rubric campaign “{slug}” of the main split.")


def campaigns_rating(collection: Collection, campaign: Campaign | None = None) -> QuerySet[Campaign]:
    """Rubric campaigns of any split that rate a question of the set: of all of it, or of what one campaign rated."""
    found = collection.campaigns.counted().judging(Judged.QUESTIONS)
    if campaign is None:
        return found
    shared = Item.objects.filter(campaign=OuterRef("pk"), topic__in=campaign.items.values("topic"))
    return found.filter(Exists(shared))


def open_counts(campaigns: Iterable[Campaign]) -> list[tuple[Campaign, str]]:
    """The campaigns whose verdicts are not those of today's ratings, each with a sentence that says so."""
    found = []
    for campaign in campaigns:
        standing = fetch_vote_standing(campaign)
        if standing.is_stale:
            found.append((campaign, f"The votes of {campaign} were counted before {standing.since}."))
        elif standing.run is None and counted_judgments(campaign).exists():
            found.append(
                (campaign, f"The votes of {campaign} have not been counted, so its ratings have no effect yet.")
            )
    return found
