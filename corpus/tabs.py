"""Pages of this app in bars of tabs. Places leave room for those of apps above."""

from accounts.slots import Tab
from corpus.collections.rules import MANAGE, OVERSEERS

# Groups of a collection: at most seven, each of at most seven pages (tests/accounts/test_slots.py).
MATERIAL, QUESTIONS, CAMPAIGNS, RESULTS, SETTINGS = "Material", "Questions", "Campaigns", "Results", "Settings"

TABS = (
    Tab("collection", MATERIAL, 10, "documents", "Documents", "document_list"),
    Tab("collection", MATERIAL, 30, "topics", "Topics", "topic_list"),
    Tab("collection", MATERIAL, 40, "runs", "Runs", "run_list", OVERSEERS),
    Tab("collection", MATERIAL, 50, "pools", "Pools", "pool_list", OVERSEERS),
    Tab("collection", MATERIAL, 60, "imports", "Imports", "import_list", MANAGE),
    Tab("collection", QUESTIONS, 70, "mentions", "Citation mentions", "mention_list", OVERSEERS),
    Tab("collection", QUESTIONS, 75, "generation", "Generation", "generation_list", OVERSEERS),
    Tab("collection", QUESTIONS, 80, "questions", "Generated questions", "question_list", OVERSEERS),
    Tab("collection", QUESTIONS, 85, "authors", "Authors' calls", "author_call_list", MANAGE),
    Tab("collection", QUESTIONS, 90, "sub-queries", "Sub-queries", "sub_query_list", OVERSEERS),
    Tab("collection", SETTINGS, 310, "people", "People", "member_list", OVERSEERS),
    Tab("collection", SETTINGS, 320, "settings", "General", "collection_edit", MANAGE),
    Tab("collection", SETTINGS, 330, "audit", "Audit log", "audit_list", MANAGE),
)
