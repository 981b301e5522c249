"""Pages of this app in bars of tabs. Places leave room for those of apps above."""

from accounts.slots import Tab
from corpus.collections.rules import MANAGE, OVERSEERS

MATERIAL, CAMPAIGNS, RESULTS, SETTINGS = "Material", "Campaigns", "Results", "Settings"  # groups of a collection

TABS = (
    Tab("collection", MATERIAL, 10, "documents", "Documents", "document_list"),
    Tab("collection", MATERIAL, 30, "topics", "Topics", "topic_list"),
    Tab("collection", MATERIAL, 40, "sub-queries", "Sub-queries", "sub_query_list", OVERSEERS),
    Tab("collection", MATERIAL, 50, "questions", "Questions", "mention_list", OVERSEERS),
    Tab("collection", MATERIAL, 60, "authors", "Authors' calls", "author_call_list", MANAGE),
    Tab("collection", MATERIAL, 70, "runs", "Runs", "run_list", OVERSEERS),
    Tab("collection", MATERIAL, 80, "pools", "Pools", "pool_list", OVERSEERS),
    Tab("collection", MATERIAL, 90, "imports", "Imports", "import_list", MANAGE),
    Tab("collection", SETTINGS, 310, "people", "People", "member_list", OVERSEERS),
    Tab("collection", SETTINGS, 320, "settings", "General", "collection_edit", MANAGE),
    Tab("collection", SETTINGS, 330, "audit", "Audit log", "audit_list", MANAGE),
    Tab("questions", "", 10, "mentions", "Citation mentions", "mention_list"),
    Tab("questions", "", 20, "generation", "Generation", "generation_list"),
    Tab("questions", "", 30, "questions", "Generated questions", "question_list"),
)
