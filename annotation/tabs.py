"""The pages of this app that stand in bars of tabs, and what their campaign must have."""

from accounts.slots import Tab
from annotation.models import Campaign, CampaignKind
from corpus.models import Role
from corpus.permissions import OVERSEERS

MANAGERS = (Role.MANAGER,)
ADJUDICATORS = (Role.MANAGER, Role.ADJUDICATOR)


def is_graded(campaign: Campaign) -> bool:
    """Whether items get a level."""
    return campaign.has_criteria


def is_rubric(campaign: Campaign) -> bool:
    return campaign.kind == CampaignKind.RUBRIC


TABS = (
    Tab("help", 10, "help", "How Litmus works", "help"),
    Tab("collection", 50, "papers", "Papers", "paper_list", OVERSEERS),
    Tab("collection", 60, "campaigns", "Campaigns", "campaign_list"),
    Tab("campaign", 10, "progress", "Progress", "campaign_detail", OVERSEERS),
    Tab("campaign", 20, "items", "Items", "item_list", OVERSEERS),
    Tab("campaign", 30, "annotators", "Annotators", "annotator_list", OVERSEERS),
    Tab("campaign", 40, "assignment", "Assignment", "assignment_plan", MANAGERS),
    Tab("campaign", 50, "levels", "Levels", "criteria_edit", MANAGERS, is_graded),
    Tab("campaign", 60, "guideline", "Guideline", "guideline_edit", MANAGERS),
    Tab("campaign", 70, "machines", "Machines", "machine_list", OVERSEERS, is_graded),
    Tab("campaign", 90, "rewrites", "Rewrites", "rewrite_list", OVERSEERS, is_rubric),
    Tab("campaign", 150, "settings", "Settings", "campaign_edit", MANAGERS),
)
