"""The pages of this app that stand in bars of tabs, and what their campaign must have."""

from collections.abc import Callable

from accounts.slots import Tab
from annotation.assignment.queue_orders import has_open_queue
from annotation.campaigns.campaigns import is_filled_at_opening
from annotation.models import Campaign
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.tabs import CAMPAIGNS, DO_IN_CAMPAIGN, DO_IN_COLLECTION, MATERIAL, SETTINGS


def needs_a_plan(campaign: Campaign) -> bool:
    """Whether opening it does not give its items out."""
    return not is_filled_at_opening(campaign)


def has_repeats(campaign: Campaign) -> bool:
    """Whether the same person may be given an item twice."""
    return not campaign.kind_object.no_repeats


def of_kinds(key: str) -> Callable[[Campaign], bool]:
    """Only campaigns whose kind names this page in its `tabs`."""
    return lambda campaign: key in campaign.kind_object.tabs


LABELS = "upload bring in labels ratings annotations qrels csv"
SET_UP, PROGRESS, AGREEMENT, ADJUDICATE = "Set up", "Progress", "Agreement", "Adjudicate"  # groups of a campaign

TABS = (
    Tab(DO_IN_COLLECTION, "", 110, "campaign", "New campaign", "campaign_create", MANAGE).found_by(
        "start add copy template"
    ),
    Tab(DO_IN_COLLECTION, "", 120, "own-consent", "My consent, or withdraw", "consent_give", also="leave study agree"),
    Tab("collection", SETTINGS, 315, "consent", "Consent", "consent_detail", MANAGE).found_by(
        "ethics irb study agree withdraw background demographics"
    ),
    Tab(DO_IN_CAMPAIGN, "", 10, "build", "Add items", "item_build", MANAGE, also="new pairs build"),
    Tab(DO_IN_CAMPAIGN, "", 20, "who", "Add annotators", "annotator_list", MANAGE).found_by(
        "new judge rater assign invite"
    ),
    Tab(DO_IN_CAMPAIGN, "", 30, "plan", "Plan the assignment", "assignment_plan", MANAGE, needs_a_plan).found_by(
        "assign distribute give"
    ),
    Tab(
        DO_IN_CAMPAIGN, "", 35, "rejudging", "Judge again after a change", "rejudging_request", MANAGE, has_repeats
    ).found_by("rejudge guideline changed redo relabel"),
    Tab(DO_IN_CAMPAIGN, "", 36, "next", "Order of the open queue", "queue_order", MANAGE, has_open_queue).found_by(
        "next judge random active learning priority sequence"
    ),
    Tab(DO_IN_CAMPAIGN, "", 40, "machine", "Run a machine", "machine_create", MANAGE, of_kinds("machines")).found_by(
        "llm gpt"
    ),
    Tab(DO_IN_CAMPAIGN, "", 50, "open", "Open or close the campaign", "campaign_detail", MANAGE).found_by(
        "start begin end stop"
    ),
    Tab(DO_IN_CAMPAIGN, "", 60, "copy", "Copy the campaign", "campaign_edit", MANAGE, also="duplicate again"),
    Tab(
        DO_IN_CAMPAIGN, "", 70, "labels", "Import judgments", "judgment_import", MANAGE, of_kinds("judgments")
    ).found_by(LABELS),
    Tab("help", "", 10, "help", "How Litmus works", "help", also="keys keyboard shortcuts glossary words"),
    Tab("collection", MATERIAL, 20, "papers", "Papers", "paper_list", OVERSEERS, also="pdf full text tei grobid"),
    Tab("collection", CAMPAIGNS, 110, "campaigns", "Campaigns", "campaign_list").found_by(
        "rounds projects annotation tasks labelling labeling"
    ),
    Tab("campaign", SET_UP, 10, "items", "Items", "item_list", OVERSEERS, also="pairs units"),
    Tab("campaign", SET_UP, 30, "levels", "Levels", "criteria_edit", MANAGE, of_kinds("levels")).found_by(
        "criteria grades scale labels rubric"
    ),
    Tab("campaign", SET_UP, 40, "guideline", "Guideline", "guideline_edit", MANAGE, also="instructions manual rules"),
    Tab("campaign", SET_UP, 50, "annotators", "Annotators", "annotator_list", OVERSEERS).found_by(
        "judges raters assessors experts assign"
    ),
    Tab("campaign", SET_UP, 60, "assignment", "Assignment", "assignment_plan", MANAGE).found_by(
        "assign distribute share plan workload overlap queue"
    ),
    Tab("campaign", SET_UP, 70, "machines", "Machines", "machine_list", OVERSEERS, of_kinds("machines")).found_by(
        "llm gpt model prompt automatic"
    ),
    Tab("campaign", SET_UP, 80, "settings", "Settings", "campaign_edit", MANAGE, also="rename deadline overlap copy"),
    Tab("campaign", PROGRESS, 110, "progress", "Overview", "campaign_detail", OVERSEERS).found_by(
        "status done finished how far"
    ),
    Tab("campaign", PROGRESS, 150, "gold", "Known answers", "gold_detail", MANAGE, of_kinds("gold")).found_by(
        "gold training qualification test questions pass mark"
    ),
    Tab("campaign", PROGRESS, 140, "inquiries", "Annotators' questions", "inquiry_list", MANAGE).found_by(
        "asked answers"
    ),
    Tab("campaign", ADJUDICATE, 330, "rewrites", "Rewrites", "rewrite_list", OVERSEERS, of_kinds("rewrites")),
)
