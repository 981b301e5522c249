"""The pages of this app that stand in bars of tabs, and links to them from pages of apps below."""

from accounts.slots import Tab
from annotation.tabs import ADJUDICATORS, DECIDE, FOLLOW, SET_UP, of_kinds
from annotation.tabs import RESULTS as CAMPAIGN_RESULTS
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.tabs import CAMPAIGNS, RESULTS

TABS = (
    Tab("help pages", "", 10, "statistics", "What the statistics say, and how a vote is decided", "statistics_help"),
    Tab("collection", CAMPAIGNS, 120, "anno-gpt", "Anno-GPT", "cycle_list", OVERSEERS),
    Tab("collection", RESULTS, 210, "evaluation", "Evaluation", "evaluation_list", OVERSEERS),
    Tab("collection", RESULTS, 215, "splits", "Splits", "split_list", OVERSEERS),
    Tab("collection", RESULTS, 220, "set", "Question set", "question_set", OVERSEERS),
    Tab("collection", RESULTS, 230, "contexts", "Citation contexts", "context_report", OVERSEERS),
    Tab("collection", RESULTS, 240, "exports", "Exports", "export_list", OVERSEERS),
    Tab("collection", RESULTS, 250, "releases", "Releases", "release_list", OVERSEERS),
    Tab("campaign", SET_UP, 20, "sample", "Sample size", "sample_size", OVERSEERS, of_kinds("agreement")),
    Tab("campaign", FOLLOW, 115, "work", "Work", "work_detail", MANAGE),
    Tab("campaign", FOLLOW, 120, "judgments", "Judgments", "judgment_list", OVERSEERS, of_kinds("judgments")),
    Tab(
        "campaign", FOLLOW, 130, "unparsed", "Unparsed answers", "unparsed_answer_list", OVERSEERS, of_kinds("machines")
    ),
    Tab(
        "campaign",
        DECIDE,
        210,
        "disagreements",
        "Disagreements",
        "disagreement_list",
        OVERSEERS,
        of_kinds("disagreements"),
    ),
    Tab("campaign", DECIDE, 220, "adjudication", "Adjudication", "adjudication_screen", ADJUDICATORS),
    Tab(
        "campaign",
        CAMPAIGN_RESULTS,
        310,
        "agreement",
        "Agreement",
        "agreement_detail",
        OVERSEERS,
        of_kinds("agreement"),
    ),
    Tab(
        "campaign",
        CAMPAIGN_RESULTS,
        320,
        "comparison",
        "Agreement",
        "extraction_agreement",
        OVERSEERS,
        of_kinds("comparison"),
    ),
    Tab(
        "campaign", CAMPAIGN_RESULTS, 330, "relevance", "Relevance", "relevance_list", OVERSEERS, of_kinds("relevance")
    ),
)
