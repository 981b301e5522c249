"""The pages of this app that stand in bars of tabs, and links to them from pages of apps below."""

from accounts.slots import Tab
from annotation.tabs import ADJUDICATORS, of_kinds
from corpus.collections.rules import OVERSEERS

TABS = (
    Tab("help pages", 10, "statistics", "What the statistics say, and how a vote is decided", "statistics_help"),
    Tab("collection", 90, "exports", "Exports", "export_list", OVERSEERS),
    Tab("collection", 95, "evaluation", "Evaluation", "evaluation_list", OVERSEERS),
    Tab("collection", 97, "releases", "Releases", "release_list", OVERSEERS),
    Tab("questions", 50, "set", "Question set", "question_set"),
    Tab("campaigns", 10, "anno-gpt", "Anno-GPT", "cycle_list"),
    Tab("machines", 10, "anno-gpt", "Anno-GPT", "cycle_list"),
    Tab("papers", 10, "contexts", "In figures", "context_report"),
    Tab("campaign", 80, "judgments", "Judgments", "judgment_list", OVERSEERS, of_kinds("judgments")),
    Tab("campaign", 100, "agreement", "Agreement", "agreement_detail", OVERSEERS, of_kinds("agreement")),
    Tab("campaign", 101, "comparison", "Agreement", "extraction_agreement", OVERSEERS, of_kinds("comparison")),
    Tab("campaign", 110, "disagreements", "Disagreements", "disagreement_list", OVERSEERS, of_kinds("disagreements")),
    Tab("campaign", 120, "adjudication", "Adjudication", "adjudication_screen", ADJUDICATORS),
    Tab("campaign", 130, "relevance", "Relevance", "relevance_list", OVERSEERS, of_kinds("relevance")),
    Tab("campaign imports", 10, "unparsed", "Unparsed answers", "unparsed_answer_list", OVERSEERS),
)
