"""The pages of this app that stand in bars of tabs, and links to them from pages of apps below."""

from accounts.slots import Tab
from annotation.tabs import ADJUDICATE, ADJUDICATORS, AGREEMENT, PROGRESS, of_kinds
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.tabs import CAMPAIGNS, RESULTS

UNPARSED = "Invalid machine answers"
COMPARING = of_kinds("comparison")
DIFFERING = of_kinds("disagreements")

TABS = (
    Tab("help pages", "", 10, "statistics", "What the statistics say, and how a vote is decided", "statistics_help"),
    Tab("collection", CAMPAIGNS, 120, "anno-gpt", "Anno-GPT", "cycle_list", OVERSEERS),
    Tab("collection", RESULTS, 210, "evaluation", "Evaluation", "evaluation_list", OVERSEERS),
    Tab("collection", RESULTS, 215, "splits", "Splits", "split_list", OVERSEERS),
    Tab("collection", RESULTS, 220, "set", "Question set", "question_set", OVERSEERS),
    Tab("collection", RESULTS, 230, "contexts", "Citation contexts", "context_report", OVERSEERS),
    Tab("collection", RESULTS, 240, "exports", "Exports", "export_list", OVERSEERS),
    Tab("collection", RESULTS, 250, "releases", "Releases", "release_list", OVERSEERS),
    Tab("campaign", PROGRESS, 115, "work", "Hours and pace", "work_detail", MANAGE),
    Tab("campaign", PROGRESS, 120, "judgments", "Judgments", "judgment_list", OVERSEERS, of_kinds("judgments")),
    Tab("campaign", PROGRESS, 130, "unparsed", UNPARSED, "unparsed_answer_list", OVERSEERS, of_kinds("machines")),
    Tab("campaign", AGREEMENT, 210, "agreement", "Agreement", "agreement_detail", OVERSEERS, of_kinds("agreement")),
    Tab("campaign", AGREEMENT, 215, "comparison", "Agreement", "extraction_agreement", OVERSEERS, COMPARING),
    Tab("campaign", AGREEMENT, 220, "sample", "Sample size", "sample_size", OVERSEERS, of_kinds("agreement")),
    Tab("campaign", ADJUDICATE, 310, "disagreements", "Disagreements", "disagreement_list", OVERSEERS, DIFFERING),
    Tab("campaign", ADJUDICATE, 320, "adjudication", "Adjudication", "adjudication_screen", ADJUDICATORS),
    Tab("campaign", ADJUDICATE, 340, "relevance", "Relevance", "relevance_list", OVERSEERS, of_kinds("relevance")),
)
