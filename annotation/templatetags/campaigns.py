"""The frame of a campaign's pages, and guidelines in templates."""

from contextlib import suppress
from dataclasses import dataclass

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString, mark_safe

from annotation.models import Campaign, CampaignKind
from annotation.queries.overrides import overrides_in
from corpus.models import Membership, Role
from corpus.permissions import OVERSEERS
from corpus.text.markdown import render_markdown

register = template.Library()

MANAGERS = (Role.MANAGER,)
ADJUDICATORS = (Role.MANAGER, Role.ADJUDICATOR)
SECTIONS = (
    ("progress", "Progress", "campaign_detail", OVERSEERS),
    ("items", "Items", "item_list", OVERSEERS),
    ("annotators", "Annotators", "annotator_list", OVERSEERS),
    ("assignment", "Assignment", "assignment_plan", MANAGERS),
    ("levels", "Levels", "criteria_edit", MANAGERS),
    ("guideline", "Guideline", "guideline_edit", MANAGERS),
    ("machines", "Machines", "machine_list", OVERSEERS),
    ("judgments", "Judgments", "judgment_list", OVERSEERS),
    ("rewrites", "Rewrites", "rewrite_list", OVERSEERS),
    ("agreement", "Agreement", "agreement_detail", OVERSEERS),
    ("comparison", "Agreement", "extraction_agreement", OVERSEERS),
    ("disagreements", "Disagreements", "disagreement_list", OVERSEERS),
    ("adjudication", "Adjudication", "adjudication_screen", ADJUDICATORS),
    ("relevance", "Relevance", "relevance_list", OVERSEERS),
    ("settings", "Settings", "campaign_edit", MANAGERS),
)
ONLY_OF = {
    "relevance": CampaignKind.RELEVANCE,
    "rewrites": CampaignKind.RUBRIC,
    "comparison": CampaignKind.EXTRACTION,
}
GRADED = ("levels", "machines", "judgments", "agreement", "disagreements")  # where items get a level
LABELS = ("progress", *GRADED, "adjudication", "relevance")  # where labels are shown or what is made of them


@dataclass(frozen=True)
class Section:
    key: str
    label: str
    href: str


@register.inclusion_tag("annotation/_campaign_head.html")
def campaign_head(campaign: Campaign, membership: Membership, current: str = "") -> dict[str, object]:
    """Name and state of the campaign, and the pages of it that this member may open; `current` is one's key."""
    sections = []
    for key, label, name, roles in SECTIONS:
        if key in GRADED and not campaign.has_criteria:
            continue
        if campaign.kind != ONLY_OF.get(key, campaign.kind):
            continue
        with suppress(NoReverseMatch):  # pages of an app above this one that are not there yet
            if membership.role in roles:
                sections.append(Section(key, label, reverse(name, args=[membership.collection.slug, campaign.slug])))
    return {
        "campaign": campaign,
        "collection": membership.collection,
        "sections": sections,
        "current": current,
        "overrides": overrides_in(campaign) if current in LABELS else [],
        "state_class": {"open": "ok", "draft": "info"}.get(campaign.state, ""),
    }


@register.inclusion_tag("annotation/_override_notes.html")
def override_notes(campaign: Campaign) -> dict[str, object]:
    """What must be printed with labels of machines that annotate without a passed test."""
    return {"overrides": overrides_in(campaign)}


@register.filter
def markdown(text: str, headings_from: int = 3) -> SafeString:
    """Markdown as safe HTML, its headings from the given level on."""
    return mark_safe(render_markdown(text, headings_from=headings_from))  # noqa: S308 - sanitised there
