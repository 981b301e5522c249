"""The pages of this app that stand in bars of tabs, and what their campaign must have."""

from collections.abc import Callable

from accounts.slots import Tab
from annotation.models import Campaign
from corpus.collections.rules import OVERSEERS
from corpus.models import Role

MANAGERS = (Role.MANAGER,)
ADJUDICATORS = (Role.MANAGER, Role.ADJUDICATOR)


def of_kinds(key: str) -> Callable[[Campaign], bool]:
    """Only campaigns whose kind names this page in its `tabs`."""
    return lambda campaign: key in campaign.kind_object.tabs


TABS = (
    Tab("help", 10, "help", "How Litmus works", "help"),
    Tab("collection", 50, "papers", "Papers", "paper_list", OVERSEERS),
    Tab("collection", 60, "campaigns", "Campaigns", "campaign_list"),
    Tab("campaign", 10, "progress", "Progress", "campaign_detail", OVERSEERS),
    Tab("campaign", 20, "items", "Items", "item_list", OVERSEERS),
    Tab("campaign", 30, "annotators", "Annotators", "annotator_list", OVERSEERS),
    Tab("campaign", 40, "assignment", "Assignment", "assignment_plan", MANAGERS),
    Tab("campaign", 50, "levels", "Levels", "criteria_edit", MANAGERS, of_kinds("levels")),
    Tab("campaign", 60, "guideline", "Guideline", "guideline_edit", MANAGERS),
    Tab("campaign", 70, "machines", "Machines", "machine_list", OVERSEERS, of_kinds("machines")),
    Tab("campaign", 90, "rewrites", "Rewrites", "rewrite_list", OVERSEERS, of_kinds("rewrites")),
    Tab("campaign", 150, "settings", "Settings", "campaign_edit", MANAGERS),
)
