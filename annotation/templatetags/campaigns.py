"""The frame of a campaign's pages, and guidelines in templates."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from accounts.slots import tabs_for
from annotation.campaigns.reads.overrides import overrides_in
from annotation.models import Campaign
from corpus.models import Membership
from corpus.text.markdown import render_markdown

register = template.Library()

# Pages where labels are shown or what is made of them.
LABELS = ("progress", "levels", "machines", "judgments", "agreement", "disagreements", "adjudication", "relevance")


@register.inclusion_tag("annotation/templatetags/_campaign_head.html")
def campaign_head(campaign: Campaign, membership: Membership, current: str = "") -> dict[str, object]:
    """Name and state of the campaign, and the pages of it that this member may open; `current` is one's key."""
    where = (membership.collection.slug, campaign.slug)
    sections = [(tab.key, tab.label, tab.href(*where)) for tab in tabs_for("campaign", membership.role, campaign)]
    return {
        "campaign": campaign,
        "collection": membership.collection,
        "sections": sections,
        "current": current,
        "overrides": overrides_in(campaign) if current in LABELS else [],
        "state_class": {"open": "ok", "draft": "info"}.get(campaign.state, ""),
    }


@register.inclusion_tag("annotation/templatetags/_override_notes.html")
def override_notes(campaign: Campaign) -> dict[str, object]:
    """What must be printed with labels of machines that annotate without a passed test."""
    return {"overrides": overrides_in(campaign)}


@register.filter
def markdown(text: str, headings_from: int = 3) -> SafeString:
    """Markdown as safe HTML, its headings from the given level on."""
    return mark_safe(render_markdown(text, headings_from=headings_from))  # noqa: S308 - sanitised there
