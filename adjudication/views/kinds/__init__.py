"""How items of each campaign kind look and are decided on the adjudication screen: one module for each kind.

A new way to show or decide items is a change to the `KIND` of its module, never to the screen.
"""

from adjudication.views.kinds import extraction, relevance, rubric
from adjudication.views.kinds.base import ItemKind
from annotation.models import Campaign, CampaignKind

KINDS: dict[str, ItemKind] = {
    CampaignKind.RELEVANCE: relevance.KIND,
    CampaignKind.RUBRIC: rubric.KIND,
    CampaignKind.EXTRACTION: extraction.KIND,
}


def kind_of(campaign: Campaign) -> ItemKind:
    return KINDS[campaign.kind]
