"""Campaigns of other collections as templates: their definition, guideline and settings, without labels and people."""

from django.db.models import QuerySet

from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.models import Campaign
from corpus.models import Role

TEMPLATE_HELP = (
    f"template: {', '.join(TEMPLATES.own)}, or COLLECTION/CAMPAIGN to copy the levels, guideline and"
    " settings of a campaign"
)
SETTINGS = ("split", "overlap", "order", "strategy", "lease_minutes")


def copyable_campaigns(by: User | None) -> QuerySet[Campaign]:
    """Campaigns of all collections that the person manages; of all collections for the command line."""
    found = Campaign.objects.select_related("collection").order_by("collection__title", "collection_id", "-pk")
    if by is None:
        return found
    return found.filter(collection__memberships__user=by, collection__memberships__role=Role.MANAGER)


def key_of(campaign: Campaign) -> str:
    """How a campaign is named as a template: COLLECTION/CAMPAIGN."""
    return f"{campaign.collection.slug}/{campaign.slug}"


def template_named(name: str, by: User | None) -> CampaignTemplate:
    """The registered template of this name, or the campaign COLLECTION/CAMPAIGN. Errors: Refused."""
    if name in TEMPLATES:
        return TEMPLATES[name]
    collection, _, slug = name.partition("/")
    campaign = copyable_campaigns(by).filter(collection__slug=collection, slug=slug).first()
    if campaign is None:
        known = ", ".join(TEMPLATES)
        raise Refused(
            f"There is no template “{name}”. Choose one of {known}, or give COLLECTION/CAMPAIGN to"
            " copy a campaign of a collection that you manage."
        )
    return _as_template(campaign)


def _as_template(campaign: Campaign) -> CampaignTemplate:
    newest = campaign.guidelines.first()
    return CampaignTemplate(
        name=key_of(campaign),
        label=str(campaign),
        kind=campaign.kind,
        criteria=drafts_of(campaign),
        guideline=newest.body if newest else "",
        settings={name: getattr(campaign, name) for name in SETTINGS},
        options=campaign.options,
    )
