"""How far a collection is, for pages that are empty until then: the guide says what comes next."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from adjudication.models import Verdict
from annotation.models import Campaign, CampaignState, Extraction, ExtractionSource, ExtractionState, Item
from corpus.models import Collection, Document, Paper, Topic


@dataclass(frozen=True)
class Road:
    """`is_walked` once a campaign has been opened, papers came with confirmed contexts, or something is decided, as by
    judgments that were imported; `is_begun` where there is something to judge, or to judge it by."""

    is_walked: bool
    is_begun: bool


def fetch_road(collection: Collection) -> Road:
    """One query, which stops at the first row of each kind."""
    own = {"collection": OuterRef("pk")}
    gold = Extraction.objects.filter(source=ExtractionSource.IMPORTED, state=ExtractionState.FINISHED)
    facts = Collection.objects.values_list(
        Exists(Document.objects.filter(**own)),
        Exists(Paper.objects.filter(**own)),
        Exists(Topic.objects.filter(**own)),
        Exists(Campaign.objects.filter(**own).exclude(state=CampaignState.DRAFT)),
        Exists(Item.objects.filter(campaign__collection=OuterRef("pk"))),
        Exists(gold.filter(paper__collection=OuterRef("pk"))),
        Exists(Verdict.objects.filter(item__campaign__collection=OuterRef("pk"), value__isnull=False)),
    )
    documents, papers, topics, was_opened, has_items, has_gold, is_decided = facts.get(pk=collection.pk)
    return Road(is_walked=(was_opened and has_items) or has_gold or is_decided, is_begun=documents or papers or topics)
