"""The pages of this app that stand in bars of tabs, and what their campaign must have."""

from collections.abc import Callable

from accounts.slots import Tab
from annotation.models import Campaign
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role
from corpus.tabs import CAMPAIGNS, MATERIAL

ADJUDICATORS = (Role.MANAGER, Role.ADJUDICATOR)


def of_kinds(key: str) -> Callable[[Campaign], bool]:
    """Only campaigns whose kind names this page in its `tabs`."""
    return lambda campaign: key in campaign.kind_object.tabs


SET_UP, PROGRESS, AGREEMENT, ADJUDICATE = "Set up", "Progress", "Agreement", "Adjudicate"  # groups of a campaign

TABS = (
    Tab("help", "", 10, "help", "How Litmus works", "help"),
    Tab("collection", MATERIAL, 20, "papers", "Papers", "paper_list", OVERSEERS),
    Tab("collection", CAMPAIGNS, 110, "campaigns", "Campaigns", "campaign_list"),
    Tab("campaign", SET_UP, 10, "items", "Items", "item_list", OVERSEERS),
    Tab("campaign", SET_UP, 30, "levels", "Levels", "criteria_edit", MANAGE, of_kinds("levels")),
    Tab("campaign", SET_UP, 40, "guideline", "Guideline", "guideline_edit", MANAGE),
    Tab("campaign", SET_UP, 50, "annotators", "Annotators", "annotator_list", OVERSEERS),
    Tab("campaign", SET_UP, 60, "assignment", "Assignment", "assignment_plan", MANAGE),
    Tab("campaign", SET_UP, 70, "machines", "Machines", "machine_list", OVERSEERS, of_kinds("machines")),
    Tab("campaign", SET_UP, 80, "settings", "Settings", "campaign_edit", MANAGE),
    Tab("campaign", PROGRESS, 110, "progress", "Overview", "campaign_detail", OVERSEERS),
    Tab("campaign", PROGRESS, 140, "inquiries", "Annotators' questions", "inquiry_list", MANAGE),
    Tab("campaign", ADJUDICATE, 330, "rewrites", "Rewrites", "rewrite_list", OVERSEERS, of_kinds("rewrites")),
)
